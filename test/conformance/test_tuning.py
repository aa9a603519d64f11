# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--tune: what it measures is kept, other compilations follow it, and results stay right. No test asks how fast anything is."""
import re

import pytest

from bundles import np, onnx, relative_to_largest, run_bundle, run_once
from onnx import TensorProto, helper, numpy_helper


def save_model(path, channels=32, seed=1):
    """A convolution of 3x3, two transposed ones, and products by a matrix and by another value, of random weights."""
    random = np.random.default_rng(seed)

    def weights(name, *shape):
        return numpy_helper.from_array(random.normal(0, 0.2, shape).astype(np.float32), name)

    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("ConvTranspose", ["r", "t"], ["d"], strides=[2, 2]),
        helper.make_node("ConvTranspose", ["d", "s"], ["e"]),  # its folded weights have no name of their own
        helper.make_node("Reshape", ["e", "rows"], ["m"]),
        helper.make_node("MatMul", ["m", "p"], ["n"]),
        helper.make_node("Transpose", ["n"], ["nt"], perm=[1, 0]),
        helper.make_node("MatMul", ["n", "nt"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "tuning", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 12, 12])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [channels, channels])],
        [weights("w", channels, 16, 3, 3), weights("b", channels), weights("t", channels, 8, 2, 2), weights("s", 8, 8, 1, 1),
         weights("p", 8 * 24 * 24 // channels, 24),
         numpy_helper.from_array(np.array([channels, -1], np.int64), "rows")])
    onnx.save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)]), path)


def entries_of(file):
    """{op: choice} of a complete file."""
    lines = file.read_text().splitlines()
    assert lines[0] == "ttc tuning 1" and lines[1].startswith("version ") and lines[2].startswith("cpu ")
    entries = dict(line.split(" => ") for line in lines[3:-1])
    assert lines[-1] == f"end {len(entries)}" and sorted(entries) == list(entries)
    return entries


def test_tune(tools, tmp_path):
    model, file = tmp_path / "model.onnx", tmp_path / "tuning.txt"
    save_model(model)
    tools.compile(model, tmp_path / "untuned.ttcb")
    done = tools.compile(model, tmp_path / "tuned.ttcb", "--tune=2", f"--tuning={file}")
    assert re.search(r"^tune: \[1/\d+\] kernel: conv 1x12x12x16, 32x16x3x3: \d+\.\d+ ", done.stderr, re.M), done.stderr
    assert entries_of(file)

    # The same file gives the same bytes, which are those of the compilation that measured.
    for name in ("first", "second"):
        done = tools.compile(model, tmp_path / f"{name}.ttcb", f"--tuning={file}", reuse=False)
        assert "tune" not in done.stderr
        assert (tmp_path / f"{name}.ttcb").read_bytes() == (tmp_path / "tuned.ttcb").read_bytes()
    tools.compile(model, tmp_path / "again.ttcb", reuse=False)
    assert (tmp_path / "again.ttcb").read_bytes() == (tmp_path / "untuned.ttcb").read_bytes()

    # Other kernels sum in another order.
    x = np.random.default_rng(2).normal(0, 1, (1, 16, 12, 12)).astype(np.float32)
    expected = run_once(tools, tmp_path / "untuned.ttcb", {"x": x})
    run_bundle(tools, tmp_path / "tuned.ttcb", {"x": x}, expected, 0, relative_to_largest(expected, 1e-4))


def test_one_file_for_many_models(tools, tmp_path):
    file = tmp_path / "tuning.txt"
    for channels in (32, 48):
        save_model(tmp_path / f"{channels}.onnx", channels)
        before = entries_of(file) if file.exists() else {}
        tools.compile(tmp_path / f"{channels}.onnx", tmp_path / "model.ttcb", "--tune=1", f"--tuning={file}")
        after = entries_of(file)
        assert before.items() <= after.items() and len(after) > len(before)
    # An entry is there: nothing of it is measured again.
    complete = tools.compile(tmp_path / "32.onnx", tmp_path / "model.ttcb", "--tune=20", f"--tuning={file}")
    entries = entries_of(file)
    assert after.items() <= entries.items()
    again = tools.compile(tmp_path / "32.onnx", tmp_path / "model.ttcb", "--tune=20", f"--tuning={file}")
    assert "no time left" not in complete.stderr and "tune:" not in again.stderr, again.stderr
    assert entries_of(file) == entries


CHOICES = ["direct, tile = [1, 16]", "direct, tile = [14, 16]"] + [
    f"{method}, tile = [5, 16], outputs = {outputs}" for method in ("winograd", "winograd_transformed") for outputs in (2, 4)]


@pytest.fixture(scope="module")
def untuned(tools, tmp_path_factory):
    """The folder with a model, a bundle of it and the first lines of its tuning."""
    folder = tmp_path_factory.mktemp("untuned")
    save_model(folder / "model.onnx")
    tools.compile(folder / "model.onnx", folder / "untuned.ttcb", "--tune=0.01", f"--tuning={folder / 'tuning.txt'}")
    return folder


@pytest.mark.parametrize("choice", CHOICES)
def test_every_choice_is_right(tools, untuned, tmp_path, choice):
    """Whatever a file says about a convolution, by hand too, results are those of the heuristics' choice."""
    model, file = untuned / "model.onnx", tmp_path / "tuning.txt"
    lines = (untuned / "tuning.txt").read_text().splitlines()
    operands = "tensor<1x12x12x16xf32>, constant tensor<32x16x3x3xf32>, constant tensor<32xf32>"
    attributes = ("channels_last, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, "
                  "strides = array<i64: 1, 1>")
    entry = f"conv ({operands}) -> tensor<1x12x12x32xf32> {{{attributes}}} => #ttc.kernel_choice<{choice}>"
    file.write_text("\n".join([*lines[:3], entry, "end 1", ""]))
    tools.compile(model, tmp_path / "tuned.ttcb", f"--tuning={file}")
    # What is fastest depends on the CPU; tiles that are nearly as large can become the same code.
    method = re.sub(r"tile = \[\d+, \d+\]", "", choice)
    if not any(re.sub(r"tile = \[\d+, \d+\]", "", line).endswith(f"<{method}>") for line in lines):
        assert (tmp_path / "tuned.ttcb").read_bytes() != (untuned / "untuned.ttcb").read_bytes()
    x = np.random.default_rng(3).normal(0, 1, (1, 16, 12, 12)).astype(np.float32)
    expected = run_once(tools, untuned / "untuned.ttcb", {"x": x})
    run_bundle(tools, tmp_path / "tuned.ttcb", {"x": x}, expected, 0, relative_to_largest(expected, 1e-4))


def test_damaged_file_is_kept(tools, tmp_path):
    model, file = tmp_path / "model.onnx", tmp_path / "tuning.txt"
    save_model(model)
    tools.compile(model, tmp_path / "model.ttcb", "--tune=1", f"--tuning={file}")
    whole = file.read_bytes()
    for damaged in (whole[:-2], whole[: len(whole) // 2], b"", whole.replace(b"=> #ttc", b"=> #tt", 1)):
        file.write_bytes(damaged)
        for options in (["--tune=1"], []):
            failed = tools.run("ttc-translate", "--onnx-to-bundle", model, f"--tuning={file}", *options, "-o",
                               tmp_path / "other.ttcb", check=False)
            assert failed.returncode == 1 and f"tuning '{file}', line " in failed.stderr, failed.stderr
            assert file.read_bytes() == damaged and not (tmp_path / "other.ttcb").exists()

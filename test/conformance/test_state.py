# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""States: tensors that stay on the device from run to run, in every schedule, shared by entry points."""
import json

import pytest

from bundles import np, onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

# Sums of all inputs so far; the output is the sum before, and the number of runs stands beside.
SUMS = """
ttc.state @sum : tensor<4x64xf32>
ttc.state @runs : tensor<1xi32>
func.func @main(%sum: tensor<4x64xf32> {ttc.state = @sum}, %x: tensor<4x64xf32> {ttc.name = "x"},
                %runs: tensor<1xi32> {ttc.state = @runs})
    -> (tensor<4x64xf32> {ttc.name = "before"}, tensor<1xi32> {ttc.state = @runs},
        tensor<4x64xf32> {ttc.state = @sum}, tensor<4x64xf32> {ttc.name = "twice"},
        tensor<1xi32> {ttc.name = "count"}) {
  %one = ttc.constant dense<1> : tensor<1xi32>
  %new = ttc.add %sum, %x : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %next = ttc.add %runs, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %soft = ttc.softmax %new {axis = 1} : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %twice = ttc.mul %soft, %new : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  return %sum, %next, %new, %twice, %next
    : tensor<4x64xf32>, tensor<1xi32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<1xi32>
}
func.func @clear() -> (tensor<4x64xf32> {ttc.state = @sum}, tensor<1xi32> {ttc.name = "zero"}) {
  %0 = ttc.constant dense<0.0> : tensor<4x64xf32>
  %zero = ttc.constant dense<0> : tensor<1xi32>
  return %0, %zero : tensor<4x64xf32>, tensor<1xi32>
}
func.func @step(%runs: tensor<1xi32> {ttc.state = @runs}) -> (tensor<1xi32> {ttc.state = @runs}, tensor<1xi32> {ttc.name = "count"}) {
  %one = ttc.constant dense<1> : tensor<1xi32>
  %next = ttc.add %runs, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %copy = ttc.mul %next, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  return %next, %copy : tensor<1xi32>, tensor<1xi32>
}
"""


def build(tools, folder, text, *options):
    source, bundle = folder / "state.mlir", folder / "state.ttcb"
    source.write_text(text)
    tools.compile_ir(source, bundle, *options)
    return bundle


@pytest.fixture(scope="module")
def sums(tools, tmp_path_factory):
    return build(tools, tmp_path_factory.mktemp("sums"), SUMS)


def schedules(tools, bundle):
    entries = json.loads(tools.ttrun("read", bundle, "--json").stdout)["entries"]
    return {entry["name"]: [schedule["name"] for schedule in entry["schedules"]] for entry in entries}


def test_kept_from_run_to_run_in_every_schedule(tools, sums, tmp_path):
    x = np.random.default_rng(1).standard_normal((4, 64), dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    total, before = np.zeros_like(x), None
    for _ in range(7):
        before, total = total, total + x
    np.save(tmp_path / "before.npy", before)
    np.save(tmp_path / "count.npy", np.array([7], np.int32))
    names = schedules(tools, sums)
    assert len(names["main"]) == 7
    ways = [[f"--schedule={name}"] for name in names["main"] + ["auto"]] + [["--cores=1"], ["--cores=3"], ["--no-trace"]]
    for way in ways:
        # Only the last run has these outputs: the others are not compared.
        tools.ttrun("run", sums, "--entry=main", "--input", f"x={tmp_path}/x.npy", "--loops=7", *way,
                    f"--output=before={tmp_path}/got.npy", f"--output=count={tmp_path}/got_count.npy")
        assert np.array_equal(np.load(tmp_path / "got.npy"), before), way
        assert np.load(tmp_path / "got_count.npy") == [7], way


def test_an_entry_point_without_inputs_runs_ahead(tools, sums, tmp_path):
    names = schedules(tools, sums)["step"]
    assert names == ["single", "overlap-io-signals", "overlap-io", "single-untraced", "overlap-io-untraced"]
    for name in names:
        tools.ttrun("run", sums, "--entry=step", f"--schedule={name}", "--loops=1000",
                    f"--output=count={tmp_path}/count.npy")
        assert np.load(tmp_path / "count.npy") == [1000], name


def test_stored_and_shared(tools, sums, tmp_path):
    """What one entry point left is what another one finds, in another process."""
    x = np.random.default_rng(2).standard_normal((4, 64), dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    state = tmp_path / "kept.state"
    given = ["--input", f"x={tmp_path}/x.npy"]
    tools.ttrun("run", sums, "--entry=main", *given, "--loops=3", f"--save-state={state}")
    tools.ttrun("run", sums, "--entry=step", f"--restore-state={state}", f"--save-state={state}",
                f"--output=count={tmp_path}/count.npy")
    assert np.load(tmp_path / "count.npy") == [4]
    tools.ttrun("run", sums, "--entry=main", *given, f"--restore-state={state}",
                f"--output=before={tmp_path}/before.npy", f"--save-state={state}")
    assert np.array_equal(np.load(tmp_path / "before.npy"), x + x + x)
    tools.ttrun("run", sums, "--entry=clear", f"--restore-state={state}", f"--save-state={state}")
    tools.ttrun("run", sums, "--entry=main", *given, f"--restore-state={state}",
                f"--output=before={tmp_path}/before.npy", f"--output=count={tmp_path}/count.npy")
    assert not np.load(tmp_path / "before.npy").any()
    assert np.load(tmp_path / "count.npy") == [6]


def test_wrong_files_are_errors(tools, sums, tmp_path):
    bad = tmp_path / "bad.state"
    bad.write_bytes(b"no state at all, but some text that is long enough to hold a header of forty bytes")
    done = tools.ttrun("run", sums, "--entry=step", f"--restore-state={bad}", check=False)
    assert done.returncode != 0 and "is not a file of states" in done.stderr
    done = tools.ttrun("run", sums, "--entry=step", f"--restore-state={tmp_path}/none", check=False)
    assert done.returncode != 0 and "cannot open" in done.stderr


def test_read_shows_states(tools, sums):
    text = tools.ttrun("read", sums, "--entries").stdout
    assert "sum f32[4, 64], 1024 bytes at dram" in text and "of main, clear" in text
    states = json.loads(tools.ttrun("read", sums, "--json", "--entries").stdout)["states"]
    assert [(s["name"], s["dtype"], s["shape"], s["bytes"], s["entries"]) for s in states] == [
        ("sum", "f32", [4, 64], 1024, ["main", "clear"]), ("runs", "i32", [1], 4, ["main", "step"])]


def test_bundle_and_ir_say_the_same(tools, sums, tmp_path):
    tools.run("ttc-translate", "--bundle-to-ttc", "--mlir-print-debuginfo", sums, "-o", tmp_path / "read.mlir")
    tools.run("ttc-translate", "--ttc-to-bundle", tmp_path / "read.mlir", "-o", tmp_path / "again.ttcb")
    assert (tmp_path / "again.ttcb").read_bytes() == sums.read_bytes()


# --- ONNX -----------------------------------------------------------------------------------

HEADS, CONTEXT, SIZE = 2, 24, 8


def cached_step(rows):
    """One step of an attention over a cache of fixed size, by ops of opset 24."""
    q = helper.make_tensor_value_info("q", TensorProto.FLOAT, [1, HEADS, rows, SIZE])
    k = helper.make_tensor_value_info("k", TensorProto.FLOAT, [1, HEADS, rows, SIZE])
    v = helper.make_tensor_value_info("v", TensorProto.FLOAT, [1, HEADS, rows, SIZE])
    first = helper.make_tensor_value_info("first", TensorProto.INT64, [1])
    caches = [helper.make_tensor_value_info(f"{what}_{name}", TensorProto.FLOAT, [1, HEADS, CONTEXT, SIZE])
              for what in ("past", "present") for name in ("key", "value")]
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, HEADS, rows, SIZE])
    nodes = [helper.make_node("TensorScatter", ["past_key", "k", "first"], ["present_key"], axis=2),
             helper.make_node("TensorScatter", ["past_value", "v", "first"], ["present_value"], axis=2),
             helper.make_node("Add", ["first", "rows"], ["length"]),
             helper.make_node("Attention", ["q", "present_key", "present_value", "", "", "", "length"], ["y"],
                              is_causal=1)]
    graph = helper.make_graph(nodes, "step", [q, k, v, first, *caches[:2]], [y, *caches[2:]],
                              [helper.make_tensor("rows", TensorProto.INT64, [1], [rows])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10)


@pytest.fixture(scope="module")
def decoder(tools, tmp_path_factory):
    folder = tmp_path_factory.mktemp("decoder")
    for name, rows in (("prefill", 5), ("decode", 1)):
        onnx.save(cached_step(rows), folder / f"{name}.onnx")
    tools.compile(folder / "prefill.onnx", folder / "decoder.ttcb", folder / "decode.onnx",
                  "--entry=prefill,decode", "--state=past_*=present_*")
    return folder


def test_onnx_caches_are_updated_in_place(tools, decoder):
    """Prefill, then steps, as ONNX's reference computes them with caches as inputs and outputs."""
    random = np.random.default_rng(3)
    reference = {name: ReferenceEvaluator(str(decoder / f"{name}.onnx")) for name in ("prefill", "decode")}
    caches, position = [np.zeros((1, HEADS, CONTEXT, SIZE), np.float32)] * 2, 0
    with tools.open(decoder / "decoder.ttcb") as bundle, bundle.device(cores=2) as device:
        for entry in ["prefill"] + ["decode"] * 8 + ["prefill"]:
            rows = 5 if entry == "prefill" else 1
            inputs = {name: random.standard_normal((1, HEADS, rows, SIZE), dtype=np.float32) for name in "qkv"}
            inputs["first"] = np.array([position], np.int64)
            y, *caches = reference[entry].run(None, {**inputs, "past_key": caches[0], "past_value": caches[1]})
            np.testing.assert_allclose(device.run(bundle.entries[entry], inputs)["y"], y, rtol=1e-4, atol=1e-5)
            position += rows


def test_onnx_caches_are_not_copied(tools, decoder):
    """The scatters write into the caches; no command copies one."""
    read = json.loads(tools.ttrun("read", decoder / "decoder.ttcb", "--json").stdout)
    names = {"past_key", "past_value"}
    assert {state["name"] for state in read["states"]} == names
    for trace in read["traces"]:
        if not trace["name"].endswith("_t0"):
            continue
        updates = [command for command in trace["commands"] if command["opcode"] == "dispatch" and
                   any(o["role"] == "out" and o["buffer"] in names for o in command["operands"])]
        assert len(updates) == 2, trace["name"]
        assert all(any(o["role"] == "in" and o["buffer"] in names for o in c["operands"]) for c in updates)
        assert not [c for c in trace["commands"] if c["opcode"] == "copy"]


def test_onnx_states_that_change_places(tools, tmp_path):
    """Two states change places, and two others keep what one of them was, in another shape."""
    def info(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    nodes = [helper.make_node("Reshape", ["old_a", "flat"], ["new_d"]), helper.make_node("Reshape", ["old_a", "flat"], ["new_c"]),
             helper.make_node("Sum", ["old_c", "old_d", "x"], ["y"]), helper.make_node("Identity", ["old_b"], ["new_a"]),
             helper.make_node("Identity", ["old_a"], ["new_b"])]
    shapes = {"d": [32], "a": [4, 8], "b": [4, 8], "c": [32]}
    graph = helper.make_graph(nodes, "places", [info("x", 32), *(info(f"old_{name}", *shapes[name]) for name in "cdab")],
                              [info("y", 32), *(info(f"new_{name}", *shape) for name, shape in shapes.items())],
                              [helper.make_tensor("flat", TensorProto.INT64, [1], [32])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "model.onnx")
    tools.compile(tmp_path / "model.onnx", tmp_path / "model.ttcb", "--state=old_*=new_*")
    random, reference = np.random.default_rng(4), ReferenceEvaluator(str(tmp_path / "model.onnx"))
    with tools.open(tmp_path / "model.ttcb") as bundle, bundle.device(cores=2) as device:
        states = {name: random.standard_normal(port.empty().shape, np.float32) for name, (_, port) in bundle.states.items()}
        for name, value in states.items():
            device.write(name, value)
        for _ in range(4):
            x = random.standard_normal(32, np.float32)
            y, *after = reference.run(None, {"x": x, **states})
            assert np.array_equal(device.run(bundle.entries["main"], {"x": x})["y"], y)
            states = {f"old_{name}": value for name, value in zip(shapes, after)}
            assert {name: np.array_equal(device.read(name), value) for name, value in states.items()} == dict.fromkeys(states, True)


def test_wrong_names_of_states(tools, decoder, tmp_path):
    done = tools.run("ttc-translate", "--onnx-to-bundle", decoder / "decode.onnx", "--state=cache_*=present_*",
                     "-o", tmp_path / "x.ttcb", check=False)
    assert done.returncode != 0
    assert "expected --state to name an input of an entry point, found 'cache_*', which none has" in done.stderr
    assert not (tmp_path / "x.ttcb").exists()

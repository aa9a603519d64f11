# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun's .npy files are NumPy's, both ways."""
import subprocess

import pytest

np = pytest.importorskip("numpy")


@pytest.fixture(scope="module")
def sample(build_dir, tmp_path_factory):
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    bundle = tmp_path_factory.mktemp("sample") / "sample.ttcb"
    subprocess.run([writer, "sample", bundle], check=True)
    return bundle


def reference(x):
    i = np.arange(256)
    w = ((i % 7) * np.float32(0.25) - np.float32(0.5)).astype(np.float32)
    return ((x[0] + w) + w[::-1]).reshape(1, 256)


@pytest.mark.parametrize("order", ["C", "F"])
def test_input_and_output(tools, sample, tmp_path, order):
    x = np.asarray(np.random.default_rng(0).standard_normal((1, 256), dtype=np.float32), order=order)
    np.save(tmp_path / "x.npy", x)
    tools.ttrun("run", sample, f"--input=x={tmp_path}/x.npy", f"--output=y={tmp_path}/y.npy")
    y = np.load(tmp_path / "y.npy")
    assert y.dtype == np.float32 and y.shape == (1, 256)
    assert np.array_equal(y, reference(x))


def test_expect_in_double(tools, sample, tmp_path):
    x = np.arange(256, dtype=np.float32).reshape(1, 256) / 256
    np.save(tmp_path / "x.npy", x)
    want = reference(x).astype(np.float64)
    np.save(tmp_path / "y.npy", want)
    arguments = ["run", sample, f"--input={tmp_path}/x.npy", f"--expect={tmp_path}/y.npy"]
    assert "PCC 1.000000000" in tools.ttrun(*arguments).stdout
    want[0, 77] += 1
    np.save(tmp_path / "y.npy", want)
    done = tools.ttrun(*arguments, check=False)
    assert done.returncode == 1
    assert "y: DIFFERS, 1 of 256 elements" in done.stdout
    assert "worst element [0, 77]" in done.stdout


def test_wrong_types_and_shapes(tools, sample, tmp_path):
    for array, words in ((np.zeros((1, 256)), "f64[1, 256]"), (np.zeros((256,), np.float32), "f32[256]"),
                         (np.zeros((1, 256), ">f4"), "not supported")):
        np.save(tmp_path / "x.npy", array)
        done = tools.ttrun("run", sample, f"--input={tmp_path}/x.npy", check=False)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def test_bfloat16_of_ml_dtypes(tools, tmp_path):
    """ml_dtypes saves bfloat16 as '<V2', which an input or an expectation of type bf16 takes."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    shape = "tensor<1x4xbf16>"
    (tmp_path / "add.mlir").write_text(f"func.func @main(%x: {shape}) -> {shape} {{\n"
                                       f"  %0 = tosa.add %x, %x : ({shape}, {shape}) -> {shape}\n  return %0 : {shape}\n}}\n")
    tools.run("ttc-opt", tmp_path / "add.mlir", "--convert-tosa-to-ttc", "--ttc-trace-pipeline", "-o", tmp_path / "plan.mlir")
    tools.run("ttc-translate", "--ttc-to-bundle", tmp_path / "plan.mlir", "-o", tmp_path / "add.ttcb")
    x = np.array([[1.5, -2, 0.25, 3]], dtype=bfloat16)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", x + x)
    assert b"'<V2'" in (tmp_path / "x.npy").read_bytes()
    done = tools.ttrun("run", tmp_path / "add.ttcb", f"--input={tmp_path}/x.npy", f"--expect={tmp_path}/y.npy", "--rtol=0",
                       f"--output={tmp_path}/got.npy")
    assert "output0: ok" in done.stdout
    got = np.load(tmp_path / "got.npy")  # as uint16, which NumPy itself knows
    assert got.dtype == np.uint16 and np.array_equal(got.view(bfloat16), x + x)

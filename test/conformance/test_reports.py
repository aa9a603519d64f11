# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of public reports (shared/data/reports), each with an independent result."""
import pytest

from bundles import np, run_bundle, run_once, run_onnxruntime

MODELS = ["argmax_nan", "clip_crossed", "magic_round", "mul_mul", "pow_int_float", "scaler_f64", "sin_large", "standardise"]


@pytest.mark.parametrize("name", MODELS)
def test_report(name, tools, shared, tmp_path):
    folder = shared / "data" / "reports"
    inputs = {path.name.split(".")[1]: np.load(path) for path in folder.glob(f"{name}.*.npy") if ".want." not in path.name}
    wanted = np.load(folder / f"{name}.want.npy")
    tools.compile(folder / f"{name}.onnx", tmp_path / "m.ttcb")
    with tools.open(tmp_path / "m.ttcb") as bundle:
        output = next(iter(next(iter(bundle.entries.values())).outputs))
    run_bundle(tools, tmp_path / "m.ttcb", inputs, {output: wanted}, rtol=2e-7, atol=0)


def against(shared, name):
    return shared / "data" / "reports" / "against-onnxruntime" / f"{name}.onnx"


def compare(tools, tmp_path, model, inputs, *options, fixed=None):
    """Compiles and compares with ONNX Runtime, which gets the `fixed` inputs, too."""
    wanted = run_onnxruntime(model, {**inputs, **(fixed or {})})
    tools.compile(model, tmp_path / "m.ttcb", *options)
    run_bundle(tools, tmp_path / "m.ttcb", inputs, wanted, rtol=1e-6, atol=0)


@pytest.mark.parametrize("condition", [False, True])
def test_if_of_ranks(tools, shared, tmp_path, condition):
    """A scalar in one branch and a vector of one element in the other."""
    wanted = run_onnxruntime(against(shared, "if_rank"), {"c": np.array(condition), "p": np.array(True)})["y"]
    tools.compile(against(shared, "if_rank"), tmp_path / "m.ttcb")
    run_bundle(tools, tmp_path / "m.ttcb", {"c": np.array(condition), "p": np.array(True)}, {"y": wanted.reshape(1)}, 0, 0)


@pytest.mark.parametrize("scale", [0.1, 1, 100])
def test_loop_counter(tools, shared, tmp_path, scale):
    """A loop that ends at run time, and slices by its counter."""
    x = np.random.default_rng(3).random((8, 4), np.float32) * np.float32(scale)
    compare(tools, tmp_path, against(shared, "loop_counter"), {"x": x})


@pytest.mark.parametrize("rate", [16000, 8000])
def test_if_of_input(tools, shared, tmp_path, rate):
    """A condition that fixing an input decides."""
    model, x = against(shared, "if_sr"), np.arange(8 if rate == 8000 else 16, dtype=np.float32).reshape(2, -1)
    shape = f"--input-shape=x:2x{x.shape[1]}"
    if rate == 16000:
        x16 = tools.compile(model, tmp_path / "m.ttcb", "--input-shape=x:1x16", check=False)
        assert x16.returncode != 0 and "--input-value=sr=NUMBER" in x16.stderr, x16.stderr
    compare(tools, tmp_path, model, {"x": x}, shape, f"--input-value=sr={rate}", fixed={"sr": np.array(rate)})


def test_range_of_input(tools, shared, tmp_path):
    """The length of a range: an option says it, and a run with another one fails."""
    model = against(shared, "range_declared")
    refused = tools.compile(model, tmp_path / "m.ttcb", check=False)
    assert refused.returncode != 0 and "--input-value=n=NUMBER" in refused.stderr and "--value-shape=r:SHAPE" in refused.stderr
    compare(tools, tmp_path, model, {"n": np.array(5)}, "--value-shape=r:5")
    for length in (0, 4, 6, 9):
        with pytest.raises(RuntimeError, match=r"'r' \(Range, opset 17\) has another shape than the declared \[5\]"):
            run_once(tools, tmp_path / "m.ttcb", {"n": np.array(length)})
    compare(tools, tmp_path, model, {}, "--input-value=n=7", fixed={"n": np.array(7)})

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of public reports (shared/data/reports), each with an independent result."""
import pytest

from bundles import np, run_bundle

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

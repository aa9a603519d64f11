# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/onnx-import.md says how far functions of f32 and f64 are from the exact values. benchmarks/float_functions.py looks
at all numbers of f32, and more of f64."""
import math
import random
import re

from bundles import entry_of, np
from float_functions import BLOCK, FUNCTIONS, FUNCTIONS_F64, NEAR_QUARTERS, exact_sin_cos, save, sweep, sweep_f64, ulps_from
from onnx import TensorProto

STRIDE = 4999


def bounds_of(root):
    """{op: (f32, f64)} as in the table; None where it has no bound."""
    page = (root / "docs/onnx-import.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]*) *\|", page, re.M)
    return {name: (float(single), float(double) if double else None) for name, single, double in rows}


def test_errors(tools, root, tmp_path):
    bounds = bounds_of(root)
    assert bounds.keys() == FUNCTIONS.keys()
    save(tmp_path / "m.onnx", list(FUNCTIONS))
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    with tools.open(tmp_path / "m.ttcb") as bundle, bundle.device(cores=1) as device:
        worst = sweep(lambda x: device.run(entry_of(bundle), {"x": x}), list(FUNCTIONS), STRIDE)
    wrong = {name: (error, x) for name, (error, x) in worst.items() if error > bounds[name][0]}
    assert not wrong, wrong


def test_errors_f64(tools, root, tmp_path):
    bounds = {name: double for name, (_, double) in bounds_of(root).items() if double is not None}
    assert list(bounds) == FUNCTIONS_F64
    save(tmp_path / "m.onnx", FUNCTIONS_F64, TensorProto.DOUBLE)
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    with tools.open(tmp_path / "m.ttcb") as bundle, bundle.device(cores=1) as device:
        run = lambda x: device.run(entry_of(bundle), {"x": x})
        worst = sweep_f64(run, FUNCTIONS_F64, 4)
        # Sine and cosine in integers, with 1,400 bits of pi.
        draw = random.Random(1)
        sample = NEAR_QUARTERS + [draw.uniform(-1e3, 1e3) for _ in range(500)]
        sample += [math.ldexp(draw.uniform(-1, 1), draw.randrange(-30, 1024)) for _ in range(2500)]
        found = run(np.resize(np.array(sample), BLOCK))
    for i, x in enumerate(sample):
        for name, (numerator, bits) in zip(("Sin", "Cos"), exact_sin_cos(x)):
            worst[name] = max(worst[name], (ulps_from(found[f"y_{name}"][i], numerator, bits), x))
    # The reference is rounded, too.
    wrong = {name: (error, x) for name, (error, x) in worst.items() if error > bounds[name] + 0.001}
    assert not wrong, wrong

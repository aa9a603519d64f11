# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/onnx-import.md says how far functions of f32 are from the exact values. benchmarks/float_functions.py looks at all
numbers."""
import re

from bundles import entry_of
from float_functions import FUNCTIONS, save, sweep

STRIDE = 4999


def test_errors(tools, root, tmp_path):
    page = (root / "docs/onnx-import.md").read_text()
    bounds = {name: float(bound) for name, bound in re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", page, re.M)}
    assert bounds.keys() == FUNCTIONS.keys()
    save(tmp_path / "m.onnx", list(FUNCTIONS))
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    with tools.open(tmp_path / "m.ttcb") as bundle, bundle.device(cores=1) as device:
        worst = sweep(lambda x: device.run(entry_of(bundle), {"x": x}), list(FUNCTIONS), STRIDE)
    wrong = {name: (error, x) for name, (error, x) in worst.items() if error > bounds[name]}
    assert not wrong, wrong

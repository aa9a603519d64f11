# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imported first by each file of tests: skips it where PyTorch or the package ttrt is missing."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")).resolve()

for _module in ("torch", "onnxscript"):
    pytest.importorskip(_module, reason=f"{_module} is not installed: scripts/test-torch.sh runs these tests")
if not list((BUILD / "python").glob("ttrt/_ttrt.*.so")):
    pytest.skip(f"{BUILD}/python/ttrt is not built (python3-dev, nanobind)", allow_module_level=True)

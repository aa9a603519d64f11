# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imported first by each file of tests: finds the packages, and skips the file where JAX or the package ttrt is missing."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")).resolve()
PATHS = [str(BUILD / "python"), str(ROOT / "python")]

sys.path[:0] = [path for path in PATHS if path not in sys.path]
os.environ["TTC_BIN"] = str(BUILD / "bin")
# For the processes that tests start.
os.environ["PYTHONPATH"] = os.pathsep.join([*PATHS, *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ.setdefault("JAX_PLATFORMS", "cpu")

pytest.importorskip("jax", reason="jax is not installed: scripts/test-jax.sh runs these tests")
if not list((BUILD / "python").glob("ttrt/_ttrt.*.so")):
    pytest.skip(f"{BUILD}/python/ttrt is not built (python3-dev, nanobind)", allow_module_level=True)

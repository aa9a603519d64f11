# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The packages as the build made them."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")).resolve()
sys.path[:0] = [str(BUILD / "python"), str(ROOT / "python"), str(ROOT / "test/conformance")]
os.environ.setdefault("TTC_BIN", str(BUILD / "bin"))

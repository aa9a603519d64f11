# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What imports PyTorch passes mypy --strict, too."""
import needs  # noqa: F401, I001: skips the file

import os
import subprocess
import sys

import pytest

ROOT = needs.ROOT


def test_packages():
    pytest.importorskip("mypy", reason="mypy is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "-p", "ttc", "-p", "ttrt"],
        cwd=ROOT, text=True, capture_output=True, timeout=500,
        env={**os.environ, "MYPYPATH": f"{ROOT}/python:{ROOT}/python/ttrt"},
    )
    assert done.returncode == 0, done.stdout + done.stderr

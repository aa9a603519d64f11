# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What imports PyTorch passes mypy --strict, too."""
import needs  # noqa: F401, I001: skips the file

import os
import subprocess
import sys

import pytest

ROOT = needs.ROOT


def test_packages(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    # JAX is not installed here: test/python/jax/test_jax_typing.py checks what imports it.
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-ttc._jax.*]\nignore_errors = True\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", f"--config-file={tmp_path}/mypy.ini", "-p", "ttc", "-p", "ttrt"],
        cwd=ROOT, text=True, capture_output=True, timeout=500,
        env={**os.environ, "MYPYPATH": f"{ROOT}/python:{ROOT}/python/ttrt"},
    )
    assert done.returncode == 0, done.stdout + done.stderr

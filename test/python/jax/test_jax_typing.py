# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What imports JAX passes mypy --strict, too."""
import needs  # noqa: F401, I001: skips the file

import os
import subprocess
import sys

import pytest

ROOT = needs.ROOT
# JAX's own types leave most of what it returns open.
CONFIG = """[mypy]
[mypy-ttc._torch.*,ttc.torch_backend]
ignore_errors = True
[mypy-jax.*,jaxlib.*]
follow_imports = skip
ignore_missing_imports = True
"""


def test_packages(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "mypy.ini").write_text(CONFIG)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", f"--config-file={tmp_path}/mypy.ini", "-p", "ttc"],
        cwd=ROOT, text=True, capture_output=True, timeout=500,
        env={**os.environ, "MYPYPATH": f"{ROOT}/python:{ROOT}/python/ttrt"},
    )
    assert done.returncode == 0, done.stdout + done.stderr

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The packages, and a program that uses them, pass mypy --strict."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
USER = """
import numpy as np
import ttc
import ttrt

bundle = ttc.compile("model.onnx", {"x": (1, 2)}, cores=1, options=["--slots=2"])
reveal_type(bundle)
reveal_type(bundle.run(x=np.zeros((1, 2), np.float32)))
path = ttc.build("model.onnx", "model.ttcb")
reveal_type(path)
try:
    ttrt.load(path)
except ttrt.Error as error:
    print(error.status)
"""


def mypy(*arguments, cwd=ROOT):
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", *map(str, arguments)], cwd=cwd, text=True,
                          capture_output=True, timeout=500,
                          env={**os.environ, "MYPYPATH": f"{ROOT}/python:{ROOT}/python/ttrt"})
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module", autouse=True)
def needs_mypy():
    pytest.importorskip("mypy", reason="mypy is not installed")


def without_others(folder):
    """What imports PyTorch or JAX, which are not installed here, is checked by test_torch_typing.py and test_jax_typing.py."""
    config = folder / "mypy.ini"
    config.write_text("[mypy]\n[mypy-ttc._torch.*,ttc.torch_backend,ttc._jax.*]\nignore_errors = True\n")
    return f"--config-file={config}"


def test_packages(tmp_path):
    status, text = mypy(without_others(tmp_path), "-p", "ttc", "-p", "ttrt")
    assert status == 0, text


def test_user(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    status, text = mypy(without_others(tmp_path), "user.py", cwd=tmp_path)
    assert status == 0, text
    for revealed in ("ttrt._bundle.Bundle", "dict[", "pathlib.Path"):
        assert revealed in text.replace("builtins.", "").replace("pathlib._local.", "pathlib."), text

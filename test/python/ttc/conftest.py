# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The packages ttc, from the tree, and ttrt, as the build made it, with the tools of the build."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")).resolve()

pytest.importorskip("numpy")
if not list((BUILD / "python").glob("ttrt/_ttrt.*.so")):
    pytest.skip(f"{BUILD}/python/ttrt is not built (python3-dev, nanobind)", allow_module_level=True)
os.environ["TTC_BIN"] = str(BUILD / "bin")
PATHS = [str(ROOT / "python"), str(BUILD / "python")]
sys.path[:0] = PATHS


@pytest.fixture(scope="session")
def digits(tools):
    tools.path("ttc-translate")
    return ROOT / "examples/digits/digits.onnx"


@pytest.fixture(scope="session")
def python():
    """Runs Python in a process of its own, with the packages; returns the finished process."""

    def run(*arguments, check=True, **options):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(PATHS), **options.pop("env", {})}
        done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              cwd=options.pop("cwd", ROOT), env=environment, **options)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def paths():
    """The folders of the two packages, for PYTHONPATH."""
    return PATHS

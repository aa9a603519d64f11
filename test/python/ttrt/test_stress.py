# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A short version of stress.py, in processes of its own."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import stress
import ttrt

STRESS = pathlib.Path(stress.__file__)

@pytest.fixture(scope="module")
def folder(digits, swish_bundle, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stress")
    shutil.copy(digits, folder / "digits.ttcb")
    shutil.copy(swish_bundle, folder / "swish.ttcb")
    return folder

@pytest.fixture(scope="module", autouse=True)
def path():
    """What this process finds, its children find."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(pathlib.Path(ttrt.__file__).parents[1])
    yield
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before

def test_calls_and_forks(folder):
    command = [sys.executable, "-X", "faulthandler", STRESS, folder, "--calls=800", "--forks=2", "--ends=0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr

@pytest.mark.parametrize("name", stress.ENDS)
def test_ends(folder, name):
    assert stress.end(name, folder) is None

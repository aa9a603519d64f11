# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every pytest file below test/ shares: where the built tools and the shared models are.

TTC_BUILD_DIR names the build tree (default: build at the root), TTC_SHARED the folder of shared
models (default: ../shared beside the checkout). Without the models a test is skipped with the reason;
so it is without a tool, unless TTC_BUILD_DIR was given: then a missing tool is a failure. Tests marked `nightly`
run only with TTC_NIGHTLY=1.
"""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")).resolve()
sys.path.insert(0, str(ROOT / "test"))
SHARED = pathlib.Path(os.environ.get("TTC_SHARED", ROOT.parent / "shared")).resolve()


def pytest_configure(config):
    config.addinivalue_line("markers", "nightly: takes long, or repeats another test with more cases; TTC_NIGHTLY=1 runs it")


def pytest_collection_modifyitems(config, items):
    left_out = [item for item in items if item.get_closest_marker("nightly")]
    if left_out and not os.environ.get("TTC_NIGHTLY"):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def nightly(values):
    """Values of a parameter that are for the nightly run only."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


class Tools:
    """The built tools. A call returns the finished process and fails the test if it fails."""

    def path(self, name):
        tool = BUILD / "bin" / name
        if not tool.exists():
            absent = pytest.fail if "TTC_BUILD_DIR" in os.environ else pytest.skip
            absent(f"{tool} is not built")
        return tool

    def run(self, name, *args, check=True, timeout=600, **options):
        command = [str(self.path(name)), *map(str, args)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)
        if check and done.returncode != 0:
            pytest.fail(f"{' '.join(command)}\nexit {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def compile(self, model, bundle, *args, **options):
        """model.onnx -> bundle.ttcb, the whole way in one command. What each program of the bundle does
        is compared with what the bundle says about it."""
        done = self.run("ttc-translate", "--onnx-to-bundle", model, "-o", bundle, *args, **options)
        if done.returncode == 0:
            self.ttrun("check", "--execute", bundle, cwd=options.get("cwd"))
        return done

    def open(self, bundle):
        """A bundle, opened in this process (capi.py)."""
        from capi import Bundle

        library = BUILD / "lib/libttrt.so"
        if not library.exists() or "-fsanitize" in (BUILD / "CMakeCache.txt").read_text():
            pytest.skip(f"{library} does not load into Python: not built, or sanitized")
        return Bundle(library, bundle)

    def ttrun(self, *args, **options):
        return self.run("ttrun", *args, **options)


@pytest.fixture(scope="session")
def tools():
    return Tools()


@pytest.fixture(scope="session")
def shared():
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no shared models at {SHARED} (set TTC_SHARED)")
    return SHARED


@pytest.fixture(scope="session")
def build_dir():
    return BUILD


@pytest.fixture(scope="session")
def root():
    return ROOT

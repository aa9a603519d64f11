# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="ttc") and ttc.compile() of modules. PyTorch is large, so the tests' environment does not
have it: scripts/test-torch.sh makes one that has, and runs these tests in it. Elsewhere, needs.py skips them."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")).resolve()
PATHS = [str(BUILD / "python"), str(ROOT / "python"), str(ROOT / "benchmarks")]

sys.path[:0] = PATHS
os.environ["TTC_BIN"] = str(BUILD / "bin")
# For the processes that tests start.
os.environ["PYTHONPATH"] = os.pathsep.join([*PATHS, *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def fresh(shared_cache, monkeypatch):
    """Each test begins without graphs, and shares the bundles on disk with the others."""
    import torch

    monkeypatch.setenv("TTC_CACHE_DIR", str(shared_cache))
    torch._dynamo.reset()
    torch.manual_seed(7)
    yield
    torch._dynamo.reset()


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache for this test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TTC_CACHE_DIR", str(folder))
    return folder / "torch"

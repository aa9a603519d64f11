# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.compile() and ttc.jit of functions of JAX. The tests' environment does not have JAX: scripts/test-jax.sh makes one
that has, and runs these tests in it. Elsewhere, needs.py skips them."""
import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache for each test."""
    monkeypatch.setenv("TTC_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "jax"

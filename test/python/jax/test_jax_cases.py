# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each program of cases.py, against JAX. One of them: pytest -k NAME."""
import needs  # noqa: F401, I001: skips the file

import warnings

import jax
import numpy as np
import pytest
import ttc
from cases import CASES, TOLERANCE
from compare import difference, refused, same_bits

REFUSED = refused("case")


def compiled(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ttc.CompileWarning)
        return ttc.compile(case.function, case.args, cores=1)


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    case = CASES[name]
    with jax.enable_x64(True):
        if name in REFUSED:
            with pytest.raises(ttc.CompileError):
                compiled(case)
                pytest.fail(f"it is compiled now: remove the line 'case {name}' from refused.txt")
            return
        expected = jax.tree.map(np.asarray, jax.jit(case.function)(*case.args))
        with compiled(case) as bundle:
            found = jax.tree.map(np.asarray, bundle(*case.args))
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    if case.compare:
        found, expected = case.compare(*found), case.compare(*expected)
    for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
        tolerance = TOLERANCE.get(theirs.dtype.name, 0) if case.tolerance is None else case.tolerance
        if tolerance == 0:
            assert same_bits(ours, theirs), f"expected {theirs}, found {ours}"
        else:
            assert difference(ours, theirs, case.of_largest) <= tolerance, f"expected {theirs}, found {ours}"


def test_refused_cases_exist():
    assert REFUSED.keys() <= CASES.keys(), REFUSED.keys() - CASES.keys()

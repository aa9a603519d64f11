# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each function of functions.py, against JAX: right to 1e-5 of the largest element in f32, 1e-12 in f64; random numbers
and whole ones have the same bits. One of them: pytest -k NAME."""
import needs  # noqa: F401, I001: skips the file

import warnings

import jax
import numpy as np
import pytest
import ttc
from compare import difference, refused, same_bits
from functions import FUNCTIONS

REFUSED = refused("function")
TOLERANCE = {"float32": 1e-5, "float64": 1e-12}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    function = FUNCTIONS[name]
    args = function.args()
    with jax.enable_x64(function.x64), warnings.catch_warnings():
        warnings.simplefilter("ignore", ttc.CompileWarning)
        if name in REFUSED:
            with pytest.raises(ttc.CompileError):
                ttc.compile(function.function, args, cores=1, constants=function.constants)
                pytest.fail(f"it is compiled now: remove the line 'function {name}' from refused.txt")
            return
        expected = jax.tree.map(np.asarray, jax.jit(function.function)(*args))
        with ttc.compile(function.function, args, cores=1, constants=function.constants) as bundle:
            found = jax.tree.map(np.asarray, bundle(*args[len(function.constants) :]))
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
        if function.bits:
            assert same_bits(ours, theirs)
        else:
            assert difference(ours, theirs, of_largest=True) <= TOLERANCE.get(theirs.dtype.name, 0)


def test_there_are_as_many_as_wanted():
    assert len(FUNCTIONS) >= 60 and sum(name.startswith("gradient_of_") for name in FUNCTIONS) >= 10


def test_refused_functions_exist():
    assert REFUSED.keys() <= FUNCTIONS.keys(), REFUSED.keys() - FUNCTIONS.keys()

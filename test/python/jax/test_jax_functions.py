# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each function of functions.py, against JAX: right to 1e-5 of the largest element in f32, 1e-12 in f64; random numbers
and whole ones have the same bits. One of them: pytest -k NAME.

Some functions magnify the last bits of all that they compute. If the arguments of model_predictive_control change by a unit
in the last place, its exact result changes by 2 % in the median: the difference of two results in f32 says nothing about
either. These are compared with f64 instead, for many arguments that are some units apart, and so are JAX's."""
import needs  # noqa: F401, I001: skips the file

import warnings

import jax
import numpy as np
import pytest
import ttc
from compare import difference, refused, same_bits
from reported import FUNCTIONS

REFUSED = refused("function")
TOLERANCE = {"float32": 1e-5, "float64": 1e-12}


def nearby(args, count):
    """Arguments, and others of which each number is up to eight units in the last place more or less: the results have errors
    of their own, those of nearer ones do not."""
    random = np.random.default_rng(1)
    yield args
    for _ in range(count):
        yield jax.tree.map(lambda x: x * (1 + random.integers(-8, 9, x.shape) * 2.0**-23).astype(np.float32), args)


def errors(run, exact, inputs):
    """How far each result is from the exact one: [inputs, outputs]."""
    leaves = lambda tree: [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]
    return np.array([[difference(ours.astype(np.float64), wanted, of_largest=True)
                      for ours, wanted in zip(leaves(run(*args)), leaves(exact(*args)), strict=True)] for args in inputs])


def check_errors(function, bundle, args):
    """As large as JAX's: at most twice these in the median, and nowhere three times their largest."""
    run = jax.jit(function.function)

    def exact(*args):
        with jax.enable_x64(True):
            return run(*jax.tree.map(lambda x: np.asarray(x, np.float64), args))

    inputs = list(nearby(args, 100))
    ours, theirs = errors(bundle, exact, inputs), errors(run, exact, inputs)
    assert np.all(np.median(ours, 0) <= 2 * np.median(theirs, 0)), (np.median(ours, 0), np.median(theirs, 0))
    assert np.all(ours.max(0) <= 3 * theirs.max(0)), (ours.max(0), theirs.max(0))


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
            if function.sensitive:
                check_errors(function, bundle, args)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
        if function.sensitive:
            assert ours.shape == theirs.shape and ours.dtype == theirs.dtype == np.float32
        elif function.bits:
            assert same_bits(ours, theirs)
        else:
            assert difference(ours, theirs, of_largest=True) <= TOLERANCE.get(theirs.dtype.name, 0)


def test_there_are_as_many_as_wanted():
    assert len(FUNCTIONS) >= 60 and sum(name.startswith("gradient_of_") for name in FUNCTIONS) >= 10


def test_refused_functions_exist():
    assert REFUSED.keys() <= FUNCTIONS.keys(), REFUSED.keys() - FUNCTIONS.keys()

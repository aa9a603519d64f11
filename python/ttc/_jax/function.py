# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles that are called as the function that they were compiled from."""
from __future__ import annotations

from typing import Any

import ttrt
from jax import tree_util
from ttc._jax.calls import Calls, check
from ttc._jax.trace import Program


class Function(ttrt.Bundle):
    """A bundle that ttc.compile() has made of a function of JAX.

    ``bundle(x, params)`` takes what the function takes, without what `constants` has fixed, and returns what the
    function returns: trees of arrays of JAX. All else is as of every bundle: ``bundle.run(x=x)["output"]``.
    """

    def __init__(self, bundle: ttrt.Bundle, program: Program) -> None:
        super().__init__(bundle._device, bundle.path)
        self._calls = Calls(self._first, program)
        self._trees = {program.in_tree}  # of calls whose arrays are in the order of the inputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, tree = tree_util.tree_flatten((args, kwargs))
        if tree not in self._trees:
            leaves = self._by_name(args, kwargs, leaves, tree)
        for leaf, expected in zip(leaves, self._calls.program.inputs):
            check(leaf, expected)
        return self._calls(leaves)

    def _by_name(self, args: Any, kwargs: Any, leaves: list[Any], tree: Any) -> list[Any]:
        """The arrays of arguments that are passed in another way than the example was."""
        program = self._calls.program
        found, bound = tree_util.tree_flatten(program.parameters.bind_free(args, kwargs, program.fixed))
        if bound != program.in_tree:
            raise TypeError(f"'{program.name}': expected arguments of the structure {program.in_tree}, found {bound}")
        if list(map(id, found)) == list(map(id, leaves)) and len(set(map(id, leaves))) == len(leaves):
            self._trees.add(tree)
        return list(found)

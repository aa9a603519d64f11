# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles that are called as the function that they were compiled from. Only their calls need jax."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ttrt

if TYPE_CHECKING:
    from ttc._jax.trace import Program


class Function(ttrt.Bundle):
    """A bundle that ttc.compile() has made of a function of JAX.

    ``bundle(params, x)`` takes what the function takes, without what `constants` has fixed, and returns what the
    function returns: trees of arrays of JAX. All else is as of every bundle: ``bundle.run(x=x)["output"]``.
    """

    def __init__(self, bundle: ttrt.Bundle, program: Program) -> None:
        from ttc._jax.calls import Calls, flatten

        super().__init__(bundle._device, bundle.path)
        self._calls, self._flatten = Calls(self._first, program), flatten
        self._tree = program.in_tree  # of the latest call
        self._trees = {program.in_tree}  # of calls whose arrays are in the order of the inputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, tree = self._flatten((args, kwargs))
        if tree != self._tree:
            if tree in self._trees:
                self._tree = tree
            else:
                leaves = self._bind(args, kwargs, leaves, tree)
        return self._calls.checked(leaves)

    def _bind(self, args: Any, kwargs: Any, leaves: list[Any], tree: Any) -> list[Any]:
        """The arrays of arguments that are passed in another way than the example was."""
        program = self._calls.program
        found, bound = self._flatten(program.parameters.bind_free(args, kwargs, program.fixed))
        if bound != program.in_tree:
            raise TypeError(f"'{program.name}': expected arguments of the structure {program.in_tree}, found {bound}")
        # By identity: the order is the same for all calls with this structure.
        if list(map(id, found)) == list(map(id, leaves)) and len(set(map(id, leaves))) == len(leaves):
            self._trees.add(tree)
        return list(found)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of a bundle with trees of arrays, as the function of JAX has them that it was compiled from. This is what runs
each time; the rest of the package runs once."""
from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

import ttrt
from ttc._jax.trace import TYPES, Leaf, Program

_empty = np.empty
# The type of JAX's arrays that are neither tracers nor keys.
Array = type(jax.device_put(np.zeros((), np.float32), jax.local_devices(backend="cpu")[0]))
flatten = jax.tree_util.tree_flatten


class Calls:
    """Raises ValueError if the entry point is not of this program."""

    def __init__(self, entry: ttrt.Entry, program: Program) -> None:
        self.program = program
        _compare_ports("inputs", program.inputs, entry.inputs)
        _compare_ports("outputs", program.outputs, entry.outputs)
        sizes = [math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in (*program.inputs, *program.outputs)]
        self._call = entry._at_addresses(sizes).on_arrays
        self._new = [(leaf.shape, leaf.dtype) for leaf in program.outputs]
        self._results = [_result(leaf) for leaf in program.outputs]
        self._unflatten = program.out_tree.unflatten

    def __call__(self, leaves: Sequence[Any]) -> Any:
        """The function's result for arrays of the program's shapes and types: new arrays of JAX."""
        new = [_empty(shape, dtype) for shape, dtype in self._new]
        try:
            self._call(*leaves, *new)
        except (BufferError, TypeError, ValueError):
            # No memory that could be read where it is: numbers, keys, bf16, arrays with strides.
            self._call(*map(_dense, leaves, self.program.inputs), *new)
        return self._unflatten([make(array) for make, array in zip(self._results, new)])


def check(leaf: Any, expected: Leaf) -> None:
    """TypeError or ValueError unless an argument has the shape and, as JAX counts it, the type of an input."""
    if (type(leaf) is Array or type(leaf) is np.ndarray) and leaf.dtype == expected.dtype and leaf.shape == expected.shape and expected.key is None:
        return  # what nearly all are; the rest of this costs a microsecond and more
    if isinstance(leaf, jax.core.Tracer):
        raise TypeError(
            f"input '{expected.name}': expected an array, found a tracer of jax.jit, jax.grad or jax.vmap: a bundle runs outside "
            "of JAX's transformations; transform the function before it is compiled"
        )
    found = jax.typeof(leaf)
    if jax.dtypes.issubdtype(found.dtype, jax.dtypes.prng_key):
        is_right = expected.key is not None and found.dtype._impl == expected.key
        shape, dtype = tuple(found.shape) + tuple(found.dtype._impl.key_shape), str(found.dtype)
    else:
        shape, dtype = tuple(found.shape), str(found.dtype)
        is_right = expected.key is None and (
            found.dtype == expected.dtype or (found.weak_type and np.can_cast(found.dtype, expected.dtype, "same_kind"))
            or np.asarray(leaf).dtype == expected.dtype
        )
    if not is_right or shape != expected.shape:
        kind = ValueError if is_right else TypeError
        raise kind(
            f"input '{expected.name}': expected {expected.key and expected.key.tag or expected.dtype}{list(expected.shape)}, "
            f"found {dtype}{list(shape)}"
        )


def _dense(leaf: Any, expected: Leaf) -> Any:
    """An array of the input's type whose memory can be read where it is."""
    if expected.key is not None:
        leaf = jax.random.key_data(leaf)
    array = np.ascontiguousarray(leaf, expected.dtype).reshape(expected.shape)
    return array.view(np.uint16) if expected.dtype.name == "bfloat16" else array


def _result(leaf: Leaf) -> Callable[[Any], Any]:
    """What makes an array of JAX of NumPy's, which nothing else has: without a copy where the memory is aligned as XLA
    wants it."""
    device = jax.local_devices(backend="cpu")[0]

    def slow(array: Any) -> Any:
        with jax.enable_x64(True) if _is_wide(leaf) else contextlib.nullcontext():
            return jax.device_put(array, device)

    make = _quick_result(leaf, slow(np.zeros(leaf.shape, leaf.dtype)), device) or slow
    if leaf.key is None:
        return make
    name = leaf.key.name
    return lambda array: jax.random.wrap_key_data(make(array), impl=name)


def _is_wide(leaf: Leaf) -> bool:
    return leaf.dtype.itemsize == 8 and leaf.dtype.kind in "fiu"


def _quick_result(leaf: Leaf, template: Any, device: Any) -> Callable[[Any], Any] | None:
    """The same by a function of jaxlib that is not part of its public interface, which another version may lack or change: None
    then. For the version that the tests use, test_results_are_made_quickly fails."""
    try:
        from jax._src.lib import xla_client

        put, aval, sharding = xla_client.batched_device_put, template.aval, template.sharding
        aval = aval.update(weak_type=leaf.weak)
        options = {"enable_x64": True} if _is_wide(leaf) else {}

        def quick(array: Any) -> Any:
            return put(aval, sharding, [array], [device], False, **options)

        return quick if quick(np.zeros(leaf.shape, leaf.dtype)).aval == aval else None
    except Exception:
        return None


def _compare_ports(what: str, leaves: Sequence[Leaf], ports: dict[str, ttrt.Port]) -> None:
    """Raises ValueError unless ports have the names, types and shapes of arrays."""
    wanted = [(leaf.name, TYPES[leaf.dtype.name], leaf.shape) for leaf in leaves]
    found = [(port.name, port.type, tuple(port.shape)) for port in ports.values()]
    if wanted != found:
        raise ValueError(f"{what}: expected {wanted}, found {found}")

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
ALIGNMENT = 64  # of the memory of XLA's arrays
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
        self._results = Results(program.outputs)
        self._unflatten = program.out_tree.unflatten
        self._avals: list[Any] = []  # of arrays that have passed checked()

    def __call__(self, leaves: Sequence[Any]) -> Any:
        """The function's result for arrays of the program's shapes and types: new arrays of JAX."""
        results = self._results
        try:
            arrays, memory = results.stock.pop()
        except IndexError:
            arrays, memory = results.restock()
        for i, allocate, _ in results.apart:
            memory[i] = allocate()
        try:
            self._call(*leaves, *memory)
        except (BufferError, TypeError, ValueError):
            # No memory that could be read where it is: numbers, keys, bf16, arrays with strides.
            self._call(*map(_dense, leaves, self.program.inputs), *memory)
        for i, _, make in results.apart:
            arrays[i] = make(memory[i])
        return self._unflatten(arrays)

    def checked(self, leaves: Sequence[Any]) -> Any:
        """The same for arrays of any shape and type: TypeError or ValueError unless they fit."""
        try:
            avals = [leaf.aval for leaf in leaves]
        except AttributeError:
            avals = None
        # Mostly they are the same objects as in the call before. A tracer has an aval, too, but no memory: _dense() checks it.
        if avals is None or avals != self._avals:
            for leaf, expected in zip(leaves, self.program.inputs):
                check(leaf, expected)
            self._avals = avals or []
        return self(leaves)


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
    check(leaf, expected)
    if expected.key is not None:
        leaf = jax.random.key_data(leaf)
    array = np.ascontiguousarray(leaf, expected.dtype).reshape(expected.shape)
    return array.view(np.uint16) if expected.dtype.name == "bfloat16" else array


class Results:
    """Arrays of JAX for the results of a program, which nothing else has.

    An array that XLA makes together with others costs a fraction of one that is made alone. So there is a stock of
    arrays, whose memory calls write: arrays of JAX never change, except for those that no one has seen. A result that
    is large, for which the time to make it counts less than that to fill it twice, is made apart."""

    LARGE = 16 << 10  # bytes
    COUNT, CALLS = 32, 16  # the most that are made at once: arrays, if one call has fewer, and calls

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        device = jax.local_devices(backend="cpu")[0]
        #: For each call, the arrays, and the addresses of their memory.
        self.stock: list[tuple[list[Any], list[Any]]] = []
        small = [leaf for leaf in leaves if self._is_small(leaf)]
        calls = min(self.CALLS, max(1, self.COUNT // len(leaves)))
        self._make = _maker(small * calls, device) if small else None
        self._size = len(small) if self._make else 0
        self._keys = [(i, leaf.key.name) for i, leaf in enumerate(small) if leaf.key is not None]
        #: Those that are made apart: position, what makes an array of NumPy, and what makes one of JAX of it.
        self.apart = [
            (i, _allocator(leaf), _result(leaf, device))
            for i, leaf in enumerate(leaves)
            if not self._make or not self._is_small(leaf)
        ]

    def _is_small(self, leaf: Leaf) -> bool:
        return 0 < math.prod(leaf.shape) * leaf.dtype.itemsize <= self.LARGE

    def restock(self) -> tuple[list[Any], list[Any]]:
        """What the stock would have for a call, after it has got the same for others. Any thread may call."""
        size = self._size
        if self._make:
            made = self._make()
            memory = [array.unsafe_buffer_pointer() for array in made]
            new = [(made[i : i + size], memory[i : i + size]) for i in range(0, len(made), size)]
        else:
            new = [([], [])]
        for arrays, places in new:
            for i, name in self._keys:
                arrays[i] = jax.random.wrap_key_data(arrays[i], impl=name)
            for i, _, _ in self.apart:
                arrays.insert(i, None)
                places.insert(i, None)
        first = new.pop()
        self.stock += new
        return first


def _maker(leaves: Sequence[Leaf], device: Any) -> Callable[[], list[Any]] | None:
    """What makes new arrays for these leaves; None if this JAX does not make them as they must be."""
    with jax.default_device(device), jax.enable_x64(True) if any(map(_is_wide, leaves)) else contextlib.nullcontext():
        make: Callable[[], list[Any]] = jax.jit(lambda: [_zeros(leaf) for leaf in leaves]).lower().compile()
        first, second = make(), make()
    for leaf, array in zip(leaves, first):
        if array.aval.weak_type != leaf.weak or array.dtype != leaf.dtype or array.shape != leaf.shape or array.committed:
            return None
    places = {array.unsafe_buffer_pointer() for array in (*first, *second)}
    return make if len(places) == 2 * len(leaves) else None


def _zeros(leaf: Leaf) -> Any:
    zeros = jax.lax.full(leaf.shape, 0, leaf.dtype)
    if leaf.weak:
        with contextlib.suppress(Exception):  # no public interface
            from jax._src.lax.lax import _convert_element_type

            return _convert_element_type(zeros, leaf.dtype, weak_type=True)
    return zeros


def _allocator(leaf: Leaf) -> Callable[[], Any]:
    """What makes an array of NumPy in memory that XLA takes without a copy: aligned, which NumPy's own is by chance."""
    shape, dtype, size = leaf.shape, leaf.dtype, math.prod(leaf.shape) * leaf.dtype.itemsize

    def allocate() -> Any:
        memory = _empty(size + ALIGNMENT, np.uint8)
        begin = -memory.__array_interface__["data"][0] % ALIGNMENT
        return memory[begin : begin + size].view(dtype).reshape(shape)

    return allocate


def _result(leaf: Leaf, device: Any) -> Callable[[Any], Any]:
    """What makes an array of JAX of NumPy's, which nothing else has: without a copy where the memory is aligned as XLA
    wants it."""

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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bundle that stands for a graph with certain weights and shapes: whether it fits a call, and
the call itself. This is what runs each time; the rest of the package runs once."""
from __future__ import annotations

import math
import operator
import os
import pathlib
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch

import ttrt
from ttc._torch.analysis import Inputs, shapes_of
from ttc._torch.sizes import Sizes

_version = operator.attrgetter("_version")
_address = torch.Tensor.data_ptr
_empty_like = torch.empty_like

#: The types of ports by those of tensors.
_TYPES = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.bool: "bool",
    torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
    torch.uint8: "u8", torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64",
}  # fmt: skip


class Plan:
    """Raises ttrt.Error if the bundle cannot be opened, ValueError if it is not of this graph."""

    def __init__(
        self, path: pathlib.Path, cores: int, inputs: Inputs, args: tuple[Any, ...], record: dict[str, Any]
    ) -> None:
        self._path, self._cores, self._record = path, cores, record
        self.inputs = inputs
        self._pick = _getter(inputs.constants)
        self._pick_tensors = _getter(inputs.tensors)
        self._shapes = shapes_of(inputs, args) if inputs.dynamic else None
        self._open(args)
        self._outputs = record["outputs"]
        # What is like a template is dense and row-major, in the order in which the bundle stores it.
        with torch.inference_mode(False):
            self._templates = [_template(shape, getattr(torch, dtype)) for shape, dtype, _ in record["new"]]
        self._back = [None if order is None else _inverse(order) for *_, order in record["new"]]
        self._simple = not any(self._back) and self._outputs == [["new", i] for i in range(len(self._back))]
        # Dynamo guards strides; where they are dynamic, each call looks.
        self._copies = inputs.dynamic or any(not args[p].is_contiguous() for p in inputs.tensors)
        self._watch(self._pick(args))

    def _open(self, args: tuple[Any, ...]) -> None:
        """Loads the bundle. A call writes wherever it is told to, so all ports are compared first."""
        self._process = os.getpid()
        self.bundle = ttrt.load(self._path, cores=self._cores)
        tensors = [args[p] for p in self.inputs.tensors]
        inputs = [(tensor.dtype, list(tensor.shape)) for tensor in tensors]
        outputs = [(getattr(torch, dtype), list(shape)) for shape, dtype, _ in self._record["new"]]
        _compare_ports("inputs", inputs, self.bundle.inputs.values())
        _compare_ports("outputs", outputs, self.bundle.outputs.values())
        sizes = [math.prod(shape) * dtype.itemsize for dtype, shape in inputs + outputs]
        self._call = next(iter(self.bundle.entries.values()))._at_addresses(sizes)

    def _watch(self, constants: tuple[torch.Tensor, ...]) -> None:
        """Remembers the weights that the bundle was made of. It keeps none alive: `on_death` is
        called when one goes."""
        self._ids = list(map(id, constants))
        self._versions = list(map(_version, constants))
        self._addresses = list(map(_address, constants))
        # An element of each: what changes a tensor's memory without PyTorch's knowledge, such as
        # param.data.mul_(2), is not counted in its version, but mostly changes all elements.
        self._samples = [sample for tensor in constants if (sample := _sample(tensor)) is not None]
        self._values = [sample[0] for sample in self._samples]
        self.on_death: Callable[[], None] = lambda: None
        this = weakref.ref(self)

        def died(_: Any) -> None:
            plan = this()
            if plan is not None:
                plan.on_death()

        self._alive = [weakref.ref(tensor, died) for tensor in constants]

    def has_fresh_weights(self, args: tuple[Any, ...]) -> bool:
        """Whether the weights are those that the bundle was made of, as they were."""
        constants = self._pick(args)
        return (
            list(map(id, constants)) == self._ids
            and list(map(_version, constants)) == self._versions
            and list(map(_address, constants)) == self._addresses
            and [sample[0] for sample in self._samples] == self._values
        )

    def is_fresh(self, args: tuple[Any, ...]) -> bool:
        """Whether weights and shapes are those that the bundle was made for."""
        return self.has_fresh_weights(args) and (
            self._shapes is None or shapes_of(self.inputs, args) == self._shapes
        )

    @staticmethod
    def state(inputs: Inputs, args: tuple[Any, ...]) -> list[Any]:
        """What is_fresh() compares of weights, without a bundle."""
        constants = [args[p] for p in inputs.constants]
        samples = [sample[0] for tensor in constants if (sample := _sample(tensor)) is not None]
        return [*map(id, constants), *map(_version, constants), *map(_address, constants), *samples]

    def run(self, args: tuple[Any, ...]) -> list[Any]:
        """The graph's outputs: new tensors, which nothing writes again."""
        tensors = self._pick_tensors(args)
        if self._copies:
            tensors = tuple(tensor.contiguous() for tensor in tensors)
        new = [_empty_like(template) for template in self._templates]
        try:
            self._call(*map(_address, tensors), *map(_address, new))
        except ttrt.UnsupportedError:
            if os.getpid() == self._process:
                raise
            self._open(args)  # a device does not survive a fork
            self._call(*map(_address, tensors), *map(_address, new))
        if self._simple:
            return new
        new = [t if back is None else t.permute(back) for t, back in zip(new, self._back)]
        return [_result(output, args, new) for output in self._outputs]


# Choices of shapes of which is known what outputs are.
_MOST_DESCRIBED = 4096


class RangePlan(Plan):
    """A bundle for ranges of sizes. `describe(args)` says what the outputs are for some of them."""

    def __init__(
        self, path: pathlib.Path, cores: int, inputs: Inputs, args: tuple[Any, ...], record: dict[str, Any],
        sizes: Sizes, describe: Callable[[tuple[Any, ...]], dict[str, Any]],
    ) -> None:  # fmt: skip
        self._sizes, self._describe = sizes, describe
        self._described: dict[Any, tuple[list[Any], list[Any], list[Any]]] = {}
        super().__init__(path, cores, inputs, args, record)

    def _open(self, args: tuple[Any, ...]) -> None:
        self._process = os.getpid()
        self.bundle = ttrt.load(self._path, cores=self._cores)
        self._names = list(self.bundle.outputs)
        found = [(port.type, len(port.shape)) for port in (*self.bundle.inputs.values(), *self.bundle.outputs.values())]
        tensors = [args[p] for p in self.inputs.tensors]
        wanted = [(_TYPES[tensor.dtype], tensor.dim()) for tensor in tensors]
        wanted += [(_TYPES[getattr(torch, dtype)], len(shape)) for shape, dtype, _ in self._record["new"]]
        if found != wanted:
            raise ValueError(f"expected ports {wanted}, found {found}")

    def is_fresh(self, args: tuple[Any, ...]) -> bool:
        return (
            self.has_fresh_weights(args)
            and self._sizes.holds(args)
            and all(tensor.is_contiguous() for tensor in self._pick_tensors(args))  # as results may follow the strides
        )

    def run(self, args: tuple[Any, ...]) -> list[Any]:
        tensors = self._pick_tensors(args)
        key = tuple(tensor.shape for tensor in tensors)
        known = self._described.get(key)
        if known is None:
            if len(self._described) >= _MOST_DESCRIBED:
                self._described.clear()
            record = self._describe(args)
            with torch.inference_mode(False):
                templates = [_template(shape, getattr(torch, dtype)) for shape, dtype, _ in record["new"]]
            known = record["outputs"], templates, [None if o is None else _inverse(o) for *_, o in record["new"]]
            self._described[key] = known
        outputs, templates, back = known
        new = [_empty_like(template) for template in templates]
        out = dict(zip(self._names, new))
        given = [tensor.detach() for tensor in tensors]  # DLPack refuses what requires gradients
        try:
            self.bundle.run(*given, out=out)
        except ttrt.UnsupportedError:
            if os.getpid() == self._process:
                raise
            self._open(args)  # a device does not survive a fork
            self.bundle.run(*given, out=out)
        new = [t if b is None else t.permute(b) for t, b in zip(new, back)]
        return [_result(output, args, new) for output in outputs]


def _compare_ports(what: str, expected: list[tuple[torch.dtype, list[int]]], ports: Iterable[ttrt.Port]) -> None:
    """Raises ValueError unless ports have the types and shapes of tensors."""
    found = [(port.type, list(port.shape)) for port in ports]
    wanted = [(_TYPES[dtype], shape) for dtype, shape in expected]
    if wanted != found:
        raise ValueError(f"{what}: expected {wanted}, found {found}")


def _template(shape: list[int], dtype: torch.dtype) -> torch.Tensor:
    """A tensor of the memory of one element."""
    if math.prod(shape) == 1:  # what is like an expanded one would have its strides, 0
        return torch.empty(shape, dtype=dtype, device="cpu")
    return torch.empty((), dtype=dtype, device="cpu").expand(shape)


def _result(output: list[Any], args: tuple[Any, ...], new: list[torch.Tensor]) -> Any:
    kind, *rest = output
    if kind == "new":
        return new[rest[0]]
    if kind == "value":
        return rest[0]
    if kind == "input":
        return args[rest[0]]
    if kind == "empty":
        return torch.empty(rest[0], dtype=getattr(torch, rest[1]), device="cpu")
    base = args[rest[0]] if kind == "input_view" else new[rest[0]]
    if base.requires_grad:  # no output needs gradients: it is a view of x.detach(), or made where none are recorded
        base = base.detach()
    return base.as_strided(rest[1], rest[2], rest[3] + base.storage_offset())


def _getter(positions: tuple[int, ...]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """itemgetter() returns no tuple for a single position."""
    if len(positions) == 1:
        position = positions[0]
        return lambda args: (args[position],)
    return operator.itemgetter(*positions) if positions else lambda args: ()


def _inverse(order: list[int]) -> list[int]:
    return [order.index(i) for i in range(len(order))]


def _sample(tensor: torch.Tensor) -> memoryview | None:
    """One element in the middle, as bits, without its tensor: it keeps the storage alive only."""
    if tensor.numel() == 0:
        return None
    middle = [(n - 1) // 2 for n in tensor.shape]
    element = tensor.detach()[tuple(middle)].reshape(1)
    types = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return element.view(types[element.element_size()]).numpy().data

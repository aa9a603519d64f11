# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose sizes Dynamo has made dynamic: one bundle for a range of sizes."""
from __future__ import annotations

import math
import pathlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from ttc._cache import Rejected
from ttc._torch.analysis import Inputs, value_of

# The least size of a range: torch.export takes sizes of 0 and 1 for constants.
LEAST = 2
# torch.export also takes sizes of 1 of intermediate results for constants, such as those of x[1:]: then it says for
# which sizes of the inputs this holds.
_GUARD = re.compile(
    r"Not all values of (\w+) = (\S+) in the specified range .* satisfy the generated guard (.*?)\.?(?:Specializations .*)?$",
    re.MULTILINE,
)
# An export says what it finds at its bounds; after this number, a graph has a bundle for each shape.
MOST_EXPORTS = 6
# The largest size where the program has no bound (the option `max_size`), with at most this number of elements
# of the largest input, and at most this many times `max_size` combinations of sizes.
MOST_SIZE = 512
MOST_ELEMENTS = 1 << 22
MOST_COMBINATIONS = 8


@dataclass(frozen=True)
class Size:
    """A size that differs from call to call."""

    name: str  #: PyTorch's symbol, such as s77
    low: int
    high: int  #: at `low`, the size is a constant of the bundle
    places: tuple[tuple[int, int], ...]  #: positions of tensors, and dimensions, which have it


@dataclass(frozen=True)
class Sizes:
    """All of a graph."""

    sizes: tuple[Size, ...]
    numbers: dict[int, tuple[int, int]]  #: inputs that are such a size: where it is found
    constants: dict[int, str]  #: all other numbers that are inputs, which the bundle has as they are

    def holds(self, args: tuple[Any, ...]) -> bool:
        """Whether tensors have sizes in the ranges, the same wherever one size is, and other numbers are
        as they were."""
        if any(repr(value_of(args[position])) != value for position, value in self.constants.items()):
            return False
        for size in self.sizes:
            found = {args[position].shape[dim] for position, dim in size.places}
            if len(found) != 1 or not size.low <= found.pop() <= size.high:
                return False
        return True

    def ranges(self, position: int, shape: Any) -> list[Any]:
        """The shape of a tensor, with ranges where sizes change."""
        found: list[Any] = list(shape)
        for size in self.sizes:
            for place, dim in size.places:
                if place == position:
                    found[dim] = [size.name, size.low, size.high]
        return found

    def shapes(self, inputs: Inputs) -> tuple[dict[int, Any], ...]:
        """What torch.export calls dynamic_shapes, for the tensors in order."""
        dims: dict[int, dict[int, Any]] = {position: {} for position in inputs.tensors}
        for size in self.sizes:
            if size.low == size.high:
                continue
            one = torch.export.Dim(size.name, min=size.low, max=size.high)
            for position, dim in size.places:
                dims[position][dim] = one
        return tuple(dims.values())


def find(
    gm: torch.fx.GraphModule,
    inputs: Inputs,
    args: tuple[Any, ...],
    narrowed: Mapping[str, tuple[int, int]],
    max_size: int = MOST_SIZE,
) -> Sizes:
    """Ranges of the sizes, as `narrowed` where it has them; those that the program does not bound, up to `max_size`.
    Rejects a graph of which some sizes follow from others, or from no tensor."""
    if not all(args[position].is_contiguous() for position in inputs.tensors):
        raise Rejected("an input is not dense and row-major")
    nodes = [node for node in gm.graph.nodes if node.op == "placeholder"]
    places: dict[Any, list[tuple[int, int]]] = {}
    bounds: dict[Any, Any] = {}
    for position in inputs.tensors:
        example = nodes[position].meta.get("example_value")
        for dim, size in enumerate(example.shape if isinstance(example, torch.Tensor) else ()):
            if not isinstance(size, torch.SymInt):
                continue
            expr = size.node.expr
            if expr.is_number:
                continue
            if not expr.is_Symbol:
                raise Rejected(f"a size is {expr}, and not of its own")
            places.setdefault(expr, []).append((position, dim))
            bounds[expr] = size.node.shape_env.var_to_range.get(expr)
    numbers = {}
    for position in inputs.values:
        example = nodes[position].meta.get("example_value")
        expr = example.node.expr if isinstance(example, torch.SymInt) else None
        if expr is not None and expr in places:
            numbers[position] = places[expr][0]
        elif expr is not None and not expr.is_number:
            raise Rejected(f"a number that changes, {expr}, is not the size of a tensor")
    if not places:
        raise Rejected("no size of a tensor changes")
    sizes = [_bound(expr, bounds[expr], narrowed, found, args) for expr, found in places.items()]
    sizes = _limit(sizes, inputs, args, max_size)
    if all(size.low == size.high for size in sizes):
        raise Rejected("no size of a tensor may change")
    constants = {p: repr(value_of(args[p])) for p in inputs.values if p not in numbers}
    return Sizes(tuple(sizes), numbers, constants)


def guards_of(text: str) -> str:
    """In one line, which conditions on sizes an error of torch.export says that it needs; "" if none."""
    found = [f"{name}: {guard.replace(source, name)}" for name, source, guard in _GUARD.findall(text)]
    return f"{_GUARDS}{'; '.join(found)}" if found else ""


_GUARDS = "torch.export needs "


def narrow(sizes: Sizes, reason: str, args: tuple[Any, ...]) -> dict[str, tuple[int, int]]:
    """The ranges around the sizes of a call for which the conditions of guards_of() hold; none if they are no
    narrower."""
    if not reason.startswith(_GUARDS):
        return {}
    guards: dict[str, list[str]] = {}
    for part in reason.removeprefix(_GUARDS).split("; "):
        name, _, guard = part.partition(": ")
        words = set(re.findall(r"[^\W\d]\w*", guard))
        if words != {name} or not re.fullmatch(r"[\w\s+\-*/%()<>=!]+", guard):
            return {}  # of several sizes
        guards.setdefault(name, []).append(guard)

    def holds(name: str, size: int) -> bool:
        try:
            return all(eval(guard, {"__builtins__": {}}, {name: size}) for guard in guards.get(name, []))
        except (SyntaxError, TypeError, ArithmeticError):
            return False

    ranges, is_narrower = {}, False
    for size in sizes.sizes:
        position, dim = size.places[0]
        low = high = int(args[position].shape[dim])
        if not holds(size.name, low):
            return {}
        while low > size.low and holds(size.name, low - 1):
            low -= 1
        while high < size.high and holds(size.name, high + 1):
            high += 1
        ranges[size.name] = (low, high)
        is_narrower |= (low, high) != (size.low, size.high)
    return ranges if is_narrower else {}


def _bound(
    expr: Any, known: Any, narrowed: Mapping[str, tuple[int, int]], places: list[tuple[int, int]], args: tuple[Any, ...]
) -> Size:
    """With a high of 0 where nothing says one."""
    position, dim = places[0]
    size = int(args[position].shape[dim])
    if str(expr) in narrowed:
        return Size(str(expr), *narrowed[str(expr)], tuple(places))
    low = max(LEAST, int(known.lower)) if known is not None and known.lower.is_Integer else LEAST
    is_bounded = known is not None and known.upper.is_Integer and known.upper < 1 << 30  # not int_oo
    high = int(known.upper) if is_bounded else 0
    if size < low:
        raise Rejected(f"a size that changes is {size}")
    return Size(str(expr), low, high, tuple(places))


def _limit(sizes: list[Size], inputs: Inputs, args: tuple[Any, ...], max_size: int) -> list[Size]:
    """Chooses highs that the program does not give: powers of two, all doubled in turn while they are few
    enough."""
    highs = {}
    for size in sizes:
        position, dim = size.places[0]
        highs[size.name] = size.high or 1 << (int(args[position].shape[dim]) - 1).bit_length()

    def fits() -> bool:
        elements = 0
        for position in inputs.tensors:
            shape = list(args[position].shape)
            for size in sizes:
                for place, dim in size.places:
                    if place == position:
                        shape[dim] = highs[size.name]
            elements = max(elements, math.prod(shape))
        return elements <= MOST_ELEMENTS and math.prod(highs.values()) <= MOST_COMBINATIONS * max_size

    open_ = [size.name for size in sizes if not size.high]
    while open_:
        for name in list(open_):
            highs[name] *= 2
            if highs[name] > max_size or not fits():
                highs[name] //= 2
                open_.remove(name)
    return [Size(size.name, size.low, highs[size.name], size.places) for size in sizes]


def dims_of(path: pathlib.Path, inputs: Inputs, sizes: Sizes) -> dict[str, tuple[int, int]]:
    """The ranges of the named dimensions of the model that the exporter has made. It may have found that a
    size cannot change."""
    import onnx_ir

    ports = onnx_ir.load(path).graph.inputs
    dims = {}
    for size in sizes.sizes:
        for position, dim in size.places if size.low < size.high else ():
            shape = ports[inputs.tensors.index(position)].shape
            own = shape[dim] if shape is not None else None
            name = own.value if isinstance(own, onnx_ir.SymbolicDim) else None
            if name is None:
                raise Rejected(f"the exported model has a size of {size.name} that does not change")
            dims[name] = (size.low, size.high)
    return dims

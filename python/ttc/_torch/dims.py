# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs with dynamic shapes: their dimensions by name, and the sizes that these may have.

A dimension is named as in ONNX models that have no names: `ids.1` is axis 1 of the input `ids`. What
torch.export calls s27 is one dimension, which has the name of the first axis that has it.
"""
from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

import torch

#: As ttc.compile() takes them: a size, (low, high), a range or a list.
Dims = Mapping[str, Any]


def least_and_most(name: str, sizes: Any) -> tuple[int, int]:
    """The smallest and the largest size."""
    numbers = list(sizes) if isinstance(sizes, (tuple, list, range)) else [sizes]
    if not numbers or not all(hasattr(number, "__index__") for number in numbers):
        raise ValueError(f"dims: expected a size, (low, high), a range or a list of sizes for '{name}', found {sizes!r}")
    # A list names the sizes to compile for, and runs all below them.
    return 1 if isinstance(sizes, list) else int(min(numbers)), int(max(numbers))


def _axis(name: str, axis: str, given: Mapping[str, Any]) -> tuple[str, int]:
    """An argument that is a tensor, and one of its dimensions."""
    found = re.fullmatch(r"(.+)\.(\d+)", axis)
    tensor = given.get(found[1]) if found else None
    if found and isinstance(tensor, torch.Tensor) and int(found[2]) < tensor.dim():
        return found[1], int(found[2])
    tensors = {key: value for key, value in given.items() if isinstance(value, torch.Tensor)}
    known = [f"{key}.{dim}" for key, value in tensors.items() for dim in range(value.dim())]
    raise ValueError(f"dims: expected axes of the model's arguments ({', '.join(known)}), found '{axis}'")


def make_dynamic(
    model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], dims: Dims
) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any] | None, Dims]:
    """Examples, what torch.export calls dynamic_shapes, and those of the dimensions that have several sizes, for names
    such as "ids.1" and "ids.1=mask.1" of arguments that are tensors. Examples of size 1 become larger, because
    torch.export takes 1 for a constant."""
    bound = inspect.signature(model.forward).bind(*args, **kwargs)
    given = bound.arguments
    shapes: dict[str, dict[int, Any]] = {}
    dynamic: dict[str, Any] = {}
    for name, sizes in dims.items():
        low, high = least_and_most(name, sizes)
        axes = [_axis(name, axis, given) for axis in name.split("=")]
        step = abs(sizes.step) if isinstance(sizes, range) and len(sizes) > 1 else 1
        low = max(low, step)
        one = torch.export.Dim("_".join(map(str, axes[0])), min=low // step, max=high // step) if low < high else None
        for argument, dim in axes:
            tensor = given[argument]
            if dim in shapes.setdefault(argument, {}):
                raise ValueError(f"dims: found '{argument}.{dim}' twice")
            shapes[argument][dim] = one and (step * one if step > 1 else one)
            if one and tensor.shape[dim] == 1:
                given[argument] = tensor.repeat_interleave(max(low, 2), dim)
            if not (1 if one else low) <= tensor.shape[dim] <= high:
                raise ValueError(f"dims: expected an example with a size of {sizes!r} for '{argument}.{dim}', found {tensor.shape[dim]}")
        if one:
            dynamic[name] = sizes
    if not dynamic:
        return args, dict(kwargs), None, {}
    return bound.args, bound.kwargs, {name: shapes.get(name) for name in given}, dynamic


class ProgramDims:
    """The dimensions of a program that differ from run to run."""

    def __init__(self, program: Any) -> None:
        """ValueError for sizes that are no dimension of a bundle: two of which one follows from the other."""
        self.names: dict[str, str] = {}  #: by PyTorch's expression, such as s27 or 2*s80
        self._ranges: dict[str, tuple[int, int, int]] = {}  # by name: low, high (0: none), step
        self._axes: dict[str, str] = {}  # the name of the dimension, by all its axes
        symbols: dict[Any, Any] = {}
        values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
        for port in program.graph_signature.user_inputs:
            value = values.get(port)
            for axis, size in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
                if not isinstance(size, torch.SymInt) or size.node.expr.is_number:
                    continue
                expr, place = size.node.expr, f"{port}.{axis}"
                for symbol in expr.free_symbols:
                    if symbols.setdefault(symbol, expr) != expr or len(expr.free_symbols) > 1:
                        raise ValueError(
                            f"the exported program's dimension '{place}' is {expr}, and another one {symbols[symbol]}: "
                            "expected sizes none of which follows from others"
                        )
                name = self.names.setdefault(str(expr), place)
                self._axes[place] = name
                self._ranges[name] = _range(program, expr, place)

    def sizes(self, dims: Dims, may_be_open: bool) -> dict[str, Any]:
        """Sizes for all dimensions: those of `dims`, or else those that the program has. ValueError if it has no
        highest one, unless dimensions may be open, which then are left out."""
        result: dict[str, Any] = {}
        for key, sizes in dims.items():
            axes = key.split("=")
            name = self._axes.get(axes[0])
            if name is None or any(self._axes.get(axis) != name for axis in axes):
                known = ", ".join(self.names.values()) or "none"
                raise ValueError(f"dims: expected dimensions of the exported program ({known}), found '{key}'")
            if name in result:
                raise ValueError(f"dims: found '{name}' twice")
            low, high, step = self._ranges[name]
            least, most = least_and_most(key, sizes)
            # A list runs all sizes below its own, and a pair all between them.
            own = most if least == most else abs(sizes.step) if isinstance(sizes, range) else 1
            if least < low or (high and most > high) or own % step or most % step:
                by = f" that are multiples of {step}" if step > 1 else ""
                raise ValueError(
                    f"dims: expected sizes of '{key}' from {low} to {high or 'any'}{by}, for which the program was "
                    f"exported, found {sizes!r}" + (", which runs sizes from 1" if isinstance(sizes, list) else "")
                )
            result[name] = sizes
        for name, (low, high, step) in self._ranges.items():
            if name in result:
                continue
            if not high and may_be_open:
                continue
            if not high:
                raise ValueError(
                    f"the exported program's dimension '{name}' has no highest size: give it one with "
                    f"dims={{'{name}': ({low}, 512)}}, or with max= of its torch.export.Dim"
                )
            result[name] = range(low, high + 1, step) if step > 1 else (low, high)
        return result

    def rename(self, graph: Any) -> None:
        """Gives the dimensions of an ONNX model their names. Other expressions are forgotten: the importer
        computes shapes itself."""
        import onnx_ir

        for value in [*graph.inputs, *graph.outputs, *(output for node in graph.all_nodes() for output in node.outputs)]:
            if value.shape is None or not any(isinstance(dim, onnx_ir.SymbolicDim) for dim in value.shape):
                continue
            dims = [self.names.get(str(dim.value)) if isinstance(dim, onnx_ir.SymbolicDim) else dim for dim in value.shape]
            value.shape = onnx_ir.Shape(dims)


def _range(program: Any, expr: Any, place: str) -> tuple[int, int, int]:
    """Low, high and step of a symbol, or of an expression a * s + b."""
    (symbol,) = expr.free_symbols
    known = program.range_constraints.get(symbol)
    low = int(known.lower) if known is not None and known.lower.is_Integer else 1
    is_bounded = known is not None and known.upper.is_Integer and known.upper < 1 << 30  # not int_oo
    high = int(known.upper) if is_bounded else 0
    if expr == symbol:
        return max(low, 1), high, 1
    step, offset = expr.coeff(symbol, 1), expr.coeff(symbol, 0)
    if expr != step * symbol + offset or not step.is_Integer or step < 1 or not offset.is_Integer or offset % step:
        raise ValueError(f"the exported program's dimension '{place}' is {expr}: expected a multiple, such as 8*s0")
    return max(int(step * low + offset), int(step)), int(step * high + offset) if high else 0, int(step)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's ONNX exporter rounds to 32-bit floats: the numbers of programs in f64, and divisions of integers."""
from __future__ import annotations

import functools
import math
import struct
from collections.abc import Iterator
from typing import Any

import torch

from ttc._cache import Rejected

# Numbers that PyTorch and the exporter themselves compute with, in the functions that they decompose.
_OWN = (
    math.log(2), math.log(10), 1 / math.log(2), 1 / math.log(10), math.pi, math.pi / 180, 180 / math.pi, 1 / 3, 1 / 6,
    math.sqrt(2), math.sqrt(0.5), 1.0507009873554804934193349852946, 1.6732632423543772848170429916717,
)  # fmt: skip


def restore_numbers(graph: Any, program: Any) -> None:
    """Gives constants in f64 the numbers of the program again, of which the exporter has written the nearest f32."""
    import numpy
    import onnx_ir

    rounded = {_in_f32(number): number for number in (*_OWN, *_numbers(program)) if _in_f32(number) != number}
    values = [value for node in graph for value in (*node.inputs, *node.outputs) if value is not None]
    for value in dict.fromkeys((*values, *graph.initializers.values(), *graph.outputs)):
        constant = value.const_value
        if constant is None or constant.dtype != onnx_ir.DataType.DOUBLE or constant.size == 0:
            continue
        array = constant.numpy()
        found = float(array.flat[0])
        if abs(found) not in rounded or not (array == found).all():
            continue
        exact = math.copysign(rounded[abs(found)], found)
        if math.isinf(found):  # or an infinity of the program
            raise Rejected(f"PyTorch's exporter makes {found} of {exact}")
        value.const_value = onnx_ir.tensor(numpy.full_like(array, exact), name=value.name)
        made = value.producer()
        if made is not None:  # a Constant
            made.attributes["value"] = onnx_ir.AttrTensor("value", value.const_value)


def nodes_of(program: Any) -> Iterator[torch.fx.Node]:
    """The nodes of an exported program, those of its branches and loops, too."""
    for module in program.graph_module.modules():
        graph = getattr(module, "graph", None)
        if isinstance(graph, torch.fx.Graph):
            yield from graph.nodes


def _numbers(program: Any) -> Iterator[float]:
    """All floats among the arguments of its ops, without their signs."""
    for node in nodes_of(program):
        for leaf in torch.utils._pytree.tree_leaves((node.args, node.kwargs)):
            if isinstance(leaf, float) and math.isfinite(leaf):
                yield abs(leaf)


def _in_f32(number: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.inf


def divisions() -> dict[Any, Any]:
    """Divisions of integers that round down or towards zero, as translations for the exporter, which divides 32-bit floats:
    integers beyond 2^24 lose their last digits."""
    from onnxscript import opset18
    from onnxscript.function_libs.torch_lib.ops import core

    exported: Any = core.aten_div_mode
    op: Any = opset18

    @functools.wraps(getattr(exported, "func", exported))  # with its signature, which the exporter reads
    def divide(self: Any, other: Any, rounding_mode: Any = None) -> Any:
        if rounding_mode is None or not self.dtype.is_integer():
            return exported(self, other, rounding_mode)
        quotient = op.Div(self, other)
        if rounding_mode == "trunc" or not self.dtype.is_signed():
            return quotient
        rest = op.Sub(self, op.Mul(quotient, other))
        zero = op.CastLike(op.Constant(value_int=0), self)
        is_above = op.And(op.Not(op.Equal(rest, zero)), op.Xor(op.Less(rest, zero), op.Less(other, zero)))
        return op.Sub(quotient, op.CastLike(is_above, self))

    return {torch.ops.aten.div.Tensor_mode: divide, torch.ops.aten.div.Scalar_mode: divide}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers of a number of steps that changes. To find the shapes of results, torch.export unrolls a layer, which
fixes the number; the ops here say them, and become ONNX's by what PyTorch's exporter has for its own."""
from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_ARGUMENTS = (
    "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first"
)
lstm = torch.library.custom_op(
    "ttc::lstm", torch.lstm, mutates_args=(), schema=f"(Tensor input, Tensor[] hx, {_ARGUMENTS}) -> (Tensor, Tensor, Tensor)"
)
gru = torch.library.custom_op(
    "ttc::gru", torch.gru, mutates_args=(), schema=f"(Tensor input, Tensor hx, {_ARGUMENTS}) -> (Tensor, Tensor)"
)


def _output(input: torch.Tensor, state: torch.Tensor, is_bidirectional: bool) -> torch.Tensor:
    return input.new_empty(*input.shape[:2], state.shape[2] * (2 if is_bidirectional else 1))


@lstm.register_fake
def _(input: torch.Tensor, hx: list[torch.Tensor], *options: Any) -> tuple[torch.Tensor, ...]:
    return _output(input, hx[0], options[-2]), torch.empty_like(hx[0]), torch.empty_like(hx[1])


@gru.register_fake
def _(input: torch.Tensor, hx: torch.Tensor, *options: Any) -> tuple[torch.Tensor, ...]:
    return _output(input, hx, options[-2]), torch.empty_like(hx)


class Recurrent(TorchFunctionMode):
    """Calls these ops, except for packed sequences, projections, and steps whose number is constant."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.lstm and not kwargs and isinstance(args[1], (list, tuple)):
            if args[1][0].shape == args[1][1].shape and _has_symbols(args[0]):
                return torch.ops.ttc.lstm(*args)
        elif func is torch.gru and not kwargs and isinstance(args[2], (list, tuple)) and _has_symbols(args[0]):
            return torch.ops.ttc.gru(*args)
        return func(*args, **(kwargs or {}))


def _has_symbols(value: torch.Tensor) -> bool:
    return any(isinstance(size, torch.SymInt) for size in value.shape)


def translations() -> dict[Any, Any]:
    """How the exporter writes the ops, as its `custom_translation_table`."""
    from onnxscript.function_libs.torch_lib.ops import core

    named = {torch.ops.ttc.lstm.default: "aten_lstm", torch.ops.ttc.gru.default: "aten_gru"}
    return {op: getattr(core, name) for op, name in named.items() if hasattr(core, name)}

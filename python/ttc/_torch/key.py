# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key of a graph in the cache: a hash of all that its bundle depends on."""
from __future__ import annotations

import hashlib
import json
from typing import Any

import torch

from ttc._cache import environment, named_files
from ttc._torch.analysis import Inputs, value_of
from ttc._torch.sizes import Sizes

# The version of what is stored, and of what this package makes of a graph.
FORMAT = 3


def digest(tensor: torch.Tensor) -> bytes:
    """The digest of the contents. Never cached: a cached one could be stale."""
    dense = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    return hashlib.sha256(dense.numpy().data).digest()


def graph_key(
    gm: torch.fx.GraphModule, inputs: Inputs, args: tuple[Any, ...], options: Any, sizes: Sizes | None = None
) -> str | None:
    """For one choice of shapes, or for ranges of sizes: 64 hexadecimal digits; None if the graph calls functions that are not PyTorch's, whose names
    say nothing about what they do."""
    text = _code(gm)
    if text is None:
        return None
    signature: list[Any] = []
    for position, arg in enumerate(args):
        if sizes and position in sizes.numbers:
            signature.append(list(sizes.numbers[position]))
        elif sizes and position in inputs.tensors:
            signature.append([str(arg.dtype), sizes.ranges(position, arg.shape), arg.requires_grad])
        elif position in inputs.values:
            value = value_of(arg)
            signature.append([type(value).__name__, repr(value)])
        else:
            signature.append(
                [str(arg.dtype), list(arg.shape), list(arg.stride()), arg.requires_grad, position in inputs.constants]
            )
    contents = [digest(args[position]).hex() for position in inputs.constants]
    parts: list[Any] = [FORMAT, text, signature, contents, torch.is_grad_enabled(), str(torch.get_default_dtype())]
    parts += [options, named_files(*options), torch.__version__]
    parts += environment(("onnx", "onnxscript", "onnx-ir", "torchvision"))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _code(gm: torch.fx.GraphModule) -> list[Any] | None:
    """The graph as text, with those of its subgraphs and the contents of its own tensors."""
    parts: list[Any] = [gm.code]
    for node in gm.graph.nodes:
        if node.op == "call_function" and not _is_known(node.target):
            return None
        if node.op in ("get_attr", "call_module"):
            found: Any = gm
            for name in node.target.split("."):
                found = getattr(found, name)
            if isinstance(found, torch.fx.GraphModule):
                inner = _code(found)
                if inner is None:
                    return None
                parts.append([node.target, inner])
            elif isinstance(found, torch.Tensor) and found.device.type == "cpu" and not found.is_inference():
                parts.append([node.target, str(found.dtype), list(found.shape), digest(found).hex()])
            else:
                return None
    return parts


def _is_known(target: Any) -> bool:
    if isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return str(target).startswith(("aten.", "prims.", "prim.", "torchvision."))
    module = getattr(target, "__module__", None) or ""
    if module.split(".")[0] in ("torch", "_operator", "math", "builtins"):
        return True
    # Methods that are written in C have no module, but a type: torch.Tensor's and the like.
    owner = getattr(getattr(target, "__objclass__", None), "__module__", "")
    return not module and (owner.split(".")[0] == "torch" or getattr(torch, getattr(target, "__name__", ""), None) is target)

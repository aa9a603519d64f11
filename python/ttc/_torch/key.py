# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key of a graph in the cache: a hash of all that its bundle depends on."""
from __future__ import annotations

import hashlib
import importlib.metadata
import json
import pathlib
from typing import Any

import torch

from ttc._tools import tool_path
from ttc._torch.analysis import Inputs, value_of
from ttc._torch.sizes import Sizes
from ttc._version import __version__

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
    parts += [options, _named_files(options)]
    return hashlib.sha256(json.dumps(parts + _environment()).encode()).hexdigest()


def _named_files(options: Any) -> list[str]:
    """The contents of files that the target or an option name."""
    target, others = options
    paths = [*filter(None, [target]), *(option.partition("=")[2].split(":")[-1] for option in others)]
    return [hashlib.sha256(pathlib.Path(p).read_bytes()).hexdigest() for p in paths if p and pathlib.Path(p).is_file()]


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


def _environment() -> list[Any]:
    tool = tool_path("ttc-translate").resolve()
    # In the wheel, the tool is a few kilobytes, and the compiler a library beside it.
    builds = [path.stat() for path in (tool, *sorted(tool.parent.parent.glob("lib*/libttc_compiler.so")))]
    return [
        torch.__version__,
        *(_version(name) for name in ("onnx", "onnxscript", "onnx-ir", "torchvision")),
        __version__,
        # A build of the compiler may change without its version.
        *([build.st_size, build.st_mtime_ns] for build in builds),
        _cpu(),
    ]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _cpu() -> list[str]:
    """What the compiler generates code for: the first CPU's model and features, and its caches."""
    kept = ("vendor_id", "cpu family", "model", "model name", "stepping", "cache size", "flags")
    found = []
    for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines():
        name, _, value = line.partition(":")
        if name.strip() in kept:
            found.append(f"{name.strip()}:{value.strip()}")
    return found

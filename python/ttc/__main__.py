# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m ttc MODEL... [options]: a first look at a model. Compiles it in memory, runs it on random
data, and says how fast that is. Options are those of ttc-translate, as --name=value.

python -m ttc COMMAND ...: the tools, as the command ttc: compile, run, perf, bench, read, check, ...
"""
from __future__ import annotations

import os
import sys
import time
import warnings
from typing import Any

import numpy as np
import ttrt

import ttc
from ttc._tools import exec_tool

Array = np.ndarray[Any, np.dtype[Any]]


def _look(arguments: list[str]) -> int:
    models = [argument for argument in arguments if not argument.startswith("-")]
    options = [argument for argument in arguments if argument.startswith("-")]
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ttc.CompileWarning)
            bundle = ttc.compile(models if len(models) > 1 else models[0], options=options, entries=_entries(options))
    except (ttc.CompileError, ttrt.Error, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    for warning in caught:
        print(warning.message, file=sys.stderr)
    print(f"{', '.join(models)}: compiled in {time.perf_counter() - start:.2f} s")
    memory = bundle.memory
    print(f"  memory  {memory.dram_bytes / 2**20:.2f} MiB, of it commands {memory.trace_bytes / 2**10:.1f} KiB")
    for entry in bundle.entries.values():
        print(f"{entry.name}")
        for port in entry.inputs.values():
            print(f"  input   {port.name}: {port.type}{list(port.shape)}")
        outputs = entry.run(*(_random(port) for port in entry.inputs.values()))
        for port in entry.outputs.values():
            print(f"  output  {port.name}: {port.type}{list(port.shape)}, {_range(outputs[port.name])}")
        print(f"  time    {entry.perf()}")
    names = " ".join(models)
    print(f"next: python -m ttc bench {names} --against=onnxruntime")
    print(f"      python -m ttc compile {names} -o FILE.ttcb")
    return 0


def _entries(options: list[str]) -> str | list[str] | None:
    """--entry is an argument of compile(), which needs it for its checks."""
    for option in options:
        name, _, value = option.lstrip("-").partition("=")
        if name == "entry":
            options.remove(option)
            return value.split(",")
    return None


def _random(port: ttrt.Port) -> Array:
    """Floats from 0 to 1, integers and bools 0 or 1, as ttrun makes them."""
    generator = np.random.default_rng(0)
    if port.type == "bf16":  # the upper half of an f32, as uint16
        return (generator.random(port.shape, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if port.dtype.kind == "f":
        return generator.random(port.shape).astype(port.dtype)
    return generator.integers(0, 2, port.shape).astype(port.dtype)


def _range(array: Array) -> str:
    if not array.size:
        return "no elements"
    if array.dtype.kind not in "fiub":
        return f"{array.size} elements"
    return f"from {array.min():.4g} to {array.max():.4g} on random inputs"


def main() -> int:
    arguments = sys.argv[1:]
    if arguments and not arguments[0].startswith("-") and os.path.splitext(arguments[0])[1] in (".onnx", ".mlir"):
        return _look(arguments)
    exec_tool("ttc", arguments)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m ttc MODEL... [options]: a first look at a model. Compiles it in memory, runs it on random
data, and says how fast that is. Options are those of ttc-translate, as --name=value. Several models
become entry points of one bundle, with the names of their files or of --entry=NAME,...

python -m ttc COMMAND ...: the tools, as the command ttc: compile, run, perf, bench, read, check, ...
"""
from __future__ import annotations

import os
import shlex
import sys
import time
import warnings
from typing import Any

import numpy as np
import ttrt
from ttrt._bundle import random_input

import ttc
from ttc._tools import exec_tool

Array = np.ndarray[Any, np.dtype[Any]]


def _is_model(argument: str) -> bool:
    return not argument.startswith("-") and os.path.splitext(argument)[1].lower() in (".onnx", ".mlir")


def _look(arguments: list[str]) -> int:
    models = [argument for argument in arguments if _is_model(argument)]
    options = [argument for argument in arguments if not _is_model(argument)]
    if {"-h", "-help", "--help"} & set(options):
        print(__doc__)
        return 0
    # An option's value of its own, as in "-o FILE", would pass for a model or be lost.
    if wrong := [option for option in options if not option.startswith("--")]:
        print(f"error: expected models (.onnx or .mlir) and options as --name=value, found '{wrong[0]}'; "
              "'python -m ttc compile' makes a file, with -o FILE", file=sys.stderr)  # fmt: skip
        return 2
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ttc.CompileWarning)
            entries = _entries(options, models)
            bundle = ttc.compile(
                models if len(models) > 1 else models[0],
                options=["--caller=options", *options],
                entries=entries,
            )
    except (ttc.CompileError, ttrt.Error, OSError, ValueError) as error:
        text = str(error)
        print(text if "error: " in text else f"error: {text}", file=sys.stderr)
        return 1
    for warning in caught:
        print(warning.message, file=sys.stderr)
    print(f"{', '.join(models)}: compiled in {time.perf_counter() - start:.2f} s")
    memory = bundle.memory
    print(f"  memory  {memory.dram_bytes / 2**20:.2f} MiB, of it commands {memory.trace_bytes / 2**10:.1f} KiB")
    for entry in bundle.models.values():
        print(f"{entry.name}")
        for port in entry.inputs.values():
            print(f"  input   {port.name}: {port.type}{_shape(port)}")
        shapes = entry._input_shapes(None)
        try:
            outputs = entry.run(*(random_input(port, shapes[name]) for name, port in entry.inputs.items()))
        except ttrt.Error as error:
            print(f"error: on random inputs, {error} (--input-value=NAME=VALUE fixes an input)", file=sys.stderr)
            return 1
        for port in entry.outputs.values():
            print(f"  output  {port.name}: {port.type}{_shape(port)}, {_range(outputs[port.name])}")
        print(f"  time    {entry.perf()}")
    named = [] if entries is None else ["--entry=" + ",".join(entries)]
    commands = [["compile", *models, *named, *options, "-o", "FILE.ttcb"]]
    if len(models) == 1:
        passed = ["--compile=" + option for option in named + options]
        commands.insert(0, ["bench", *models, *passed, "--against=onnxruntime"])
    print("next: " + "\n      ".join("python -m ttc " + shlex.join(command) for command in commands))
    return 0


def _entries(options: list[str], models: list[str]) -> list[str] | None:
    """The names of the entry points. --entry is an argument of compile(), which needs it for its checks."""
    for option in options:
        name, equals, value = option.partition("=")
        if name == "--entry" and equals:
            options.remove(option)
            return value.split(",")
    if len(models) == 1:
        return None
    names = [os.path.splitext(os.path.basename(model))[0] for model in models]
    return names if len(set(names)) == len(names) else [f"{name}_{i}" for i, name in enumerate(names)]


def _shape(port: ttrt.Port) -> str:
    return f"[{', '.join(map(str, port.shape))}]"


def _range(array: Array) -> str:
    if not array.size:
        return "no elements"
    if array.dtype.kind not in "fiub":
        return f"{array.size} elements"
    return f"from {array.min():.4g} to {array.max():.4g} on random inputs"


def main() -> int:
    arguments = sys.argv[1:]
    if arguments and _is_model(arguments[0]):
        return _look(arguments)
    exec_tool("ttc", arguments)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of a model's nodes, by ttrun run --trace-values."""
from __future__ import annotations

import json
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ttc._compile import CompileError, _path, _shapes
from ttc._tools import run_tool

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Value:
    """The result of a node."""

    name: str
    #: The name of the node, and its op.
    node: str
    op: str
    #: The names of the node's inputs.
    inputs: tuple[str, ...]
    #: The elements, read from the file when they are used. bf16 is uint16.
    array: Array


@dataclass(frozen=True)
class Trace:
    """What trace_values() has found."""

    #: By name, in the order of the nodes.
    values: dict[str, Value]
    #: The largest difference of an output from that of the bundle without these values; 0 if the bits are equal.
    largest_difference: float
    #: The first value with NaN or an infinity.
    first_not_finite: Value | None
    #: The first value that differs from the other engine's.
    first_different: Value | None
    #: Whether it differs with the same inputs, too; or else, smaller differences of its inputs have grown.
    own: bool | None
    #: A command that runs its node alone.
    command: str | None
    #: Why values were not compared, by name.
    not_compared: dict[str, str]


def _with_arguments(messages: str) -> str:
    """The messages of ttrun, with the names of arguments instead of those of options."""
    messages = re.sub(r"--(only|against|rtol|atol)\b", r"\1", messages)
    return messages.replace("--trace-values", "folder").replace("ttrun run: ", "").strip()


def trace_values(
    model: str | os.PathLike[str],
    inputs: Mapping[str, Any],
    folder: str | os.PathLike[str],
    *,
    only: Sequence[str] = (),
    against: Literal["onnxruntime"] | None = None,
    rtol: float = 1e-3,
    atol: float = 1e-5,
    options: Sequence[str] = (),
) -> Trace:
    """Compiles an ONNX model so that the result of each node can be seen, runs it, and writes the
    results to a folder.

    model    the path of the model.
    inputs   {name: array}; the arrays set the shapes.
    folder   gets an .npy file for each value, and values.json, which lists them.
    only     patterns such as "Softmax" or "/encoder/*": only values whose op, node or name matches.
    against  "onnxruntime" finds the first value that differs from that engine's by more than `atol` +
             `rtol` times the largest magnitude, and writes its node as a model to FOLDER/first.
    options  further options of ttc-translate.

    CompileError if the model is rejected, ValueError if an argument is wrong.
    """
    import numpy as np

    file = _path("model", model)
    arguments = ["run", file, f"--trace-values={_path('folder', folder)}", "--json", f"--rtol={rtol!r}", f"--atol={atol!r}"]
    arguments += [f"--only={pattern}" for pattern in only]
    arguments += [f"--compile=--input-shape={name}:{shape}" for name, shape in _shapes(inputs).items()]
    arguments += [f"--compile={option}" for option in options]
    if against is not None:
        arguments += [f"--against={against}", f"--python={sys.executable}"]
    with tempfile.TemporaryDirectory(prefix="ttc-") as temporary, tempfile.TemporaryFile("w+") as output:
        for i, (name, array) in enumerate(inputs.items()):
            np.save(f"{temporary}/{i}.npy", array)
            arguments.append(f"--input={name}={temporary}/{i}.npy")
        status, messages = run_tool("ttrun", arguments, output, (), temporary)
        if status not in (0, 1) or not output.tell():
            raise (CompileError if "not compiled" in messages else ValueError)(_with_arguments(messages))
        output.seek(0)
        found = json.load(output)["values"]
    listed = json.loads(pathlib.Path(folder, "values.json").read_text())["values"]
    values = {
        value["name"]: Value(
            value["name"], value["node"], value["op"], tuple(value["inputs"]),
            np.load(pathlib.Path(folder, value["file"]), mmap_mode="r"),
        )
        for value in listed
    }  # fmt: skip

    def find(key: str) -> Value | None:
        return values[found[key]["name"]] if key in found else None

    return Trace(
        values,
        float("nan") if found["largest_difference"] is None else found["largest_difference"],
        find("first_not_finite"),
        find("first_different"),
        found.get("own"),
        found.get("command"),
        {name: group["reason"] for group in found.get("not_compared", []) for name in group["values"]},
    )

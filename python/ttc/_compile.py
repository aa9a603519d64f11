# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models to bundles, by ttc-translate as a process of its own: a crash becomes an exception, its
protobuf and LLVM are not those of other packages, and its memory returns when it ends."""
from __future__ import annotations

import csv
import logging
import os
import pathlib
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import IO, Any

import ttrt

from ttc._tools import run_tool

_log = logging.getLogger("ttc")

#: One size, (low, high), multiples of a step, or the sizes to compile for.
Sizes = int | tuple[int, int] | range | list[int]

#: A CSV file, or columns: the sizes of each named dimension in all requests, such as a DataFrame.
Requests = str | os.PathLike[str] | Mapping[str, Iterable[int]]


#: Parameters of a function, by position or name.
Constants = int | str | Sequence[int | str]


class CompileError(RuntimeError):
    """A model could not be compiled; the text is what the compiler says about it."""


class CompileWarning(UserWarning):
    """What the compiler warns of in a model that it has compiled."""


def compile(
    model: Any,
    inputs: Any = None,
    *,
    dims: Mapping[str, Sizes] | None = None,
    dims_from: Requests | None = None,
    target: str | os.PathLike[str] | None = None,
    entries: str | Sequence[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    cores: int = 0,
    options: Sequence[str] = (),
    host_functions: Mapping[str, Callable[..., Any]] | None = None,
    constants: Constants = (),
) -> ttrt.Bundle:
    """Compiles a model, or several with equal weights stored once, and opens the bundle.

    model    the path of a file .onnx, .gguf or .mlir, an ONNX model as bytes or onnx.ModelProto, a
             torch.nn.Module or torch.export.ExportedProgram; or a list or dictionary of those,
             which become the entry points of one bundle. The keys of a dictionary are their names.
             Or a function of JAX, or jax.export.Exported: the bundle is a ttc.Function, which is called as the function.
    inputs   for ONNX: {name: shape} for inputs whose dimensions the model leaves open; an array
             stands for its shape. For torch and JAX: a tuple of example inputs, or {name: input}; those of JAX may be
             trees of arrays, numbers and jax.ShapeDtypeStruct. With several models, a
             dictionary {entry: inputs}, or a list in the models' order.
    dims     {name: sizes} for named dimensions that an ONNX model leaves open, in all inputs that have them, and
             for axes of torch's inputs, such as "ids.1=mask.1": one size, or any of (1, 512), of
             range(64, 641, 32) or up to those of [1, 4, 8]; for these, the bundle has variants. With several
             models, "entry/name" is a dimension of one.
    dims_from  the sizes of the requests that the model will serve, for which the sizes to
             compile for are chosen: a CSV file, or {name: sizes} with a size for each request. The
             column "count" says how many requests a row stands for.
    target   "cpu" (this machine, the default), the name of a chip, or the path of a description.
    entries  the names of the entry points; of one model, "main" unless given.
    output   the bundle's file, which is kept; without it, the bundle has no name and goes with the
             last object that uses it.
    cores    as for ttrt.load(): how many cores run the bundle, 0 for all.
    options  further options of ttc-translate, such as "--weights=int8"; docs/tools.md lists them.
    host_functions  as for ttrt.load(): what computes the ops that --host-ops names.
    constants  of a function of JAX: the parameters, by position or name, whose examples are fixed. Arrays become
             weights of the bundle.

    CompileError with the compiler's messages if it rejects a model, FileNotFoundError, TypeError or
    ValueError if an argument is wrong, ttrt.Error if the bundle cannot be opened on this machine.
    """
    # What only load() uses: wrong, it is better found before a long compilation.
    if not hasattr(cores, "__index__"):
        raise TypeError(f"cores: expected an int, found {cores!r}")
    if host_functions is not None and not isinstance(host_functions, Mapping):
        raise TypeError(f"host_functions: expected {{name: function}}, found {_kind(host_functions)}")
    if output is not None:
        path = _path("output", output)
        program = _translate(model, inputs, dims, dims_from, target, entries, options, constants, path, None)
        return _as_function(ttrt.load(path, cores=cores, host_functions=host_functions), program)
    # A file without a name: nothing is left of it, however this process ends.
    with tempfile.TemporaryFile(prefix="ttc-") as file:
        program = _translate(model, inputs, dims, dims_from, target, entries, options, constants, "", file)
        bundle = ttrt.load(f"/proc/self/fd/{file.fileno()}", cores=cores, host_functions=host_functions)
        return _as_function(bundle, program)


def build(
    model: Any,
    output: str | os.PathLike[str],
    inputs: Any = None,
    *,
    dims: Mapping[str, Sizes] | None = None,
    dims_from: Requests | None = None,
    target: str | os.PathLike[str] | None = None,
    entries: str | Sequence[str] | None = None,
    options: Sequence[str] = (),
    constants: Constants = (),
) -> pathlib.Path:
    """Compiles as compile() does, and returns the path of the bundle without opening it: it may be
    for another machine. `output` keeps its contents unless all succeeds."""
    path = _path("output", output)
    _translate(model, inputs, dims, dims_from, target, entries, options, constants, path, None)
    return pathlib.Path(path)


def _as_function(bundle: ttrt.Bundle, program: Any) -> ttrt.Bundle:
    if program is None:
        return bundle
    from ttc._function import Function

    return Function(bundle, program)


def _translate(
    model: Any,
    inputs: Any,
    dims: Mapping[str, Sizes] | None,
    dims_from: Requests | None,
    target: str | os.PathLike[str] | None,
    entries: str | Sequence[str] | None,
    options: Sequence[str],
    constants: Constants,
    output: str,
    stdout: IO[Any] | None,
) -> Any:
    """Writes the bundle. Returns the program if the model is a function of JAX."""
    extra = _options(options)
    if target is not None:
        extra.insert(0, f"--target={_path('target', target)}")
    models, names, given = _by_entry(model, inputs, entries)
    with ExitStack() as stack:
        sources = _Sources(stack)
        function = _only_function(models, names, constants)
        if function and (dims or dims_from is not None):
            raise ValueError("dims: a function of JAX has the sizes of its examples; compile it for each size, as ttc.jit() does")
        # Not the paths of models: what an exporter takes as inputs is not an option.
        if not isinstance(dims, Mapping | None):
            raise TypeError(f"dims: expected {{name: size}}, found {_kind(dims)}")
        files: list[tuple[str, dict[str, str]]] = []
        left = {str(name): sizes for name, sizes in (dims or {}).items()}
        for index, (one, own) in enumerate(zip(models, given)):
            prefix = f"{names[index]}/" if len(models) > 1 else ""
            if function:
                files.append((sources.trace(one, own, constants, names.pop() if names else "main"), {}))
            else:
                files.append(sources.add(one, own, left, prefix, dims_from))
        extra = [f"--dim={name}:{sizes}" for name, sizes in _dims(left).items()] + extra
        arguments = [file for file, _ in files]
        _check_files(arguments, output)
        for (_, shapes), name in zip(files, names or [""]):
            prefix = f"{name}/" if len(models) > 1 else ""
            arguments += [f"--input-shape={prefix}{key}:{text}" for key, text in shapes.items()]
        if names:
            arguments.append("--entry=" + ",".join(names))
        if dims_from is not None:
            arguments.append(f"--dims-from={sources.requests(dims_from)}")
        # Before the options: one that lacks its value takes what follows it.
        arguments = ["-o", "-" if stdout is not None else os.path.abspath(output), *arguments, *extra]
        kind = pathlib.Path(files[0][0]).suffix.lower()[1:] if _is_alone(files[0][0]) else "onnx"
        # Messages name the arguments of Python. (python -m ttc takes options of the tools.)
        if not any(option.startswith("--caller=") for option in extra):
            arguments.insert(0, "--caller=python")
        # A folder for the files that a killed compiler leaves.
        status, messages = run_tool("ttc-translate", [f"--{kind}-to-bundle", *arguments], stdout, sources.descriptors, sources.folder())
        messages = sources.name(messages).strip()
    if status < 0:
        name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
        raise CompileError(f"ttc-translate was ended by signal {name}" + (f":\n{messages}" if messages else ""))
    if status:
        raise CompileError(messages or f"ttc-translate ended with status {status}")
    if "warning:" in messages:
        warnings.warn(messages, CompileWarning, stacklevel=3)
    elif messages:
        _log.info("%s", messages)
    return sources.program


def _only_function(models: Sequence[Any], names: Sequence[str], constants: Constants) -> bool:
    """Whether the model is a function of JAX."""
    found = [_is_function(model) for model in models]
    if any(found) and len(models) > 1:
        raise ValueError(f"expected one function of JAX, or models of other kinds, found {len(models)} models: compile each alone")
    if constants != () and not any(found):
        raise ValueError("constants: expected none, as the model is no function of JAX")
    return any(found)


def _by_entry(
    model: Any, inputs: Any, entries: str | Sequence[str] | None
) -> tuple[list[Any], list[str], list[Any]]:
    """Models, the names of their entry points (none for one model without a name), and inputs."""
    names = _names(entries)
    if isinstance(model, Mapping):
        if wrong := [key for key in model if not isinstance(key, str)]:
            raise TypeError(f"expected names of entry points as the keys of the models, found {wrong[0]!r}")
        if names and names != list(model):
            raise ValueError(f"entries: expected the keys of the models, {list(model)}, found {names}")
        models, names = list(model.values()), list(model)
    elif isinstance(model, (list, tuple)):
        models = list(model)
    else:
        models = [model]
    if not models:
        raise ValueError("expected a model, found none")
    if (names or len(models) > 1) and len(names) != len(models):
        wanted = f"{len(models)} names, one for each model" if len(models) > 1 else "the name of one entry point"
        raise ValueError(f"entries: expected {wanted}, found {names or 'none'}")
    for name in names:
        if not name or "," in name or "/" in name or not _is_utf8(name):
            raise ValueError(f"entries: expected names without comma and slash, found {name!r}")
    if len(models) == 1 and not isinstance(model, Mapping) and not isinstance(inputs, list):
        return models, names, [inputs]
    if inputs is None:
        return models, names, [None] * len(models)
    if isinstance(inputs, Mapping):
        if wrong := [key for key in inputs if key not in names]:
            raise ValueError(f"inputs: expected names of entry points, {names}, found {wrong}")
        return models, names, [inputs.get(name) for name in names]
    if not isinstance(inputs, (list, tuple)) or len(inputs) != len(models):
        raise ValueError(
            f"inputs: expected a dictionary by entry point, or a list of {len(models)}, one for each model"
        )
    return models, names, list(inputs)


def _names(entries: Any) -> list[str]:
    if entries is None:
        return []
    if isinstance(entries, str):
        return [entries]
    names = list(entries) if isinstance(entries, (list, tuple)) else [entries]
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"entries: expected a name or a list of names, found {wrong[0]!r}")
    return names


def _options(options: Any) -> list[str]:
    """The options, without those that would make something else than one bundle in one place."""
    if isinstance(options, (str, bytes)) or not isinstance(options, Sequence):
        raise TypeError(f"options: expected a sequence of strings, found {_kind(options)} {options!r}")
    has_value = True  # whether the option before is complete
    for option in options:
        if not isinstance(option, str):
            raise TypeError(f"options: expected strings such as '--slots=2', found {option!r}")
        name, _, value = option.partition("=")
        if name.lstrip("-") in ("", "o", "help", "help-hidden", "version", "h"):
            raise ValueError(f"options: expected options that say how to compile, found '{option}'")
        if not option.startswith("-") and has_value:
            raise ValueError(f"options: expected options such as '--slots=2', found '{option}'")
        has_value = not option.startswith("-") or bool(value)
    return list(options)


def _path(argument: str, value: Any) -> str:
    """A path that the caller gave, as text."""
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(path, str):
        raise TypeError(f"{argument}: expected a string or os.PathLike, found {_kind(value)}")
    if not path or "\0" in path:
        raise ValueError(f"{argument}: expected a name or path, found {path!r}")
    return path


def _check_files(models: Sequence[str], output: str) -> None:
    if len(models) > 1 and (alone := [model for model in models if _is_alone(model)]):
        raise ValueError(
            f"expected one .mlir file or .gguf file, or ONNX models and modules; found '{alone[0]}' among {len(models)}"
        )
    for model in models:
        if output and os.path.exists(output) and os.path.samefile(model, output):
            raise ValueError(f"output: expected another file than the model, found '{output}'")


def _is_alone(file: str) -> bool:
    """Whether it has its own entry points, and no other model beside it in a bundle."""
    return file.lower().endswith((".mlir", ".gguf"))


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _kind(value: Any) -> str:
    return type(value).__name__


class _Sources:
    """The files that the compiler reads: those of the caller, and what stands for objects."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._objects = 0
        self._names: dict[str, str] = {}  # of files that stand for objects
        self._renamed: dict[str, str] = {}  # dimensions of modules, in files of requests
        self.descriptors: list[int] = []
        self.program: Any = None  # of a function of JAX

    def add(self, model: Any, inputs: Any, dims: dict[str, Any], prefix: str, dims_from: Any) -> tuple[str, dict[str, str]]:
        """The file of one model, and the shapes of its inputs as ttc-translate reads them. Of `dims`, those with the
        prefix are the model's own; a module's are replaced by those of the file."""
        if _is_torch(model):
            return self._export(model, inputs, dims, prefix, dims_from), {}
        shapes = _shapes(inputs)
        if isinstance(model, (str, os.PathLike)):
            name = _path("model", model)
            # The tool says so, too; a caller of Python expects this exception.
            if not os.path.exists(name):
                raise FileNotFoundError(f"no such model: '{name}'")
            return os.path.abspath(name), shapes
        if isinstance(model, (bytes, bytearray, memoryview)):
            return self._in_memory(model), shapes
        if hasattr(model, "SerializeToString") and hasattr(model, "graph"):
            return self._save_proto(model), shapes
        raise TypeError(
            "expected the path of a model, bytes, onnx.ModelProto, torch.nn.Module, "
            f"torch.export.ExportedProgram or a function of JAX, found {type(model).__module__}.{type(model).__qualname__}"
        )

    def trace(self, function: Any, inputs: Any, constants: Constants, entry: str) -> str:
        """The file of a function of JAX."""
        try:
            from ttc._jax.trace import Parameters, examples, trace
        except ImportError as error:
            raise ImportError(f"a function is compiled with jax, which cannot be imported ({error}): pip install jax") from error
        parameters = Parameters(function, constants)
        self.program = trace(function, parameters, *examples(function, parameters, inputs), entry)
        path = self.folder() / "function.mlir"
        path.write_text(self.program.text)
        self._names[str(path)] = f"<{parameters.name}>"
        return str(path)

    def name(self, messages: str) -> str:
        """Messages with names for files that have none."""
        for descriptor in self.descriptors:
            messages = messages.replace(f"/proc/self/fd/{descriptor}", "<model>")
        for file, name in self._names.items():
            messages = messages.replace(file, name)
        if "external data '/proc/self/fd/" in messages:
            messages = messages.replace("'/proc/self/fd/", "'") + (
                "a model in memory has no folder for external data: pass the path of its file"
            )
        # A bundle without a name.
        return messages.replace("cannot write standard output", f"cannot write to {tempfile.gettempdir()}")

    def _in_memory(self, data: bytes | bytearray | memoryview) -> str:
        descriptor = os.memfd_create("model.onnx")
        self._stack.callback(os.close, descriptor)
        view = memoryview(data)
        left = (view if view.c_contiguous else memoryview(view.tobytes())).cast("B")
        while left:
            left = left[os.write(descriptor, left) :]
        self.descriptors.append(descriptor)
        return f"/proc/self/fd/{descriptor}"

    def folder(self) -> pathlib.Path:
        return pathlib.Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="ttc-", ignore_cleanup_errors=True)))

    def requests(self, given: Any) -> str:
        """The CSV file of the sizes of requests."""
        if isinstance(given, (str, os.PathLike)):
            if not self._renamed:
                return os.path.abspath(_path("dims_from", given))
            given = _columns(given)
        if not hasattr(given, "items"):
            raise TypeError(f"dims_from: expected a file or {{name: sizes}}, found {_kind(given)}")
        columns = {self._renamed.get(str(name), str(name)): list(sizes) for name, sizes in given.items()}
        for name, sizes in columns.items():
            if wrong := [size for size in sizes if not hasattr(size, "__index__")]:
                raise ValueError(f"dims_from: expected whole numbers for '{name}', found {wrong[0]!r}")
        if len({len(sizes) for sizes in columns.values()}) != 1:
            found = {name: len(sizes) for name, sizes in columns.items()}
            raise ValueError(f"dims_from: expected columns with a size for each request, found sizes {found}")
        path = self.folder() / "requests.csv"
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([list(columns), *zip(*columns.values())])
        self._names[str(path)] = "<dims_from>"
        return str(path)

    def _save_proto(self, model: Any) -> str:
        for tensor in model.graph.initializer:
            if tensor.data_location == 1:  # TensorProto.EXTERNAL
                where = {entry.key: entry.value for entry in tensor.external_data}.get("location", "")
                raise ValueError(
                    f"expected a model that holds its weights, found the tensor '{tensor.name}' in the "
                    f"file '{where}': pass the path of the model, or load it with its external data"
                )
        try:
            return self._in_memory(model.SerializeToString())
        except Exception as error:  # protobuf's exception beyond 2 GiB depends on its implementation
            _log.info("ModelProto of more than 2 GiB (%s): its weights go to a file", error)
        import onnx

        copy = onnx.ModelProto()  # save() moves the weights out of what it gets
        copy.CopyFrom(model)
        path = self.folder() / "model.onnx"
        onnx.save(copy, path, save_as_external_data=True, location="weights.bin")
        self._names[str(path)] = "<model>"
        return str(path)

    def _export(self, model: Any, inputs: Any, dims: dict[str, Any], prefix: str, dims_from: Any) -> str:
        from ttc._torch.onnx import export_module

        own = {name.removeprefix(prefix): dims.pop(name) for name in list(dims) if name.startswith(prefix)}
        requested = {
            name.removeprefix(prefix): (min(sizes), max(sizes))
            for name, sizes in (_columns(dims_from) if dims_from is not None else {}).items()
            if name.startswith(prefix) and name != "count"
        }
        path, sizes = export_module(model, inputs, self.folder(), own | requested)
        # The compiler has the sizes of requests from the file itself.
        self._renamed.update({prefix + name: prefix + name.split("=")[0] for name in requested if "=" in name})
        has = {axis for name in requested for axis in name.split("=")}
        dims.update({prefix + name: value for name, value in sizes.items() if name not in has})
        self._names[str(path)] = "<model>"
        return str(path)


def _columns(requests: Any) -> dict[str, list[int]]:
    """The sizes of all requests, by dimension."""
    if hasattr(requests, "items"):
        return {str(name): [int(size) for size in sizes] for name, sizes in requests.items()}
    path = _path("dims_from", requests)
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    try:
        return {name.strip(): [int(row[name]) for row in rows] for name in (rows[0] if rows else [])}
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"dims_from: expected a column of whole numbers for each dimension in '{path}'") from None


def _is_torch(model: Any) -> bool:
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    if isinstance(model, torch.nn.Module):
        return True
    export = sys.modules.get("torch.export")
    return export is not None and isinstance(model, export.ExportedProgram)


def _is_function(model: Any) -> bool:
    """Whether it is a function of JAX, or what jax.export has made of one."""
    if callable(model):
        return not isinstance(model, (type, str, os.PathLike)) and not hasattr(model, "SerializeToString") and not _is_torch(model)
    export = sys.modules.get("jax.export")
    return export is not None and isinstance(model, export.Exported)


def _dims(dims: Mapping[str, Any]) -> dict[str, str]:
    """The sizes of dimensions as ttc-translate reads them, by name."""
    return {name: _sizes(name, sizes) for name, sizes in dims.items()}


_MOST = 2**31 - 1


def _sizes(name: str, sizes: Any) -> str:
    """"128", "1..512", "64..640:32" or "1,2,4"."""
    if hasattr(sizes, "__index__"):
        if not 0 <= sizes.__index__() <= _MOST:
            raise ValueError(f"dims: expected a size that is not negative for '{name}', found {sizes!r}")
        return str(sizes.__index__())
    if not isinstance(sizes, (tuple, list, range)):
        raise ValueError(f"dims: expected a size, (low, high), a range or a list of sizes for '{name}', found {sizes!r}")
    numbers = [_number(name, size) for size in ((sizes[0], sizes[-1]) if isinstance(sizes, range) and sizes else sizes)]
    if isinstance(sizes, tuple):
        if len(numbers) != 2 or numbers[0] > numbers[1]:
            raise ValueError(
                f"dims: expected (low, high) for '{name}', found {sizes!r}; a list has the sizes to compile for"
            )
        low, high, step = *numbers, 1
    elif not numbers:
        raise ValueError(f"dims: expected at least one size for '{name}', found {sizes!r}")
    elif isinstance(sizes, list):
        return ",".join(map(str, sorted(set(numbers))))
    else:
        low, high, step = min(numbers), max(numbers), abs(sizes.step)
        if low % step and low != high:
            raise ValueError(f"dims: expected multiples of the step {step} for '{name}', found {sizes!r}")
    if low == high:
        return str(low)
    return f"{low}..{high}" + (f":{step}" if step > 1 else "")


def _number(name: str, size: Any) -> int:
    if not hasattr(size, "__index__") or not 1 <= size.__index__() <= _MOST:
        raise ValueError(f"dims: expected sizes from 1 to {_MOST} for '{name}', found {size!r}")
    return int(size.__index__())


def _shapes(inputs: Any) -> dict[str, str]:
    if inputs is None:
        return {}
    if not isinstance(inputs, Mapping):
        raise TypeError(f"inputs: expected {{name: shape}} or {{name: array}}, found {type(inputs).__name__}")
    return {str(name): _shape(name, value) for name, value in inputs.items()}


def _shape(name: Any, value: Any) -> str:
    dimensions = getattr(value, "shape", value)
    if isinstance(dimensions, int):
        dimensions = (dimensions,)
    try:
        sizes = [size.__index__() for size in dimensions]
    except (AttributeError, TypeError):
        sizes = [-1]
    if any(size < 0 for size in sizes):
        raise ValueError(f"inputs: expected the shape of '{name}' as sizes, such as (1, 3, 224, 224), found {value!r}")
    return "x".join(map(str, sizes))

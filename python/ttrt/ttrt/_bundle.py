# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles, entry points and ports."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from . import _ttrt
from ._ttrt import Call

if TYPE_CHECKING:
    import numpy as np

    #: Outputs by name, in the order of the entry point.
    Outputs = dict[str, np.ndarray[Any, np.dtype[Any]]]

_VERIFY = {"full": 0, "structure": 1, "none": 2}


class Port:
    """An input or output of an entry point: a dense, row-major tensor.

    Attributes:
        name: its name in the model.
        shape: its extents, outermost first.
        type: its element type in ttc's words: ``"f32"``, ``"bf16"``, ...
        dtype: the numpy type of its arrays. numpy has no bf16: its arrays are ``uint16``, the bits.
        bytes: the size of the whole tensor.
    """

    __slots__ = ("name", "shape", "type", "dtype", "bytes")

    name: str
    shape: tuple[int, ...]
    type: str
    dtype: np.dtype[Any]
    bytes: int

    def __init__(self, name: str, type: str, dtype: str, shape: tuple[int, ...], bytes: int) -> None:
        import numpy

        self.name, self.shape, self.type, self.bytes = name, shape, type, bytes
        self.dtype = numpy.dtype(dtype)

    def __repr__(self) -> str:
        return f"Port({self.name!r}, {self.type}{list(self.shape)}, {self.bytes} bytes)"


class Entry:
    """An entry point of a bundle: a model, or one of several functions that share weights."""

    #: Its name.
    name: str
    #: Its inputs by name, in order.
    inputs: dict[str, Port]
    #: Its outputs by name, in order.
    outputs: dict[str, Port]

    def __init__(self, bundle: Bundle, index: int, description: _ttrt.EntryDescription) -> None:
        self._device = bundle._device
        self._index = index
        self.name, inputs, outputs = description
        self.inputs = {port[0]: Port(*port) for port in inputs}
        self.outputs = {port[0]: Port(*port) for port in outputs}
        self._input_index = {name: i for i, name in enumerate(self.inputs)}
        self._output_index = {name: i for i, name in enumerate(self.outputs)}

    def run(self, *arrays: Any, out: dict[str, Any] | None = None, **named: Any) -> Outputs:
        """Runs one inference and returns its outputs.

        Inputs are given in order or by name: numpy arrays, or anything with DLPack or the buffer
        protocol, such as tensors of torch on the CPU. They are read where they are and must be
        dense, row-major, and of the port's type and shape. An input that is ``IN_SLOT``, or left
        out after its slot has been used, is what its slot holds.

        Outputs are new numpy arrays, except those that `out` has: these are written. `IN_SLOT` there
        copies nothing: the result is a read-only array over the slot, valid until the next run.

        Calls from several threads take turns. Python's lock is released meanwhile.
        """
        return self._device.run(self._index, arrays, named, out)

    def bind(self, inputs: Mapping[str, Any] | None = None, *, out: dict[str, Any] | None = None) -> Call:
        """Checks arrays once, for calls that cost little more than the C function.

        ``call = entry.bind({"image": image})``; then each ``call()`` reads what is in `image`, and
        overwrites and returns ``call.outputs``. Arguments are those of `run()`. The call keeps the
        arrays alive; their memory must not be reallocated (numpy's and torch's ``resize``).
        """
        return self._device.bind(self._index, (), dict(inputs or {}), out)

    def input_slot(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        """Returns an array over the device memory that an input is written to.

        Fill it, and run with ``IN_SLOT`` for that input, or without it. Do not access it during a
        run. It keeps its contents from run to run, unless the plan shares its bytes with other
        tensors: then call this again, and refill it, before each run (OverwrittenError says so).
        The array keeps the device's memory alive, even when the bundle has been closed.
        """
        return self._device.input_slot(self._index, self._find(self._input_index, "input", name))

    def output_slot(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        """Returns a read-only array over the device memory that an output is read from.

        It holds the result from the end of one run until the next one begins.
        """
        return self._device.output_slot(self._index, self._find(self._output_index, "output", name))

    def _find(self, table: dict[str, int], kind: str, name: str) -> int:
        try:
            return table[name]
        except KeyError:
            known = ", ".join(repr(n) for n in table) or "none"
            raise KeyError(f"entry point {self.name!r} has no {kind} {name!r}; it has: {known}") from None

    def __repr__(self) -> str:
        def ports(table: dict[str, Port]) -> str:
            return ", ".join(f"{p.name}: {p.type}{list(p.shape)}" for p in table.values())

        return f"<ttrt.Entry {self.name!r} ({ports(self.inputs)}) -> ({ports(self.outputs)})>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        _refuse_pickling(self)


class Bundle:
    """A bundle, loaded onto a device. `load()` makes one.

    ``bundle["prefill"]`` is one of its entry points; ``bundle.run`` and the other methods of `Entry`
    are those of the first one. Close it with `close()` or a ``with`` statement; otherwise it is closed
    when nothing refers to it any more.
    """

    #: The file.
    path: str
    #: The entry points by name, in order.
    entries: dict[str, Entry]

    def __init__(self, device: _ttrt.Device, path: str) -> None:
        self._device = device
        self.path = path
        self.entries = {
            description[0]: Entry(self, index, description)
            for index, description in enumerate(device.entries())
        }
        self._first = next(iter(self.entries.values()))

    def __getitem__(self, name: str) -> Entry:
        """Returns the entry point of that name."""
        try:
            return self.entries[name]
        except KeyError:
            known = ", ".join(repr(n) for n in self.entries)
            raise KeyError(f"no entry point {name!r}; the bundle has: {known}") from None

    @property
    def inputs(self) -> dict[str, Port]:
        """The first entry point's inputs by name."""
        return self._first.inputs

    @property
    def outputs(self) -> dict[str, Port]:
        """The first entry point's outputs by name."""
        return self._first.outputs

    def run(self, *arrays: Any, out: dict[str, Any] | None = None, **named: Any) -> Outputs:
        """Runs the first entry point (`Entry.run()`)."""
        return self._first.run(*arrays, out=out, **named)

    def bind(self, inputs: Mapping[str, Any] | None = None, *, out: dict[str, Any] | None = None) -> Call:
        """Binds arrays to the first entry point (`Entry.bind()`)."""
        return self._first.bind(inputs, out=out)

    def input_slot(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        """Returns a slot of the first entry point (`Entry.input_slot()`)."""
        return self._first.input_slot(name)

    def output_slot(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        """Returns a slot of the first entry point (`Entry.output_slot()`)."""
        return self._first.output_slot(name)

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        return self._device.closed

    def close(self) -> None:
        """Waits for the run in progress and closes the device; later calls raise an error.

        Arrays over slots stay valid: the memory is freed with the last of them.
        """
        self._device.close()

    def __enter__(self) -> Bundle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if self.closed else ""
        return f"<ttrt.Bundle {self.path!r}: {', '.join(map(repr, self.entries))}{state}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        _refuse_pickling(self)


def _refuse_pickling(value: object) -> NoReturn:
    raise TypeError(
        f"cannot pickle or copy a {type(value).__name__}: its device belongs to this process; "
        "send the bundle's path, and load it there"
    )


def load(
    path: str | os.PathLike[str],
    *,
    verify: Literal["full", "structure", "none"] = "full",
    cores: int = 0,
    pin: bool = False,
    huge_pages: bool = False,
    host_functions: Mapping[str, Callable[..., Any]] | None = None,
) -> Bundle:
    """Opens a bundle, verifies it, and loads it onto a device of its own.

    Args:
        path: the file, which ttc has written.
        verify: ``"full"``, everything; ``"structure"``, all but the hash of the weights, which are
            not read; ``"none"``, no hashes and no proof, for a file that was verified before.
        cores: threads that compute, the caller's included; 0: one per CPU that the process may use.
            Results do not depend on it.
        pin: pins each thread but the caller's to a CPU.
        huge_pages: copies the weights into huge pages, if the system has them.
        host_functions: ops that Python computes, by name (``"com.acme.Clip"``). Each is called with
            the op's inputs as numpy arrays (None for an optional one that is omitted) and its
            attributes as keyword arguments, and returns its outputs: an array or a tuple of arrays.
            It may be called on any thread. If it raises, the run raises `FailedError` from that
            exception.

    Raises:
        Error: a subclass by status, with the message of the C API.
    """
    if verify not in _VERIFY:
        raise ValueError(f"verify: expected one of {', '.join(map(repr, _VERIFY))}, found {verify!r}")
    if not 0 <= cores < 1 << 32:
        raise ValueError(f"cores: expected a number from 0 to 1024, found {cores}")
    file = os.fspath(path)
    device = _ttrt.Device(file, _VERIFY[verify], cores, pin, huge_pages, dict(host_functions or {}))
    return Bundle(device, file)

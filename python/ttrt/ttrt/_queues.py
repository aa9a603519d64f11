# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is below whole runs: traces, command queues and events, states."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _ttrt
from ._arguments import lookup, text

if TYPE_CHECKING:
    from ._bundle import Array, Entry, Port


class Trace:
    """A trace of a bundle: a finished stream of commands, which entry points replay. In `Bundle.traces`."""

    __slots__ = ("_device", "_index", "name", "commands", "bytes")

    #: Its name.
    name: str
    #: The number of its commands, with the one that ends it.
    commands: int
    #: The size of its stream.
    bytes: int

    def __init__(self, device: _ttrt.Device, index: int, name: str, commands: int, size: int) -> None:
        self._device, self._index, self.name, self.commands, self.bytes = device, index, name, commands, size

    @property
    def loaded(self) -> bool:
        """Whether it is in the device's trace region. All are, after `load()`."""
        return self._device.trace_is_loaded(self._index)

    def load(self) -> None:
        """Loads it after it was released.

        Raises:
            BusyError: a stream is open, or commands of queues are in flight.
        """
        self._device.load_trace(self._index)

    def release(self) -> None:
        """Releases it: runs that need it raise `InvalidArgumentError` until it is loaded again."""
        self._device.release_trace(self._index)

    def execute(self) -> None:
        """Replays it on the calling thread. It reads its inputs from their slots (`Entry.input_slot()`).

        Raises:
            InvalidArgumentError: it was released.
            UnsupportedError: it waits for another queue.
        """
        self._device.execute_trace(self._index)

    def __repr__(self) -> str:
        return f"<ttrt.Trace {self.name!r}: {self.commands} commands, {self.bytes} bytes>"


class Event:
    """Something that happens on a queue, for which queues and the host can wait. `Bundle.event()` makes one.

    It is recorded when all that was enqueued before `record()` is complete. Waits are for the last record
    that was enqueued before them, and return at once if there is none.
    """

    __slots__ = ("_native",)

    def __init__(self, device: _ttrt.Device) -> None:
        self._native = _ttrt.Event(device)

    def record(self, queue: Queue) -> None:
        """Enqueues a record."""
        self._native.record(_number_of(queue))

    def wait(self, queue: Queue) -> None:
        """Enqueues a wait: what is enqueued on the queue from now on begins after the last record."""
        self._native.wait(_number_of(queue))

    @property
    def done(self) -> bool:
        """Whether the last record is complete. Does not wait."""
        return self._native.done

    def synchronize(self) -> None:
        """Waits for the last record.

        Raises:
            FailedError: its queue has stopped before.
        """
        self._native.synchronize()


class Queue:
    """A command queue of a bundle, for schedules of your own. In `Bundle.queues`.

    Commands of a queue are executed in order, on a thread of its own; queues wait for each other only by
    events. Calls return when the command is enqueued, or complete, with `block`. Until then, an array that is
    written must not change, and one that is read must not be used; the queue keeps them alive.

    A command that fails stops its queue, and calls raise its error until `Bundle.reset()`. Nothing proves a
    schedule of your own free of races, as `Entry.stream()` is.
    """

    __slots__ = ("_device", "_index", "_entries", "_traces")

    def __init__(
        self, device: _ttrt.Device, index: int, entries: dict[str, Entry], traces: dict[str, Trace]
    ) -> None:
        self._device, self._index, self._entries, self._traces = device, index, entries, traces

    def write(self, input: str, array: Any, *, entry: str | None = None, block: bool = False) -> None:
        """Copies an array to the slot of an input, of this entry point or the first one."""
        of = self._entry(entry)
        self._device.write(self._index, of._index, of._slot("input", input), array, bool(block))

    def read(
        self, output: str, array: Any = None, *, entry: str | None = None, block: bool = False
    ) -> Any:
        """Copies an output from its slot to an array, which is returned: a new one, if none is given."""
        of = self._entry(entry)
        index = of._slot("output", output)
        return self._device.read(self._index, of._index, index, array, bool(block))

    def execute(self, trace: Trace | str, *, block: bool = False) -> None:
        """Replays a trace, or the one of that name."""
        if not isinstance(trace, Trace):
            trace = lookup("trace", text("trace", trace), self._traces)
        if trace._device is not self._device:
            raise ValueError(f"trace: expected one of this bundle, found {trace!r} of another one")
        self._device.execute(self._index, trace._index, bool(block))

    def _entry(self, name: str | None) -> Entry:
        return next(iter(self._entries.values())) if name is None else lookup("entry point", name, self._entries)

    def __repr__(self) -> str:
        return f"<ttrt.Queue {self._index}>"


def _number_of(queue: Queue) -> int:
    if not isinstance(queue, Queue):
        raise TypeError(f"queue: expected a Queue, found {queue!r}")
    return queue._index


class States(Mapping[str, "Array"]):
    """The states of a bundle: tensors that keep their values from run to run. In `Bundle.states`.

    ``states[name]`` is a copy, and ``states[name] = array`` writes all of it. They are zero at first. A
    stream may be open; its inferences in flight are completed first.
    """

    #: What they are: a `Port` for each, by name.
    ports: dict[str, Port]

    def __init__(self, device: _ttrt.Device, ports: dict[str, Port]) -> None:
        self._device = device
        self.ports = ports
        self._index = {name: i for i, name in enumerate(ports)}

    def __getitem__(self, name: str) -> Array:
        return self._device.read_state(self._find(name))

    def __setitem__(self, name: str, array: Any) -> None:
        self._device.write_state(self._find(name), array)

    def _find(self, name: str) -> int:
        return lookup("state", name, self._index)

    def __iter__(self) -> Any:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def reset(self) -> None:
        """Sets all of them to zero."""
        self._device.reset_states()

    def save(self, path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> None:
        """Stores all of them in a file, which replaces one of that name when it is complete."""
        self._device.save_states(_path(path))

    def restore(self, path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> None:
        """Sets all of them to those of a file, which another bundle with the same states may have saved."""
        self._device.restore_states(_path(path))

    def __repr__(self) -> str:
        return f"<ttrt.States: {', '.join(f'{p.name}: {p.type}{list(p.shape)}' for p in self.ports.values()) or 'none'}>"


def _path(path: Any) -> bytes:
    file = os.fsencode(path)
    if b"\0" in file:
        raise ValueError(f"path: {path!r} has a null character")
    return file

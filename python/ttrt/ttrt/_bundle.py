# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles, entry points and ports."""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from . import _ttrt
from ._arguments import integer, lookup
from ._errors import Status, make
from ._profiler import Profiler
from ._queues import Event, Queue, States, Trace
from ._report import Check, Memory, MemoryUse, Perf, frame, size_text
from ._stream import Stream
from ._ttrt import Call

# What takes long to import is imported when it is first used.
if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]
    Outputs = dict[str, Array]

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


class Runnable:
    """What entry points and bundles can do; a bundle does it with its first entry point."""

    __slots__ = ()

    @property
    def _entry(self) -> Entry:
        raise NotImplementedError

    def run(self, /, *arrays: Any, out: dict[str, Any] | None = None, **named: Any) -> Outputs:
        """Runs one inference and returns its outputs.

        Inputs are given in order or by name: numpy arrays, or anything with DLPack or the buffer
        protocol, such as tensors of torch on the CPU. They are read where they are and must be
        dense, row-major, and of the port's type and shape. An input that is ``IN_SLOT``, or left
        out after its slot has been used, is what its slot holds.

        Outputs are new numpy arrays, except those that `out` has: these are written. ``IN_SLOT``
        there copies nothing: the result is a read-only array over the slot, valid until the next run.

        Calls from several threads take turns. Python's lock is released meanwhile.

        Raises:
            TypeError: an array is of another type or no array, an input is missing or unknown.
            ValueError: an array has another shape, or its memory cannot be used as it is.
            Error: the run failed; `FailedError` if a host function did, with its exception as cause.
        """
        entry = self._entry
        return entry._device.run(entry._index, arrays, named, out)

    def bind(
        self, inputs: Mapping[str, Any] | None = None, *, out: dict[str, Any] | None = None
    ) -> Call:
        """Checks arrays once, for calls that cost little more than the C function.

        ``call = entry.bind({"image": image})``; then each ``call()`` reads what is in `image`, and
        overwrites and returns ``call.outputs``. Arguments are those of `run()`. The call keeps the
        arrays alive; their memory must not be reallocated (numpy's and torch's ``resize``).
        """
        if inputs is None:
            inputs = {}
        elif not isinstance(inputs, Mapping):
            raise TypeError(f"inputs: expected a dictionary of arrays by name, found {type(inputs).__name__}")
        entry = self._entry
        return entry._device.bind(entry._index, (), dict(inputs), out)

    def stream(
        self,
        batches: Iterable[Any],
        schedule: str = "auto",
        *,
        ahead: int = 4,
        out: Iterable[dict[str, Any]] | None = None,
    ) -> Stream:
        """Runs every batch of an iterable, and returns an iterator over their outputs, in order.

        Transfers and computing overlap, by one of the bundle's schedules. A batch is one inference:
        a mapping of inputs by name, a tuple or list of inputs in order, or the only input. Its arrays
        must not change until its outputs have been returned; outputs are new arrays, or those of `out`.

        Args:
            batches: is read `ahead` of the outputs.
            schedule: its name (`schedules`); ``"auto"``: the first with two queues, else the first.
            ahead: how many inferences may be in flight. Schedules with two queues need at least two.
            out: arrays to write, as in `run()`: a dictionary for each batch. To use arrays again, repeat
                more than `ahead` of them: ``itertools.cycle([{"logits": a} for a in arrays])``.

        Raises:
            NotFoundError: there is no such schedule.
            BusyError: the bundle has another stream.
            UnsupportedError: the entry point has no inputs or no outputs.
        """
        if not isinstance(schedule, str):
            raise TypeError(f"schedule: expected its name, found {schedule!r}")
        ahead = integer("ahead", ahead, 1, 1 << 24)
        entry = self._entry
        name = "" if schedule == "auto" else schedule
        return Stream(entry._device, entry._index, batches, name, ahead, out)

    def submit(
        self, /, *arrays: Any, out: dict[str, Any] | None = None, **named: Any
    ) -> Future[Outputs]:
        """Starts a run on a thread of the bundle, and returns its future.

        Arguments are those of `run()`, checked at once. Arrays must not change until the future is
        done. Runs are executed in the order of the calls.
        """
        entry = self._entry
        call = entry._device.bind(entry._index, arrays, named, out)
        return entry._worker.submit(call)

    async def run_async(
        self, /, *arrays: Any, out: dict[str, Any] | None = None, **named: Any
    ) -> Outputs:
        """`run()` for asyncio: other tasks continue meanwhile."""
        import asyncio

        return await asyncio.wrap_future(self.submit(*arrays, out=out, **named))

    def perf(self, /, *arrays: Any, loops: int = 100, warmup: int = 10, **named: Any) -> Perf:
        """Measures runs, one after the other.

        Inputs that are not given are random: floats in [0, 1), integers 0 or 1.

        Args:
            loops: runs that are measured.
            warmup: runs before them.
        """
        loops, warmup = integer("loops", loops), integer("warmup", warmup)
        if loops < 1 or warmup < 0:
            raise ValueError(f"expected at least 1 loop and no less than 0 before, found {loops}, {warmup}")
        entry = self._entry
        for name, port in list(entry.inputs.items())[len(arrays) :]:
            if name not in named:
                named[name] = random_input(port)
        from statistics import median

        call = entry._device.bind(entry._index, arrays, named, None)
        for _ in range(warmup):
            call()
        times = [call._time() for _ in range(loops)]
        total = sorted(run for run, _ in times)
        device = [run for _, run in times]
        return Perf(median(total), total[(loops - 1) // 10], total[(loops - 1) * 9 // 10], median(device), loops)

    def input_slot(self, name: str) -> Array:
        """Returns an array over the device memory that an input is written to.

        Fill it, and run with ``IN_SLOT`` for that input, or without it. Do not access it during a
        run. It keeps its contents from run to run, unless the plan shares its bytes with other
        tensors: then call this again, and refill it, before each run (`OverwrittenError` says so).
        The array keeps the device's memory alive, even when the bundle has been closed.
        """
        entry = self._entry
        return entry._device.input_slot(entry._index, entry._find(entry._input_index, "input", name))

    def output_slot(self, name: str) -> Array:
        """Returns a read-only array over the device memory that an output is read from.

        It holds the result from the end of one run until the next one begins.
        """
        entry = self._entry
        return entry._device.output_slot(entry._index, entry._find(entry._output_index, "output", name))

    @property
    def schedules(self) -> dict[str, int]:
        """The entry point's schedules by name, with the number of queues that each uses."""
        entry = self._entry
        return dict(entry._device.schedules(entry._index))

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            f"cannot pickle or copy a {type(self).__name__}: its device belongs to this process; "
            "send the bundle's path, and load it there"
        )


class _Worker:
    """The thread that executes what is submitted; it starts with the first call."""

    def __init__(self, device: _ttrt.Device) -> None:
        self._device = device
        self._executor: ThreadPoolExecutor | None = None
        self._lock = allocate_lock()
        self._closed = False

    def submit(self, call: Call) -> Future[Outputs]:
        from concurrent.futures import ThreadPoolExecutor

        if self._device.forked:
            call()  # raises what a run raises there: the thread did not survive the fork
        with self._lock:
            if self._closed:
                raise make(Status.INVALID_ARGUMENT, "the bundle is closed")
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, thread_name_prefix="ttrt")
            return self._executor.submit(call)

    def close(self) -> None:
        if self._device.forked:
            return  # a thread that is not here may hold the lock
        with self._lock:
            self._closed = True
            if self._executor is not None:
                self._executor.shutdown(wait=False)  # what has not begun will find the bundle closed


class Entry(Runnable):
    """An entry point of a bundle: a model, or one of several functions that share weights."""

    #: Its name.
    name: str
    #: Its inputs by name, in order.
    inputs: dict[str, Port]
    #: Its outputs by name, in order.
    outputs: dict[str, Port]

    def __init__(
        self, device: _ttrt.Device, worker: _Worker, index: int, description: _ttrt.EntryDescription
    ) -> None:
        self._device = device
        self._worker = worker
        self._index = index
        self.name, inputs, outputs = description
        self.inputs = {port[0]: Port(*port) for port in inputs}
        self.outputs = {port[0]: Port(*port) for port in outputs}
        self._input_index = {name: i for i, name in enumerate(self.inputs)}
        self._output_index = {name: i for i, name in enumerate(self.outputs)}

    @property
    def _entry(self) -> Entry:
        return self

    def _at_addresses(self, sizes: Sequence[int]) -> _ttrt.AddressCall:
        """A function of the addresses of all inputs, then of all outputs, that checks none of them.
        For ttc.torch_backend, whose tensors are others in each call and checked by PyTorch.

        Raises:
            ValueError: `sizes`, the bytes at these addresses, are not those of the ports.
        """
        return self._device.at_addresses(self._index, sizes)

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


class Bundle(Runnable):
    """A bundle, loaded onto a device. `load()` makes one.

    ``bundle["prefill"]`` is one of its entry points; ``bundle.run`` and the other methods of `Entry`
    are those of the first one. Close it with `close()` or a ``with`` statement; otherwise it is closed
    when nothing refers to it any more.

    A bundle belongs to the process that loaded it: in a forked child, `UnsupportedError` is raised.
    Load it there; processes share the pages of the file.
    """

    #: The file.
    path: str
    #: The entry points by name, in order.
    entries: dict[str, Entry]
    #: The traces by name, in order.
    traces: dict[str, Trace]
    #: The command queues: two, one or none, as the schedules use them.
    queues: tuple[Queue, ...]
    #: The tensors that keep their values from run to run.
    states: States

    def __init__(self, device: _ttrt.Device, path: str) -> None:
        self._device = device
        self._worker = _Worker(device)
        self.path = path
        self.entries = {
            description[0]: Entry(device, self._worker, index, description)
            for index, description in enumerate(device.entries())
        }
        self._first = next(iter(self.entries.values()))
        self.traces = {name: Trace(device, i, name, *rest) for i, (name, *rest) in enumerate(device.traces())}
        self.queues = tuple(Queue(device, i, self.entries, self.traces) for i in range(device.queues))
        self.states = States(device, {port[0]: Port(*port) for port in device.states()})

    @property
    def _entry(self) -> Entry:
        return self._first

    def __getitem__(self, name: str) -> Entry:
        """Returns the entry point of that name."""
        return lookup("entry point", name, self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names of the entry points."""
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def inputs(self) -> dict[str, Port]:
        """The first entry point's inputs by name."""
        return self._first.inputs

    @property
    def outputs(self) -> dict[str, Port]:
        """The first entry point's outputs by name."""
        return self._first.outputs

    @property
    def memory(self) -> Memory:
        """How much device memory the bundle uses."""
        dram_bytes, l1_bytes, trace_bytes, trace_address, dram, l1, trace = self._device.memory()
        return Memory(
            dram_bytes,
            l1_bytes,
            trace_bytes,
            trace_address,
            MemoryUse(*dram),
            MemoryUse(*l1),
            MemoryUse(*trace),
        )

    @property
    def cores(self) -> int:
        """How many threads compute, the caller's included."""
        return self._device.cores

    def event(self) -> Event:
        """Returns a new event, for which queues and the host can wait.

        Raises:
            OutOfMemoryError: the bundle has 256 events.
        """
        return Event(self._device)

    def synchronize(self) -> None:
        """Waits until all commands of the queues are complete.

        Raises:
            FailedError: a command has failed, and its queue has stopped.
        """
        self._device.synchronize(False)

    def reset(self) -> None:
        """Makes the queues usable again after an error. Slots and outputs then have no defined contents."""
        self._device.synchronize(True)

    @property
    def metadata(self) -> dict[str, bytes]:
        """What the bundle contains besides tensors, by key: ``"tokenizer"``, ``"chat_template"``, ..."""
        return self._device.metadata()

    def memory_map(self) -> str:
        """Returns a page of HTML that shows the memory plan, address against time."""
        return self._device.memory_map()

    def check(self) -> Check:
        """Verifies the file completely, whatever `load()` has verified, and returns what was proved.

        It is the file that is loaded, even if another one has its name by now.

        Raises:
            BadBundleError: the file is damaged.
        """
        return Check(*self._device.verify())

    def cancel(self) -> None:
        """Ends the run in progress, or else the next one; it raises `CancelledError`.

        Any thread may call it. The commands that have begun are completed; a host function is not
        interrupted. Outputs, slots of inputs and states are then undefined, and the bundle can run
        again. A stream ends. Ctrl-C does the same with what the main thread runs, and raises
        `KeyboardInterrupt`.
        """
        self._device.cancel()

    def set_deadline(self, seconds: float | None) -> None:
        """Everything that runs, now and later, has to be complete `seconds` from now.

        What is not ends as by `cancel()`, and raises `DeadlineExceededError`, which removes the
        deadline. ``None`` removes it, too. Any thread may call it.
        """
        if seconds is not None and not seconds >= 0:
            raise ValueError(f"seconds: expected a number from 0 on, or None, found {seconds!r}")
        self._device.set_deadline(-1.0 if seconds is None else float(seconds))

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        return self._device.closed

    def close(self) -> None:
        """Waits for the run in progress and closes the device; later calls raise an error.

        An open stream is closed; runs that were submitted and have not begun fail. Arrays over slots
        stay valid: the memory is freed with the last of them.
        """
        self._worker.close()
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

    def _repr_html_(self) -> str:
        """The entry points, and the memory map in a frame, for notebooks."""
        from html import escape

        lines = [f"<b>{escape(self.path)}</b>{' (closed)' if self.closed else ''}"]
        lines += [escape(repr(entry)[len("<ttrt.") : -1]) for entry in self.entries.values()]
        if self.closed:
            return "<br>".join(lines)
        memory = self.memory
        lines.append(
            f"DRAM {size_text(memory.dram_bytes)}, L1 {size_text(memory.l1_bytes)} per core, "
            f"traces {size_text(memory.trace_bytes)}"
        )
        return "<br>".join(lines) + frame(self.memory_map(), height=640)


def random_input(port: Port) -> Array:
    """Floats in [0, 1), integers and bools 0 or 1, as ttrun makes them. Also for `python -m ttc`."""
    import numpy

    generator = numpy.random.default_rng(7)
    if port.type == "bf16":
        return (generator.random(port.shape, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    if port.dtype.kind == "f":
        return generator.random(port.shape, numpy.float32).astype(port.dtype)
    return generator.integers(0, 2, port.shape).astype(port.dtype)


def load(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes],
    *,
    verify: Literal["full", "structure", "none"] = "full",
    cores: int = 0,
    pin: bool = False,
    huge_pages: bool = False,
    flush_denormals: bool = False,
    host_functions: Mapping[str, Callable[..., Any]] | None = None,
    profiler: Profiler | None = None,
) -> Bundle:
    """Opens a bundle, verifies it, and loads it onto a device of its own.

    Args:
        path: the file, which ttc has written.
        verify: ``"full"``, everything; ``"structure"``, all but the hash of the weights, which are
            not read; ``"none"``, no hashes and no proof, for a file that was verified before.
        cores: threads that compute, the caller's included; 0: one per CPU that the process may use,
            and no more than the quota of its control groups pays for. Results do not depend on it.
        pin: pins each thread but the caller's to a CPU.
        huge_pages: copies the weights into huge pages, if the system has them.
        flush_denormals: counts subnormal numbers as zero: faster where a model computes with them,
            but not the same bits. The calling thread's own mode is restored after each call.
        host_functions: ops that Python computes, by name (``"com.acme.Clip"``). Each is called with
            the op's inputs as numpy arrays (None for an optional one that is omitted) and its
            attributes as keyword arguments, and returns its outputs: an array or a tuple of arrays.
            It may be called on any thread. If it raises, the run raises `FailedError` from that
            exception.
        profiler: records what the bundle executes. Close the bundle first.

    Raises:
        Error: a subclass by status, with the message of the C API.
    """
    if not isinstance(verify, str) or verify not in _VERIFY:
        raise ValueError(f"verify: expected one of {', '.join(map(repr, _VERIFY))}, found {verify!r}")
    cores = integer("cores", cores, 0, 1024)
    if profiler is not None and not isinstance(profiler, Profiler):
        raise TypeError(f"profiler: expected a Profiler, found {profiler!r}")
    if host_functions is not None and not isinstance(host_functions, Mapping):
        raise TypeError(f"host_functions: expected functions by name, found {type(host_functions).__name__}")
    file = os.fsencode(path)
    if b"\0" in file:
        raise ValueError(f"path: {path!r} has a null character")
    functions = dict(host_functions or {})
    native = None if profiler is None else profiler._native
    flags = bool(pin), bool(huge_pages), bool(flush_denormals)
    device = _ttrt.Device(file, _VERIFY[verify], cores, *flags, functions, native)
    return Bundle(device, os.fsdecode(file))

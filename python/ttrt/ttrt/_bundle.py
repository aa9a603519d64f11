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
from ._shapes import Dim, Variant
from ._stream import RunInTurn, Stream
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
        shape: its extents, outermost first. For a model with variants, sizes that differ from run to run
            are the names of their dimensions, or expressions: ``("batch", "2*sequence+1", 384)``.
        type: its element type in ttc's words: ``"f32"``, ``"bf16"``, ...
        dtype: the numpy type of its arrays. numpy has no bf16: its arrays are ``uint16``, the bits.
        bytes: the size of the whole tensor; for a model with variants, of the largest.
    """

    __slots__ = ("name", "shape", "type", "dtype", "bytes")

    name: str
    shape: tuple[Any, ...]
    type: str
    dtype: np.dtype[Any]
    bytes: int

    def __init__(self, name: str, type: str, dtype: str, shape: tuple[Any, ...], bytes: int) -> None:
        import numpy

        self.name, self.shape, self.type, self.bytes = name, shape, type, bytes
        self.dtype = numpy.dtype(dtype)

    def __repr__(self) -> str:
        most = "at most " if any(isinstance(size, str) for size in self.shape) else ""
        return f"Port({self.name!r}, {_type_text(self)}, {most}{self.bytes} bytes)"


def _type_text(port: Port) -> str:
    """"f32[1, 10]" or "i64[batch, sequence]"."""
    return f"{port.type}[{', '.join(map(str, port.shape))}]"


class Runnable:
    """What entry points, models and bundles can do; a bundle does it with its first model."""

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

        Inputs of a model with variants have any shapes for which `dims` has the sizes. The smallest
        variant that holds them runs, and outputs have the shapes that follow. All inputs are given.

        Calls from several threads take turns. Python's lock is released meanwhile.

        Raises:
            TypeError: an array is of another type or no array, an input is missing or unknown.
            ValueError: an array has another shape, or its memory cannot be used as it is; shapes
                contradict each other, or no variant holds them.
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
        dims: Mapping[str, int] | None = None,
    ) -> Stream:
        """Runs every batch of an iterable, and returns an iterator over their outputs, in order.

        Transfers and computing overlap, by one of the bundle's schedules. Batches of a model with
        variants may have different shapes. With ``"auto"`` and without `dims`, each takes the
        smallest variant, and they run one after the other on a thread of the bundle; other runs take
        turns with them. Otherwise all flow through one variant, by its schedule. A batch is one inference:
        a mapping of inputs by name, a tuple or list of inputs in order, or the only input. Its arrays
        must not change until its outputs have been returned; outputs are new arrays, or those of `out`.

        Args:
            batches: is read `ahead` of the outputs.
            schedule: its name (`schedules`); ``"auto"``: the first with two queues, else the first.
            ahead: how many inferences may be in flight. Schedules with two queues need at least two.
            out: arrays to write, as in `run()`: a dictionary for each batch. To use arrays again, repeat
                more than `ahead` of them: ``itertools.cycle([{"logits": a} for a in arrays])``.
            dims: of a model with variants: the most that dimensions will have, which chooses the variant;
                by default, those of the largest.

        Raises:
            ValueError: a batch has sizes that the variant does not hold.
            NotFoundError: there is no such schedule.
            BusyError: the bundle has another stream.
            UnsupportedError: the entry point has no inputs or no outputs.
        """
        if not isinstance(schedule, str):
            raise TypeError(f"schedule: expected its name, found {schedule!r}")
        ahead = integer("ahead", ahead, 1, 1 << 24)
        return Stream(self._entry._open_stream(schedule, ahead, dims), batches, ahead, out)

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

    def perf(
        self,
        /,
        *arrays: Any,
        loops: int = 100,
        warmup: int = 10,
        dims: Mapping[str, int] | None = None,
        **named: Any,
    ) -> Perf:
        """Measures runs, one after the other.

        Inputs that are not given are random: floats in [0, 1), integers 0 or 1.

        Args:
            loops: runs that are measured.
            warmup: runs before them.
            dims: of a model with variants: sizes of its dimensions, for random inputs; by default,
                those of the largest variant.
        """
        loops, warmup = integer("loops", loops), integer("warmup", warmup)
        if loops < 1 or warmup < 0:
            raise ValueError(f"expected at least 1 loop and no less than 0 before, found {loops}, {warmup}")
        entry = self._entry
        missing = [name for name in list(entry.inputs)[len(arrays) :] if name not in named]
        shapes = entry._input_shapes(dims) if missing else {}
        for name in missing:
            named[name] = random_input(entry.inputs[name], shapes[name])
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
        return entry._device.input_slot(entry._index, entry._slot("input", name))

    def output_slot(self, name: str) -> Array:
        """Returns a read-only array over the device memory that an output is read from.

        It holds the result from the end of one run until the next one begins. A model with variants
        has slots in each of these; ``run(out={name: IN_SLOT})`` returns the valid part of one.
        """
        entry = self._entry
        return entry._device.output_slot(entry._index, entry._slot("output", name))

    @property
    def schedules(self) -> dict[str, int]:
        """The entry point's schedules by name, with the number of queues that each uses; of a model with
        variants, those of each."""
        entry = self._entry
        return dict(entry._device.schedules(entry._index))

    @property
    def dims(self) -> dict[str, Dim]:
        """Of a model with variants: the sizes that its named dimensions may have. Otherwise empty."""
        return dict(self._entry._dims)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Of a model with variants: these, in the order in which a run tries them. Otherwise empty."""
        return self._entry._variants

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
    """An entry point of a bundle: a model, or one of several functions that share weights.

    `Model` is its subclass for several entry points, which are variants of one model.
    """

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

    _kind = "entry point"
    _dims: dict[str, Dim] = {}
    _variants: tuple[Variant, ...] = ()

    @property
    def _entry(self) -> Entry:
        return self

    def _input_shapes(self, dims: Mapping[str, int] | None) -> dict[str, tuple[int, ...]]:
        """The shapes of the inputs, by name, at these sizes."""
        self._extents(dims)
        return {name: port.shape for name, port in self.inputs.items()}

    def _at_addresses(self, sizes: Sequence[int]) -> _ttrt.AddressCall:
        """A function of the addresses of all inputs, then of all outputs, that checks none of them; its method
        `on_arrays` takes objects with the buffer protocol, and checks that they are dense and how many bytes they have.
        For torch.compile() and ttc.jit(), whose arrays are others in each call, and have the right types.

        Raises:
            ValueError: `sizes`, the bytes at these addresses, are not those of the ports.
        """
        return self._device.at_addresses(self._index, sizes)

    def _open_stream(
        self, schedule: str, ahead: int, dims: Mapping[str, int] | None
    ) -> _ttrt.Stream | RunInTurn:
        self._extents(dims)
        return _ttrt.Stream(self._device, self._index, "" if schedule == "auto" else schedule, ahead, [])

    def _extents(self, dims: Mapping[str, int] | None) -> list[int]:
        """A size for each dimension: these, and the largest variant's."""
        if dims:
            raise ValueError(f"dims: entry point {self.name!r} has none, found {dims!r}")
        return []

    def _slot(self, kind: str, name: str) -> int:
        """The number of the input or output that has the slot."""
        table = list(self.inputs if kind == "input" else self.outputs)
        try:
            return table.index(name)
        except ValueError:
            known = ", ".join(repr(n) for n in table) or "none"
            raise KeyError(f"{self._kind} {self.name!r} has no {kind} {name!r}; it has: {known}") from None

    def __repr__(self) -> str:
        def ports(table: dict[str, Port]) -> str:
            return ", ".join(f"{p.name}: {_type_text(p)}" for p in table.values())

        text = f"{self.name!r} ({ports(self.inputs)}) -> ({ports(self.outputs)})"
        return f"<ttrt.{type(self).__name__} {text}>"


class Model(Entry):
    """A model for inputs of many shapes: several entry points, its variants, run it.

    `dims` has the sizes that fit. `bind()` is for arrays of one choice of them, `run()` and the others
    for any.
    """

    _kind = "model"

    def __init__(
        self, device: _ttrt.Device, worker: _Worker, index: int, description: _ttrt.ModelDescription
    ) -> None:
        name, inputs, outputs, dims, variants = description
        super().__init__(device, worker, index, (name, inputs, outputs))
        self._dims = {name: Dim(*bounds) for name, *bounds in dims}
        self._variants = tuple(
            Variant(name, dict(zip(self._dims, low)), dict(zip(self._dims, high)), memory)
            for name, low, high, memory in variants
        )

    def _extents(self, dims: Mapping[str, int] | None) -> list[int]:
        sizes = {**self._variants[-1].high, **(dims or {})}
        if wrong := [name for name in sizes if name not in self._dims]:
            raise ValueError(f"dims: model {self.name!r} has {list(self._dims)}, found {wrong[0]!r}")
        return [integer(f"dims: {name!r}", sizes[name]) for name in self._dims]

    def _input_shapes(self, dims: Mapping[str, int] | None) -> dict[str, tuple[int, ...]]:
        return dict(zip(self.inputs, self._device.input_shapes(self._index, self._extents(dims))))

    def _open_stream(
        self, schedule: str, ahead: int, dims: Mapping[str, int] | None
    ) -> _ttrt.Stream | RunInTurn:
        if schedule == "auto" and dims is None:
            return RunInTurn(lambda *given: self._worker.submit(self._device.bind(self._index, *given)))
        name = "" if schedule == "auto" else schedule
        return _ttrt.Stream(self._device, self._index, name, ahead, self._extents(dims))

    def _slot(self, kind: str, name: str) -> NoReturn:
        super()._slot(kind, name)
        raise make(
            Status.UNSUPPORTED,
            f"model {self.name!r} has slots in each of its variants, such as entry point {self._variants[0].name!r}",
        )


class Bundle(Runnable):
    """A bundle, loaded onto a device. `load()` makes one.

    ``bundle["prefill"]`` is one of its models or entry points; ``bundle.run`` and the other methods of
    `Entry` are those of the first model. Close it with `close()` or a ``with`` statement; otherwise it is closed
    when nothing refers to it any more.

    A bundle belongs to the process that loaded it: in a forked child, `UnsupportedError` is raised.
    Load it there; processes share the pages of the file.
    """

    #: The file.
    path: str
    #: The entry points by name, in order, variants of models among them.
    entries: dict[str, Entry]
    #: The models by name, in order: those with variants, and entry points that are no variants.
    models: dict[str, Entry]
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
        shaped = [
            Model(device, self._worker, len(self.entries) + index, description)
            for index, description in enumerate(device.models())
        ]
        of = {variant.name: model for model in shaped for variant in model._variants}
        models = [of.get(name, entry) for name, entry in self.entries.items()]
        self.models = {model.name: model for model in models}
        self._first = models[0]
        self.traces = {name: Trace(device, i, name, *rest) for i, (name, *rest) in enumerate(device.traces())}
        self.queues = tuple(Queue(device, i, self.entries, self.traces) for i in range(device.queues))
        self.states = States(device, {port[0]: Port(*port) for port in device.states()})

    @property
    def _entry(self) -> Entry:
        return self._first

    def __getitem__(self, name: str) -> Entry:
        """Returns the model or entry point of that name."""
        return self.models.get(name) or lookup("entry point", name, self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.models or name in self.entries

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names of the models."""
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    @property
    def inputs(self) -> dict[str, Port]:
        """The first model's inputs by name."""
        return self._first.inputs

    @property
    def outputs(self) -> dict[str, Port]:
        """The first model's outputs by name."""
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
        return f"<ttrt.Bundle {self.path!r}: {', '.join(map(repr, self.models))}{state}>"

    def _repr_html_(self) -> str:
        """The models, and the memory map in a frame, for notebooks."""
        from html import escape

        lines = [f"<b>{escape(self.path)}</b>{' (closed)' if self.closed else ''}"]
        lines += [escape(repr(entry)[len("<ttrt.") : -1]) for entry in self.models.values()]
        if self.closed:
            return "<br>".join(lines)
        memory = self.memory
        lines.append(
            f"DRAM {size_text(memory.dram_bytes)}, L1 {size_text(memory.l1_bytes)} per core, "
            f"traces {size_text(memory.trace_bytes)}"
        )
        return "<br>".join(lines) + frame(self.memory_map(), height=640)


def random_input(port: Port, shape: tuple[int, ...]) -> Array:
    """Floats in [0, 1), integers and bools 0 or 1, as ttrun makes them."""
    import numpy

    generator = numpy.random.default_rng(7)
    if port.type == "bf16":
        return (generator.random(shape, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    if port.dtype.kind == "f":
        return generator.random(shape, numpy.float32).astype(port.dtype)
    return generator.integers(0, 2, shape).astype(port.dtype)


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

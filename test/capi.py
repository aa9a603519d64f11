# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C API (ttrt.h, state.h, pipeline.h) for tests: bundles are opened, run and streamed in the tests' own process.

A call that fails raises RuntimeError with the library's message. A process that computes for ten minutes between two
bundles hangs, and is ended with a traceback."""
import ctypes
import faulthandler

import numpy as np

SECONDS = 600
DTYPES = ["f4", "f2", "u2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1020)]


class Sized(ctypes.Structure):
    """A struct that begins with its own size, as TTRT_..._INIT makes it."""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(self), **fields)


class EntryInfo(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("inputs", ctypes.c_uint32),
                ("outputs", ctypes.c_uint32)]


class PortInfo(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_uint32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t)]


class ScheduleInfo(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("queues", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


class DeviceOptions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("cores", ctypes.c_uint32), ("pin", ctypes.c_int), ("queues", ctypes.c_uint32),
                ("queue1_cores", ctypes.c_uint32), ("events", ctypes.c_uint32), ("checks", ctypes.c_int),
                ("link_bytes_per_second", ctypes.c_uint64), ("check_outputs", ctypes.c_int),
                ("huge_pages", ctypes.c_int), ("host_functions", ctypes.c_void_p), ("profiler", ctypes.c_void_p)]


class RunOptions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("no_trace", ctypes.c_int), ("on_command", ctypes.c_void_p),
                ("user", ctypes.c_void_p), ("timing", ctypes.c_void_p)]


class PipelineOptions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("entry", ctypes.c_uint32), ("outputs", ctypes.c_uint32),
                ("schedule", ctypes.c_char_p), ("no_trace", ctypes.c_int), ("on_step", ctypes.c_void_p),
                ("user", ctypes.c_void_p)]


class Transfer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class Port:
    def __init__(self, info):
        self.name, self.bytes, self.dtype = info.name.decode(), info.bytes, np.dtype(DTYPES[info.dtype])
        self.is_bf16 = info.dtype == 2
        self.shape = tuple(info.shape[i] for i in range(info.rank))

    def empty(self):
        return np.empty(self.shape, self.dtype)

    def fit(self, array):
        """The array as the port holds it: types that NumPy lacks are exchanged as their bits."""
        array = np.asarray(array, order="C")
        if array.dtype != self.dtype and array.dtype.itemsize == self.dtype.itemsize and array.dtype.isbuiltin != 1:
            array = array.view(self.dtype)
        assert array.shape == self.shape and array.dtype == self.dtype, \
            f"{self.name}: expected {self.dtype}{list(self.shape)}, found {array.dtype}{list(array.shape)}"
        return array

    def values(self, array):
        """The numbers of an array that fits: bf16 as f32."""
        array = self.fit(array)
        return (array.astype(np.uint32) << 16).view(np.float32) if self.is_bf16 else array


def transfers(arrays):
    return (Transfer * len(arrays))(*(Transfer(array.ctypes.data, array.nbytes) for array in arrays))


class Entry:
    """`inputs` and `outputs`: {name: Port}, `schedules`: {name: number of queues}."""

    def __init__(self, bundle, number):
        info = EntryInfo()
        bundle.call("bundle_entry", bundle.handle, number, ctypes.byref(info))
        self.number, self.name = number, info.name.decode()
        self.inputs, self.outputs = ({port.name: port for port in (bundle.port(f"bundle_{kind}", number, i) for i in range(n))}
                                     for kind, n in (("input", info.inputs), ("output", info.outputs)))
        self.schedules = {}
        for i in range(bundle.library.ttrt_bundle_schedules(bundle.handle, number)):
            schedule = ScheduleInfo()
            bundle.call("bundle_schedule", bundle.handle, number, i, ctypes.byref(schedule))
            self.schedules[schedule.name.decode()] = schedule.queues


class Handle:
    """Something that is closed when its `with` ends."""

    def __init__(self, library, kind):
        self.library, self.kind, self.handle = library, kind, ctypes.c_void_p()

    def call(self, name, *arguments):
        error = Error()
        if getattr(self.library, "ttrt_" + name)(*arguments, ctypes.byref(error)):
            raise RuntimeError(f"{name}: {error.message.decode(errors='replace')}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        getattr(self.library, f"ttrt_{self.kind}_close")(self.handle)


class Bundle(Handle):
    """`entries`: {name: Entry}, `states`: {name: (number, Port)}"""

    def __init__(self, library, path):
        super().__init__(ctypes.CDLL(str(library)), "bundle")
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        self.call("bundle_open", str(path).encode(), 0, ctypes.byref(self.handle))
        entries = [Entry(self, number) for number in range(self.library.ttrt_bundle_entries(self.handle))]
        self.entries = {entry.name: entry for entry in entries}
        states = [self.port("bundle_state", i) for i in range(self.library.ttrt_bundle_states(self.handle))]
        self.states = {port.name: (number, port) for number, port in enumerate(states)}

    def __exit__(self, *_):
        faulthandler.cancel_dump_traceback_later()
        super().__exit__()

    def port(self, function, *where):
        info = PortInfo()
        self.call(function, self.handle, *where, ctypes.byref(info))
        return Port(info)

    def metadata(self, key):
        value, size = ctypes.c_void_p(), ctypes.c_uint64()
        self.call("bundle_metadata", self.handle, key.encode(), ctypes.byref(value), ctypes.byref(size))
        return ctypes.string_at(value, size.value)

    def device(self, **options):
        return Device(self, DeviceOptions(**options))


class Device(Handle):
    def __init__(self, bundle, options):
        super().__init__(bundle.library, "device")
        self.bundle = bundle
        self.call("device_open", bundle.handle, ctypes.byref(options), ctypes.byref(self.handle))

    def run(self, entry, inputs, trace=True):
        """{name: array} -> {name: array}"""
        assert inputs.keys() == entry.inputs.keys(), f"expected {list(entry.inputs)}, found {list(inputs)}"
        given = [port.fit(inputs[name]) for name, port in entry.inputs.items()]
        outputs = {name: port.empty() for name, port in entry.outputs.items()}
        self.call("run", self.handle, entry.number, transfers(given), transfers(list(outputs.values())),
                  ctypes.byref(RunOptions(no_trace=not trace)))
        return outputs

    def read(self, state):
        number, port = self.bundle.states[state]
        array = port.empty()
        self.call("state_read", self.handle, number, ctypes.c_size_t(0), ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes))
        return array

    def write(self, state, value):
        number, port = self.bundle.states[state]
        array = port.empty()
        array[...] = value
        self.call("state_write", self.handle, number, ctypes.c_size_t(0), ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes))

    def pipeline(self, entry, **options):
        return Pipeline(self, entry, PipelineOptions(entry=entry.number, **options))


class Pipeline(Handle):
    def __init__(self, device, entry, options):
        super().__init__(device.library, "pipeline")
        self.entry, self.found = entry, (ctypes.c_void_p * len(entry.outputs))()
        self.call("pipeline_open", device.handle, ctypes.byref(options), ctypes.byref(self.handle))

    def enqueue(self, inputs):
        """`inputs`: transfers, which must live until the outputs are popped."""
        self.call("pipeline_enqueue", self.handle, inputs, None, 1)

    def pop(self):
        """The bytes of each output."""
        self.call("pipeline_pop", self.handle, self.found, 1)
        return [ctypes.string_at(found, port.bytes) for found, port in zip(self.found, self.entry.outputs.values())]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams different inputs through every schedule of every entry point of a bundle and compares each
output with that of a blocking run, bit for bit, and checks that no inference is computed that was not asked for:

    python streaming.py LIBTTRT BUNDLE INFERENCES [HOST-LIBRARY]

How many inferences are in flight changes all the time, and the pipeline runs dry now and then. Prints
the schedules that ran."""
import ctypes
import random
import sys


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1020)]


class Sized(ctypes.Structure):
    """A struct that begins with its own size, as TTRT_..._INIT makes it."""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(self), **fields)


class Entry(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("inputs", ctypes.c_uint32), ("outputs", ctypes.c_uint32)]


class Port(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("dtype", ctypes.c_int),
                ("rank", ctypes.c_uint32), ("shape", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class Schedule(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("queues", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


class DeviceOptions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("cores", ctypes.c_uint32), ("pin", ctypes.c_int), ("queues", ctypes.c_uint32),
                ("queue1_cores", ctypes.c_uint32), ("events", ctypes.c_uint32), ("checks", ctypes.c_int),
                ("link_bytes_per_second", ctypes.c_uint64), ("check_outputs", ctypes.c_int),
                ("reserved", ctypes.c_uint32), ("host_functions", ctypes.c_void_p)]


class PipelineOptions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("entry", ctypes.c_uint32), ("outputs", ctypes.c_uint32),
                ("schedule", ctypes.c_char_p), ("no_trace", ctypes.c_int), ("on_step", ctypes.c_void_p), ("user", ctypes.c_void_p)]


class Transfer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class Runtime:
    """The C API; a failed call is an exception."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.error = Error()

    def __call__(self, name, *args):
        status = getattr(self.library, "ttrt_" + name)(*args, ctypes.byref(self.error))
        if status != 0:
            raise RuntimeError(f"{name}: {self.error.message.decode()}")

    def ports(self, bundle, entry, what, number):
        ports = [Port() for _ in range(number)]
        for index, port in enumerate(ports):
            self(f"bundle_{what}", bundle, entry, index, ctypes.byref(port))
        return ports


def transfers(ports):
    """Memory for the tensors of ports, and what the C API wants of it."""
    memory = [ctypes.create_string_buffer(port.bytes) for port in ports]
    return memory, (Transfer * len(ports))(
        *(Transfer(ctypes.addressof(m), port.bytes) for m, port in zip(memory, ports)))


def fill(memory, ports, random_source):
    """Small floats (bytes of half-way sane exponents) or, for other types, small numbers."""
    for tensor, port in zip(memory, ports):
        if port.dtype == 0:
            values = [random_source.uniform(-1, 1) for _ in range(port.bytes // 4)]
            ctypes.memmove(tensor, (ctypes.c_float * len(values))(*values), port.bytes)
        else:
            ctypes.memmove(tensor, bytes(random_source.choices((0, 1), k=port.bytes)), port.bytes)


def stream(runtime, device, entry, schedule, inputs, expected, outputs, random_source):
    """Feeds the inputs, pops the outputs; raises where one is not what is expected."""
    pipeline = ctypes.c_void_p()
    options = PipelineOptions(entry=entry, schedule=schedule, outputs=8)
    runtime("pipeline_open", device, ctypes.byref(options), ctypes.byref(pipeline))
    got = (ctypes.c_void_p * len(outputs))()
    fed = 0
    for popped in range(len(inputs)):
        ahead = random_source.randint(1, 8)
        while fed < min(len(inputs), popped + ahead):
            runtime("pipeline_enqueue", pipeline, inputs[fed], None, 1)
            fed += 1
        runtime("pipeline_pop", pipeline, got, 1)
        found = [ctypes.string_at(got[i], port.bytes) for i, port in enumerate(outputs)]
        if found != expected[popped]:
            others = [i for i, tensors in enumerate(expected) if tensors == found]
            raise RuntimeError(f"{schedule.decode()}: inference {popped} gave other outputs than a "
                               f"blocking run" + (f", those of {others}" if others else ""))
    runtime.library.ttrt_pipeline_close(pipeline)


def count_runs(runtime, device, entry, schedule, inputs, number, outputs):
    """The number of steps that compute `number` inferences."""
    runs = [0]

    def step(_user, _queue, kind, after):
        runs[0] += kind == 2 and after != 0
        return 0

    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_int)(step)
    pipeline = ctypes.c_void_p()
    options = PipelineOptions(entry=entry, schedule=schedule, outputs=number,
                              on_step=ctypes.cast(callback, ctypes.c_void_p))
    runtime("pipeline_open", device, ctypes.byref(options), ctypes.byref(pipeline))
    for inference in range(number):
        runtime("pipeline_enqueue", pipeline, inputs[inference % len(inputs)], None, 1)
    got = (ctypes.c_void_p * len(outputs))()
    for _ in range(number):
        runtime("pipeline_pop", pipeline, got, 1)
    runtime.library.ttrt_pipeline_close(pipeline)
    return runs[0]


def main(library, path, number, host_library=None):
    runtime, bundle = Runtime(library), ctypes.c_void_p()
    host_functions = None
    if host_library:
        hosts = ctypes.CDLL(host_library)
        hosts.ttrt_host_library.restype = ctypes.c_void_p
        host_functions = hosts.ttrt_host_library()
    runtime("bundle_open", path.encode(), 0, ctypes.byref(bundle))
    for entry in range(runtime.library.ttrt_bundle_entries(bundle)):
        info, device = Entry(), ctypes.c_void_p()
        runtime("bundle_entry", bundle, entry, ctypes.byref(info))
        inputs = runtime.ports(bundle, entry, "input", info.inputs)
        outputs = runtime.ports(bundle, entry, "output", info.outputs)
        runtime("device_open", bundle,
                ctypes.byref(DeviceOptions(cores=2, queues=2, host_functions=host_functions)), ctypes.byref(device))
        random_source = random.Random(entry)
        given, kept, expected = [], [], []
        for _ in range(int(number)):
            memory, arguments = transfers(inputs)
            fill(memory, inputs, random_source)
            results, places = transfers(outputs)
            runtime("run", device, entry, arguments, places, None)
            given.append(arguments)
            kept.append(memory)  # alive as long as the arguments
            expected.append([tensor.raw for tensor in results])
        assert len({tuple(tensors) for tensors in expected}) > 1, "the outputs should differ"
        for index in range(runtime.library.ttrt_bundle_schedules(bundle, entry)):
            schedule = Schedule()
            runtime("bundle_schedule", bundle, entry, index, ctypes.byref(schedule))
            stream(runtime, device, entry, schedule.name, given, expected, outputs, random_source)
            # Twelve end with a turn of a ring of 1, 2, 3 or 4 slots; what is computed for less is no more.
            twelve = count_runs(runtime, device, entry, schedule.name, given, 12, outputs)
            for few in (1, 2, 7):
                runs = count_runs(runtime, device, entry, schedule.name, given, few, outputs)
                if runs * 12 != twelve * few:
                    raise RuntimeError(f"{schedule.name.decode()}: {runs} steps compute {few} inferences, "
                                       f"{twelve} compute 12")
            print(info.name.decode(), schedule.name.decode())
        runtime.library.ttrt_device_close(device)
    runtime.library.ttrt_bundle_close(bundle)


if __name__ == "__main__":
    main(*sys.argv[1:])

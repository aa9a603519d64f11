# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the entry points of a compiled decoder by the C API (ttrt.h, state.h), step by step, with token ids."""
import ctypes

import numpy as np

SAMPLING_WORDS = 64
DTYPES = ["f4", "f2", "u2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1020)]


class Port(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_uint32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t)]

    def array(self):
        return np.zeros([self.shape[i] for i in range(self.rank)], DTYPES[self.dtype])


class Entry(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("inputs", ctypes.c_uint32), ("outputs", ctypes.c_uint32)]


class Data(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("cores", ctypes.c_uint32), ("pin", ctypes.c_int), ("queues", ctypes.c_uint32),
                ("queue1_cores", ctypes.c_uint32), ("events", ctypes.c_uint32), ("checks", ctypes.c_int),
                ("link_bytes_per_second", ctypes.c_uint64), ("check_outputs", ctypes.c_int), ("huge_pages", ctypes.c_int),
                ("host_functions", ctypes.c_void_p), ("profiler", ctypes.c_void_p)]


class RunOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("no_trace", ctypes.c_int), ("on_command", ctypes.c_void_p),
                ("user", ctypes.c_void_p), ("timing", ctypes.c_void_p)]


class Decoder:
    def __init__(self, library, bundle, cores=1, trace=True):
        self.library = ctypes.CDLL(str(library))
        self.options = RunOptions(ctypes.sizeof(RunOptions), not trace)
        self.bundle, self.device = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("bundle_open", str(bundle).encode(), 0, ctypes.byref(self.bundle))
        self.call("device_open", self.bundle, ctypes.byref(Options(ctypes.sizeof(Options), cores)), ctypes.byref(self.device))
        self.entries, self.ports = {}, {}
        for number in range(self.library.ttrt_bundle_entries(self.bundle)):
            entry = Entry(ctypes.sizeof(Entry))
            self.call("bundle_entry", self.bundle, number, ctypes.byref(entry))
            name = entry.name.decode()
            self.entries[name] = number
            self.ports[name] = [[self.port(f"bundle_{kind}", number, i) for i in range(count)]
                                for kind, count in (("input", entry.inputs), ("output", entry.outputs))]
        self.states = {}
        for number in range(self.library.ttrt_bundle_states(self.bundle)):
            port = self.port("bundle_state", number)
            self.states[port.name.decode()] = (number, port)
        self.context = self.states["history"][1].array().size
        self.buckets = sorted((int(name[8:]) for name in self.entries if name.startswith("prefill_")), reverse=True)

    def close(self):
        for kind in ("device", "bundle"):
            getattr(self.library, f"ttrt_{kind}_close").argtypes = [ctypes.c_void_p]
            getattr(self.library, f"ttrt_{kind}_close")(getattr(self, kind))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, name, *arguments):
        error = Error()
        if getattr(self.library, "ttrt_" + name)(*arguments, ctypes.byref(error)):
            raise RuntimeError(f"{name}: {error.message.decode(errors='replace')}")

    def port(self, function, *where):
        port = Port(ctypes.sizeof(Port))
        self.call(function, self.bundle, *where, ctypes.byref(port))
        return port

    def metadata(self, key):
        value, size = ctypes.c_void_p(), ctypes.c_uint64()
        self.call("bundle_metadata", self.bundle, key.encode(), ctypes.byref(value), ctypes.byref(size))
        return ctypes.string_at(value, size.value)

    def run(self, name, *inputs):
        ports, results = self.ports[name]
        assert len(inputs) == len(ports)
        inputs = [np.ascontiguousarray(value, port.array().dtype) for value, port in zip(inputs, ports)]
        outputs = [port.array() for port in results]
        pack = lambda arrays: (Data * len(arrays))(*[Data(array.ctypes.data, array.nbytes) for array in arrays])
        self.call("run", self.device, self.entries[name], pack(inputs), pack(outputs), ctypes.byref(self.options))
        return dict(zip((port.name.decode() for port in results), outputs))

    def read(self, name):
        number, port = self.states[name]
        array = port.array()
        self.call("state_read", self.device, number, ctypes.c_size_t(0), ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes))
        return array

    def write(self, name, value):
        number, port = self.states[name]
        array = port.array()
        array[...] = value
        self.call("state_write", self.device, number, ctypes.c_size_t(0), ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes))

    def begin(self, prompt, buckets=None):
        """Appends all tokens of a prompt but the last, in parts as large as there are entry points for, the rest padded."""
        sampling = np.zeros(SAMPLING_WORDS, np.int32)
        sampling[0] = SAMPLING_WORDS * 4
        history = np.zeros(self.context, np.int32)
        history[: len(prompt)] = prompt
        for name, value in (("sampling", sampling), ("history", history), ("position", 0), ("token", prompt[-1])):
            self.write(name, value)
        left = list(prompt[:-1])
        buckets = self.buckets if buckets is None else buckets
        while left:
            fitting = [size for size in buckets if size <= len(left)]
            size = fitting[0] if fitting else buckets[-1]
            part, left = left[:size], left[size:]
            self.run(f"prefill_{size}", part + [0] * (size - len(part)), [len(part)])

    def step(self):
        """The next token, and the logits that it was chosen by if the bundle has them."""
        results = self.run("decode")
        return int(results["token"][0]), results.get("logits")

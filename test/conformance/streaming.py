# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams different inputs through every schedule of every entry point of a bundle and compares each
output with that of a blocking run, bit for bit, and checks that no inference is computed that was not asked for.

How many inferences are in flight changes all the time, and the pipeline runs dry now and then."""
import ctypes
import random

import numpy as np

from capi import transfers

ON_STEP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_int)


def stream(tools, bundle, inferences=60, host_library=None):
    """Returns the schedules that ran: [[entry, schedule]]."""
    host_functions, ran = None, []
    if host_library:
        hosts = ctypes.CDLL(str(host_library))
        hosts.ttrt_host_library.restype = ctypes.c_void_p
        host_functions = hosts.ttrt_host_library()
    with tools.open(bundle) as opened:
        for entry in opened.entries.values():
            with opened.device(cores=2, queues=2, host_functions=host_functions) as device:
                stream_entry(device, entry, inferences)
            ran += [[entry.name, schedule] for schedule in entry.schedules]
    return ran


def stream_entry(device, entry, inferences):
    generator, given, expected = np.random.default_rng(entry.number), [], []
    for _ in range(inferences):
        given.append({name: random_array(port, generator) for name, port in entry.inputs.items()})
        expected.append([array.tobytes() for array in device.run(entry, given[-1]).values()])
    assert len(set(map(tuple, expected))) > 1, "the outputs should differ"
    given = [(arrays, transfers(list(arrays.values()))) for arrays in given]  # arrays live as long as transfers
    inputs = [arguments for _, arguments in given]
    for schedule in entry.schedules:
        compare(device, entry, schedule, inputs, expected)
        # Twelve end with a turn of a ring of 1, 2, 3 or 4 slots; what is computed for less is no more.
        twelve = count_runs(device, entry, schedule, inputs, 12)
        for few in (1, 2, 7):
            runs = count_runs(device, entry, schedule, inputs, few)
            assert runs * 12 == twelve * few, f"{schedule}: {runs} steps compute {few} inferences, {twelve} compute 12"


def random_array(port, generator):
    """Small floats or, for other types, bytes of 0 and 1."""
    if port.dtype == np.float32:
        return generator.uniform(-1, 1, port.shape).astype(np.float32)
    return generator.integers(0, 2, port.bytes, np.uint8).view(port.dtype).reshape(port.shape)


def compare(device, entry, schedule, inputs, expected):
    number, fed = random.Random(entry.number), 0
    with device.pipeline(entry, schedule=schedule.encode(), outputs=8) as pipeline:
        for popped, wanted in enumerate(expected):
            ahead = number.randint(1, 8)
            while fed < min(len(inputs), popped + ahead):
                pipeline.enqueue(inputs[fed])
                fed += 1
            found = pipeline.pop()
            same = [i for i, tensors in enumerate(expected) if tensors == found]
            assert found == wanted, f"{schedule}: inference {popped} gave other outputs than a blocking run, those of {same}"


def count_runs(device, entry, schedule, inputs, number):
    """The number of steps that compute `number` inferences."""
    runs = []

    def step(_user, _queue, kind, after):
        if kind == 2 and after:
            runs.append(kind)
        return 0

    callback = ON_STEP(step)
    with device.pipeline(entry, schedule=schedule.encode(), outputs=number,
                         on_step=ctypes.cast(callback, ctypes.c_void_p)) as pipeline:
        for inference in range(number):
            pipeline.enqueue(inputs[inference % len(inputs)])
        for _ in range(number):
            pipeline.pop()
    return len(runs)

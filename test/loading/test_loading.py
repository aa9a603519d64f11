# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loaded bundle of a real model: what memory is private, that two processes share the weights, and
that a loaded device costs no CPU time. (How long loading takes beside ONNX Runtime's session creation
is printed by benchmarks/models.py.)"""
import json
import subprocess
import sys

import pytest

MB = 1e6


@pytest.fixture(scope="module")
def resnet(tools, shared, tmp_path_factory):
    """(model, bundle) of ResNet-50 with random weights, 100 MB."""
    folder = tmp_path_factory.mktemp("resnet")
    model, bundle = folder / "resnet50.onnx", folder / "resnet50.ttcb"
    if not (shared / "tools").is_dir():
        pytest.skip(f"no tools at {shared}")
    for module in ("numpy", "onnx"):
        pytest.importorskip(module)
    subprocess.run([sys.executable, shared / "tools/realize_light_models.py",
                    shared / "data/light/light_resnet50.onnx", model], check=True)
    tools.compile(model, bundle)
    return model, bundle


def sanitized(build_dir):
    return "-fsanitize" in (build_dir / "CMakeCache.txt").read_text()


HOLDER = """
import ctypes, json, sys, time
library, bundle_path, cores = sys.argv[1:4]
ttrt = ctypes.CDLL(library)

class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1020)]

class Sized(ctypes.Structure):
    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(self), **fields)

class Entry(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("inputs", ctypes.c_uint32), ("outputs", ctypes.c_uint32)]

class Memory(Sized):
    _fields_ = [(n, ctypes.c_uint64) for n in ("size", "dram", "l1", "trace", "address")]

class Options(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("cores", ctypes.c_uint32), ("pin", ctypes.c_int)]

class Transfer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]

error = Error()
def check(status):
    assert status == 0, error.message.decode()

def memory_mb():
    # Anonymous is what no other process can share. Clean and dirty pages of the file are counted
    # together: those of a file that was just written are dirty although the mapping was never written.
    lines = dict(l.split(":") for l in open("/proc/self/smaps_rollup").read().splitlines()[1:])
    mb = lambda *names: sum(int(lines[n].split()[0]) for n in names) * 1024 / 1e6
    return {"anonymous": mb("Anonymous"), "shared": mb("Shared_Clean", "Shared_Dirty"),
            "unshared": mb("Private_Clean", "Private_Dirty")}

before = memory_mb()
bundle, device, entry, memory = ctypes.c_void_p(), ctypes.c_void_p(), Entry(), Memory()
check(ttrt.ttrt_bundle_open(bundle_path.encode(), 0, ctypes.byref(bundle), ctypes.byref(error)))
check(ttrt.ttrt_bundle_entry(bundle, 0, ctypes.byref(entry), ctypes.byref(error)))
check(ttrt.ttrt_bundle_memory(bundle, ctypes.byref(memory), ctypes.byref(error)))
check(ttrt.ttrt_device_open(bundle, ctypes.byref(Options(cores=int(cores))), ctypes.byref(device),
                            ctypes.byref(error)))
loaded = memory_mb()
inputs, outputs = (Transfer * entry.inputs)(), (Transfer * entry.outputs)()
check(ttrt.ttrt_run(device, 0, inputs, outputs, None, ctypes.byref(error)))
print(json.dumps({"before": before, "loaded": loaded, "dram_mb": memory.dram / 1e6}), flush=True)
for line in sys.stdin:
    if line.startswith("idle"):
        start = time.process_time_ns()
        time.sleep(1)
        print((time.process_time_ns() - start) / 1e6, flush=True)
    else:
        print(json.dumps(memory_mb()), flush=True)
"""


class Holder:
    """A process that has a bundle loaded and has run it once."""

    def __init__(self, build_dir, bundle, cores):
        if sanitized(build_dir):
            pytest.skip("a sanitized libttrt does not load into Python")
        library = build_dir / "lib/libttrt.so"
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(library), str(bundle), str(cores)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.facts = json.loads(self.process.stdout.readline())

    def ask(self, question):
        print(question, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def test_private_memory_is_activations_and_little_else(resnet, build_dir):
    bundle = resnet[1]
    with Holder(build_dir, bundle, 1) as holder:
        facts = holder.facts
        activations = max(0, facts["dram_mb"] - 90)  # 90 MB: less than the weights of ResNet-50
        grown = facts["loaded"]["anonymous"] - facts["before"]["anonymous"]
        assert grown < activations + 16, facts
        after = holder.ask("memory")["anonymous"] - facts["before"]["anonymous"]
        assert after < activations + 16, facts


def test_two_processes_share_the_weights(resnet, build_dir):
    bundle = resnet[1]
    weights = 0.9 * bundle.stat().st_size / MB
    with Holder(build_dir, bundle, 1), Holder(build_dir, bundle, 1) as second:
        memory = second.ask("memory")
        assert memory["shared"] > weights, memory
        assert memory["unshared"] < weights, memory


def test_idle_device_uses_no_cpu_time(resnet, build_dir):
    with Holder(build_dir, resnet[1], 4) as holder:
        assert holder.ask("idle") < 20, "milliseconds of CPU time in one idle second"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are compiled with markers (--instrument) compute the same bits as without, and record what
docs/profiling.md says: the main zone of each program, complete zones, names that the bundle lists."""
import ctypes
import json
import re

import numpy as np
import pytest

from gate import pairs
import graphs
from graphs import TensorProto

KINDS = {16: "begin", 17: "end", 18: "total", 19: "data", 20: "event", 21: "payload"}


class Marker(ctypes.Structure):
    _fields_ = [("time", ctypes.c_uint64), ("id", ctypes.c_uint32), ("value", ctypes.c_uint16),
                ("kind", ctypes.c_uint8), ("reserved", ctypes.c_uint8)]


class Total(ctypes.Structure):
    _fields_ = [("time", ctypes.c_uint64), ("id", ctypes.c_uint32), ("count", ctypes.c_uint32)]


class ProgramMarkers(ctypes.Structure):
    """runtime/include/ttrt/format/program_markers.h"""
    _fields_ = [("capacity", ctypes.c_uint32), ("count", ctypes.c_uint32), ("dropped", ctypes.c_uint32),
                ("written", ctypes.c_uint32), ("invalid", ctypes.c_uint32), ("unused", ctypes.c_uint32 * 3),
                ("totals", Total * 2), ("guaranteed", Marker * 4), ("optional", Marker * 250),
                ("padding", ctypes.c_uint8 * 32)]


class Graph(graphs.Graph):
    OPSET = 18

    def bytes(self, dtype, *shape):
        bounds = np.iinfo(dtype)
        return self.constant(self.random.integers(bounds.min, bounds.max + 1, shape).astype(dtype))


def images(path):
    """Convolutions with copied rows, a table of rows, and direct rows; depthwise ones; pooling."""
    g = Graph(23)
    x = g.input(1, 3, 40, 40)
    x = g.op("Relu", g.op("Conv", x, g.weight(20, 3, 3, 3), g.weight(20), pads=[1, 1, 1, 1]))
    x = g.op("Conv", x, g.weight(33, 20, 3, 3), g.weight(33), pads=[1, 1, 1, 1], strides=[2, 2])
    x = g.op("Conv", x, g.weight(33, 1, 3, 3), g.weight(33), group=33, pads=[1, 1, 1, 1])
    x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = g.op("Sigmoid", g.op("Conv", x, g.weight(16, 33, 1, 1), g.weight(16)))
    x = g.op("ReduceMean", g.op("Transpose", x, perm=[0, 2, 3, 1]), g.constant(np.array([1, 2], np.int64)), keepdims=0)
    g.save(path, None, x)


def attention(path):
    """Attention as one kernel, a product whose second operand is packed at run time, and bodies of several loops."""
    g = Graph(23)
    x, mask = g.input(70, 96), g.input(70, 70)
    q, k, v = (g.op("MatMul", x, g.weight(96, 96)) for _ in range(3))
    scores = g.op("Softmax", g.op("Add", g.op("MatMul", q, g.op("Transpose", k, perm=[1, 0])), mask), axis=-1)
    y = g.op("Add", x, g.op("MatMul", scores, v))
    y = g.op("LayerNormalization", y, g.weight(96), g.weight(96), axis=-1)
    h = g.op("MatMul", y, g.weight(96, 150))
    h = g.op("Mul", h, g.op("Sigmoid", h))
    z = g.op("Softmax", g.op("Add", y, g.op("MatMul", h, g.weight(150, 96))), axis=0)
    g.save(path, None, g.op("MatMul", z, g.op("Transpose", z, perm=[1, 0])))


def quantized(path):
    """Kernels on bytes."""
    g = Graph(23)
    x = g.op("QuantizeLinear", g.input(1, 3, 24, 24), g.constant(np.array(1 / 255, np.float32)),
             g.constant(np.array(0, np.uint8)))
    scale, zero = g.constant(np.array(0.02, np.float32)), g.constant(np.array(121, np.uint8))
    out_scale, out_zero = g.constant(np.array(0.1, np.float32)), g.constant(np.array(128, np.uint8))
    x = g.op("QLinearConv", x, scale, zero, g.bytes(np.int8, 20, 3, 3, 3), scale, g.constant(np.array(0, np.int8)),
             out_scale, out_zero, pads=[1, 1, 1, 1])
    x = g.op("QLinearConv", x, scale, zero, g.bytes(np.int8, 20, 1, 3, 3), scale, g.constant(np.array(0, np.int8)),
             out_scale, out_zero, group=20, pads=[1, 1, 1, 1])
    x = g.op("QLinearConv", x, scale, zero, g.bytes(np.int8, 40, 20, 1, 1), scale, g.constant(np.array(0, np.int8)),
             out_scale, out_zero)
    g.save(path, None, x, dtype=TensorProto.UINT8)


MODELS = [images, attention, quantized]


@pytest.fixture(scope="module")
def compiled(tools, tmp_path_factory):
    """Each model without and with markers, for a CPU: compiled once."""
    done = {}

    def compile(model, cpu, *options):
        key = (model, cpu, options)
        if key not in done:
            folder = tmp_path_factory.mktemp(model.__name__)
            model(folder / "model.onnx")
            for name, more in (("plain", []), ("marked", ["--instrument"])):
                tools.compile(folder / "model.onnx", folder / f"{name}.ttcb", f"--target-cpu={cpu}", *options, *more)
            done[key] = folder
        return done[key]

    return compile


@pytest.mark.parametrize("model, how", pairs(MODELS, ["shards", "v3"], ["native"]),
                         ids=lambda value: getattr(value, "__name__", value))
def test_same_bits(model, how, compiled, tools, tmp_path):
    folder = compiled(model, *{"native": ["native"], "v3": ["x86-64-v3"], "shards": ["native", "--weights=int8", "--shard=height"]}[how])
    files = {}
    for name in ("plain", "marked"):
        for cores in (1, 2):
            out = tmp_path / f"{name}{cores}.npy"
            tools.ttrun("run", folder / f"{name}.ttcb", "--random=5", f"--cores={cores}", f"--output={out}")
            files[name, cores] = out.read_bytes()
    assert len(set(np.load(tmp_path / "plain1.npy").ravel().tolist())) > 8, "outputs that tell nothing"
    assert len(set(files.values())) == 1


def name_hash(name):
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


class Bundle:
    def __init__(self, tools, path, folder):
        data = path.read_bytes()
        self.programs = json.loads(tools.ttrun("read", "--json", "--programs", path).stdout)["programs"]
        text = tools.run("ttc-translate", "--bundle-to-ttc", path, "--mlir-elide-elementsattrs-if-larger=4",
                         "--mlir-elide-resource-strings-if-larger=4").stdout
        self.text = text
        listed = re.search(r"ttc\.binary.*zone_names = \[([^]]*)\]", text)
        self.names = re.findall(r'"([^"]*)"', listed[1]) if listed else []
        folder.mkdir(exist_ok=True)
        code = folder / "code.so"
        code.write_bytes(data[data.index(b"\x7fELF"):])
        self.code = ctypes.CDLL(str(code))

    def run(self, program):
        """Markers and operands of a program after all of its workgroups, on one core, while it records (if it
        can). Inputs are random numbers of f32."""
        offsets, end = [], 0
        for operand in program["operands"]:
            offsets.append(end)
            end += (operand["bytes"] + 4095) // 64 * 64
        scratch = program["scratch_bytes"]
        values = np.random.default_rng(3).uniform(-1, 1, end // 4).astype(np.float32)
        memory = ctypes.create_string_buffer(end + scratch + 128)
        base = (ctypes.addressof(memory) + 63) // 64 * 64
        ctypes.memmove(base, values.tobytes(), end)
        markers = None
        if self.names:
            markers = ProgramMarkers.from_address(base + end + scratch - ctypes.sizeof(ProgramMarkers))
            markers.capacity = 250
        entry = getattr(self.code, program["symbol"])
        entry.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
        entry.restype = None
        for workgroup in range(program["grid"]):
            entry((ctypes.c_uint64 * len(offsets))(*offsets), base, base + end, workgroup)
        self.memory = memory
        return markers, ctypes.string_at(base, end)


def check_program(markers, hashes):
    """The names of the zones of a program, in order of their begins; all must be complete."""
    begin, end = markers.guaranteed[0], markers.guaranteed[1]
    assert markers.written & 3 == 3 and markers.invalid == 0
    assert (KINDS[begin.kind], KINDS[end.kind]) == ("begin", "end")
    assert begin.id == end.id and begin.time < end.time
    found, open, last = [hashes[begin.id]], [], begin.time
    for marker in markers.optional[:markers.count]:
        kind = KINDS[marker.kind]
        if kind == "begin":
            open.append(marker.id)
            found.append(hashes[marker.id])
        elif kind == "end":
            assert open.pop() == marker.id
        if kind != "payload":
            assert last <= marker.time <= end.time
            last = marker.time
    assert not open
    if markers.written & 12:
        child, child_end = markers.guaranteed[2], markers.guaranteed[3]
        assert begin.time <= child.time < child_end.time <= end.time and child.id == child_end.id
        found.append(hashes[child.id])
    for total in markers.totals:
        assert (total.id == 0) == (total.count == 0)
        if total.count:
            assert 0 < total.time < end.time - begin.time
            found.append(hashes[total.id])
    return found


EXPECTED = {
    "images": {"gemm": {"block", "rows", "panels", "store"}, "depthwise_conv": {"line", "border"}, "pool": {"line"}},
    "attention": {"attention": {"head", "pack", "softmax", "values"}, "gemm": {"block", "panels", "pack", "store"},
                  "body": {"softmax.exp"}},
    "quantized": {"int_gemm": {"block", "rows", "panels", "store"}},
}


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_markers(model, compiled, tools, tmp_path):
    bundle = Bundle(tools, compiled(model, "native") / "marked.ttcb", tmp_path)
    assert bundle.names == sorted(set(bundle.names))
    hashes = {name_hash(name): name for name in bundle.names}
    assert bundle.text.count("markers") == len(bundle.programs)
    plain = Bundle(tools, compiled(model, "native") / "plain.ttcb", tmp_path / "plain")
    assert plain.names == [] and "markers" not in plain.text
    zones = {}
    for program, same in zip(bundle.programs, plain.programs, strict=True):
        assert program["symbol"] == same["symbol"] and program["grid"] == same["grid"]
        markers, memory = bundle.run(program)
        assert memory == plain.run(same)[1], program["symbol"]
        found = check_program(markers, hashes)
        zones.setdefault(found[0], set()).update(found[1:])
    for main, some in EXPECTED[model.__name__].items():
        assert some <= zones[main], (main, zones)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rounding to f16 and bf16 of f32 numbers of all kinds: subnormal, halfway, too large, infinite, NaN. In the
epilogues of kernels and in loops, with equal bits on all instruction sets."""
import pytest

from bundles import np, onnx, run_once

from onnx import TensorProto, helper  # noqa: E402

ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

TYPES = {"f16": (TensorProto.FLOAT16, np.float16), "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}
# Without F16C, with it, and with AVX-512, which have code of their own.
CPUS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
# A row is more than one vector of 16 lanes, and the last is not full.
WIDTH = 19


def some_of_all():
    """f32 numbers at and around each of every 11th pair of bf16 neighbours, and of f16 ones."""
    upper = np.arange(0, 1 << 16, 11, dtype=np.uint32) << 16
    lower = np.array([0, 1, 0x7fff, 0x8000, 0x8001, 0xffff], np.uint32)
    halves = (np.arange(0, 1 << 16, 37, dtype=np.uint16).view(np.float16).astype(np.float32)
              .view(np.uint32))
    around = np.array([0, 0xfff, 0x1000, 0x1001, -1], np.int32).astype(np.uint32)
    special = np.array([0x7f800001, 0x7fffffff, 0xffffffff, 0x7fc00000, 0x7f7fffff, 0x7f7f8000,
                        0x477fefff, 0x477ff000, 0x33000000, 0x33000001, 1, 0x80000001], np.uint32)
    bits = np.concatenate([(upper[:, None] | lower).ravel(), (halves[:, None] + around).ravel(),
                           special])
    bits = bits[:len(bits) // WIDTH * WIDTH]
    return bits.view(np.float32).reshape(-1, WIDTH)


def same_bits(found, expected):
    """NaN equals NaN; zeros have signs."""
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(found), nan)
    return np.array_equal(found[~nan].view(np.uint32), expected[~nan].view(np.uint32))


class Model:
    def __init__(self, kind):
        self.kind, (self.type, self.dtype) = kind, TYPES[kind]
        self.nodes, self.inputs, self.outputs = [], {}, {}

    def input(self, array):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = np.ascontiguousarray(array)
        return name

    def node(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def narrow(self, value):
        return self.node("Cast", value, to=self.type)

    def expect(self, value, expected):
        self.outputs[self.node("Cast", value, to=TensorProto.FLOAT)] = expected

    def rounded(self, array):
        return array.astype(self.dtype).astype(np.float32)

    def run(self, tools, cpu, folder):
        def info(name, array):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
        graph = helper.make_graph(self.nodes, "rounding",
                                  [info(*item) for item in self.inputs.items()],
                                  [info(*item) for item in self.outputs.items()])
        model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 18)])
        onnx.save(model, folder / "model.onnx")
        tools.compile(folder / "model.onnx", folder / "model.ttcb", f"--target-cpu={cpu}",
                      "--float-rounding=ops")
        for name, found in run_once(tools, folder / "model.ttcb", self.inputs).items():
            assert same_bits(found, self.outputs[name]), name


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("kind", TYPES)
def test_casts(kind, cpu, tools, tmp_path):
    """A Cast of the model, whose operand may be any f32, in a loop and after a product."""
    model = Model(kind)
    x = some_of_all()
    model.expect(model.narrow(model.input(x)), model.rounded(x))
    # The numbers times 1, added to 0.
    column = x.reshape(-1, 1)
    product = model.node("MatMul", model.input(column), model.input(np.ones((1, WIDTH), np.float32)))
    model.expect(model.narrow(product), model.rounded(np.repeat(column + 0, WIDTH, axis=1)))
    model.run(tools, cpu, tmp_path)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("kind", TYPES)
def test_ops(kind, cpu, tools, tmp_path):
    """Results of ops on numbers of 16 bits: sums, and products in a kernel and in a loop."""
    model = Model(kind)
    rng = np.random.default_rng(3)
    everything = np.arange(1 << 16, dtype=np.uint16).view(model.dtype).astype(np.float32)
    a = everything[:len(everything) // WIDTH * WIDTH].reshape(-1, WIDTH)
    b = model.rounded(rng.permutation(everything)[:a.size].reshape(a.shape))
    c = model.rounded((a * rng.uniform(0.001, 2, a.shape)).astype(np.float32))
    xs = [model.narrow(model.input(array)) for array in (a, b, c)]
    model.expect(model.node("Mul", xs[0], xs[1]), model.rounded(a * b))
    model.expect(model.node("Add", xs[0], xs[2]), model.rounded(a + c))
    column, row = a.reshape(-1, 1), model.rounded(rng.standard_normal((1, WIDTH)).astype(np.float32))
    row[0, 3:7] = model.rounded(np.float32([1e-4, np.inf, 0, -1]))
    product = model.node("MatMul", model.narrow(model.input(column)),
                         model.narrow(model.input(row)))
    model.expect(product, model.rounded(column * row + 0))
    # What is rounded once stays so; the largest of 16-bit numbers is one of them.
    negative = -model.rounded(column * row + 0)
    model.expect(model.node("Relu", model.node("Neg", product)),
                 np.where(negative < 0, np.float32(0), negative))
    model.run(tools, cpu, tmp_path)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--optimize=size and memory: weights are stored once, in no larger form, and the values are those of --optimize=speed
within the tolerance of Winograd's algorithm. docs/memory.md states the bounds."""
import json

import pytest

from bundles import np, onnx, run_bundle
from gate import pairs
from onnx import TensorProto, helper, numpy_helper

# The largest share of the weights by which the constants may exceed them, and what a bundle has beside constants.
GROWTH, REST = 1.05, 1 << 20


class Model:
    def __init__(self):
        self.nodes, self.weights, self.rng = [], [], np.random.default_rng(5)

    def weight(self, *shape):
        values = self.rng.standard_normal(shape).astype(np.float32) * float(np.prod(shape[1:]) or 1) ** -0.5
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def op(self, kind, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def conv(self, x, a, b, kernel=3, stride=1):
        return self.op("Conv", x, self.weight(b, a, kernel, kernel), self.weight(b), pads=[kernel // 2] * 4, strides=[stride] * 2)

    def dense(self, x, a, b):
        return self.op("Gemm", self.op("Flatten", self.op("GlobalAveragePool", x)), self.weight(a, b), self.weight(b))

    def save(self, path, x, y, kind=TensorProto.FLOAT):
        onnx.save(helper.make_model(helper.make_graph(
            self.nodes, "g", [helper.make_tensor_value_info("x", kind, x)],
            [helper.make_tensor_value_info(self.nodes[-1].output[0], TensorProto.FLOAT, y)], self.weights),
            opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return sum(len(weight.raw_data) for weight in self.weights)


def resnet_like(model, path):
    """Blocks with and without a stride, and 512 channels, which do not fill panels of three vectors."""
    x = model.op("Relu", model.conv("x", 3, 64, 7, 2))
    for a, b, stride in ((64, 64, 1), (64, 128, 2), (128, 512, 2)):
        y = model.op("Relu", model.conv(x, a, b, 3, stride))
        y = model.conv(y, b, b)
        x = model.op("Relu", model.op("Add", y, model.conv(x, a, b, 1, stride) if stride > 1 else x))
    model.dense(x, 512, 1000)
    return model.save(path, [1, 3, 56, 56], [1, 1000])


def vgg_like(model, path):
    x = "x"
    for a, b in ((3, 64), (64, 128), (128, 256), (256, 256)):
        x = model.op("MaxPool", model.op("Relu", model.conv(x, a, b)), kernel_shape=[2, 2], strides=[2, 2])
    model.dense(x, 256, 512)
    return model.save(path, [1, 3, 64, 64], [1, 512])


def tied(model, path):
    """The last product's matrix is the table of the embedding, transposed."""
    table = model.weight(3000, 128)
    x = model.op("Relu", model.op("MatMul", model.op("Gather", table, "x"), model.weight(128, 128)))
    model.op("MatMul", x, model.op("Transpose", table, perm=[1, 0]))
    return model.save(path, [1, 8], [1, 8, 3000], TensorProto.INT64)


def measure(tools, bundle):
    """The bytes of constants, of the file, and of DRAM at its peak without slots; and the activations' lower bound."""
    read = json.loads(tools.ttrun("read", bundle, "--json", "--sizes", "--memory").stdout)
    dram = read["memory"]["dram"]
    constants = next(segment["size"] for segment in read["segments"] if segment["kind"] == "constants")
    return constants, read["file_bytes"], dram["peak"] - dram["slots"], dram["activations_lower_bound"]


@pytest.mark.parametrize("build,cpu", pairs([resnet_like, vgg_like, tied], ["x86-64-v3", "native"]),
                         ids=lambda value: getattr(value, "__name__", value))
def test_bounds(build, cpu, tools, tmp_path):
    weights = build(Model(), tmp_path / "model.onnx")
    rng = np.random.default_rng(1)
    x = (rng.integers(0, 3000, (1, 8)) if build is tied else
         rng.standard_normal((1, 3, 64, 64) if build is vgg_like else (1, 3, 56, 56)).astype(np.float32))
    sizes, outputs = {}, {}
    for mode in ("speed", "size", "memory"):
        bundle = tmp_path / f"{mode}.ttcb"
        tools.compile(tmp_path / "model.onnx", bundle, f"--optimize={mode}", f"--target-cpu={cpu}")
        sizes[mode] = measure(tools, bundle)
        outputs[mode], = run_bundle(tools, bundle, {"x": x}, {}, 0, 0).values()
    # That of speed has Winograd's weights, or the table twice.
    assert sizes["speed"][0] > 1.5 * weights
    for mode in ("size", "memory"):
        constants, file, peak, alive = sizes[mode]
        assert constants <= GROWTH * weights and file <= GROWTH * weights + REST
        assert peak <= GROWTH * weights + 1.01 * alive
        assert peak < sizes["speed"][2]
        worst = np.abs(np.asarray(outputs[mode]) - np.asarray(outputs["speed"])).max()
        assert worst <= 2e-5 * np.abs(np.asarray(outputs["speed"])).max()

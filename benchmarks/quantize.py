# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the quantised models of models.py --quantized and --classes, by ONNX Runtime's quantiser.

  NAME_qdq       static: QuantizeLinear and DequantizeLinear around every op, activations ui8,
                 weights i8 with a scale for each channel; ranges from random inputs
  NAME_dynamic   MatMulInteger with weights of i8; activations are quantised when the model runs
"""
import pathlib
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, version_converter


def graph_inputs(path):
    """Name, shape and type of every input that is no weight."""
    graph = onnx.load(path, load_external_data=False).graph
    weights = {t.name for t in graph.initializer}
    for value in graph.input:
        if value.name not in weights:
            tensor = value.type.tensor_type
            yield (value.name, [d.dim_value for d in tensor.shape.dim],
                   helper.tensor_dtype_to_np_dtype(tensor.elem_type))


def opset(model):
    return next(entry.version for entry in model.opset_import if not entry.domain)


def make_static(source, path):
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Noise(quantization.CalibrationDataReader):
        def __init__(self):
            rng = np.random.default_rng(1)
            self.inputs = iter([{name: rng.standard_normal(shape).astype(dtype)
                                 for name, shape, dtype in graph_inputs(source)}
                                for _ in range(2)])

        def get_next(self):
            return next(self.inputs, None)

    with tempfile.TemporaryDirectory() as folder:
        current, prepared = (pathlib.Path(folder) / name for name in ("current", "prepared"))
        model = onnx.load(source)
        if opset(model) < 17:  # A scale for each channel needs 13.
            model = version_converter.convert_version(model, 17)
        onnx.save(model, current)
        quant_pre_process(current, prepared, skip_symbolic_shape=True)
        quantization.quantize_static(
            prepared, path, Noise(), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8)


def make_dynamic(source, path):
    from onnxruntime import quantization

    quantization.quantize_dynamic(source, path, weight_type=quantization.QuantType.QInt8)


def make_mobilenet_v2(path):
    """MobileNetV2 at 224 x 224 with random weights, its batch norms folded."""
    rng = np.random.default_rng(0)
    nodes, weights = [], []

    def conv(x, inputs, outputs, kernel, stride=1, groups=1, relu6=True):
        name = f"conv{len(nodes)}"
        fan_in = inputs // groups * kernel * kernel
        w = rng.standard_normal((outputs, inputs // groups, kernel, kernel)) * (2 / fan_in)**0.5
        b = rng.standard_normal(outputs) * 0.1
        weights.extend([numpy_helper.from_array(w.astype(np.float32), name + "_w"),
                        numpy_helper.from_array(b.astype(np.float32), name + "_b")])
        nodes.append(helper.make_node("Conv", [x, name + "_w", name + "_b"], [name], group=groups,
                                      kernel_shape=[kernel] * 2, strides=[stride] * 2,
                                      pads=[kernel // 2] * 4, name=name))
        if relu6:
            nodes.append(helper.make_node("Clip", [name, "zero", "six"], [name + "_r"]))
        return nodes[-1].output[0]

    weights.extend([numpy_helper.from_array(np.float32(0), "zero"),
                    numpy_helper.from_array(np.float32(6), "six")])
    x, channels = conv("image", 3, 32, 3, stride=2), 32
    for expand, out, count, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                       (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(count):
            y, hidden = x, channels * expand
            if expand != 1:
                y = conv(y, channels, hidden, 1)
            y = conv(y, hidden, hidden, 3, stride=stride if i == 0 else 1, groups=hidden)
            y = conv(y, hidden, out, 1, relu6=False)
            if i:
                nodes.append(helper.make_node("Add", [x, y], [f"sum{len(nodes)}"]))
                y = nodes[-1].output[0]
            x, channels = y, out
    x = conv(x, channels, 1280, 1)
    weights.extend([
        numpy_helper.from_array((rng.standard_normal((1280, 1000)) / 36).astype(np.float32), "fc"),
        numpy_helper.from_array(np.zeros(1000, np.float32), "fc_b")])
    nodes.extend([helper.make_node("GlobalAveragePool", [x], ["pooled"]),
                  helper.make_node("Flatten", ["pooled"], ["flat"]),
                  helper.make_node("Gemm", ["flat", "fc", "fc_b"], ["scores"])])
    graph = helper.make_graph(
        nodes, "mobilenet_v2",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 224, 224])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 1000])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)


# By the suffix of a model's name.
KINDS = {"qdq": make_static, "dynamic": make_dynamic}

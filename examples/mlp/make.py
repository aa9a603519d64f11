# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes mlp.onnx: a perceptron with a residual connection over 64 tokens, with random weights. Its rows are independent
of each other, so all activations can be sharded by height (docs/memory.md)."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)


def weight(name, *shape):
    return numpy_helper.from_array((random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32), name)


nodes = [
    helper.make_node("MatMul", ["tokens", "w1"], ["expanded"], name="expand"),
    helper.make_node("Add", ["expanded", "b1"], ["biased"], name="expand_bias"),
    helper.make_node("Relu", ["biased"], ["hidden"], name="relu"),
    helper.make_node("MatMul", ["hidden", "w2"], ["contracted"], name="contract"),
    helper.make_node("Add", ["contracted", "tokens"], ["sum"], name="residual"),
    helper.make_node("MatMul", ["sum", "w3"], ["logits"], name="classify"),
    helper.make_node("Softmax", ["logits"], ["probabilities"], axis=-1, name="softmax"),
]
graph = helper.make_graph(
    nodes,
    "mlp",
    [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [64, 16])],
    [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [64, 10])],
    [weight("w1", 16, 32), weight("b1", 32), weight("w2", 32, 16), weight("w3", 16, 10)],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, pathlib.Path(__file__).with_name("mlp.onnx"))

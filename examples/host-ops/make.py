# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes swish.onnx: two layers with an op of the domain com.acme between them, whose result the model declares."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)


def weight(name, *shape):
    return numpy_helper.from_array((random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32), name)


def tensor(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


nodes = [
    helper.make_node("MatMul", ["x", "w1"], ["expanded"], name="expand"),
    helper.make_node("Swish", ["expanded"], ["activated"], name="swish", domain="com.acme", beta=1.5),
    helper.make_node("MatMul", ["activated", "w2"], ["y"], name="contract"),
]
graph = helper.make_graph(nodes, "swish", [tensor("x", 4, 16)], [tensor("y", 4, 8)],
                          [weight("w1", 16, 32), weight("w2", 32, 8)], value_info=[tensor("activated", 4, 32)])
model = helper.make_model(graph, ir_version=8,
                          opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)])
onnx.save(model, pathlib.Path(__file__).with_name("swish.onnx"))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small ONNX models, node by node."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Collects nodes and weights, which come from one seed. A class derived from it may have other SCALE and OPSET."""

    SCALE, OPSET = 0.2, 17

    def __init__(self, seed=7):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.values = [], [], [], 0

    def constant(self, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def weight(self, *shape):
        return self.constant((self.random.standard_normal(shape) * self.SCALE).astype(np.float32))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def input(self, *shape, name=None, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name or f"x{len(self.inputs)}", dtype, shape))
        return self.inputs[-1].name

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"v{self.values + i}" for i in range(outputs)]
        self.values += outputs
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def save(self, path, shape, *results, dtype=TensorProto.FLOAT):
        """`shape` is that of the input x, unless there are inputs."""
        if not self.inputs:
            self.input(*shape, name="x")
        graph = helper.make_graph(self.nodes, "graph", self.inputs,
                                  [helper.make_tensor_value_info(name, dtype, None) for name in results], self.weights)
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", self.OPSET)])
        onnx.save(onnx.shape_inference.infer_shapes(model), path)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models with random weights that meshes divide: MLPs, a block of a transformer, a residual network."""
from bundles import np, onnx

from onnx import TensorProto, helper, numpy_helper  # noqa: E402


class Graph:
    """Collects nodes. The input is x, the result y."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights = [], []

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape, offset=0.0):
        fan = np.prod(shape[1:] if len(shape) == 4 else shape[:1])
        return self.constant((self.random.standard_normal(shape) / fan**0.5 + offset).astype(np.float32))

    def op(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def save(self, path, shape, dtype=TensorProto.FLOAT):
        self.nodes[-1].output[0] = "y"
        graph = helper.make_graph(
            self.nodes, "graph", [helper.make_tensor_value_info("x", dtype, shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(onnx.shape_inference.infer_shapes(model), path)

    def linear(self, x, rows, columns):
        return self.op("Add", self.op("MatMul", x, self.weight(rows, columns)), self.weight(columns))

    def conv(self, x, channels, results, size, stride=1, group=1):
        x = self.op("Conv", x, self.weight(results, channels // group, size, size), group=group,
                    kernel_shape=[size, size], strides=[stride, stride], pads=[size // 2] * 4)
        variance = self.constant((1 + self.random.random(results)).astype(np.float32))
        return self.op("BatchNormalization", x, self.weight(results, offset=1.0), self.weight(results),
                       self.weight(results), variance)


def mlp(path, batch=8, width=32, hidden=128):
    graph = Graph(1)
    x = graph.op("Relu", graph.op("Gemm", "x", graph.weight(width, hidden), graph.weight(hidden)))
    graph.linear(x, hidden, width)
    graph.save(path, [batch, width])


def transformer(path, batch=2, steps=6, width=32, heads=4):
    graph = Graph(2)

    def split(x, permutation):
        shape = graph.constant(np.array([batch, steps, heads, width // heads], np.int64))
        return graph.op("Transpose", graph.op("Reshape", x, shape), perm=permutation)

    def norm(x):
        return graph.op("LayerNormalization", x, graph.weight(width, offset=1.0), graph.weight(width), axis=-1)

    q, v = (split(graph.linear("x", width, width), [0, 2, 1, 3]) for _ in range(2))
    k = split(graph.linear("x", width, width), [0, 2, 3, 1])
    scores = graph.op("Mul", graph.op("MatMul", q, k), graph.constant(np.float32(0.35)))
    y = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), v)
    y = graph.op("Reshape", graph.op("Transpose", y, perm=[0, 2, 1, 3]),
                 graph.constant(np.array([batch, steps, width], np.int64)))
    x = norm(graph.op("Add", graph.linear(y, width, width), "x"))
    y = graph.linear(graph.op("Tanh", graph.linear(x, width, 4 * width)), 4 * width, width)
    norm(graph.op("Add", y, x))
    graph.save(path, [batch, steps, width])


def residual(path, batch=4):
    graph = Graph(3)
    x = graph.op("Relu", graph.conv("x", 3, 16, 3, stride=2))
    x = graph.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    y = graph.op("Relu", graph.conv(x, 16, 32, 1))
    y = graph.op("Relu", graph.conv(y, 32, 32, 3, group=32))
    x = graph.op("Relu", graph.op("Add", graph.conv(y, 32, 16, 1), x))
    x = graph.op("Flatten", graph.op("GlobalAveragePool", x))
    graph.op("Softmax", graph.linear(x, 16, 10), axis=-1)
    graph.save(path, [batch, 3, 32, 32])


MODELS = {"mlp": mlp, "transformer": transformer, "residual": residual}
SHAPES = {"mlp": [8, 32], "transformer": [2, 6, 32], "residual": [4, 3, 32, 32]}

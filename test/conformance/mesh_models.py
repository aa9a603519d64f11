# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models with random weights that meshes divide: MLPs, a block of a transformer, a residual network."""
import graphs
from bundles import np
from graphs import TensorProto, helper


class Graph(graphs.Graph):
    """The input is x, the result y."""

    def __init__(self, seed):
        super().__init__(seed)
        self.outputs = []

    def weight(self, *shape, offset=0.0):
        fan = np.prod(shape[1:] if len(shape) == 4 else shape[:1])
        return self.constant((self.random.standard_normal(shape) / fan**0.5 + offset).astype(np.float32))

    def name(self, value, name):
        """The value as an output of that name."""
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(name)

    def save(self, path, shape, dtype=TensorProto.FLOAT, **inputs):
        """`inputs`: shapes of more inputs of the type of x."""
        last = next(node for node in reversed(self.nodes) if node.output[0] not in self.outputs)
        last.output[0] = "y"
        self.input(*shape, name="x", dtype=dtype)
        for name, more in inputs.items():
            self.input(*more, name=name, dtype=dtype)
        super().save(path, None, "y", *self.outputs)

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


# Models that a mesh divides in a way of their own.


def reshape(path):
    """Dimensions share their outer factors only: 4 rows of 24 are 2 images."""
    graph = Graph(11)
    x = graph.op("Reshape", graph.op("Relu", "x"), graph.constant(np.array([4, 24], np.int64)))
    graph.op("Tanh", x)
    graph.save(path, [2, 3, 4, 4])


def depthwise(path):
    """The first convolution reads the input itself."""
    graph = Graph(13)
    x = graph.op("Conv", "x", graph.weight(32, 1, 3, 3), group=32, kernel_shape=[3, 3], pads=[1] * 4)
    graph.op("Conv", graph.op("Relu", x), graph.weight(64, 32, 1, 1), kernel_shape=[1, 1])
    graph.save(path, [1, 32, 16, 16])


def symmetric(path):
    """Rows and columns are in one class."""
    graph = Graph(14)
    graph.op("Add", "x", graph.op("Transpose", "x", perm=[1, 0]))
    graph.save(path, [4, 4])


def graph_convolution(path):
    """Two layers: the sum of the second runs over the rows of the first. x is the adjacency, too."""
    graph = Graph(15)
    x = graph.op("Relu", graph.op("MatMul", "x", graph.op("MatMul", "x", graph.weight(4, 8))))
    graph.op("MatMul", "x", graph.op("MatMul", x, graph.weight(8, 3)))
    graph.save(path, [4, 4])


def degrees(path):
    """Each device needs its part of what all add up."""
    graph = Graph(20)
    degree = graph.op("ReduceSum", "x", graph.constant(np.array([0], np.int64)), keepdims=0)
    graph.op("Sub", "x", graph.op("Unsqueeze", degree, graph.constant(np.array([1], np.int64))))
    graph.save(path, [4, 4])


def half_weights(path, width=128, hidden=1024):
    """Weights of f16 that a cast and a transpose convert."""
    graph = Graph(16)

    def weight(rows, columns):
        half = graph.constant((graph.random.standard_normal((columns, rows)) / rows**0.5).astype(np.float16))
        return graph.op("Transpose", graph.op("Cast", half, to=TensorProto.FLOAT), perm=[1, 0])

    x = graph.op("Relu", graph.op("MatMul", "x", weight(width, hidden)))
    graph.op("MatMul", x, weight(hidden, width))
    graph.save(path, [8, width])


def dequantized_weights(path, width=128, hidden=1024):
    """Weights of i8 with a scale for each column."""
    graph = Graph(17)

    def weight(rows, columns):
        bytes_ = graph.constant(graph.random.integers(-128, 128, (rows, columns)).astype(np.int8))
        scales = graph.constant((0.02 * (1 + graph.random.random(columns)) / rows**0.5).astype(np.float32))
        return graph.op("DequantizeLinear", bytes_, scales, graph.constant(np.zeros(columns, np.int8)), axis=1)

    x = graph.op("Relu", graph.op("MatMul", "x", weight(width, hidden)))
    graph.op("MatMul", x, weight(hidden, width))
    graph.save(path, [8, width])


def quantized(path, width=32, hidden=256):
    """Products of bytes."""
    graph = Graph(18)

    def quantize(x, scale):
        scale, zero = graph.constant(np.float32(scale)), graph.constant(np.uint8(128))
        return graph.op("DequantizeLinear", graph.op("QuantizeLinear", x, scale, zero), scale, zero)

    def linear(x, rows, columns):
        bytes_ = graph.constant(graph.random.integers(-128, 128, (rows, columns)).astype(np.int8))
        scale, zero = graph.constant(np.float32(0.01 / rows**0.5)), graph.constant(np.int8(0))
        return graph.op("MatMul", quantize(x, 0.03), graph.op("DequantizeLinear", bytes_, scale, zero))

    linear(graph.op("Relu", linear("x", width, hidden)), hidden, width)
    graph.save(path, [8, width])


def batch_last(path):
    """The batch of the output is its last dimension."""
    graph = Graph(19)
    x = graph.op("Relu", graph.linear("x", 32, 48))
    graph.op("Transpose", graph.op("Softmax", graph.linear(x, 48, 10), axis=1), perm=[1, 0])
    graph.save(path, [8, 32])

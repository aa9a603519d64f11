# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models: graphs of common ops with branches, joins and slices, from a seed."""
import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Graph:
    """Grows a graph op by op. Values stay in a range where float errors do not blow up."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.inputs = [], [], []
        self.shapes = {}  # of all values, in order
        self.used = set()

    def pick(self, options):
        return options[self.random.integers(len(options))]

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def weights(self, *shape, fan_in=None):
        scale = 1 / math.sqrt(fan_in or shape[-1] or 1)
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def input(self, shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        self.shapes[name] = tuple(shape)
        return name

    def emit(self, op, inputs, *shapes, **attributes):
        names = [f"v{len(self.shapes) + i}" for i in range(len(shapes))]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{len(self.nodes)}", **attributes))
        self.shapes.update(zip(names, map(tuple, shapes)))
        self.used.update(inputs)

    def grow(self):
        # Late values more often, so that graphs become deep.
        names = list(self.shapes)
        x = names[max(self.random.integers(len(names)), self.random.integers(len(names)))]
        step = self.pick(STEPS)
        step(self, x, self.shapes[x])

    def model(self):
        outputs = [name for name in self.shapes if name not in self.used and name.startswith("v")]
        graph = helper.make_graph(
            self.nodes, "random",
            [value for value in self.inputs if value.name in self.used],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.shapes[name]) for name in outputs],
            self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        onnx.checker.check_model(model)
        return model


def unary(g, x, shape):
    g.emit(g.pick(["Relu", "Sigmoid", "Tanh", "Erf", "Abs", "Neg", "Softplus", "HardSwish"]), [x], shape)


def scaled(g, x, shape):
    kind = g.random.integers(3)
    other = [(1,), shape[-1:] or (1,), tuple(1 if g.random.integers(2) else n for n in shape) or (1,)][kind]
    g.emit(g.pick(["Add", "Mul", "Sub", "Max"]), [x, g.weights(*other, fan_in=1)], shape)


def joined(g, x, shape):
    same = [name for name, s in g.shapes.items() if s == shape]
    g.emit(g.pick(["Add", "Sub", "Min"]), [x, g.pick(same)], shape)


def concatenated(g, x, shape):
    if not shape or math.prod(shape) > 20000:
        return
    axis = int(g.random.integers(len(shape)))
    fitting = [n for n, s in g.shapes.items()
               if len(s) == len(shape) and all(i == axis or a == b for i, (a, b) in enumerate(zip(s, shape)))]
    parts = [x] + [g.pick(fitting) for _ in range(g.random.integers(1, 3))]
    size = sum(g.shapes[p][axis] for p in parts)
    g.emit("Concat", parts, shape[:axis] + (size,) + shape[axis + 1 :], axis=axis)


def split(g, x, shape):
    axes = [i for i, n in enumerate(shape) if n >= 2]
    if not axes:
        return
    axis = g.pick(axes)
    first = int(g.random.integers(1, shape[axis]))
    sizes = [first, shape[axis] - first]
    lengths = g.constant(np.array(sizes, np.int64))
    g.emit("Split", [x, lengths], *(shape[:axis] + (n,) + shape[axis + 1 :] for n in sizes), axis=axis)


def sliced(g, x, shape):
    axes = [i for i, n in enumerate(shape) if n >= 2]
    if not axes:
        return
    axis = g.pick(axes)
    n, step = shape[axis], int(g.pick([1, 1, 1, 2, -1]))
    begin = int(g.random.integers(0, n - 1))
    end = int(g.random.integers(begin + 1, n + 1))
    start, stop = (begin, end) if step > 0 else (end - 1, begin - 1 if begin else -n - 1)
    size = len(range(begin, end, step)) if step > 0 else end - begin
    tensors = [g.constant(np.array([v], np.int64)) for v in (start, stop, axis, step)]
    g.emit("Slice", [x, *tensors], shape[:axis] + (size,) + shape[axis + 1 :])


def transposed(g, x, shape):
    order = [int(i) for i in g.random.permutation(len(shape))]
    g.emit("Transpose", [x], tuple(shape[i] for i in order), perm=order)


def reshaped(g, x, shape):
    if len(shape) < 2:
        return
    i = int(g.random.integers(len(shape) - 1))
    new = shape[:i] + (shape[i] * shape[i + 1],) + shape[i + 2 :]
    if g.random.integers(2):
        new = new[:i] + (1,) + new[i:]
    if len(new) <= 4:
        g.emit("Reshape", [x, g.constant(np.array(new, np.int64))], new)


def reduced(g, x, shape):
    if not shape:
        return
    axis, keep = int(g.random.integers(len(shape))), int(g.random.integers(2))
    new = shape[:axis] + ((1,) if keep else ()) + shape[axis + 1 :]
    if not new:
        return
    g.emit(g.pick(["ReduceMean", "ReduceMax"]), [x], new, axes=[axis], keepdims=keep)


def softmax(g, x, shape):
    if shape:
        g.emit("Softmax", [x], shape, axis=int(g.random.integers(len(shape))))


def layer_norm(g, x, shape):
    if shape and shape[-1] > 3:
        n = shape[-1]
        g.emit("LayerNormalization", [x, g.weights(n, fan_in=1), g.weights(n, fan_in=1)], shape, axis=-1, epsilon=1e-2)


def matmul(g, x, shape):
    if len(shape) >= 2:
        columns = int(g.random.integers(1, 40))
        g.emit("MatMul", [x, g.weights(shape[-1], columns, fan_in=shape[-1])], shape[:-1] + (columns,))


def product(g, x, shape):
    """Both operands are computed: attention's kind."""
    fitting = [n for n, s in g.shapes.items()
               if len(s) == len(shape) >= 2 and s[:-2] == shape[:-2] and s[-2] == shape[-1] and math.prod(s) < 5000]
    if fitting:
        y = g.pick(fitting)
        half = g.constant(np.array(1 / math.sqrt(shape[-1]), np.float32))
        g.emit("MatMul", [x, y], shape[:-1] + g.shapes[y][-1:])
        last = list(g.shapes)[-1]
        g.emit("Mul", [last, half], g.shapes[last])


def conv(g, x, shape):
    if len(shape) != 4 or math.prod(shape) > 20000:
        return
    n, c, h, w = shape
    depthwise = c > 1 and g.random.integers(3) == 0
    out = c if depthwise else int(g.random.integers(1, 24))
    kernel = int(g.pick([1, 3]))
    stride = int(g.pick([1, 1, 2]))
    pad = kernel // 2
    size = [(d + 2 * pad - kernel) // stride + 1 for d in (h, w)]
    taps = 1 if depthwise else c
    g.emit("Conv", [x, g.weights(out, taps, kernel, kernel, fan_in=taps * kernel * kernel), g.weights(out, fan_in=1)],
           (n, out, *size), kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, group=c if depthwise else 1)


def pool(g, x, shape):
    if len(shape) == 4 and min(shape[2:]) >= 2:
        g.emit(g.pick(["MaxPool", "AveragePool"]), [x], (*shape[:2], shape[2] // 2, shape[3] // 2),
               kernel_shape=[2, 2], strides=[2, 2])


def batch_norm(g, x, shape):
    if len(shape) == 4:
        c = shape[1]
        variance = g.constant((g.random.random(c) + 0.5).astype(np.float32))
        g.emit("BatchNormalization", [x, *(g.weights(c, fan_in=1) for _ in range(3)), variance], shape)


def padded(g, x, shape):
    if shape and math.prod(shape) < 20000:
        low, high = (g.random.integers(0, 3, len(shape)) for _ in range(2))
        g.emit("Pad", [x, g.constant(np.concatenate([low, high]).astype(np.int64))],
               tuple(int(a + b + n) for a, b, n in zip(low, high, shape)))


STEPS = [unary, unary, scaled, scaled, joined, joined, concatenated, concatenated, split, sliced, transposed, reshaped,
         reduced, softmax, layer_norm, matmul, product, conv, conv, conv, pool, batch_norm, padded]

SHAPES = [(1, 4, 10, 12), (1, 8, 7, 7), (2, 3, 9, 8), (1, 16, 24), (6, 32), (1, 2, 12, 16)]


def make(seed, ops=24):
    """A model with about `ops` nodes and one or two inputs."""
    g = Graph(seed)
    shape = g.pick(SHAPES)
    g.input(shape)
    if g.random.integers(2):
        g.input(shape if g.random.integers(2) else g.pick(SHAPES))
    tries = 0
    while len(g.nodes) < ops and (tries := tries + 1) < 500:
        g.grow()
    return g.model()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models with dynamic dimensions, from a seed. A size is a vector: what it is at each point of the ranges."""
import itertools

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
MOST_ELEMENTS = 6000


class Value:
    """`exact`: no rounding can have changed it, so it may decide (ArgMax, TopK, compare, Cast)."""

    def __init__(self, name, shape, exact):
        self.name, self.shape, self.exact = name, list(shape), exact

    @property
    def rank(self):
        return len(self.shape)


class Graph:
    """Grows a graph op by op. `dims` maps names to lists of sizes."""

    def __init__(self, seed, dims):
        self.random = np.random.default_rng(seed)
        self.dims = dims
        self.points = [dict(zip(dims, point)) for point in itertools.product(*dims.values())]
        self.nodes, self.constants, self.inputs, self.values, self.used = [], [], [], [], set()

    def size(self, value):
        """A constant, or a named dimension, at all points."""
        return np.array([point[value] if isinstance(value, str) else value for point in self.points])

    def chance(self, one_in):
        return self.random.integers(one_in) == 0

    def pick(self, options):
        return options[self.random.integers(len(options))]

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def ints(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def weight(self, *shape):
        fan = max(1, int(np.prod(shape[1:])) if len(shape) > 2 else shape[0] if shape else 1)
        return self.constant((self.random.standard_normal(shape) / np.sqrt(fan)).astype(np.float32))

    def input(self, *shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        self.values.append(Value(name, map(self.size, shape), True))

    def node(self, op, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        inputs = [value.name if isinstance(value, Value) else value for value in inputs]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{len(self.nodes)}", **attributes))
        self.used.update(inputs)
        return names[0] if outputs == 1 else names

    def add(self, name, shape, exact):
        shape = [self.size(size) if np.isscalar(size) else size for size in shape]
        self.values.append(Value(name, shape, exact))
        return self.values[-1]

    def emit(self, op, inputs, shape, exact=False, **attributes):
        return self.add(self.node(op, *inputs, **attributes), shape, exact)

    def fixed(self, size):
        """The size if it is the same at all points, else None."""
        size = np.asarray(size)
        return int(size.flat[0]) if (size == size.flat[0]).all() else None

    def same(self, a, b):
        return (np.asarray(a) == np.asarray(b)).all()

    def shape_of(self, value, dim):
        """A dimension of a value, as a vector of one element, as exporters write it."""
        size = self.node("Gather", self.node("Shape", value), self.constant(np.array(dim, np.int64)), axis=0)
        return self.node("Unsqueeze", size, self.ints(0))

    def grow(self):
        at = max(self.random.integers(len(self.values)), self.random.integers(len(self.values)))
        x = self.values[at]
        if np.prod([size.max() for size in x.shape]) <= MOST_ELEMENTS:
            self.pick(STEPS)(self, x)

    def model(self):
        outputs = [value for value in self.values if value.name not in self.used and value.name.startswith("v")]
        graph = helper.make_graph(
            self.nodes, "random", [value for value in self.inputs if value.name in self.used],
            [helper.make_tensor_value_info(value.name, TensorProto.FLOAT, [
                self.fixed(size) if self.fixed(size) is not None else f"{value.name}_{dim}"
                for dim, size in enumerate(value.shape)]) for value in outputs], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def unary(g, x):
    op = g.pick(["Relu", "Sigmoid", "Tanh", "Erf", "Abs", "Neg", "HardSwish", *["Floor"] * int(x.exact)])
    g.emit(op, [x], x.shape, x.exact and op in ("Relu", "Abs", "Neg", "Floor"))


def scaled(g, x):
    last = g.fixed(x.shape[-1]) if x.rank else None
    other = g.weight(last) if last and g.chance(2) else g.weight(1)
    op = g.pick(["Add", "Mul", "Sub", "Max", "Div"])
    g.emit(op, [other, x] if op == "Sub" else [x, other] if op != "Div" else [x, g.constant(np.float32([1.7]))],
           x.shape or [1], x.exact and op == "Max")


def joined(g, x):
    alike = [v for v in g.values if v.rank == x.rank and all(map(g.same, v.shape, x.shape))]
    y = g.pick(alike)
    op = g.pick(["Add", "Sub", "Mul", "Min", "Max"])
    g.emit(op, [x, y], x.shape, op in ("Min", "Max") and x.exact and y.exact)


def chosen(g, x):
    if not x.exact:
        return unary(g, x)
    condition = g.node(g.pick(["Less", "GreaterOrEqual"]), x, g.constant(np.float32(0.2)))
    if g.chance(3):
        condition = g.node("Not", condition)
    g.emit("Where", [condition, x, g.constant(np.float32(g.pick([0, -3, 7])))], x.shape, True)


def whole_numbers(g, x):
    """Through integers."""
    if not x.exact or not x.rank:
        return unary(g, x)
    number = g.node("Cast", g.node("Floor", g.node("Mul", g.node("Clip", x, g.constant(np.float32(-50)), g.constant(np.float32(50))),
                                                   g.constant(np.float32(4)))), to=g.pick([TensorProto.INT64, TensorProto.INT32]))
    axis = int(g.random.integers(x.rank))
    op = g.pick(["ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"][:3])
    shape = list(x.shape)
    shape[axis] = 1
    reduced = g.node(op, number, g.ints(axis), keepdims=1) if op == "ReduceSum" else g.node(op, number, axes=[axis], keepdims=1)
    g.emit("Cast", [reduced], shape, True, to=TensorProto.FLOAT)


def product(g, x):
    if x.rank < 2:
        return unary(g, x)
    kind = g.random.integers(4)
    perm = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    depth = g.fixed(x.shape[-1])
    scale = g.constant(np.float32(0.3))
    if kind == 0 and depth:
        width = int(g.random.integers(1, 9))
        return g.emit("MatMul", [x, g.weight(depth, width)], [*x.shape[:-1], width])
    bounded = g.node("Tanh", x)
    if kind == 1:  # the columns are padded, too
        y = g.node("MatMul", bounded, g.node("Transpose", bounded, perm=perm))
        return g.emit("Mul", [y, scale], [*x.shape[:-1], x.shape[-2]])
    if kind == 2:  # along the padded dimension
        y = g.node("MatMul", g.node("Transpose", bounded, perm=perm), bounded)
        return g.emit("Mul", [y, scale], [*x.shape[:-2], x.shape[-1], x.shape[-1]])
    scores = g.node("MatMul", bounded, g.node("Transpose", bounded, perm=perm))
    g.emit("MatMul", [g.node("Softmax", g.node("Mul", scores, scale), axis=-1), x], x.shape)


def softmax(g, x):
    if x.rank:
        g.emit(g.pick(["Softmax", "LogSoftmax"]), [x], x.shape, axis=int(g.random.integers(x.rank)))


def reduction(g, x):
    if not x.rank:
        return unary(g, x)
    count = int(g.random.integers(1, min(x.rank, 2) + 1))
    axes = sorted(map(int, g.random.choice(x.rank, count, replace=False)))
    op = g.pick(["Sum", "Mean", "Max", "Min", "L1", "L2", "LogSumExp", "SumSquare", "Prod"])
    source = x
    if op == "Prod":
        source = g.node("Add", g.node("Mul", g.node("Tanh", x), g.constant(np.float32(0.05))), g.constant(np.float32(1)))
    keep = int(g.chance(2))
    shape = [1 if dim in axes else size for dim, size in enumerate(x.shape) if keep or dim not in axes]
    if op == "Sum":
        return g.emit("ReduceSum", [source, g.ints(*axes)], shape, keepdims=keep)
    g.emit(f"Reduce{op}", [source], shape, x.exact and op in ("Max", "Min"), axes=axes, keepdims=keep)


def place(g, x):
    if not x.exact or not x.rank:
        return softmax(g, x)
    axis = int(g.random.integers(x.rank))
    shape = list(x.shape)
    if g.chance(2) and x.shape[axis].min() >= 2:
        shape[axis] = 2
        values, _ = g.node("TopK", x, g.ints(2), outputs=2, axis=axis, largest=1)
        return g.add(values, shape, True)
    shape[axis] = 1
    index = g.node(g.pick(["ArgMax", "ArgMin"]), x, axis=axis, keepdims=1)
    g.emit("Cast", [index], shape, True, to=TensorProto.FLOAT)


def running(g, x):
    if x.rank:
        axis = g.constant(np.array(g.random.integers(x.rank), np.int64))
        g.emit("CumSum", [x, axis], x.shape, exclusive=int(g.chance(2)), reverse=int(g.chance(3)))


def gathered(g, x):
    if not x.rank:
        return
    axis = int(g.random.integers(x.rank))
    least = x.shape[axis].min()
    indices = [int(g.random.integers(-least, least)) for _ in range(int(g.random.integers(1, 4)))]
    shape = list(x.shape)
    if len(indices) == 1 and g.chance(2):
        del shape[axis]
        return g.emit("Gather", [x, g.constant(np.array(indices[0], np.int64))], shape, x.exact, axis=axis)
    shape[axis] = len(indices)
    g.emit("Gather", [x, g.ints(*indices)], shape, x.exact, axis=axis)


def concatenated(g, x):
    if not x.rank:
        return
    axis = int(g.random.integers(x.rank))
    alike = [v for v in g.values if v.rank == x.rank and
             all(dim == axis or g.same(a, b) for dim, (a, b) in enumerate(zip(v.shape, x.shape)))]
    parts = [x, g.pick(alike)] + ([g.pick(alike)] if g.chance(3) else [])
    parts = [parts[i] for i in g.random.permutation(len(parts))]
    shape = list(x.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    g.emit("Concat", parts, shape, all(part.exact for part in parts), axis=axis)


def sliced(g, x):
    if not x.rank:
        return
    axis = int(g.random.integers(x.rank))
    size, step = x.shape[axis], int(g.pick([1, 1, 1, 2, -1]))
    start = int(g.random.integers(-2, 3))
    end = int(g.pick([2**62, -1, 3, -2]))
    if step < 0:
        start, end = -1, -2**62
    count = [len(range(int(n))[start:end if abs(end) < 2**60 else None:step]) for n in size]
    if min(count) < 1:
        return
    shape = list(x.shape)
    shape[axis] = np.array(count)
    g.emit("Slice", [x, g.ints(start), g.ints(end), g.ints(axis), g.ints(step)], shape, x.exact)


def padded(g, x):
    if not x.rank:
        return
    axis, low, high = int(g.random.integers(x.rank)), int(g.random.integers(0, 3)), int(g.random.integers(0, 3))
    mode = g.pick(["constant", "constant", "edge", "reflect"])
    if mode == "reflect" and x.shape[axis].min() <= 3:
        return
    pads = [0] * (2 * x.rank)
    pads[axis], pads[axis + x.rank] = low, high
    shape = list(x.shape)
    shape[axis] = shape[axis] + low + high
    value = [g.constant(np.float32(g.pick([0, 0, -2])))] if mode == "constant" else []
    g.emit("Pad", [x, g.ints(*pads), *value], shape, x.exact, mode=mode)


def transposed(g, x):
    if not x.rank:
        return unary(g, x)
    perm = [int(i) for i in g.random.permutation(x.rank)]
    g.emit("Transpose", [x], [x.shape[i] for i in perm], x.exact, perm=perm)


def reshaped(g, x):
    """By shape arithmetic: dimensions of its own are computed."""
    kind = g.random.integers(4)
    if kind == 0 or x.rank < 2:
        axis = int(g.random.integers(x.rank + 1))
        return g.emit("Unsqueeze", [x, g.ints(axis)], [*x.shape[:axis], 1, *x.shape[axis:]], x.exact)
    if kind == 1:  # the last dimension in two
        last = g.fixed(x.shape[-1])
        if not last or last % 2 != 0:
            return transposed(g, x)
        parts = [g.shape_of(x, dim) for dim in range(x.rank - 1)] + [g.ints(2), g.ints(-1)]
        return g.emit("Reshape", [x, g.node("Concat", *parts, axis=0)], [*x.shape[:-1], 2, last // 2], x.exact)
    at = int(g.random.integers(x.rank - 1))  # two dimensions in one
    parts = [g.shape_of(x, dim) if dim != at else g.ints(-1) for dim in range(x.rank) if dim != at + 1]
    g.emit("Reshape", [x, g.node("Concat", *parts, axis=0)],
           [*x.shape[:at], x.shape[at] * x.shape[at + 1], *x.shape[at + 2:]], x.exact)


def merged_and_apart(g, x):
    """Rows of all of a batch, as products have them."""
    if x.rank < 3 or not g.fixed(x.shape[-1]):
        return reshaped(g, x)
    depth, width = g.fixed(x.shape[-1]), int(g.random.integers(2, 6))
    rows = g.node("Reshape", x, g.ints(-1, depth))
    y = g.node("Gemm", rows, g.weight(depth, width), g.weight(width))
    parts = [g.shape_of(x, dim) for dim in range(x.rank - 1)] + [g.ints(width)]
    g.emit("Reshape", [y, g.node("Concat", *parts, axis=0)], [*x.shape[:-1], width])


def expanded(g, x):
    """Numbers that follow a dimension's size: positions, a count, or ones."""
    if not x.rank:
        return
    axis = int(g.random.integers(x.rank))
    size = g.node("Squeeze", g.shape_of(x, axis), g.ints(0))
    kind = g.random.integers(3)
    if kind == 0:
        zero, one = g.constant(np.array(0, np.int64)), g.constant(np.array(1, np.int64))
        numbers = g.node("Cast", g.node("Range", zero, size, one), to=TensorProto.FLOAT)
        if x.rank - 1 - axis:
            numbers = g.node("Unsqueeze", numbers, g.ints(*range(1, x.rank - axis)))
        return g.emit("Add", [x, g.node("Mul", numbers, g.constant(np.float32(0.1)))], x.shape)
    if kind == 1:
        return g.emit("Div", [x, g.node("Cast", size, to=TensorProto.FLOAT)], x.shape)
    ones = g.node("ConstantOfShape", g.node("Shape", x), value=numpy_helper.from_array(np.float32([1.5])))
    g.emit("Mul", [x, ones], x.shape)


def broadcast(g, x):
    """Expands a row to all others."""
    if x.rank < 2:
        return
    axis = int(g.random.integers(x.rank))
    first = g.node("ReduceMax", x, axes=[axis], keepdims=1)
    g.emit("Expand", [first, g.node("Shape", x)], x.shape, x.exact)


def convolution(g, x):
    channels = g.fixed(x.shape[1]) if x.rank in (3, 4) else None
    if not channels or channels > 16:
        return product(g, x)
    spatial = x.rank - 2
    kernel, pads = int(g.random.integers(1, 4)), int(g.random.integers(0, 2))
    stride, dilation = int(g.pick([1, 1, 2])), int(g.pick([1, 1, 2]))
    out = [(size + 2 * pads - dilation * (kernel - 1) - 1) // stride + 1 for size in x.shape[2:]]
    if min(size.min() for size in out) < 1:
        return
    common = dict(kernel_shape=[kernel] * spatial, strides=[stride] * spatial, pads=[pads] * 2 * spatial)
    kind = g.random.integers(6)
    if kind == 0 and pads < kernel:
        if dilation == 1:
            return g.emit("MaxPool", [x], [*x.shape[:2], *out], x.exact, **common)
        return
    if kind == 1 and pads < kernel:
        if dilation == 1:
            return g.emit("AveragePool", [x], [*x.shape[:2], *out], count_include_pad=int(g.chance(2)), **common)
        return
    common["dilations"] = [dilation] * spatial
    filters = int(g.random.integers(1, 7))
    if kind == 2:
        return g.emit("Conv", [x, g.weight(channels, 1, *[kernel] * spatial), g.weight(channels)],
                      [*x.shape[:2], *out], group=channels, **common)
    if kind == 3 and pads < kernel and dilation == 1:
        up = [(size - 1) * stride - 2 * pads + kernel for size in x.shape[2:]]
        if min(size.min() for size in up) >= 1:
            g.emit("ConvTranspose", [x, g.weight(channels, filters, *[kernel] * spatial)], [x.shape[0], filters, *up], **common)
        return
    g.emit("Conv", [x, g.weight(filters, channels, *[kernel] * spatial), g.weight(filters)], [x.shape[0], filters, *out], **common)


def normalized(g, x):
    channels = g.fixed(x.shape[1]) if x.rank in (3, 4) else None
    kind = g.random.integers(4)
    # For one number that is large, ONNX Runtime computes the difference from the mean with few digits.
    if kind == 0 and channels and np.prod(x.shape[2:], axis=0).min() > 1:
        return g.emit("InstanceNormalization", [x, g.weight(channels), g.weight(channels)], x.shape, epsilon=1e-3)
    if kind == 1 and channels:
        return g.emit("GlobalAveragePool", [x], [*x.shape[:2], *[1] * (x.rank - 2)])
    if kind == 2 and channels:
        positive = g.constant(g.random.uniform(0.5, 2, channels).astype(np.float32))
        return g.emit("BatchNormalization", [x, g.weight(channels), g.weight(channels), g.weight(channels), positive], x.shape)
    width = g.fixed(x.shape[-1]) if x.rank else None
    if not width or width < 2:
        return reduction(g, x)
    g.emit("LayerNormalization", [x, g.weight(width), g.weight(width)], x.shape, axis=-1, epsilon=1e-3)


def resized(g, x):
    if x.rank not in (3, 4):
        return transposed(g, x)
    scales = g.constant(np.float32([1, 1, *[2] * (x.rank - 2)]))
    nearest = g.chance(2)
    how = dict(mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor") if nearest else \
        dict(mode="linear", coordinate_transformation_mode="half_pixel")
    g.emit("Resize", [x, "", scales], [*x.shape[:2], *[2 * size for size in x.shape[2:]]], x.exact and nearest, **how)


def quantized(g, x):
    """Only what no rounding has changed: a last digit may round to another step."""
    if not x.exact:
        return unary(g, x)
    scale, zero = g.constant(np.float32(0.07)), g.constant(g.pick([np.uint8(119), np.int8(-9)]))
    g.emit("DequantizeLinear", [g.node("QuantizeLinear", x, scale, zero), scale, zero], x.shape, True)


def tiled(g, x):
    if not x.rank:
        return
    repeats = [int(g.pick([1, 1, 2, 3])) for _ in x.shape]
    if g.chance(3):  # as often as there are samples
        axis = int(g.random.integers(x.rank))
        if not g.fixed(x.shape[axis]):
            return
        sample = next(v for v in g.values if v.name in ("x0", "x1"))
        count = [g.ints(1)] * axis + [g.shape_of(sample, 0)] + [g.ints(1)] * (x.rank - 1 - axis)
        shape = [size * sample.shape[0] if dim == axis else size for dim, size in enumerate(x.shape)]
        return g.emit("Tile", [x, g.node("Concat", *count, axis=0)], shape, x.exact)
    g.emit("Tile", [x, g.ints(*repeats)], [size * count for size, count in zip(x.shape, repeats)], x.exact)


def split(g, x):
    if not x.rank:
        return
    axis = int(g.random.integers(x.rank))
    size = g.fixed(x.shape[axis])
    if not size or size < 2:
        return
    first = int(g.random.integers(1, size))
    parts = g.node("Split", x, g.ints(first, size - first), outputs=2, axis=axis)
    for part, count in zip(parts, (first, size - first)):
        g.add(part, [*x.shape[:axis], count, *x.shape[axis + 1:]], x.exact)


def triangle(g, x):
    if x.rank >= 2:
        k = g.constant(np.array(g.random.integers(-1, 2), np.int64))
        g.emit("Trilu", [x, k], x.shape, x.exact, upper=int(g.chance(2)))


def blocks(g, x):
    if x.rank != 4:
        return reshaped(g, x)
    channels = g.fixed(x.shape[1])
    if channels and channels % 4 == 0 and g.chance(2):
        mode = g.pick(["DCR", "CRD"])
        return g.emit("DepthToSpace", [x], [x.shape[0], channels // 4, x.shape[2] * 2, x.shape[3] * 2], x.exact, blocksize=2, mode=mode)
    if channels and not any((size % 2).any() for size in x.shape[2:]):
        g.emit("SpaceToDepth", [x], [x.shape[0], channels * 4, x.shape[2] // 2, x.shape[3] // 2], x.exact, blocksize=2)


def summed(g, x):
    """Products by Einsum."""
    if x.rank != 3:
        return product(g, x)
    text = g.pick(["abc,abd->acd", "abc,adc->abd", "abc,abc->ab", "abc,abc->ac", "abc,abc->b"])
    bounded = g.node("Mul", g.node("Tanh", x), g.constant(np.float32(0.3)))
    sizes = dict(zip("abc", x.shape), d=x.shape[2] if text.startswith("abc,abd") else x.shape[1])
    g.emit("Einsum", [bounded, bounded], [sizes[letter] for letter in text.split(">")[1]], equation=text)


STEPS = [unary, scaled, joined, chosen, whole_numbers, product, product, softmax, reduction, reduction, place, running, gathered,
         concatenated, sliced, padded, transposed, reshaped, merged_and_apart, expanded, broadcast, convolution, convolution,
         normalized, resized, quantized, tiled, tiled, split, triangle, blocks, summed]

# How many sizes, and as --dim says them.
RANGES = {"7..24": range(7, 25), "12..24:4": range(12, 25, 4), "1..16": range(1, 17), "5..9": range(5, 10), "8..32:8": range(8, 33, 8)}


def random_model(seed):
    """A model and its --dim options."""
    random = np.random.default_rng([seed, 1])
    text = [*RANGES][random.integers(len(RANGES))]
    batch = ["2", "1..3"][random.integers(2)]
    sizes = {"batch": [2] if batch == "2" else [1, 2, 3], "n": [*RANGES[text]]}
    options = {"batch": batch, "n": text}
    kind = random.integers(3)
    if kind == 2:
        sizes["w"], options["w"] = [10], "10"
        if random.integers(2):
            sizes["w"], options["w"] = [*range(6, 11)], "6..10"
    graph = Graph(seed, sizes)
    if kind == 0:
        graph.input("batch", "n", 6)
    elif kind == 1:
        graph.input("batch", 4, "n")
    else:
        graph.input("batch", 3, "n", "w")
    if random.integers(3) == 0:
        graph.input(*[[("batch", "n", 6), ("batch", 4, "n"), ("batch", 3, "n", "w")][kind], ("batch", 1, "n")][random.integers(2) if kind < 2 else 0])
    wanted = int(random.integers(2, 12))
    for _ in range(60):
        if len(graph.values) - len(graph.inputs) >= wanted:
            break
        graph.grow()
    return graph.model(), [f"{name}:{sizes}" for name, sizes in options.items()]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generators of op_properties.py, a family after the other."""
import math

from bundles import np
from op_cases_dense import windows
from op_cases_elementwise import erf, gelu_tanh
from op_properties import FLOATS, op

# Some of the reference's functions have constants in f32: the factor on the tolerance of double.
CONSTANTS_IN_F32 = 1e4


# Elementwise.

@op("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor",
    "HardSwish", "Identity", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh",
    "Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "Not", "BitwiseNot", "IsNaN", "Log")
def unary(g, name):
    low, high = {"Acos": (-1, 1), "Asin": (-1, 1), "Atanh": (-0.75, 0.75), "Acosh": (1, 9), "Log": (0.25, 8),
                 "Sqrt": (0, 9), "Reciprocal": (0.25, 4), "Tan": (-1.25, 1.25)}.get(name, (-4, 4))
    x = g.values(g.shape(0), low, high)
    if name == "HardSwish":
        g.tolerance = 4 if g.element != "double" else CONSTANTS_IN_F32
    if name == "IsNaN" and g.is_float:
        x = np.where(x > 2, np.nan, x)
    # The reference supports no scalars in Softsign, and only f32 in Erf.
    expected = x / (1 + np.abs(x)) if name == "Softsign" else erf(x) if name == "Erf" and x.size else None
    g.result(g.node(name, [g.operand(x)]), "bool" if name == "IsNaN" else None, expected)


@op("Celu", "Elu", "LeakyRelu", "ThresholdedRelu", "Swish")
def with_alpha(g, name):
    g.result(g.node(name, [g.tensor(g.shape())], alpha=float(g.pick(0.5, 1.0, 1.5))))


@op("Gelu")
def gelu(g, name):
    x, approximate = g.values(g.shape()), g.pick("none", "tanh")
    expected = gelu_tanh(x) if approximate == "tanh" else x * (1 + erf(x / math.sqrt(2))) / 2
    g.result(g.node(name, [g.operand(x)], approximate=approximate), expected=expected)


@op("Selu", "HardSigmoid", "Shrink", "IsInf")
def with_options(g, name):
    x = g.values(g.shape())
    options = {
        "Selu": lambda: dict(alpha=1.5, gamma=1.25), "HardSigmoid": lambda: dict(alpha=0.25, beta=0.5),
        "Shrink": lambda: dict(lambd=1.5, bias=g.pick(0.0, 1.5)),
        "IsInf": lambda: dict(detect_negative=g.pick(0, 1), detect_positive=g.pick(0, 1)),
    }[name]() if g.maybe(0.8) else {}
    if name == "IsInf" and g.is_float:
        x = np.where(np.abs(x) > 3, np.copysign(np.inf, x), x)
    g.result(g.node(name, [g.operand(x)], **options), "bool" if name == "IsInf" else None)


@op("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual",
    "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mod", "PRelu", "Pow", "BitShift")
def binary(g, name):
    shape = g.shape(0)
    shapes = [shape, g.broadcast(shape)]
    if name != "PRelu" and g.maybe():
        shapes.reverse()
    a, b = g.values(shapes[0]), g.values(shapes[1])
    attributes = {}
    if name in ("Div", "Mod"):
        b = np.where(b == 0, 1, b)
    if name == "Sub" and g.element.startswith("u"):
        a = a + 4
    if name == "Mod":
        attributes["fmod"] = 1 if g.is_float else g.pick(0, 1)
    if name == "Pow":
        a, b = np.abs(a) + (0.25 if g.is_float else 0), np.where(np.abs(b) > 2, 2, b)
        b = b if g.is_float else np.abs(b)
    if name == "BitShift":
        attributes["direction"] = g.pick("LEFT", "RIGHT")
    compares = name in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
    g.result(g.node(name, [g.operand(a), g.operand(b)], **attributes), "bool" if compares else None)


@op("Max", "Min", "Mean", "Sum")
def variadic(g, name):
    shape = g.shape()
    operands = [g.tensor(shape)] + [g.tensor(g.broadcast(shape)) for _ in range(g.random.integers(0, 3))]
    g.result(g.node(name, operands))


@op("Where", type_of=1)
def where(g, name):
    shape = g.shape()
    condition = g.random.integers(0, 2, g.broadcast(shape))
    g.result(g.node(name, [g.operand(condition, "bool"), g.tensor(g.broadcast(shape)), g.tensor(shape)]))


@op("Clip")
def clip(g, name):
    bounds = ["" if g.maybe(0.3) else g.constant(value, g.element) for value in (1, 3)]
    g.result(g.node(name, [g.tensor(g.shape()), *bounds]))


@op("Cast", "CastLike")
def cast(g, name):
    target = g.pick("float", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "bool")
    # In the range of every type. What a fraction becomes as an integer is what C does.
    x = g.operand(np.abs(g.values(g.shape(), 0, 7)))
    if name == "Cast":
        g.result(g.node(name, [x], to=("type", target)), target)
    else:
        g.result(g.node(name, [x, g.given(np.zeros(2), target)]), target)


# Movement.

@op("Transpose")
def transpose(g, name):
    shape = g.shape(0, 5)
    options = {"perm": [int(i) for i in g.random.permutation(len(shape))]} if shape and g.maybe(0.8) else {}
    g.result(g.node(name, [g.tensor(shape)], **options))


@op("Reshape")
def reshape(g, name):
    shape = g.shape(1, 4)
    total = int(np.prod(shape))
    first = g.pick(*[d for d in range(1, total + 1) if total % d == 0])
    wanted = g.pick([-1], [first, -1], [0, -1], [1, first, total // first], [total, 1, 1])
    g.result(g.node(name, [g.tensor(shape), g.constant(wanted)]))


@op("Flatten")
def flatten(g, name):
    shape = g.shape(1, 4)
    g.result(g.node(name, [g.tensor(shape)], axis=int(g.random.integers(-len(shape), len(shape) + 1))))


@op("Squeeze", "Unsqueeze")
def squeeze(g, name):
    shape = g.shape(0, 3)
    added = [int(a) for a in g.random.permutation(len(shape) + 2)[:2]]
    long = list(shape)
    for a in sorted(added):
        long.insert(a, 1)
    axes = [a - len(long) if g.maybe() else a for a in added]
    x = g.tensor(tuple(long) if name == "Squeeze" else shape)
    inputs = [x] if name == "Squeeze" and g.maybe(0.3) else [x, g.constant(axes)]
    g.result(g.node(name, inputs))


@op("Expand")
def expand(g, name):
    shape = g.shape()
    g.result(g.node(name, [g.tensor(g.broadcast(shape)), g.constant(list(shape))]))


@op("Tile")
def tile(g, name):
    shape = g.shape()
    g.result(g.node(name, [g.tensor(shape), g.constant([g.size(3) for _ in shape])]))


@op("Concat")
def concat(g, name):
    shape = list(g.shape())
    axis = g.axis(len(shape))
    parts = []
    for _ in range(g.random.integers(1, 4)):
        shape[axis] = g.size()
        parts.append(g.tensor(tuple(shape)))
    g.result(g.node(name, parts, axis=axis))


@op("Split")
def split(g, name):
    shape = list(g.shape())
    axis, sizes = g.axis(len(shape)), [g.size() for _ in range(g.random.integers(1, 4))]
    shape[axis] = sum(sizes)
    x = g.tensor(tuple(shape))
    if g.maybe():
        results = g.node(name, [x, g.constant(sizes)], len(sizes), axis=axis)
    else:
        results = g.node(name, [x], min(shape[axis], 3), axis=axis, num_outputs=min(shape[axis], 3))
        # Equal parts, the last one smaller; the reference wants that it is not empty.
        if (min(shape[axis], 3) - 1) * -(-shape[axis] // min(shape[axis], 3)) >= shape[axis]:
            g.nodes.pop()
            results = g.node("Identity", [x])
    for result in results if isinstance(results, list) else [results]:
        g.result(result)


@op("Slice")
def slice_(g, name):
    shape = g.shape()
    axes = g.axes(len(shape))
    starts, ends, steps = [], [], []
    for axis in axes:
        n, step = shape[axis], g.pick(1, 2, 3, -1, -2)
        first, last = sorted(int(v) for v in g.random.integers(0, n, 2))
        start, end = (first, last + 1) if step > 0 else (last, first - 1 if first else -1000)
        starts.append(start - n if g.maybe() else start)
        ends.append(g.pick(end, end - n) if 0 <= end < n and step > 0 else 10**6 if step > 0 and end == n else end)
        steps.append(step)
    g.result(g.node(name, [g.tensor(shape), *map(g.constant, (starts, ends, axes, steps))]))


@op("Pad")
def pad(g, name):
    shape = tuple(n + 2 for n in g.shape())
    mode = g.pick("constant", "constant", "edge", "reflect")
    least = -1 if mode == "constant" else 0
    pads = g.random.integers(least, 3, (2, len(shape)))
    value = [g.constant(1, g.element)] if mode == "constant" and g.maybe() else []
    x = g.values(shape)
    padded = np.pad(x, np.maximum(pads, 0).T, mode, **({"constant_values": 1} if value else {}))
    kept = tuple(slice(max(-a, 0), n - max(-b, 0)) for a, b, n in zip(*pads, padded.shape))
    g.result(g.node(name, [g.operand(x), g.constant(pads.ravel()), *value], mode=mode), expected=padded[kept])


@op("Gather", "GatherElements")
def gather(g, name):
    shape = g.shape()
    axis = g.axis(len(shape))
    x, taken = g.values(shape), g.shape(0, 2)
    if name == "GatherElements":
        taken = tuple(g.size() if i == axis % len(shape) else int(g.random.integers(1, n + 1))
                      for i, n in enumerate(shape))
    at = g.random.integers(-shape[axis], shape[axis], taken)
    if name == "Gather":
        expected = np.take(x, at, axis)
    else:
        whole = tuple(slice(None) if i == axis % len(shape) else slice(n) for i, n in enumerate(taken))
        expected = np.take_along_axis(x[whole], at, axis)
    g.result(g.node(name, [g.operand(x), g.operand(at, g.pick("int32", "int64"))], axis=axis), expected=expected)


@op("GatherND")
def gather_nd(g, name):
    shape = g.shape(2, 4)
    batch = int(g.random.integers(0, 2))
    depth = int(g.random.integers(1, len(shape) - batch + 1))
    lead = shape[:batch] + g.shape(0, 2)
    indices = np.stack([g.random.integers(-n, n, lead) for n in shape[batch:batch + depth]], -1)
    g.result(g.node(name, [g.tensor(shape), g.operand(indices, "int64")], batch_dims=batch))


@op("DepthToSpace", "SpaceToDepth")
def blocks(g, name):
    block, shape = int(g.pick(1, 2, 3)), g.shape(4, 4, 3)
    options = {}
    if name == "DepthToSpace":
        shape = (shape[0], shape[1] * block * block, *shape[2:])
        options["mode"] = g.pick("DCR", "CRD")
    else:
        shape = (*shape[:2], shape[2] * block, shape[3] * block)
    g.result(g.node(name, [g.tensor(shape)], blocksize=block, **options))


@op("Trilu")
def trilu(g, name):
    g.result(g.node(name, [g.tensor(g.shape(2, 4)), g.constant(int(g.random.integers(-3, 4)))],
                    upper=g.pick(0, 1)))


@op("EyeLike")
def eye_like(g, name):
    g.result(g.node(name, [g.tensor(g.shape(2, 2))], k=int(g.random.integers(-2, 3))))


@op("OneHot", type_of=2)
def one_hot(g, name):
    indices, depth = g.shape(1, 3), int(g.random.integers(1, 6))
    at, axis = g.random.integers(-depth, depth, indices), g.axis(len(indices) + 1)
    expected = np.moveaxis((at[..., None] % depth == np.arange(depth)), -1, axis)
    g.result(g.node(name, [g.operand(at, "int64"), g.constant(depth), g.constant([0, 1], g.element)], axis=axis),
             expected=expected)


@op("Shape", "Size")
def shape_of(g, name):
    shape = g.shape()
    options = {"start": g.axis(len(shape)), "end": len(shape)} if name == "Shape" and g.maybe() else {}
    g.result(g.node(name, [g.tensor(shape)], **options), "int64")


# Reductions.

@op("ReduceL2", "ReduceLogSum", "ReduceLogSumExp", elements=FLOATS)  # Roots of integers are rounded differently.
@op("ReduceL1", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
def reduce(g, name):
    shape = g.shape(1, 4, 5)
    low, high = {"ReduceProd": (1, 1.25), "ReduceLogSum": (0.25, 4)}.get(name, (-4, 4))
    # Sums of integers must fit into eight bits, and products.
    if not g.is_float:
        low, high = (1, 2 if np.prod(shape) < 6 else 1) if name in ("ReduceProd", "ReduceLogSum") else (-1, 1)
    options = {"keepdims": g.pick(0, 1)} if g.maybe(0.8) else {}
    axes = [g.constant(g.axes(len(shape)))] if g.maybe(0.8) else []
    if not axes and g.maybe(0.3):
        options["noop_with_empty_axes"] = 1
    g.result(g.node(name, [g.tensor(shape, low, high), *axes], **options))


@op("ArgMax", "ArgMin")
def arg(g, name):
    shape = g.shape()
    g.result(g.node(name, [g.tensor(shape, -2, 2, 1)], axis=g.axis(len(shape)), keepdims=g.pick(0, 1),
                    select_last_index=g.pick(0, 1)), "int64")


@op("Softmax", "LogSoftmax", "Hardmax")
def along_axis(g, name):
    shape = g.shape()
    options = {"axis": g.axis(len(shape))} if g.maybe(0.8) else {}
    g.result(g.node(name, [g.tensor(shape)], **options))


@op("LpNormalization")
def lp_normalization(g, name):
    shape = g.shape()
    axis, p = g.axis(len(shape)), int(g.pick(1, 2))
    x = g.values(shape)
    x = np.where(x == 0, 1, x)
    norm = (np.abs(x) ** p).sum(axis, keepdims=True) ** (1 / p)  # The reference omits the absolute value.
    g.result(g.node(name, [g.operand(x)], axis=axis, p=p), expected=x / norm)


@op("CumSum")
def cumulative(g, name):
    shape = g.shape()
    x = g.tensor(shape, -2, 2)
    g.result(g.node(name, [x, g.constant(g.axis(len(shape)))], exclusive=g.pick(0, 1), reverse=g.pick(0, 1)))


# Norms.

@op("BatchNormalization", "InstanceNormalization", "GroupNormalization")
def channel_norm(g, name):
    shape = g.shape(3, 5)
    groups = int(g.pick(1, 2))
    if name == "GroupNormalization":
        shape = (shape[0], shape[1] * groups, *shape[2:])
    vectors = [g.operand(g.values(shape[1:2])) for _ in range(3 if name == "BatchNormalization" else 2)]
    if name == "BatchNormalization":
        vectors.append(g.operand(g.values(shape[1:2], 0.5, 3)))
    options = {"num_groups": groups} if name == "GroupNormalization" else {}
    g.tolerance = 4 if g.element != "double" else CONSTANTS_IN_F32
    g.result(g.node(name, [g.tensor(shape), *vectors], epsilon=0.25, **options))


@op("LayerNormalization", "RMSNormalization")
def row_norm(g, name):
    shape = g.shape(2, 4)
    axis = g.axis(len(shape))
    vectors = [g.tensor(shape[axis:]) for _ in range(1 if name == "RMSNormalization" else g.pick(1, 2))]
    g.tolerance = 4 if g.element != "double" else CONSTANTS_IN_F32
    g.result(g.node(name, [g.tensor(shape), *vectors], axis=axis, epsilon=0.25))


@op("MeanVarianceNormalization")
def mean_variance_norm(g, name):
    x = g.values(tuple(n + 2 for n in g.shape(4, 4)))
    axes = tuple(sorted(a % 4 for a in g.axes(4)))
    deviation = x - x.mean(axes, keepdims=True)
    expected = deviation / (np.sqrt((deviation ** 2).mean(axes, keepdims=True)) + 1e-9)
    g.tolerance = 4
    g.result(g.node(name, [g.operand(x)], axes=list(axes)), expected=expected)


@op("LRN")
def local_response_norm(g, name):
    size = int(g.pick(1, 2, 3, 5))
    shape = g.shape(3, 5)
    x = g.values(shape)
    squares = np.pad(x ** 2, [(0, 0), ((size - 1) // 2, size // 2), *[(0, 0)] * (len(shape) - 2)])
    near = sum(squares[:, i:i + shape[1]] for i in range(size))
    expected = x / (1.5 + 0.25 / size * near) ** 0.5
    g.tolerance = 4
    g.result(g.node(name, [g.operand(x)], size=size, alpha=0.25, beta=0.5, bias=1.5), expected=expected)


# Products and windows.

@op("MatMul")
def matmul(g, name):
    m, k, n = g.size(17), g.size(17), g.size(17)
    batch = g.shape(0, 2, 3)
    a, b = (*batch, m, k), (*g.broadcast(batch), k, n)
    if not batch and g.maybe(0.3):
        a, b = g.pick(((k,), b), (a, (k,)), ((k,), (k,)))
    g.result(g.node(name, [g.tensor(a, -2, 2), g.tensor(b, -2, 2)]))


@op("Gemm")
def gemm(g, name):
    m, k, n = g.size(17), g.size(17), g.size(17)
    trans = {"transA": g.pick(0, 1), "transB": g.pick(0, 1)}
    inputs = [g.tensor((k, m) if trans["transA"] else (m, k), -2, 2),
              g.tensor((n, k) if trans["transB"] else (k, n), -2, 2)]
    if g.maybe(0.7):
        inputs.append(g.tensor(g.broadcast((m, n)), -2, 2))
    scales = {"alpha": 0.5, "beta": 2.0} if g.is_float and g.maybe() else {}
    g.result(g.node(name, inputs, **trans, **scales))


def window(g, rank, kernel):
    """Attributes of a window; a kernel that fits whatever the pads are."""
    options = {}
    if g.maybe(0.7):
        options["strides"] = [int(g.pick(1, 2, 3)) for _ in range(rank)]
    if g.maybe(0.4):
        options["dilations"] = [int(g.pick(1, 2)) for _ in range(rank)]
    if g.maybe(0.7):
        options["pads"] = [int(g.random.integers(0, k)) for k in [*kernel, *kernel]]
    return options


@op("Conv")
def conv(g, name):
    rank, groups = int(g.pick(1, 2, 2, 3)), int(g.pick(1, 1, 2, 3))
    per, out = g.size(4), g.size(4)
    kernel = [int(g.pick(1, 2, 3)) for _ in range(rank)]
    x = g.tensor((g.size(2), per * groups, *(g.size(5) + 4 for _ in range(rank))), -2, 2)
    w = g.tensor((out * groups, per, *kernel), -2, 2)
    bias = [g.tensor((out * groups,))] if g.maybe() else []
    g.result(g.node(name, [x, w, *bias], group=groups, **window(g, rank, kernel)))


@op("ConvTranspose")
def conv_transpose(g, name):
    rank = int(g.pick(1, 2, 2))
    channels, out = g.size(4), g.size(4)
    kernel = [int(g.pick(2, 3)) for _ in range(rank)]
    x = g.tensor((g.size(2), channels, *(g.size(5) for _ in range(rank))), -2, 2)
    w = g.tensor((channels, out, *kernel), -2, 2)
    options = {"strides": [int(g.pick(1, 2)) for _ in range(rank)]}
    bias = [g.tensor((out,))] if g.maybe() else []
    g.result(g.node(name, [x, w, *bias], **options))


@op("MaxPool", "AveragePool")
def pool(g, name):
    rank = int(g.pick(1, 2, 2, 3))
    kernel = [int(g.pick(1, 2, 3)) for _ in range(rank)]
    x = g.values((g.size(2), g.size(5), *(g.size(5) + 4 for _ in range(rank))))
    options = window(g, rank, kernel)
    if name == "AveragePool":
        options["count_include_pad"] = g.pick(0, 1)
    fill = 0 if name == "AveragePool" else -1000
    taken, inside = windows(x, kernel, options.get("strides", [1] * rank), options.get("dilations", [1] * rank),
                            options.get("pads", [0] * 2 * rank), fill)
    axes = tuple(range(-rank, 0))
    if name == "MaxPool":
        expected = taken.max(axes)
    else:
        expected = taken.sum(axes) / (np.prod(kernel) if options["count_include_pad"] else inside.sum(axes))
    g.result(g.node(name, [g.operand(x)], kernel_shape=kernel, **options), expected=expected)


@op("GlobalAveragePool", "GlobalMaxPool")
def global_pool(g, name):
    x = g.values(g.shape(3, 5))
    fold = np.max if name == "GlobalMaxPool" else np.mean
    g.result(g.node(name, [g.operand(x)]), expected=fold(x, tuple(range(2, x.ndim)), keepdims=True))


@op("Resize", elements=(*FLOATS, "int8", "uint8", "int32"))
def resize(g, name):
    # Not half_pixel_symmetric and pytorch_half_pixel: op_cases_movement has them.
    mode = g.pick("nearest", "linear") if g.is_float else "nearest"
    options = {"coordinate_transformation_mode": g.pick("half_pixel", "asymmetric", "align_corners"), "mode": mode}
    if mode == "nearest":
        options["nearest_mode"] = g.pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    shape = (g.size(2), g.size(3), g.size(5) + 1, g.size(5) + 1)
    sizes = [*shape[:2], *(int(n * g.pick(1, 2, 4)) for n in shape[2:])]
    g.result(g.node(name, [g.tensor(shape), "", "", g.constant(sizes)], **options))


@op("ReverseSequence")
def reverse_sequence(g, name):
    shape = g.shape(2, 4)
    time = g.pick(0, 1)
    lengths = g.random.integers(1, shape[time] + 1, shape[1 - time])
    g.result(g.node(name, [g.tensor(shape), g.operand(lengths, "int64")], time_axis=time, batch_axis=1 - time))


@op("TopK")
def top_k(g, name):
    # Distinct values along the axis: the order of equal ones is not specified.
    shape = g.shape()
    axis = g.axis(len(shape))
    x = g.random.permuted(np.broadcast_to(np.arange(shape[axis]).reshape(
        [-1 if i == axis % len(shape) else 1 for i in range(len(shape))]), shape), axis=axis % len(shape))
    k = int(g.random.integers(1, shape[axis] + 1))
    values, indices = g.node(name, [g.operand(x), g.constant([k])], 2, axis=axis, largest=g.pick(0, 1), sorted=1)
    g.result(values)
    g.result(indices, "int64")


@op("ScatterElements", "ScatterND")
def scatter(g, name):
    """No index twice, without a reduction: which of two updates stays is not specified."""
    shape = g.shape()
    axis = int(g.random.integers(len(shape)))
    if name == "ScatterElements":
        taken = [int(g.random.integers(1, n + 1)) for n in shape]
        order = g.random.permuted(np.broadcast_to(np.arange(shape[axis]).reshape(
            [-1 if i == axis else 1 for i in range(len(shape))]), shape), axis=axis)
        indices = order[tuple(slice(n) for n in taken)]
        indices = np.where(g.random.integers(0, 2, indices.shape), indices, indices - shape[axis])
        updates, options = g.tensor(indices.shape), {"axis": g.pick(axis, axis - len(shape))}
    else:
        depth = int(g.random.integers(1, len(shape) + 1))
        total = int(np.prod(shape[:depth]))
        flat = g.random.permutation(total)[:g.random.integers(1, total + 1)]
        indices = np.stack(np.unravel_index(flat, shape[:depth]), -1)
        updates, options = g.tensor((len(flat), *shape[depth:])), {}
    g.result(g.node(name, [g.tensor(shape), g.operand(indices, "int64"), updates], **options))


@op("Einsum")
def einsum(g, name):
    """Random letters for two operands; the result keeps some of them, in any order."""
    letters = "abcde"[:int(g.random.integers(2, 6))]
    sizes = {letter: g.size(4) for letter in letters}
    terms = ["".join(g.random.permutation(list(letters))[:g.random.integers(1, min(len(letters), 3) + 1)])
             for _ in range(2)]
    used = sorted(set("".join(terms)))
    kept = "".join(g.random.permutation(used)[:g.random.integers(0, len(used) + 1)])
    operands = [g.values([sizes[letter] for letter in term], -1, 1) for term in terms]
    equation = f"{terms[0]},{terms[1]}->{kept}"
    expected = np.einsum(equation, *operands)
    # Narrow integers hold sums of few products only.
    if not g.is_float and np.abs(expected).max(initial=0) > 100:
        operands, expected = [0 * v for v in operands], 0 * expected
    g.result(g.node(name, [g.operand(v) for v in operands], equation=equation), expected=expected)


@op("CenterCropPad")
def center_crop_pad(g, name):
    """Not an odd difference: where its half is rounded to, onnx's reference and text do not agree."""
    shape = g.shape()
    wanted = [max(n + 2 * int(g.random.integers(-2, 3)), 2 - n % 2) for n in shape]
    g.result(g.node(name, [g.tensor(shape), g.constant(wanted)]))

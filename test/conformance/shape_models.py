# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models with dynamic dimensions, as exporters write them: shapes are computed by Shape, Gather and Concat."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """Nodes and random weights of one graph."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers, self.count = [], [], 0

    def constant(self, array):
        self.count += 1
        name = f"c{self.count}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def ints(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def number(self, value):
        return self.constant(np.array(value, np.float32))

    def weight(self, *shape):
        fan = max(1, int(np.prod(shape[1:])) if len(shape) > 2 else shape[0])
        return self.constant((self.rng.standard_normal(shape) / np.sqrt(fan)).astype(np.float32))

    def vector(self, size, low=-1.0, high=1.0):
        return self.constant(self.rng.uniform(low, high, size).astype(np.float32))

    def __call__(self, op, *inputs, **attributes):
        self.count += 1
        name = f"v{self.count}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=f"{op}_{self.count}", **attributes))
        return name

    def size(self, value, dim):
        """A dimension of a value, as a vector of one element."""
        size = self("Gather", self("Shape", value), self.constant(np.array(dim, np.int64)), axis=0)
        return self("Unsqueeze", size, self.ints(0))

    def linear(self, x, inputs, outputs):
        return self("Add", self("MatMul", x, self.weight(inputs, outputs)), self.vector(outputs))

    def layer_norm(self, x, width):
        mean = self("ReduceMean", x, axes=[-1], keepdims=1)
        centred = self("Sub", x, mean)
        variance = self("ReduceMean", self("Pow", centred, self.number(2)), axes=[-1], keepdims=1)
        y = self("Div", centred, self("Sqrt", self("Add", variance, self.number(1e-5))))
        return self("Add", self("Mul", y, self.vector(width, 0.5, 1.5)), self.vector(width))

    def attention(self, x, width, heads, mask=None):
        size = width // heads
        batch, sequence = self.size(x, 0), self.size(x, 1)

        def split(value):
            shape = self("Concat", batch, sequence, self.ints(heads), self.ints(size), axis=0)
            return self("Transpose", self("Reshape", value, shape), perm=[0, 2, 1, 3])

        q, k, v = [split(self.linear(x, width, width)) for _ in range(3)]
        scores = self("MatMul", q, self("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self("Div", scores, self.number(np.sqrt(size)))
        if mask:
            scores = self("Add", scores, mask)
        y = self("MatMul", self("Softmax", scores, axis=-1), v)
        y = self("Transpose", y, perm=[0, 2, 1, 3])
        shape = self("Concat", batch, sequence, self.ints(width), axis=0)
        return self.linear(self("Reshape", y, shape), width, width)

    def block(self, x, width, heads, mask=None):
        x = self.layer_norm(self("Add", x, self.attention(x, width, heads, mask)), width)
        hidden = self.linear(x, width, 4 * width)
        gelu = self("Add", self("Erf", self("Div", hidden, self.number(np.sqrt(2)))), self.number(1))
        gelu = self("Mul", self("Mul", hidden, gelu), self.number(0.5))
        return self.layer_norm(self("Add", x, self.linear(gelu, 4 * width, width)), width)

    def conv(self, x, inputs, outputs, kernel=3, stride=1, groups=1, pad=None, activation="Relu", dims=2, norm=True):
        pad = kernel // 2 if pad is None else pad
        y = self(
            "Conv", x, self.weight(outputs, inputs // groups, *[kernel] * dims), self.vector(outputs),
            strides=[stride] * dims, pads=[pad] * (2 * dims), group=groups, kernel_shape=[kernel] * dims,
        )  # fmt: skip
        if norm:
            y = self("BatchNormalization", y, self.vector(outputs, 0.5, 1.5), self.vector(outputs),
                     self.vector(outputs), self.vector(outputs, 0.5, 1.5))  # fmt: skip
        if activation == "SiLU":
            return self("Mul", y, self("Sigmoid", y))
        return self(activation, y) if activation else y

    def model(self, inputs, outputs):
        """`inputs` and `outputs`: (name, value or None, type, shape)."""
        for name, value, _, _ in outputs:
            self.nodes.append(helper.make_node("Identity", [value], [name]))
        types = {"f32": TensorProto.FLOAT, "i64": TensorProto.INT64}
        graph = helper.make_graph(
            self.nodes, "model",
            [helper.make_tensor_value_info(name, types[kind], shape) for name, _, kind, shape in inputs],
            [helper.make_tensor_value_info(name, types[kind], shape) for name, _, kind, shape in outputs],
            self.initializers,
        )  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


TEXT = ["batch", "sequence"]


def encoder(layers=2, width=64, heads=4, vocabulary=500, longest=512, seed=0):
    """A text encoder: embeddings, positions from a table, a mask as input, a mean over what is valid."""
    b = Builder(seed)
    positions = b("Slice", b.constant(np.arange(longest, dtype=np.int64)[None]), b.ints(0), b.size("input_ids", 1), b.ints(1))
    x = b("Gather", b.weight(vocabulary, width), "input_ids")
    x = b.layer_norm(b("Add", x, b("Gather", b.weight(longest, width), positions)), width)
    mask = b("Cast", b("Unsqueeze", b("Unsqueeze", "attention_mask", b.ints(1)), b.ints(2)), to=TensorProto.FLOAT)
    bias = b("Mul", b("Sub", b.number(1), mask), b.number(np.finfo(np.float32).min))
    for _ in range(layers):
        x = b.block(x, width, heads, bias)
    weights = b("Cast", b("Unsqueeze", "attention_mask", b.ints(-1)), to=TensorProto.FLOAT)
    total = b("ReduceSum", b("Mul", x, weights), b.ints(1), keepdims=0)
    count = b("Clip", b("ReduceSum", weights, b.ints(1), keepdims=0), b.number(1e-9))
    return b.model(
        [("input_ids", None, "i64", TEXT), ("attention_mask", None, "i64", TEXT)],
        [("last_hidden_state", x, "f32", [*TEXT, width]), ("embedding", b("Div", total, count), "f32", ["batch", width])],
    )


def decoder(layers=2, width=64, heads=4, vocabulary=300, longest=128, seed=1):
    """The prefill of a GPT: a causal mask that is computed, positions from a Range, logits of all tokens."""
    b = Builder(seed)
    length = b("Squeeze", b.size("input_ids", 1), b.ints(0))
    zero, one = b.constant(np.array(0, np.int64)), b.constant(np.array(1, np.int64))
    positions = b("Range", zero, length, one)
    x = b("Add", b("Gather", b.weight(vocabulary, width), "input_ids"), b("Gather", b.weight(longest, width), positions))
    square = b("Concat", b.size("input_ids", 1), b.size("input_ids", 1), axis=0)
    ones = b("ConstantOfShape", square, value=numpy_helper.from_array(np.array([1.0], np.float32)))
    causal = b("Trilu", ones, upper=0)
    bias = b("Mul", b("Sub", b.number(1), causal), b.number(-1e9))
    for _ in range(layers):
        x = b.block(x, width, heads, bias)
    return b.model([("input_ids", None, "i64", TEXT)], [("logits", b.linear(x, width, vocabulary), "f32", [*TEXT, vocabulary])])


IMAGE = ["batch", 3, "height", "width"]


def classifier(seed=2):
    """Residual blocks, a pool with padding, a mean over all pixels."""
    b = Builder(seed)
    x = b.conv("image", 3, 16, kernel=7, stride=2)
    x = b("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for stride, inputs, outputs in ((1, 16, 16), (2, 16, 32)):
        y = b.conv(x, inputs, outputs, stride=stride)
        y = b.conv(y, outputs, outputs, activation=None)
        if stride != 1:
            x = b.conv(x, inputs, outputs, kernel=1, stride=stride, activation=None)
        x = b("Relu", b("Add", x, y))
    x = b("Flatten", b("GlobalAveragePool", x))
    return b.model([("image", None, "f32", IMAGE)], [("classes", b.linear(x, 32, 10), "f32", ["batch", 10])])


def mobile(seed=3):
    """Depthwise convolutions, squeeze and excitation."""
    b = Builder(seed)
    x = b.conv("image", 3, 16, stride=2)
    for stride, inputs, outputs in ((1, 16, 16), (2, 16, 24)):
        y = b.conv(x, inputs, 4 * inputs, kernel=1)
        y = b.conv(y, 4 * inputs, 4 * inputs, stride=stride, groups=4 * inputs)
        gate = b("ReduceMean", y, axes=[2, 3], keepdims=1)
        gate = b.conv(b.conv(gate, 4 * inputs, 8, kernel=1, norm=False), 8, 4 * inputs, kernel=1, norm=False, activation="Sigmoid")
        y = b.conv(b("Mul", y, gate), 4 * inputs, outputs, kernel=1, activation=None)
        x = b("Add", x, y) if stride == 1 and inputs == outputs else y
    x = b("Flatten", b("GlobalAveragePool", x))
    return b.model([("image", None, "f32", IMAGE)], [("classes", b.linear(x, 24, 10), "f32", ["batch", 10])])


def detector(seed=4):
    """SiLU, pools that keep the size, upsampling and concatenation; boxes in a grid of the image's size, and in a list
    of those of two scales."""
    b = Builder(seed)
    one = b.conv("image", 3, 16, stride=2, activation="SiLU")
    two = b.conv(one, 16, 32, stride=2, activation="SiLU")
    three = b.conv(two, 32, 32, stride=2, activation="SiLU")
    pools = [three]
    for _ in range(2):
        pools.append(b("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2, 2, 2, 2]))
    three = b.conv(b("Concat", *pools, axis=1), 96, 32, kernel=1, activation="SiLU")
    up = b("Resize", three, "", b.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest",
           coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip
    x = b.conv(b("Concat", up, two, axis=1), 64, 32, activation="SiLU")
    x = b.conv(x, 32, 8, kernel=1, norm=False, activation=None)
    coarse = b.conv(three, 32, 8, kernel=1, norm=False, activation=None)
    flat = [b("Reshape", y, b("Concat", b.size(y, 0), b.ints(8), b.ints(-1), axis=0)) for y in (x, coarse)]
    every = b("Sigmoid", b("Transpose", b("Concat", *flat, axis=2), perm=[0, 2, 1]))
    return b.model([("image", None, "f32", IMAGE)],
                   [("boxes", x, "f32", ["batch", 8, "h", "w"]), ("every", every, "f32", ["batch", "count", 8])])


def unet(seed=5):
    """Down and up again, with skips, transposed convolutions, and norms over the pixels."""
    b = Builder(seed)

    def normed(x, channels):
        y = b("InstanceNormalization", x, b.vector(channels, 0.5, 1.5), b.vector(channels))
        return b("Relu", y)

    skips, x, channels = [], "image", 3
    for outputs in (8, 16):
        x = normed(b.conv(x, channels, outputs, norm=False, activation=None), outputs)
        skips.append(x)
        x, channels = b("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), outputs
    x = b.conv(x, 16, 32)
    for outputs in (16, 8):
        x = b("ConvTranspose", x, b.weight(outputs * 2, outputs, 2, 2), b.vector(outputs), strides=[2, 2], kernel_shape=[2, 2])
        x = normed(b.conv(b("Concat", skips.pop(), x, axis=1), 2 * outputs, outputs, norm=False, activation=None), outputs)
    return b.model(
        [("image", None, "f32", IMAGE)],
        [("mask", b.conv(x, 8, 2, kernel=1, norm=False, activation="Sigmoid"), "f32", ["batch", 2, "h", "w"])],
    )


def audio(seed=6, width=32):
    """Strided convolutions over samples, then an encoder over frames."""
    b = Builder(seed)
    x = b("Unsqueeze", "samples", b.ints(1))
    for inputs, kernel, stride in ((1, 10, 5), (width, 3, 2), (width, 3, 2)):
        x = b.conv(x, inputs, width, kernel=kernel, stride=stride, pad=0, dims=1, activation="SiLU")
    x = b("Transpose", x, perm=[0, 2, 1])
    x = b("Add", x, b("Transpose", b.conv(b("Transpose", x, perm=[0, 2, 1]), width, width, kernel=5, dims=1, groups=4), perm=[0, 2, 1]))
    x = b.block(x, width, 4)
    return b.model([("samples", None, "f32", ["batch", "length"])], [("frames", x, "f32", ["batch", "frames", width])])


def frames(seed=7, width=16, heads=4, norm="group"):
    """wav2vec 2.0: a frame for every 320 samples, a norm over all of a channel or of a frame, and positions from a
    convolution whose last frame is cut off."""
    b = Builder(seed)
    x = b("Unsqueeze", "samples", b.ints(1))
    for number, (kernel, stride) in enumerate(((10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2))):
        x = b.conv(x, width if number else 1, width, kernel=kernel, stride=stride, pad=0, dims=1, norm=False, activation=None)
        if norm == "group" and number == 0:
            y = b("Reshape", x, b.ints(0, heads, -1))
            y = b("InstanceNormalization", y, b.constant(np.ones(heads, np.float32)), b.constant(np.zeros(heads, np.float32)))
            y = b("Mul", b("Reshape", y, b("Shape", x)), b.constant(b.rng.uniform(0.5, 1.5, (width, 1)).astype(np.float32)))
            x = b("Add", y, b.constant(b.rng.uniform(-1, 1, (width, 1)).astype(np.float32)))
        elif norm == "layer":
            x = b("Transpose", b.layer_norm(b("Transpose", x, perm=[0, 2, 1]), width), perm=[0, 2, 1])
        x = b("Mul", b("Mul", x, b.number(0.5)), b("Add", b("Erf", b("Div", x, b.number(np.sqrt(2)))), b.number(1)))
    places = b.conv(x, width, width, kernel=8, dims=1, groups=4, norm=False, activation=None)
    places = b("Slice", places, b.ints(0), b.ints(-1), b.ints(2))
    x = b("Transpose", b("Add", x, places), perm=[0, 2, 1])
    for _ in range(2):
        x = b.block(x, width, heads)
    return b.model([("samples", None, "f32", ["batch", "length"])], [("frames", x, "f32", ["batch", "frames", width])])


def recurrent(seed=8, width=12, hidden=20):
    """An LSTM of two directions whose last state is a result, then a GRU that walks back, of texts of one length."""
    b = Builder(seed)
    x = b("Transpose", b.linear("x", width, width), perm=[1, 0, 2])

    def layer(op, x, gates, inputs, **attributes):
        directions = 2 if attributes.get("direction") == "bidirectional" else 1
        weights = [b.weight(directions, gates * hidden, size) for size in (inputs, hidden)]
        bias = b.constant(b.rng.uniform(-0.5, 0.5, (directions, 2 * gates * hidden)).astype(np.float32))
        return b(op, x, *weights, bias, hidden_size=hidden, **attributes)

    y = layer("LSTM", x, 4, width, direction="bidirectional")
    b.nodes[-1].output.append("state")
    y = b("Reshape", b("Transpose", y, perm=[0, 2, 1, 3]), b.ints(0, 0, -1))
    y = layer("GRU", y, 3, 2 * hidden, direction="reverse", linear_before_reset=1)
    y = b("Transpose", b("Squeeze", y, b.ints(1)), perm=[1, 0, 2])
    first = b("Squeeze", b("Slice", y, b.ints(0), b.ints(1), b.ints(1)), b.ints(1))
    return b.model([("x", None, "f32", ["batch", "sequence", width])],
                   [("y", y, "f32", ["batch", "sequence", hidden]), ("first", first, "f32", ["batch", hidden]),
                    ("last", "state", "f32", [2, "batch", hidden])])


def recurrent_bytes(seed=9, width=12, hidden=20):
    """An LSTM whose weights are bytes, and whose inputs and states are quantised by their ranges."""
    b = Builder(seed)
    scales, zeros, weights = [], [], []
    for rows in (width, hidden):
        weights.append(b.constant(b.rng.integers(68, 188, (2, rows, 4 * hidden)).astype(np.uint8)))
        scales.append(b.constant(b.rng.uniform(0.003, 0.006, (2, 4 * hidden)).astype(np.float32)))
        zeros.append(b.constant(np.full((2, 4 * hidden), 128, np.uint8)))
    y = b("DynamicQuantizeLSTM", b("Transpose", "x", perm=[1, 0, 2]), *weights, "", "", "", "", "", scales[0], zeros[0], scales[1],
          zeros[1], domain="com.microsoft", hidden_size=hidden, direction="bidirectional")
    b.nodes[-1].output.append("state")
    return b.model([("x", None, "f32", ["batch", "sequence", width])],
                   [("y", y, "f32", ["sequence", 2, "batch", hidden]), ("last", "state", "f32", [2, "batch", hidden])])


MODELS = {
    "encoder": encoder,
    "decoder": decoder,
    "classifier": classifier,
    "mobile": mobile,
    "detector": detector,
    "unet": unet,
    "audio": audio,
    "recurrent": recurrent,
}

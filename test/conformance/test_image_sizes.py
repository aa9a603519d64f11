# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows over images of many sizes: kernels end where the image does, with anything in the padding."""
import pytest

import shape_models
from bundles import np
from gate import NIGHTLY, nightly
from test_shapes import check

IMAGE, LINE, VOLUME = ["batch", 3, "h", "w"], ["batch", 3, "w"], ["batch", 3, "d", "h", "w"]
RANGES = {3: ["batch:1..2", "w:9..70"], 4: ["batch:1..2", "h:8..26", "w:9..40"], 5: ["batch:2", "d:4..7", "h:8", "w:7..18"]}


class Net(shape_models.Builder):
    """Of random weights; values have the channels that their names in `channels` say."""

    def __init__(self):
        super().__init__(seed=5)
        self.channels = {"x": 3}

    def conv(self, x, filters, kernel, group=1, **attributes):
        weights = self.weight(filters, self.channels[x] // group, *kernel)
        return self.keep(self("Conv", x, weights, self.vector(filters), group=group, **attributes), filters)

    def up(self, x, filters, kernel, **attributes):
        weights = self.weight(self.channels[x], filters, *kernel)
        return self.keep(self("ConvTranspose", x, weights, self.vector(filters), **attributes), filters)

    def op(self, name, *values, **attributes):
        return self.keep(self(name, *values, **attributes), self.channels[values[0]])

    def keep(self, value, channels):
        self.channels[value] = channels
        return value


SAME, HALF = dict(pads=[1, 1, 1, 1]), dict(pads=[1, 1, 1, 1], strides=[2, 2])


def squeeze_excite(n, x):
    scale = n.op("Sigmoid", n.conv(n.op("GlobalAveragePool", x), 16, [1, 1]))
    return n.op("Mul", x, scale)


# What is between a convolution of few channels and one of many. The result also counts itself.
MIDDLES = {
    "Winograd": lambda n, x: n.op("Relu", n.conv(x, 16, [3, 3], **SAME)),
    "Winograd of 5": lambda n, x: n.conv(x, 24, [5, 5], pads=[2, 2, 2, 2]),
    # Transformed ahead for all workgroups.
    "Winograd of many channels": lambda n, x: n.conv(n.conv(x, 160, [1, 1]), 160, [3, 3], **SAME),
    # Lines and columns swapped: the kernel is not told where its image ends.
    "Winograd of masked tiles": lambda n, x: n.op("Transpose", n.conv(
        n.op("Transpose", x, perm=[0, 1, 3, 2]), 16, [3, 3], **SAME), perm=[0, 1, 3, 2]),
    "chunks": lambda n, x: n.conv(n.keep(n("Slice", x, n.ints(4), n.ints(12), n.ints(1)), 8), 16, [3, 3], **SAME),
    "residual": lambda n, x: n.op("Add", n.conv(n.op("Relu", n.conv(x, 16, [3, 3], **SAME)), 16, [3, 3], **SAME), x),
    "stride": lambda n, x: n.op("Relu", n.conv(x, 20, [3, 3], **HALF)),
    "stride without padding": lambda n, x: n.conv(x, 20, [3, 3], strides=[2, 1]),
    "pixels apart": lambda n, x: n.conv(x, 20, [1, 1], strides=[2, 2]),
    "dilation": lambda n, x: n.conv(x, 20, [3, 3], pads=[2, 2, 2, 2], dilations=[2, 2]),
    "groups": lambda n, x: n.op("Relu", n.conv(x, 32, [3, 3], group=4, **SAME)),
    "uneven padding": lambda n, x: n.conv(x, 20, [3, 2], pads=[0, 1, 2, 1]),
    "depthwise": lambda n, x: n.op("Relu", n.conv(x, 16, [3, 3], group=16, **SAME)),
    "depthwise, stride": lambda n, x: n.conv(x, 16, [5, 5], group=16, pads=[2, 2, 2, 2], strides=[2, 2]),
    "depthwise, dilation": lambda n, x: n.conv(x, 16, [3, 3], group=16, pads=[2, 2, 2, 2], dilations=[2, 2]),
    "maximum": lambda n, x: n.op("MaxPool", x, kernel_shape=[3, 3], **HALF),
    "maxima of maxima": lambda n, x: n.op("MaxPool", n.op("MaxPool", x, kernel_shape=[5, 5], pads=[2, 2, 2, 2]),
                                          kernel_shape=[3, 3], **SAME),
    "mean": lambda n, x: n.op("AveragePool", x, kernel_shape=[3, 3], **HALF),
    "mean with padding": lambda n, x: n.op("AveragePool", x, kernel_shape=[3, 3], count_include_pad=1, **HALF),
    "transposed": lambda n, x: n.up(x, 12, [2, 2], strides=[2, 2]),
    "transposed, overlapping": lambda n, x: n.up(x, 12, [3, 3], strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
    "concatenation": lambda n, x: n.keep(n("Concat", n.conv(x, 8, [3, 3], **SAME), x, axis=1), 24),
    "squeeze and excite": squeeze_excite,
    "upsampling": lambda n, x: n.op("Resize", x, "", n.constant(np.float32([1, 1, 2, 2])), mode="nearest",
                                    coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
}


def make_model(name):
    n = Net()
    middle = MIDDLES[name](n, n.op("Relu", n.conv("x", 16, [3, 3], **SAME)))
    y = n.op("Sigmoid", n.conv(middle, 8, [3, 3], **SAME))
    return n.model([("x", None, "f32", IMAGE)], [("y", y, "f32", None), ("middle", middle, "f32", None)])


# What test_every_image() has, too, or others in other numbers.
EVERY = ["pixels apart", "Winograd", "Winograd of many channels", "depthwise"]
REPEATED = [*EVERY, "Winograd of 5", "stride", "dilation", "depthwise, stride", "mean", "transposed", "residual", "chunks"]


@pytest.mark.parametrize("name", [*(name for name in MIDDLES if name not in REPEATED), *nightly(REPEATED)])
def test_images(name, tools, tmp_path):
    # Winograd's algorithm rounds more often.
    tolerance = 3e-5 if "Winograd" in name else 1e-5
    assert check(tools, tmp_path, make_model(name), RANGES[4], runs=8, tolerance=tolerance) >= 8


@pytest.mark.parametrize("option", ["--shard=height", "--target-cpu=x86-64-v2"])
def test_images_with(option, tools, tmp_path):
    assert check(tools, tmp_path, make_model("residual"), RANGES[4], runs=8, options=[option]) >= 8


@pytest.mark.parametrize("shape,kernel,first", [(LINE, 3, 10), (VOLUME, 3, 3), (IMAGE, 7, 7)], ids=["line", "volume", "stem"])
def test_other_images(shape, kernel, first, tools, tmp_path):
    n, spatial = Net(), len(shape) - 2
    x = n.conv("x", 16, [first] * spatial, strides=[2] * spatial, pads=[first // 2] * (2 * spatial))
    x = n.op("MaxPool", n.op("Relu", x), kernel_shape=[3] * spatial, pads=[1] * (2 * spatial), strides=[1] * spatial)
    y = n.conv(n.conv(x, 16, [3] * spatial, group=16, pads=[1] * (2 * spatial)), 8, [kernel] * spatial,
               pads=[kernel // 2] * (2 * spatial))
    model = n.model([("x", None, "f32", shape)], [("y", y, "f32", None)])
    assert check(tools, tmp_path, model, RANGES[len(shape)], runs=8) >= 8


@pytest.mark.parametrize("heights", ["64..128:64", "32..64:32", "64..192:64"])
def test_few_sizes(heights, tools, tmp_path):
    """height / 16 is not the only function that is 4 at 64 and 8 at 128: (height - 12) / 13, rounded down, is one, too."""
    n, x = Net(), "x"
    for filters in (8, 8, 16, 16):
        x = n.conv(x, filters, [3, 3], **HALF)
    part = n.keep(n("Slice", x, n.ints(4), n.ints(12), n.ints(1)), 8)
    y = n.op("Add", n.conv(part, 8, [3, 3], **SAME), part)
    model = n.model([("x", None, "f32", IMAGE)], [("y", y, "f32", None)])
    assert check(tools, tmp_path, model, ["batch:1", f"h:{heights}", "w:64..128:64"], runs=6) >= 6


@pytest.mark.parametrize("name", EVERY)
def test_every_image(name, tools, tmp_path):
    tolerance = 3e-5 if "Winograd" in name else 1e-5
    assert check(tools, tmp_path, make_model(name), ["batch:2", "h:2..11", "w:3..12"], runs=None, tolerance=tolerance) >= (100 if NIGHTLY else 20)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that strides round: the sizes of a range, with anything in the padding, against ONNX Runtime. Nightly, every size."""
import pytest

import shape_models
from bundles import np
from gate import NIGHTLY, nightly
from test_shapes import check


def stack(strides, kernels=None, tail=None, width=8, seed=11):
    """Convolutions with these strides over samples, then the last element cut off, which takes the length by number."""
    b = shape_models.Builder(seed)
    x = b("Unsqueeze", "samples", b.ints(1))
    for number, stride in enumerate(strides):
        x = b.conv(x, width if number else 1, width, kernel=kernels[number] if kernels else stride, stride=stride, pad=0, dims=1,
                   norm=False, activation="Tanh")
    x = tail(b, x, width) if tail else b("Slice", x, b.ints(0), b.ints(-1), b.ints(2))
    return b.model([("samples", None, "f32", ["batch", "length"])], [("y", x, "f32", None)])


def pool(op, kernel, stride, pads, **attributes):
    """Twice, with ceil_mode, and a mean over what is left."""
    b = shape_models.Builder(12)
    x = b.conv("image", 3, 8, activation="Tanh", norm=False)
    for _ in range(2):
        x = b(op, x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads, ceil_mode=1, **attributes)
        x = b.conv(x, 8, 8, activation="Tanh", norm=False)
    y = b("GlobalAveragePool", x)
    return b.model([("image", None, "f32", shape_models.IMAGE)], [("x", x, "f32", None), ("y", y, "f32", None)])


def patches(size, width=16):
    """A vision transformer: patches of an image of any size, in a list, with a mean."""
    b = shape_models.Builder(13)
    x = b("Conv", "image", b.weight(width, 3, size, size), b.vector(width), strides=[size] * 2, kernel_shape=[size] * 2)
    x = b("Tanh", x)
    x = b("Reshape", x, b("Concat", b.size("image", 0), b.ints(width), b.ints(-1), axis=0))
    x = b.block(b("Transpose", x, perm=[0, 2, 1]), width, 2)
    y = b("ReduceMean", x, axes=[1], keepdims=0)
    return b.model([("image", None, "f32", shape_models.IMAGE)], [("x", x, "f32", None), ("y", y, "f32", None)])


def overlap(b, x, width):
    """Back to samples, as the decoder of a separator has it, and the first ones of them."""
    x = b("Mul", x, b("Sigmoid", x))
    x = b("ConvTranspose", x, b.weight(width, 1, 16), strides=[8], kernel_shape=[16])
    return b("Slice", x, b.ints(0), b("Sub", b.size("samples", 1), b.ints(8)), b.ints(2))


def upsample(b, x, width):
    scales = b.constant(np.array([1, 1, 3], np.float32))
    return b("Resize", x, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def back(b, x, width):
    for _ in range(2):
        x = b("ConvTranspose", x, b.weight(width, width, 4), strides=[2], pads=[1, 1], kernel_shape=[4])
        x = b("Tanh", b("InstanceNormalization", x, b.vector(width, 0.5, 1.5), b.vector(width)))
    return b("ReduceMean", x, axes=[2], keepdims=1)


def positions(b, x, width):
    """From a table, as many as there are frames, whose number is computed from that of samples."""
    frames = b("Div", b.size("samples", 1), b.ints(72))
    table = b("Slice", b.weight(200, width), b.ints(0), frames, b.ints(0))
    return b("Add", b("Transpose", x, perm=[0, 2, 1]), table)


def temporal(kernel, dilations, width):
    """Dilated convolutions of a sequence, with residuals: Winograd's algorithm along lines."""
    b = shape_models.Builder(14)
    x = b.conv("sequence", 3, width, kernel=1, dims=1, norm=False, activation="Tanh")
    for dilation in dilations:
        y = b("Conv", x, b.weight(width, width, kernel), b.vector(width), dilations=[dilation],
              pads=[dilation * (kernel // 2)] * 2, kernel_shape=[kernel])  # fmt: skip
        x = b("Add", x, b("Tanh", y))
    return b.model([("sequence", None, "f32", ["batch", 3, "length"])], [("x", x, "f32", None)])


def dilated(width, dilations, pads):
    """The same of an image. Unpadded, no window sees the end of the image, but tiles of them do."""
    b = shape_models.Builder(15)
    x = b.conv("image", 3, width, kernel=1, norm=False, activation="Tanh")
    for dilation in dilations:
        x = b("Tanh", b("Conv", x, b.weight(width, width, 3, 3), b.vector(width), dilations=[dilation] * 2,
                        pads=[dilation * pad for pad in pads], kernel_shape=[3, 3]))  # fmt: skip
    return b.model([("image", None, "f32", shape_models.IMAGE)], [("x", x, "f32", None)])


def cut(width):
    """A transposed convolution whose four parts have 3x3 taps, and whose end is cut off."""
    b = shape_models.Builder(16)
    x = b.conv("image", 3, width, kernel=1, norm=False, activation="Tanh")
    x = b("ConvTranspose", x, b.weight(width, width, 6, 6), strides=[2, 2], pads=[0, 0, 4, 4], kernel_shape=[6, 6])
    return b.model([("image", None, "f32", shape_models.IMAGE)], [("x", x, "f32", None)])


IMAGE = ["batch:2", "height:9..24", "width:17"]
MODELS = {
    "one stride of 128": (stack([128]), ["batch:2", "length:256..900"]),
    "strides of 3, 5 and 7": (stack([3, 5, 7], [4, 6, 7]), ["batch:2", "length:247..700"]),
    "strides of 4, 4 and 4 with larger kernels": (stack([4, 4, 4], [8, 8, 8]), ["batch:2", "length:180..700"]),
    "a table of as many rows as frames": (stack([8, 9], tail=positions), ["batch:2", "length:72..700"]),
    "overlap and add": (stack([8], [16], tail=overlap), ["batch:2", "length:17..150"]),
    "upsampled frames": (stack([5, 4], tail=upsample), ["batch:2", "length:20..130"]),
    "transposed convolutions of frames": (stack([3, 2], tail=back), ["batch:2", "length:6..90"]),
    "max pools": (pool("MaxPool", 3, 2, [0, 0, 0, 0]), IMAGE),
    "max pools with padding": (pool("MaxPool", 2, 2, [1, 1, 0, 0]), IMAGE),
    "max pools with gaps": (pool("MaxPool", 2, 3, [0, 0, 0, 0]), IMAGE),
    "max pools with padding at the end": (pool("MaxPool", 3, 3, [1, 1, 1, 1]), IMAGE),
    "means": (pool("AveragePool", 3, 2, [0, 0, 0, 0]), IMAGE),
    "means with gaps": (pool("AveragePool", 2, 3, [0, 0, 0, 0]), IMAGE),
    "means with padding": (pool("AveragePool", 3, 2, [1, 1, 1, 1]), IMAGE),
    "temporal": (temporal(3, [1, 2, 4, 1], 32), ["batch:1..2", "length:8..67"]),
    "temporal, of 5 taps": (temporal(5, [1, 3], 64), ["batch:2", "length:8..64"]),
    "dilated": (dilated(32, [1, 2, 3], [1, 1, 0, 1]), ["batch:1", "height:12..28", "width:14..28:7"]),
    "unpadded": (dilated(32, [1, 2], [0] * 4), ["batch:2", "height:12..28", "width:14..28:7"]),
    "transposed, cut at the end": (cut(32), ["batch:1", "height:4..20", "width:6..12:3"]),
    "patches": (patches(14), ["batch:1", "height:28..70", "width:28..42:14"]),
}


WINOGRAD = ("temporal", "temporal, of 5 taps", "dilated", "unpadded", "transposed, cut at the end")  # whose kernels follow what is valid


# What these do, others do in other numbers.
REPEATED = ["strides of 4, 4 and 4 with larger kernels", "max pools with gaps", "max pools with padding at the end", "means",
            "means with gaps", "temporal, of 5 taps", "unpadded"]


@pytest.mark.parametrize("name", [*(name for name in MODELS if name not in REPEATED), *nightly(REPEATED)])
def test_every_size(name, tools, tmp_path):
    model, dims = MODELS[name]
    assert check(tools, tmp_path, model, dims, runs=None) >= 16
    if name in WINOGRAD:
        assert b"winograd_conv" in next(tmp_path.glob("*.ttcb")).read_bytes()


@pytest.mark.parametrize("norm", ["group", *nightly(["layer"])])
def test_frames_of_320_samples(norm, tools, tmp_path):
    """wav2vec 2.0 for every length of two frames, and lengths far apart."""
    model, dims = shape_models.frames(norm=norm), ["batch:2", "length:720..1439"]
    assert check(tools, tmp_path, model, dims, runs=None) >= (720 if NIGHTLY else 20)
    assert check(tools, tmp_path, model, ["batch:1..2", "length:400..16000"], runs=12) >= 12

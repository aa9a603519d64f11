# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on dimensions that a reshape has merged, of which the padding lies between valid elements."""
import pytest

from bundles import np
from test_shapes import check, constants, small

FLAT = ("Flatten", ["x"], "f", {"axis": 2})  # [batch * n, 6]
# As images of one channel: [1, 1, batch * n, 6].
IMAGE = [("Tanh", ["x"], "t", {}), ("Flatten", ["t"], "f", {"axis": 2}), ("Unsqueeze", ["f", "i"], "m", {})]
KERNEL = np.random.default_rng(3).standard_normal((2, 1, 3, 3)).astype(np.float32)


def image(op, *inputs, **attributes):
    return constants(small(*IMAGE, (op, ["m", *inputs], "y", attributes)), i=np.int64([0, 1]), w=KERNEL,
                     scales=np.float32([1, 1, 2, 1]), blank=np.float32([]))


def positions(op, *then):
    """With numbers of all rows, as one list."""
    return constants(
        small(
            FLAT, ("Shape", ["f"], "s", {}), ("Slice", ["s", "zero", "one"], "rows", {}), ("Squeeze", ["rows", "zero"], "count", {}),
            ("Range", ["nought", "count", "unit"], "r", {}), ("Cast", ["r"], "p", {"to": 1}), ("Unsqueeze", ["p", "one"], "q", {}),
            (op, ["f", "q"], "y" if not then else "v", {}), *then,
        ),
        zero=np.int64([0]), one=np.int64([1]), nought=np.int64(0), unit=np.int64(1))


MERGED = {
    "zeros before and after": constants(small(FLAT, ("Pad", ["f", "p"], "y", {})), p=np.int64([1, 0, 2, 0])),
    "other numbers": constants(small(FLAT, ("Pad", ["f", "p", "v"], "y", {})), p=np.int64([0, 1, 2, 0]), v=np.float32(-3)),
    "the ends again": constants(small(FLAT, ("Pad", ["f", "p"], "y", {"mode": "edge"})), p=np.int64([2, 0, 1, 0])),
    "reflected": constants(small(FLAT, ("Pad", ["f", "p"], "y", {"mode": "reflect"})), p=np.int64([1, 0, 2, 0])),
    "convolution": image("Conv", "w", pads=[1, 1, 1, 1], strides=[2, 1]),
    "transposed convolution": constants(
        small(*IMAGE, ("ConvTranspose", ["m", "w"], "y", {"strides": [2, 1]})), i=np.int64([0, 1]), w=KERNEL.reshape(1, 2, 3, 3)),
    "maxima": image("MaxPool", kernel_shape=[3, 2], pads=[1, 0, 1, 0]),
    "means": image("AveragePool", kernel_shape=[3, 2], pads=[1, 0, 1, 0]),
    "means of all": image("AveragePool", kernel_shape=[3, 2], pads=[1, 0, 1, 0], count_include_pad=1),
    "nearest pixels": image("Resize", "blank", "scales", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    "pixels between": image("Resize", "blank", "scales", mode="linear"),
    "positions": positions("Add"),
    "positions, and their sum": positions("Mul", ("ReduceSum", ["v", "zero"], "y", {})),
    "a triangle": small(FLAT, ("Trilu", ["f"], "y", {"upper": 0})),
}


@pytest.mark.parametrize("dims", [["batch:2", "n:3..11"], ["batch:1..4", "n:5..8"]])
@pytest.mark.parametrize("name", MERGED)
def test_ops_that_need_dimensions_apart(name, dims, tools, tmp_path):
    model = MERGED[name]
    model.opset_import[0].version = 14
    assert check(tools, tmp_path, model, dims, runs=12) >= 12


OTHERS = {
    # A dimension of one element has two windows.
    "means of columns": constants(
        small(("Slice", ["x", "s", "e", "a"], "c", {}), ("Unsqueeze", ["c", "a1"], "m", {}),
              ("AveragePool", ["m"], "y", {"kernel_shape": [3, 2], "pads": [1, 1, 1, 1]})),
        s=np.int64([0]), e=np.int64([1]), a=np.int64([2]), a1=np.int64([1])),
    # Both follow from two sizes.
    "the last of all rows, as a constant place": constants(
        small(FLAT, ("Slice", ["f", "s", "e"], "y", {})), s=np.int64([-1]), e=np.int64([2**62])),
    "all rows but the first and the last": constants(
        small(FLAT, ("Slice", ["f", "s", "e"], "v", {}), ("Tanh", ["v"], "y", {})), s=np.int64([1]), e=np.int64([-1])),
    "halves, one after the other": constants(
        small(("Slice", ["x", "s", "e", "a", "t"], "h", {}), ("Concat", ["h", "x", "h"], "c", {"axis": 1}),
              ("ReduceMean", ["c"], "y", {"axes": [1]})),
        s=np.int64([0]), e=np.int64([2**62]), a=np.int64([1]), t=np.int64([2])),
    "every second row, then every third": constants(
        small(("Slice", ["x", "s", "e", "a", "two"], "h", {}), ("Slice", ["x", "s", "e", "a", "three"], "t", {}),
              ("Concat", ["h", "t", "x"], "y", {"axis": 1})),
        s=np.int64([0]), e=np.int64([2**62]), a=np.int64([1]), two=np.int64([2]), three=np.int64([3])),
    # With one sample, only the second one is left.
    "two repeats of one value": constants(
        small(("ReduceMax", ["x"], "m", {"axes": [0], "keepdims": 1}), ("Shape", ["x"], "s", {}), ("Slice", ["s", "zero", "one"], "b", {}),
              ("Concat", ["b", "units"], "r", {"axis": 0}), ("Tile", ["m", "r"], "all", {}), ("Tile", ["m", "twice"], "two", {}),
              ("Add", ["all", "x"], "u", {}), ("ReduceSum", ["two", "zero"], "v", {}), ("Sub", ["u", "v"], "y", {})),
        zero=np.int64([0]), one=np.int64([1]), units=np.int64([1, 1]), twice=np.int64([2, 1, 1])),
}


@pytest.mark.parametrize("name", OTHERS)
def test_sizes_of_two_dimensions(name, tools, tmp_path):
    model = OTHERS[name]
    model.opset_import[0].version = 13
    assert check(tools, tmp_path, model, ["batch:1..3", "n:3..9"], runs=12) >= 12

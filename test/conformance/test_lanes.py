# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal numbers give equal bits in every lane: a value does not depend on whether it is computed by a
full vector, by the last one of a row, or by the loop that remains. Weights of equal columns (output
channels), and images of equal channels, must give equal columns."""
import pathlib

import numpy as np
import pytest

import graphs
from bundles import run_once
from gate import NIGHTLY, nightly

CPUS = ["x86-64-v3", "x86-64-v4"]
WIDEST = CPUS[" avx512bw " in pathlib.Path("/proc/cpuinfo").read_text()]
# No whole number of vectors or panels of 8, 16, 32 and 48 columns, but for 24 and 40: whole vectors.
WIDTHS = [7, 9, 17, 24, 33, 40, 50, 65, 100] if NIGHTLY else [7, 24, 33, 65]
DEPTH = 67


class Cases(graphs.Graph):
    """Independent ops in one model, each with an output whose columns (elements along its last axis)
    must be equal."""

    OPSET = 18

    def __init__(self):
        super().__init__(11)
        self.arrays, self.outputs = {}, {}

    def draw(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def input(self, array):
        name = super().input(*array.shape)
        self.arrays[name] = np.ascontiguousarray(array)
        return name

    def expect_equal(self, value, axis, what):
        self.outputs[value] = (axis, what)

    def run(self, tools, cpu, folder):
        self.save(folder / "model.onnx", None, *self.outputs)
        tools.compile(folder / "model.onnx", folder / "model.ttcb", f"--target-cpu={cpu}")
        outputs = run_once(tools, folder / "model.ttcb", self.arrays)
        wrong = []
        for name, (axis, what) in self.outputs.items():
            found = np.moveaxis(outputs[name], axis, -1)
            differ = np.flatnonzero(
                (found.view(np.uint32) != found[..., :1].view(np.uint32)).reshape(-1, found.shape[-1])
                .any(axis=0))
            if differ.size:
                wrong.append(f"{what}: columns {differ.min()} to {differ.max()} of {found.shape[-1]}")
        assert not wrong, "\n".join(wrong)


def columns(column, width):
    """The last axis `width` times."""
    return np.repeat(column[..., None], width, axis=-1)


def matmuls(c):
    for rows in (1, 2, 3, 4, 6, 7, 9, 13) if NIGHTLY else (1, 2, 7, 9):
        a = c.input(c.draw(rows, DEPTH))
        for width in [*WIDTHS, 1000]:
            b = columns(c.draw(DEPTH), width)
            c.expect_equal(c.op("MatMul", a, c.constant(b)), -1, f"{rows} x {DEPTH} x {width}")


def run_time_matmuls(c):
    for rows in (1, 2, 3, 7):
        a = c.input(c.draw(2, rows, DEPTH))
        for width in (9, 17, 40, 50, 100, 1000):
            b = np.broadcast_to(columns(c.draw(DEPTH), width), (2, DEPTH, width))
            c.expect_equal(c.op("MatMul", a, c.input(b)), -1, f"2 x {rows} x {DEPTH} x {width}")


def attentions(c):
    """Columns of the values, in panels that are used as a whole and in part."""
    for rows in (8, 9, 20):
        for keys in (33, 50):
            for width in (9, 17, 40, 50):
                if not NIGHTLY and (rows + width) % 2:
                    continue
                # Scores that several products use are stored: no attention.
                q, k = c.input(c.draw(2, rows, DEPTH)), c.input(c.draw(2, DEPTH, keys))
                v = c.input(columns(c.draw(2, keys), width))
                value = c.op("MatMul", c.op("Softmax", c.op("MatMul", q, k), axis=-1), v)
                c.expect_equal(value, -1, f"attention of {rows} rows, {keys} keys and {width} values")


def products_with_tails(c):
    """The epilogues of products, of few and many constants."""
    for rows in (1, 3, 7):
        a = c.input(c.draw(rows, DEPTH))
        for width in (9, 17, 40, 50):
            b = c.constant(columns(c.draw(DEPTH) * 0.2, width))
            for tail in ("Sigmoid", "Tanh", "Erf", "Exp", "Softplus")[:None if NIGHTLY or width == 50 else 2]:
                bias = c.constant(columns(c.draw(1)[0], width))
                value = c.op(tail, c.op("Add", c.op("MatMul", a, b), bias))
                c.expect_equal(value, -1, f"{tail} of {rows} x {width}")


def convolutions(c):
    for channels, size, kernel, groups in ((3, 9, 3, 1), (16, 2, 1, 1), (20, 3, 3, 1)):
        x = c.input(c.draw(1, channels, size, size))
        for width in (9, 17, 24, 40, 50) if NIGHTLY else (9, 24, 50):
            w = np.repeat(c.draw(1, channels // groups, kernel, kernel), width, axis=0)
            value = c.op("Conv", x, c.constant(w), group=groups, pads=[kernel // 2] * 4)
            c.expect_equal(value, 1, f"conv of {channels} x {size}, kernel {kernel}, {width} channels")
            w = np.repeat(c.draw(channels, 1, kernel, kernel), width, axis=1)
            value = c.op("ConvTranspose", x, c.constant(w), strides=[2, 2])
            c.expect_equal(value, 1, f"transposed conv, kernel {kernel}, {width} channels")


def windows(c):
    for width in (7, 9, 17, 24, 33, 50) if NIGHTLY else (9, 24, 33):
        x = c.input(np.repeat(c.draw(1, 1, 7, 9), width, axis=1))
        w = c.constant(np.repeat(c.draw(1, 1, 3, 3), width, axis=0))
        for stride in (1, 2):
            attributes = {"strides": [stride] * 2, "pads": [1] * 4}
            value = c.op("Conv", x, w, group=width, **attributes)
            c.expect_equal(value, 1, f"depthwise of {width} channels, stride {stride}")
            for kind in ("AveragePool", "MaxPool"):
                value = c.op(kind, x, kernel_shape=[3, 3], **attributes)
                c.expect_equal(value, 1, f"{kind} of {width} channels, stride {stride}")
        c.expect_equal(c.op("GlobalAveragePool", x), 1, f"global pool of {width} channels")


def elementwise(c):
    for rows, width in [(1, 9), (1, 11), (1, 17), (1, 25), (1, 33), (1, 40), (1, 100), (13, 7), (5, 33), (300, 65)][:: 1 if NIGHTLY else 3]:
        x = c.input(np.full((rows, width), c.random.uniform(0.2, 1.7), np.float32))
        k = [c.constant(np.float32(c.random.uniform(0.5, 2))) for _ in range(2)]
        for kind in ("Exp", "Erf", "Tanh", "Sigmoid", "Log", "Sqrt", "Sin", "Cos", "Gelu", "Softplus",
                     "Reciprocal", "Elu", "HardSwish", "Mish"):
            if kind == "Gelu":
                value = c.op("Mul", x, c.op("Add", c.op("Erf", c.op("Mul", x, k[0])), k[1]))
            else:
                value = c.op("Sub", c.op("Mul", c.op(kind, c.op("Mul", x, k[0])), k[1]), x)
            flat = c.op("Reshape", value, c.ints(1, rows * width))
            c.expect_equal(flat, -1, f"{kind} of {rows} x {width}")
        value = c.op("Div", c.op("Pow", x, k[0]), c.op("Add", x, k[1]))
        c.expect_equal(c.op("Reshape", value, c.ints(1, rows * width)), -1, f"Pow of {rows} x {width}")


def normalizations(c):
    for rows, width in [(3, 9), (3, 17), (3, 50), (64, 9), (64, 33), (64, 65), (64, 1001), (1, 1000)][:: 1 if NIGHTLY else 3]:
        # Along the row: all lanes of one row are equal, and along the rows: those of one column.
        flat = c.input(columns(c.draw(rows), width))
        for axis in (0, 1):
            for kind in ("Softmax", "LogSoftmax"):
                c.expect_equal(c.op(kind, flat, axis=axis), 1, f"{kind}({axis}) of {rows} x {width}")
            for kind in ("ReduceMean", "ReduceSumSquare", "ReduceL2", "ReduceLogSumExp"):
                value = c.op("Sub", flat, c.op(kind, flat, c.ints(axis), keepdims=1))
                c.expect_equal(value, 1, f"{kind}({axis}) of {rows} x {width}")
        scale, bias = (c.constant(columns(c.draw(1)[0], width)) for _ in range(2))
        value = c.op("LayerNormalization", flat, scale, bias, axis=-1)
        c.expect_equal(value, 1, f"layer norm of {rows} x {width}")


@pytest.mark.parametrize("cpu", [WIDEST, *nightly(cpu for cpu in CPUS if cpu != WIDEST)])
@pytest.mark.parametrize("make", [matmuls, run_time_matmuls, attentions, products_with_tails,
                                  convolutions, windows, elementwise, normalizations], ids=lambda make: make.__name__)
def test_equal_columns(make, cpu, tools, tmp_path):
    cases = Cases()
    make(cases)
    cases.run(tools, cpu, tmp_path)

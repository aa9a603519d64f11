# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bytes against numpy, for CPUs with and without the instructions for them: whichever the
kernel uses, its sums are exact and its bits the same."""
import pathlib
import re

import pytest

from bundles import np, run_once
from gate import pairs

# vpdpbusd or vpmaddwd in 512 bits, either in 256, neither.
AVX_VNNI = "x86-64-v3+avxvnni"
OTHER_CPUS = ["x86-64-v4", AVX_VNNI, "x86-64-v3", "x86-64-v2"]
CPUS = ["native", *OTHER_CPUS]
NEEDED = {"x86-64-v4": "avx512bw", AVX_VNNI: "avx_vnni", "x86-64-v3": "avx2"}
NAMES = {"uint8": "ui8", "int8": "i8", "int32": "i32", "float32": "f32"}
U8, I8 = np.uint8, np.int8


def tensor(array):
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + NAMES[array.dtype.name] + ">"


def real(array):
    return tensor(np.empty(array.shape, np.float32))


class Program:
    """Lines of a function in MLIR."""

    def __init__(self):
        self.lines, self.arguments, self.inputs = [], [], []

    def input(self, array):
        name = f"%x{len(self.inputs)}"
        self.arguments.append(f"{name}: {tensor(array)}")
        self.inputs.append(array)
        return name

    def op(self, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}\n")
        return name

    def constant(self, array):
        array = np.asarray(array)
        return self.op(f"ttc.constant dense<{array.tolist()}> : {tensor(array)}")

    def run(self, tools, folder, cpu, result, expected):
        needed = NEEDED.get(cpu)
        if needed and f" {needed} " not in pathlib.Path("/proc/cpuinfo").read_text():
            pytest.skip(f"this machine has no {needed}")
        text = (f"func.func @main({', '.join(self.arguments)}) -> {tensor(expected)} {{\n"
                f"{''.join(self.lines)}  return {result} : {tensor(expected)}\n}}\n")
        model = folder / "model.mlir"
        model.write_text(text)
        if cpu == AVX_VNNI:
            # No CPU that LLVM names has only this.
            named = tools.run("ttc-opt", model, "--ttc-set-target=target-cpu=x86-64-v3").stdout
            text, count = re.subn('cpu = "x86-64-v3"(, features = "[^"]*")?',
                                  'cpu = "x86-64-v3", features = "+avxvnni"', named)
            assert count == 1
            model.write_text(text)
            cpu = "x86-64-v3"
        # Not executed: the check would give packed weights random padding, whose products with what follows copied
        # lines the kernels expect to be zero.
        plan = tools.compile_ir(model, folder / "model.ttcb", f"target-cpu={cpu}", execute=False)
        inputs = {f"input{index}": array for index, array in enumerate(self.inputs)}
        return plan, run_once(tools, folder / "model.ttcb", inputs)["output0"]


def numbers(rng, shape, dtype):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def convolve(x, w, x_zero, w_zero, strides, pads, dilations, groups):
    """In NCHW, summed in i64 and wrapped to i32."""
    channels, (height, width) = w.shape[1], w.shape[2:]
    x = np.pad(x.astype(np.int64) - int(x_zero),
               ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    w = w.astype(np.int64) - w_zero.astype(np.int64)
    sizes = [(x.shape[2 + i] - (w.shape[2 + i] - 1) * dilations[i] - 1) // strides[i] + 1
             for i in range(2)]
    y = np.zeros((x.shape[0], w.shape[0], *sizes), np.int64)
    count = w.shape[0] // groups
    for group in range(groups):
        out = slice(group * count, (group + 1) * count)
        for i in range(height):
            for j in range(width):
                rows = slice(i * dilations[0], i * dilations[0] + (sizes[0] - 1) * strides[0] + 1,
                             strides[0])
                columns = slice(j * dilations[1], j * dilations[1] + (sizes[1] - 1) * strides[1] + 1,
                                strides[1])
                part = x[:, group * channels:(group + 1) * channels, rows, columns]
                y[:, out] += np.einsum("nchw,oc->nohw", part, w[out, :, i, j])
    return y.astype(np.int32)


CONVOLUTIONS = {
    "kernel3": ((1, 16, 14, 14), (32, 16, 3, 3), dict(pads=[1, 1, 1, 1])),
    "kernel1": ((1, 64, 7, 7), (48, 64, 1, 1), {}),
    "strided1": ((1, 64, 9, 9), (40, 64, 1, 1), dict(strides=[2, 2])),
    "image": ((1, 3, 23, 31), (16, 3, 7, 7), dict(strides=[2, 2], pads=[3, 3, 3, 3])),
    "odd": ((2, 21, 9, 11), (19, 21, 3, 3), dict(strides=[2, 1], pads=[1, 0, 2, 1])),
    "signed": ((2, 21, 9, 11), (19, 21, 3, 3), dict(pads=[1, 0, 2, 1], x_type=I8)),
    "unsigned_weights": ((2, 21, 9, 11), (19, 21, 3, 3), dict(pads=[1, 0, 2, 1], w_type=U8)),
    "zero_points": ((1, 22, 9, 11), (19, 22, 3, 3), dict(pads=[1, 0, 2, 1], zeros=True, x_type=I8)),
    "both": ((1, 13, 6, 5), (9, 13, 2, 2), dict(zeros=True, w_type=U8)),
    "dilated": ((1, 8, 12, 12), (24, 8, 3, 3), dict(dilations=[2, 2], pads=[2, 2, 2, 2])),
    "groups": ((1, 12, 7, 5), (18, 2, 3, 2), dict(groups=6, pads=[1, 0, 1, 1])),
    "depthwise": ((1, 40, 14, 14), (40, 1, 3, 3), dict(groups=40, pads=[1, 1, 1, 1])),
    "depthwise_odd": ((2, 19, 9, 11), (19, 1, 3, 3),
                      dict(groups=19, strides=[2, 2], pads=[1, 1, 1, 1], w_type=U8, zeros=True,
                           x_type=I8)),
    # By dot products: windows in pairs of lines, borders on both sides of a tile, two quads a column.
    "depthwise_seven": ((2, 32, 7, 7), (32, 1, 3, 3), dict(groups=32, pads=[1, 1, 1, 1])),
    "depthwise_wide": ((1, 16, 5, 33), (16, 1, 3, 3),
                       dict(groups=16, pads=[1, 2, 0, 1], w_type=U8, x_type=I8)),
    "depthwise_strided": ((2, 24, 13, 20), (24, 1, 3, 3),
                          dict(groups=24, strides=[2, 2], pads=[1, 1, 1, 1])),
    "depthwise_five": ((1, 21, 12, 9), (21, 1, 5, 5), dict(groups=21, pads=[2, 2, 2, 2])),
    "depthwise_eight": ((1, 17, 10, 17), (17, 1, 8, 2),
                        dict(groups=17, strides=[1, 2], pads=[4, 1, 3, 1])),
    "depthwise_dilated": ((1, 16, 14, 14), (16, 1, 3, 3),
                          dict(groups=16, dilations=[2, 3], pads=[2, 3, 2, 3])),
    "depthwise_long": ((1, 40, 2, 9000), (40, 1, 1, 3), dict(groups=40, pads=[0, 2, 0, 40])),
    "depthwise_small": ((1, 16, 1, 2), (16, 1, 3, 3), dict(groups=16, pads=[1, 1, 1, 1])),
    "depthwise_flat": ((1, 20, 9, 9), (20, 1, 1, 3), dict(groups=20, pads=[0, 1, 0, 1])),
    # Lines that are longer than what a block of rows copies.
    "long_lines": ((2, 21, 3, 2500), (9, 21, 2, 5), dict(pads=[1, 2, 0, 30])),
    "long_strided": ((1, 30, 1, 9000), (8, 30, 1, 7), dict(strides=[1, 3], pads=[0, 3, 0, 3])),
    "gray": ((1, 1, 28, 28), (16, 1, 5, 5), dict(pads=[2, 2, 2, 2])),
    "pixel": ((1, 5, 1, 1), (3, 5, 1, 1), dict(zeros=True)),
    # The zero point of the image is only known at run time.
    "given": ((2, 21, 9, 11), (19, 21, 3, 3), dict(pads=[1, 0, 2, 1], given=True)),
    "given_zero_points": ((1, 22, 9, 11), (19, 22, 3, 3),
                          dict(pads=[1, 0, 2, 1], zeros=True, x_type=I8, given=True)),
    "given_image": ((1, 3, 23, 31), (16, 3, 7, 7), dict(strides=[2, 2], pads=[3, 3, 3, 3], given=True)),
    "given_groups": ((1, 12, 7, 5), (18, 2, 3, 2), dict(groups=6, pads=[1, 0, 1, 1], given=True)),
    "given_unpadded": ((1, 16, 9, 9), (24, 16, 3, 3), dict(given=True)),
    "given_depthwise": ((2, 19, 9, 11), (19, 1, 3, 3),
                        dict(groups=19, strides=[2, 1], pads=[1, 1, 1, 1], w_type=U8, zeros=True,
                             x_type=I8, given=True)),
}


@pytest.mark.parametrize("name,cpu", pairs(CONVOLUTIONS, CPUS))
def test_convolution(tools, tmp_path, name, cpu):
    x_shape, w_shape, how = CONVOLUTIONS[name]
    rng = np.random.default_rng(sorted(CONVOLUTIONS).index(name))
    x_type, w_type = how.get("x_type", U8), how.get("w_type", I8)
    x, w, x_zero = numbers(rng, x_shape, x_type), numbers(rng, w_shape, w_type), numbers(rng, (), x_type)
    per_channel = (w_shape[0], 1, 1, 1)
    w_zero = (numbers(rng, per_channel, w_type) if how.get("zeros")
              else np.full(per_channel, 128 if w_type is U8 else 0, w_type))
    strides, pads = how.get("strides", [1, 1]), how.get("pads", [0] * 4)
    dilations, groups = how.get("dilations", [1, 1]), how.get("groups", 1)
    expected = convolve(x, w, x_zero, w_zero, strides, pads, dilations, groups)
    program = Program()
    image = program.input(x)
    zero = program.input(x_zero) if how.get("given") else program.constant(x_zero)
    operands = [image, program.constant(w), zero, program.constant(w_zero)]
    y = program.op(
        f"ttc.int_conv {', '.join(operands)} {{strides = {strides}, pads = {pads}, dilations = "
        f"{dilations}, groups = {groups}}} : "
        f"({', '.join(map(tensor, (x, w, x_zero, w_zero)))}) -> {tensor(expected)}")
    plan, found = program.run(tools, tmp_path, cpu, y, expected)
    assert "@int_" in plan
    if name == "depthwise_seven" and cpu == AVX_VNNI:
        assert "@int_depthwise_dot_" in plan
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dot", ["plain", "madd", "vnni"])
@pytest.mark.parametrize("cpu", ["native", AVX_VNNI])
def test_depthwise_dot(tools, tmp_path, cpu, dot):
    """All ways of summing; only vnni is chosen for models."""
    needed = {"native": "avx512_vnni", AVX_VNNI: "avx_vnni"}[cpu]
    if f" {needed} " not in pathlib.Path("/proc/cpuinfo").read_text():
        pytest.skip(f"this machine has no {needed}")
    rng = np.random.default_rng(5)
    x, w = numbers(rng, (1, 9, 11, 19), U8), numbers(rng, (19, 1, 5, 3), I8)
    expected = convolve(x.transpose(0, 3, 1, 2), w, 77, np.int8(0), [1, 1], [2, 1, 2, 1], [1, 1],
                        19).transpose(0, 2, 3, 1)
    # For each column two quads of rows, the last one with zeros.
    packed = np.zeros((1, 1, 6, 19, 4), I8)
    for column in range(3):
        for row in range(5):
            packed[0, 0, column * 2 + row // 4, :, row % 4] = w[:, 0, row, column]
    program = Program()
    image = program.input(x)
    y = program.op(
        f"ttc.kernel.int_depthwise_dot {image}, {program.constant(packed)} {{dot = "
        f"#ttc.byte_dot<{dot}>, kernel = array<i64: 5, 3>, pads = array<i64: 2, 1, 2, 1>, "
        f"x_zero = 77 : i64}} : ({tensor(x)}, {tensor(packed)}) -> {tensor(expected)}")
    _, found = program.run(tools, tmp_path, cpu, y, expected)
    np.testing.assert_array_equal(found, expected)


MATRICES = {
    "even": ((5, 64), (64, 48), {}),
    "odd": ((3, 7, 33), (33, 17), {}),
    "column": ((1, 300), (300, 1), {}),
    "outer": ((9, 1), (1, 50), {}),
    "zero_points": ((2, 13, 31), (31, 70), dict(zeros=True)),
    "unsigned": ((2, 13, 31), (31, 70), dict(zeros=True, b_type=U8)),
    "signed": ((1, 29, 130), (130, 100), dict(a_type=I8)),
}


@pytest.mark.parametrize("name,cpu", pairs(MATRICES, CPUS))
def test_matmul(tools, tmp_path, name, cpu):
    a_shape, b_shape, how = MATRICES[name]
    rng = np.random.default_rng(sorted(MATRICES).index(name))
    a_type, b_type = how.get("a_type", U8), how.get("b_type", I8)
    a, b, a_zero = numbers(rng, a_shape, a_type), numbers(rng, b_shape, b_type), numbers(rng, (), a_type)
    b_zero = numbers(rng, b_shape[1:], b_type) if how.get("zeros") else np.zeros((), b_type)
    expected = ((a.astype(np.int64) - int(a_zero)) @
                (b.astype(np.int64) - b_zero.astype(np.int64))).astype(np.int32)
    program = Program()
    rows = program.input(a)
    operands = [rows, program.constant(b), program.input(a_zero), program.constant(b_zero)]
    y = program.op(f"ttc.int_matmul {', '.join(operands)} : "
                   f"({', '.join(map(tensor, (a, b, a_zero, b_zero)))}) -> {tensor(expected)}")
    plan, found = program.run(tools, tmp_path, cpu, y, expected)
    assert "@int_gemm_" in plan
    np.testing.assert_array_equal(found, expected)


LAYERS = {
    "kernel3": ((1, 16, 14, 14), (32, 16, 3, 3), dict(pads=[1, 1, 1, 1])),
    "signed": ((1, 17, 9, 9), (35, 17, 1, 1), dict(type=I8)),
    "residual": ((1, 16, 14, 14), (24, 16, 3, 3), dict(pads=[1, 1, 1, 1], residual=True)),
    "depthwise": ((1, 24, 14, 14), (24, 1, 3, 3), dict(pads=[1, 1, 1, 1], groups=24)),
}


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
@pytest.mark.parametrize("name", LAYERS)
def test_quantised_layer(tools, tmp_path, name, cpu):
    """Convolution, relu and sum of dequantised tensors, quantised: one program, within one step."""
    x_shape, w_shape, how = LAYERS[name]
    rng = np.random.default_rng(sorted(LAYERS).index(name))
    kind = how.get("type", U8)
    x, w, x_zero = numbers(rng, x_shape, kind), numbers(rng, w_shape, I8), numbers(rng, (), kind)
    y_zero = numbers(rng, (), kind)
    channel = (w_shape[0], 1, 1, 1)
    w_zero, scale = np.zeros(channel, I8), rng.uniform(0.001, 0.01, channel).astype(np.float32)
    bias = rng.standard_normal(w_shape[0]).astype(np.float32)
    pads, groups = how.get("pads", [0] * 4), how.get("groups", 1)
    sums = convolve(x, w, x_zero, w_zero, [1, 1], pads, [1, 1], groups)
    y = np.maximum(sums * (0.02 * scale.astype(np.float64).reshape(1, -1, 1, 1)) +
                   bias.reshape(1, -1, 1, 1), 0)
    other = numbers(rng, y.shape, U8)
    if how.get("residual"):
        y += (other.astype(float) - 17) * 0.05
    step = np.float32(y.max() / 200)
    limits = np.iinfo(kind)
    expected = np.clip(np.rint(y / step) + int(y_zero), limits.min, limits.max).astype(kind)

    program = Program()

    def dequantize(value, array, scale, zero):
        return program.op(
            f"ttc.dequantize {value}, {program.constant(scale)}, {program.constant(zero)} : "
            f"({tensor(array)}, {tensor(scale)}, {tensor(zero)}) -> {real(array)}")

    image = dequantize(program.input(x), x, np.float32(0.02), x_zero)
    weights = dequantize(program.constant(w), w, scale, w_zero)
    result = program.op(
        f"ttc.conv {image}, {weights}, {program.constant(bias)} {{pads = {pads}, groups = {groups}}} : "
        f"({real(x)}, {real(w)}, {tensor(bias)}) -> {real(y)}")
    result = program.op(f"ttc.relu {result} : ({real(y)}) -> {real(y)}")
    if how.get("residual"):
        added = dequantize(program.input(other), other, np.float32(0.05), np.uint8(17))
        result = program.op(f"ttc.add {result}, {added} : ({real(y)}, {real(y)}) -> {real(y)}")
    result = program.op(
        f"ttc.quantize {result}, {program.constant(step)}, {program.constant(y_zero)} : "
        f"({real(y)}, {tensor(np.asarray(step))}, {tensor(y_zero)}) -> {tensor(expected)}")
    plan, found = program.run(tools, tmp_path, cpu, result, expected)
    assert "@int_" in plan
    difference = np.abs(found.astype(int) - expected)
    assert difference.max() <= 1 and (difference != 0).mean() < 0.01


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("pads", [[0, -1, -1, -1], [1, -6, 0, 7]])
def test_cropped_image(tools, tmp_path, cpu, pads):
    """Negative padding, which only programs have, leaves out columns of the image."""
    rng = np.random.default_rng(6)
    x, w = numbers(rng, (1, 9, 11, 3), U8), numbers(rng, (8, 3, 3, 3), I8)
    top, left, bottom, right = pads
    image = np.pad(x, [(0, 0), (max(top, 0), max(bottom, 0)), (max(left, 0), max(right, 0)), (0, 0)],
                   constant_values=77)
    image = image[:, max(-top, 0):image.shape[1] - max(-bottom, 0), max(-left, 0):image.shape[2] - max(-right, 0)]
    expected = convolve(image.transpose(0, 3, 1, 2), w, 77, np.int8(0), [1, 1], [0, 0, 0, 0], [1, 1],
                        1).transpose(0, 2, 3, 1)
    expected = (expected + 77 * w.astype(np.int64).sum((1, 2, 3))).astype(np.int32)
    program = Program()
    given, weights = program.input(x), program.constant(w)
    packed = program.op(f"ttc.pack_bytes {weights} {{kind = #ttc.pack_kind<conv>, nr = 16 : i64, merged}} : "
                        f"{tensor(w)} -> tensor<1x1x9x16x4xi8>")
    y = program.op(
        f"ttc.kernel.int_gemm {given}, {packed} {{dot = #ttc.byte_dot<plain>, tile = array<i64: 4, 16>, merged, "
        f"kernel = array<i64: 3, 3>, pads = array<i64: {', '.join(map(str, pads))}>, a_zero = 77 : i64}} : "
        f"({tensor(x)}, tensor<1x1x9x16x4xi8>) -> {tensor(expected)}")
    _, found = program.run(tools, tmp_path, cpu, y, expected)
    np.testing.assert_array_equal(found, expected)

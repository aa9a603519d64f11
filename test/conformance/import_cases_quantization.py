# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised tensors: conversions, products of bytes, and ONNX Runtime's own ops on them."""
import itertools

import numpy as np

from import_cases import Constant, ImportCase

MICROSOFT = "com.microsoft"


def sample(rng, *shape, low=-4.0, high=4.0):
    return rng.uniform(low, high, shape).astype(np.float32)


def integers(rng, element, *shape):
    limits = np.iinfo(element)
    return rng.integers(limits.min, limits.max + 1, shape).astype(element)


def scale(rng, *shape):
    return rng.uniform(0.01, 0.1, shape).astype(np.float32)


def linear_cases():
    rng = np.random.default_rng(11)
    for element in (np.uint8, np.int8, np.uint16, np.int16):
        name = np.dtype(element).name
        # Halves, and numbers beyond both ends.
        x = np.concatenate([np.arange(-8, 8) * np.float32(0.25), [1e9, -1e9]]).astype(np.float32)
        yield ImportCase(f"halves_{name}", "QuantizeLinear", [x, Constant(np.float32(0.5)), Constant(element(3))])
        for axis in (0, 1, -1):
            shape = (3, 4, 5)
            y = sample(rng, *shape)
            s, z = scale(rng, shape[axis]), integers(rng, element, shape[axis])
            yield ImportCase(f"quantize_{name}_{axis % 3}", "QuantizeLinear", [y, Constant(s), Constant(z)],
                             dict(axis=axis))
            q = integers(rng, element, *shape)
            yield ImportCase(f"dequantize_{name}_{axis % 3}", "DequantizeLinear", [q, s, z], dict(axis=axis))
        for block in (2, 3):
            blocks = -(-4 // block)
            s, z = scale(rng, 3, blocks, 5), integers(rng, element, 3, blocks, 5)
            yield ImportCase(f"quantize_{name}_block{block}", "QuantizeLinear", [sample(rng, 3, 4, 5), s, z],
                             dict(axis=1, block_size=block))
            yield ImportCase(f"dequantize_{name}_block{block}", "DequantizeLinear",
                             [integers(rng, element, 3, 4, 5), s, z], dict(axis=1, block_size=block))
    yield ImportCase("quantize_named", "QuantizeLinear", [sample(rng, 7), Constant(np.float32(0.1))],
                     dict(output_dtype=3))
    yield ImportCase("quantize_plain", "QuantizeLinear", [sample(rng, 2, 3), Constant(np.float32(0.1))], opset=10)
    yield ImportCase("dequantize_wide", "DequantizeLinear",
                     [rng.integers(-1000, 1000, (3, 4)).astype(np.int32), Constant(np.float32(0.1))])
    for index, x in enumerate([sample(rng, 3, 40), sample(rng, 5, low=1), sample(rng, 5, high=-1),
                               np.zeros((2, 3), np.float32), np.float32([[-3.0]])]):
        yield ImportCase(f"dynamic{index}", "DynamicQuantizeLinear", [x], outputs=3)


def product_cases():
    rng = np.random.default_rng(12)
    for index, (left, right) in enumerate(itertools.product((np.uint8, np.int8), repeat=2)):
        a, b = integers(rng, left, 7, 19), integers(rng, right, 19, 5)
        az, bz = integers(rng, left), integers(rng, right)
        yield ImportCase(f"matmul_zero{index}", "MatMulInteger", [a, Constant(b), Constant(az), Constant(bz)])
        yield ImportCase(f"matmul_columns{index}", "MatMulInteger",
                         [a, b, Constant(az), Constant(integers(rng, right, 5))], reference="ort")
        yield ImportCase(f"matmul_plain{index}", "MatMulInteger", [integers(rng, left, 2, 3, 4, 6),
                                                                   integers(rng, right, 3, 6, 2)])
        operands = [a, scale(rng), az, b, Constant(scale(rng)), Constant(bz), Constant(np.float32(3.0)),
                    Constant(integers(rng, left))]
        if (left, right) != (np.int8, np.uint8):  # ONNX Runtime has no such product.
            yield ImportCase(f"qlinear_matmul{index}", "QLinearMatMul",
                             [operand if isinstance(operand, (Constant, np.ndarray)) else Constant(operand)
                              for operand in operands], reference="ort")
    attributes = dict(strides=[2, 1], pads=[1, 0, 1, 1], dilations=[1, 2])
    for index, group in enumerate([1, 2, 4]):
        x, w = integers(rng, np.uint8, 2, 4, 9, 8), integers(rng, np.uint8, 8, 4 // group, 3, 2)
        yield ImportCase(f"conv_integer{index}", "ConvInteger",
                         [x, Constant(w), Constant(np.uint8(130)), Constant(np.uint8(120))],
                         dict(group=group, **attributes), reference="ort")
        yield ImportCase(f"conv_given{index}", "ConvInteger", [x, Constant(w), np.array(130, np.uint8)],
                         dict(group=group, **attributes), reference="ort")
        weights = integers(rng, np.int8, 8, 4 // group, 3, 2)
        bias = rng.integers(-2000, 2000, 8).astype(np.int32)
        for per, name in ((8, "channels"), (1, "tensor")):
            yield ImportCase(f"qlinear_conv_{name}{index}", "QLinearConv", [
                x, Constant(np.float32(0.02)), Constant(np.uint8(127)), Constant(weights),
                Constant(scale(rng, per)), Constant(np.zeros(per, np.int8)), Constant(np.float32(1.7)),
                Constant(np.uint8(100)), Constant(bias)], dict(group=group, **attributes), reference="ort")
    yield ImportCase("qlinear_conv_auto", "QLinearConv", [
        integers(rng, np.int8, 1, 3, 7), Constant(np.float32(0.02)), Constant(np.int8(-3)),
        Constant(integers(rng, np.int8, 5, 3, 3)), Constant(np.float32(0.05)), Constant(np.int8(0)),
        Constant(np.float32(0.9)), Constant(np.int8(4))], dict(auto_pad="SAME_UPPER"), reference="ort")


def contrib_cases():
    rng = np.random.default_rng(13)

    def case(name, op, operands, attributes=None, **options):
        # Where a real number is near a half, both neighbours are right.
        return ImportCase(name, op, operands, attributes or {}, domain=MICROSOFT, reference="ort",
                          **{"atol": 1, **options})

    def quantized(element, *shape):
        return [integers(rng, element, *shape), Constant(scale(rng)), Constant(integers(rng, element))]

    def result(element, size=0.3):
        return [Constant(np.float32(size)), Constant(integers(rng, element))]

    for element in (np.uint8, np.int8):
        name = np.dtype(element).name
        for op in ("QLinearAdd", "QLinearMul"):
            yield case(f"{op}_{name}", op, quantized(element, 2, 3, 4) + quantized(element, 3, 1) + result(element))
        yield case(f"sigmoid_{name}", "QLinearSigmoid", quantized(element, 3, 9) + result(element, 0.005))
        yield case(f"leaky_{name}", "QLinearLeakyRelu", quantized(element, 3, 9) + result(element), dict(alpha=0.2))
        yield case(f"average_{name}", "QLinearAveragePool", quantized(element, 1, 3, 8, 7) + result(element),
                   dict(kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1]))
        yield case(f"global_{name}", "QLinearGlobalAveragePool", quantized(element, 2, 3, 5, 4) + result(element))
        yield case(f"global_last_{name}", "QLinearGlobalAveragePool", quantized(element, 2, 5, 4, 3) + result(element),
                   dict(channels_last=1))
        yield case(f"softmax_{name}", "QLinearSoftmax", quantized(element, 3, 12) + result(element, 1 / 256),
                   dict(axis=-1, opset=13))
        yield case(f"concat_{name}", "QLinearConcat", result(element) + quantized(element, 2, 3, 4)
                   + quantized(element, 2, 1, 4) + quantized(element, 2, 2, 4), dict(axis=1))
        yield case(f"where_{name}", "QLinearWhere", [rng.integers(0, 2, (2, 4)).astype(bool)]
                   + quantized(element, 2, 4) + quantized(element, 2, 4) + result(element))
    for index, (ta, tb) in enumerate(itertools.product((0, 1), repeat=2)):
        a = integers(rng, np.uint8, *((9, 4) if ta else (4, 9)))
        b = integers(rng, np.int8, *((6, 9) if tb else (9, 6)))
        operands = [a, Constant(np.float32(0.02)), Constant(np.uint8(100)), Constant(b), Constant(scale(rng, 6)),
                    Constant(np.zeros(6, np.int8)), Constant(rng.integers(-500, 500, 6).astype(np.int32))]
        attributes = dict(transA=ta, transB=tb, alpha=0.5)
        yield case(f"gemm{index}", "QGemm", operands + result(np.uint8, 1.5), attributes)
        yield case(f"gemm_real{index}", "QGemm", operands, attributes, atol=1e-4)
    a, b = integers(rng, np.uint8, 2, 4, 9), integers(rng, np.int8, 9, 6)
    yield case("to_float", "MatMulIntegerToFloat",
               [a, Constant(b), Constant(np.float32(0.03)), Constant(scale(rng, 6)), Constant(np.uint8(90)), None,
                Constant(sample(rng, 6))], atol=1e-4)
    yield case("dynamic_matmul", "DynamicQuantizeMatMul",
               [sample(rng, 5, 9), Constant(b), Constant(scale(rng, 1)), Constant(integers(rng, np.int8, 1)),
                Constant(sample(rng, 6))], atol=1e-3)
    for bits, with_zeros in itertools.product((4, 8), (0, 1)):
        depth, columns, block = 40, 6, 16
        blocks = -(-depth // block)
        operands = [sample(rng, 3, depth), Constant(integers(rng, np.uint8, columns, blocks, block * bits // 8)),
                    Constant(scale(rng, columns * blocks))]
        if with_zeros:
            operands.append(Constant(integers(rng, np.uint8, columns * -(-blocks * bits // 8))))
        yield case(f"bits{bits}_{with_zeros}", "MatMulNBits", operands,
                   dict(K=depth, N=columns, bits=bits, block_size=block), atol=1e-2)
    yield case("gather_blocks", "GatherBlockQuantized",
               [Constant(integers(rng, np.uint8, 7, 16)), rng.integers(-7, 7, (2, 3)), Constant(scale(rng, 7, 2))],
               dict(bits=4, block_size=16, gather_axis=0, quantize_axis=1), atol=1e-5)
    for index, masked in enumerate([None, np.array([3, 5], np.int32), np.array([[1, 1, 0, 1, 1], [0, 1, 1, 1, 1]], np.int32)]):
        operands = [integers(rng, np.uint8, 2, 5, 8), Constant(integers(rng, np.int8, 8, 36)), Constant(sample(rng, 36)),
                    Constant(np.float32(0.01)), Constant(np.float32(0.02)), masked, Constant(np.uint8(120)),
                    Constant(np.int8(3))]
        yield case(f"attention{index}", "QAttention", operands, dict(num_heads=3), atol=1e-3)


def lstm_cases():
    """With the weights below, ONNX Runtime's sums of two products saturate on no CPU."""
    rng = np.random.default_rng(14)

    def case(name, element, batch=2, direction="forward", columns=False, state=False, lengths=None, steps=4, hidden=5,
             **attributes):
        size, directions = 6, 2 if direction == "bidirectional" else 1
        zero = 0 if element is np.int8 else 117
        operands = [sample(rng, steps, batch, size, low=-1, high=1)]
        for rows in (size, hidden):
            weights = zero + rng.integers(-60, 60, (directions, rows, 4 * hidden))
            operands.append(Constant(weights.astype(element)))
        operands += [Constant(sample(rng, directions, 8 * hidden, low=-1, high=1)), lengths]
        operands += [sample(rng, directions, batch, hidden, low=-1, high=1) if state else None for _ in range(2)]
        operands.append(Constant(sample(rng, directions, 3 * hidden, low=-1, high=1)) if state else None)
        shape = (directions, 4 * hidden) if columns else (directions,)
        for _ in range(2):
            operands += [Constant(rng.uniform(0.01, 0.03, shape).astype(np.float32)),
                         Constant(np.full(shape, zero, element))]
        return ImportCase(f"lstm_{name}", "DynamicQuantizeLSTM", operands,
                          dict(hidden_size=hidden, direction=direction, **attributes), domain=MICROSOFT, outputs=3,
                          reference="ort", atol=1e-4)

    yield case("plain", np.int8)
    yield case("unsigned", np.uint8, columns=True)
    yield case("both_ways", np.int8, direction="bidirectional", columns=True, state=True)
    yield case("one", np.uint8, batch=1, direction="reverse", state=True, input_forget=1)
    yield case("activations", np.int8, activations=["HardSigmoid", "Relu", "Softsign"])
    # Whole vectors of units and a part of one; all sequences have one range. More than 32 are unrolled.
    for batch in (1, 5, 33):
        for element in (np.int8, np.uint8):
            yield case(f"{batch}_of_{np.dtype(element).name}", element, batch=batch, direction="bidirectional",
                       columns=True, state=batch == 5, steps=9, hidden=43)
    yield case("one_length", np.int8, batch=1, state=True, lengths=np.array([3], np.int32))
    yield case("one_known_length", np.uint8, batch=1, direction="reverse", lengths=Constant(np.array([2], np.int32)))
    # The sequence of three steps has no share in the last range.
    for name, lengths in (("known", Constant(np.array([3, 2], np.int32))), ("given", np.array([3, 2], np.int32))):
        yield case(f"{name}_lengths", np.int8, columns=True, state=True, lengths=lengths)


def cases():
    yield from lstm_cases()
    yield from linear_cases()
    yield from product_cases()
    yield from contrib_cases()

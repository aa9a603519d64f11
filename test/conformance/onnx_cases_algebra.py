# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Einsum, normalizations with all their outputs, crops and losses."""
import random

import numpy as np

from onnx_cases import Constant, OnnxCase


def einsum_cases():
    sizes = dict(zip("abcdefgh", (2, 3, 4, 5, 2, 3, 1, 6)))
    equations = ["ab->ba", "abc->", "abc->b", "aa->a", "aa", "abab->ab", "abb->ab", "a,b->ab", "ab,bc->ac", "ab,cb->ac",
                 "ba,bc->ac", "ab,bc", "abc,acd->abd", "abcd,abed->abce", "abce,abed->abcd", "ab,ab->", "ab,ab->a",
                 "abc,cd,de->abe", "ab,bc,ca->", "a,a->", "abc,bd->adc", "...a,ab->...b", "...ab,...bc->...ac",
                 "a...b->b...a", "...", "ab...->...", "agb,acb->ac", "ab, b -> a", "abc,dbc->ad", "ab,c->cab", "aab,b->a"]
    for number, equation in enumerate(equations):
        values = np.random.default_rng(number)
        inputs = []
        for term in equation.split("->")[0].replace(" ", "").split(","):
            shape = []
            for letter in term.replace("...", "."):
                shape += [2, 3] if letter == "." else [sizes[letter]]
            inputs.append(values.uniform(-1, 1, shape).astype(np.float32))
        expected = [np.einsum(equation, *inputs).astype(np.float32)]
        yield OnnxCase(f"einsum_{number}", "Einsum", inputs, {"equation": equation}, expected=expected, opset=22)
    # Dimensions of size 1 broadcast, and integers have no matrix kernel.
    values = np.random.default_rng(5)
    a, b = values.uniform(-1, 1, (3, 1)).astype(np.float32), values.uniform(-1, 1, (4, 2)).astype(np.float32)
    yield OnnxCase("einsum_broadcast", "Einsum", [a, b], {"equation": "ab,bc->ac"}, opset=22,
                   expected=[np.einsum("ab,bc->ac", np.broadcast_to(a, (3, 4)), b)])
    a, b = values.integers(-9, 9, (3, 4)).astype(np.int32), values.integers(-9, 9, (4, 5)).astype(np.int32)
    yield OnnxCase("einsum_int", "Einsum", [a, b], {"equation": "ab,bc->ac"}, expected=[a @ b], opset=22)


def deep_cases():
    """Products of activations over more elements than a panel in scratch has."""
    values = np.random.default_rng(6)
    for name, depth, batch, attributes in (("plain", 6001, (), {}), ("transposed_b", 9000, (), {"transB": 1}),
                                           ("transposed_a", 5200, (), {"transA": 1}), ("batch", 40000, (3,), {})):
        a, b = (values.uniform(-1, 1, (*batch, *shape)).astype(np.float32) for shape in ((21, depth), (depth, 50)))
        expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
        if batch:
            yield OnnxCase(f"deep_{name}", "MatMul", [a, b], expected=[expected], opset=22, rtol=1e-5, atol=1e-3)
            continue
        c = values.uniform(-1, 1, 50).astype(np.float32)
        yield OnnxCase(f"deep_{name}", "Gemm", [a.T.copy() if "transA" in attributes else a,
                                                b.T.copy() if "transB" in attributes else b, c],
                       attributes, expected=[expected + c], opset=22, rtol=1e-5, atol=1e-3)


def norm_cases():
    values = np.random.default_rng(1)

    def tensor(*shape, low=-2):
        return values.uniform(low, 2, shape).astype(np.float32)

    for axis in (-1, 1, -3):
        shape = (2, 3, 5)
        scale = shape[axis:]
        yield OnnxCase(f"layer_norm_{axis}", "LayerNormalization", [tensor(*shape), tensor(*scale), tensor(*scale)],
                       {"axis": axis}, (True, True, True), opset=17)
        yield OnnxCase(f"rms_norm_{axis}", "RMSNormalization", [tensor(*shape), tensor(*scale)],
                       {"axis": axis, "epsilon": 0.01}, by="onnx", opset=23)
    yield OnnxCase("layer_norm_deviation", "LayerNormalization", [tensor(4, 7), tensor(7)], {}, (True, False, True),
                   opset=17)
    yield OnnxCase("rms_norm_scalar", "RMSNormalization", [tensor(4, 7), tensor(1)], {}, by="onnx", opset=23)
    for opset, channels in ((18, 2), (21, 6)):
        yield OnnxCase(f"group_norm_{opset}", "GroupNormalization", [tensor(2, 6, 3, 4), tensor(channels), tensor(channels)],
                       {"num_groups": 2}, by="onnx", opset=opset)
    for shape in ((4, 3), (2, 3, 5), (2, 3, 4, 5)):
        inputs = [tensor(*shape), tensor(3), tensor(3), tensor(3), tensor(3, low=0.1)]
        yield OnnxCase(f"batch_norm_training_{len(shape)}", "BatchNormalization", inputs,
                       {"training_mode": 1, "momentum": 0.7}, (True, True, True), by="onnx", opset=15)


def crop_cases():
    values = np.random.default_rng(2)
    for number, (shape, wanted, axes) in enumerate([((5, 6), (3, 9), None), ((4, 7, 3), (7, 4), (0, 1)),
                                                   ((3, 10, 10), (5, 5), (-2, -1)), ((2, 2), (2, 2), None),
                                                   ((1, 9), (4, 2), (1, 0))]):
        x = values.uniform(-1, 1, shape).astype(np.float32)
        attributes = {"axes": axes} if axes else {}
        yield OnnxCase(f"center_crop_pad_{number}", "CenterCropPad", [x, Constant(np.array(wanted, np.int64))], attributes,
                       by="onnx", opset=18)


def loss_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)
    classes, rest = choice.choice([1, 3, 7]), [choice.choice([1, 2, 5]) for _ in range(choice.randint(0, 4))]
    batch = choice.choice([1, 4])
    ignored = choice.choice([None, 0, -1, 100])
    # Log probabilities have sums of 1 in the loss that takes them; values do not matter.
    scores = values.uniform(-3, 0, (batch, classes, *rest)).astype(np.float32)
    labels = values.integers(0, classes, (batch, *rest))
    attributes = {"reduction": choice.choice(["none", "sum", "mean"])}
    if ignored is not None:
        labels.flat[1:][values.random(labels.size - 1) < 0.3] = ignored
        labels.flat[0] = (classes - 1) or 0
        attributes["ignore_index"] = ignored
    inputs = [scores, labels.astype(choice.choice([np.int32, np.int64]))]
    if choice.random() < 0.5:
        inputs.append(values.uniform(0.1, 2, classes).astype(np.float32))
    cross = choice.random() < 0.5
    op = "SoftmaxCrossEntropyLoss" if cross else "NegativeLogLikelihoodLoss"
    return OnnxCase(f"loss_{seed}", op, inputs, attributes, (True, True) if cross else (True,), by="onnx", opset=13)


def reported_cases():
    """What was once wrong without a word: NaN, bounds that cross, types that differ, means that are large."""
    values, nan = np.random.default_rng(4), np.float32(np.nan)
    x = values.uniform(-2, 2, (4, 6)).astype(np.float32)
    for row, columns in enumerate([(3,), (0, 5), (1, 2, 4)]):
        x[row, list(columns)] = nan
    for op in ("ArgMax", "ArgMin"):
        for last in (0, 1):
            # The first NaN wins, or the last one.
            best = np.argmax if op == "ArgMax" else np.argmin
            found = 5 - best(x[:, ::-1], 1) if last else best(x, 1)
            yield OnnxCase(f"nan_{op}_{last}", op, [x], {"axis": 1, "keepdims": 0, "select_last_index": last}, expected=[found])
    y = np.array([-9, -1, 0.5, 3, 9, np.inf, -np.inf, nan], np.float32)
    for name, low, high in (("crossed", 4, -2), ("equal", 1, 1), ("infinite", -np.inf, np.inf), ("no_low", nan, 2), ("no_high", -2, nan)):
        low, high = np.float32(low), np.float32(high)
        expected = [np.minimum(np.maximum(y, low), high)]
        yield OnnxCase(f"clip_{name}", "Clip", [y, Constant(low), Constant(high)], expected=expected)
        yield OnnxCase(f"clip_computed_{name}", "Clip", [y, np.array(low), np.array(high)], expected=expected)
    bases, powers = np.array([2, 3, -2, 1, 100, 10]), np.array([0.5, 2.9, 2, -1, 1.5, -0.5])
    for base in (np.int32, np.int64, np.float32, np.float64):
        for power in (np.float32, np.float64, np.int32):
            a, b = bases.astype(base), powers.astype(power)
            # Not with the exponent in the type of the base.
            wanted = np.power(a.astype(np.float64), b.astype(np.float64)).astype(base)
            for given in (b, Constant(b)):
                yield OnnxCase(f"pow_{a.dtype}_{b.dtype}_{'constant' if given is not b else 'computed'}", "Pow", [a, given],
                               expected=[wanted], rtol=1e-6, atol=0)
    bases, powers = np.array([0, 1, 2, 3, 5, 9]), np.array([2, -1, -1, -2, -3, 3])
    for base in (np.uint16, np.uint32, np.uint64):
        for power in (np.int8, np.int16, np.int32):
            yield OnnxCase(f"pow_{np.dtype(base)}_{np.dtype(power)}", "Pow", [bases.astype(base), powers.astype(power)],
                           expected=[np.array([0, 1, 0, 0, 0, 729], base)], rtol=0, atol=0)
    z = values.standard_normal((2, 4, 50))
    scale, bias = values.uniform(0.5, 2, 4), values.uniform(-1, 1, 4)
    for mean, dtype, bound in ((0, np.float64, 1e-12), (1e4, np.float64, 1e-9), (1e4, np.float32, 2e-3)):
        x, s, b = (z + mean).astype(dtype), scale.astype(dtype), bias.astype(dtype)
        wide = x.astype(np.longdouble)
        for op, groups in (("InstanceNormalization", 4), ("GroupNormalization", 2)):
            parts = wide.reshape(2, groups, -1)
            parts = (parts - parts.mean(2, keepdims=True)) / np.sqrt(parts.var(2, keepdims=True) + 1e-5)
            expected = parts.reshape(x.shape) * s[:, None] + b[:, None]
            yield OnnxCase(f"{op}_{dtype.__name__}_{mean:.0f}", op, [x, s, b], {"num_groups": 2} if groups == 2 else {},
                           expected=[expected.astype(dtype)], opset=21, rtol=0, atol=bound)


def cases():
    yield from reported_cases()
    yield from einsum_cases()
    yield from deep_cases()
    yield from norm_cases()
    yield from crop_cases()
    yield from (loss_case(seed) for seed in range(30))

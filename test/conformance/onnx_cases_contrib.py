# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float ops of com.microsoft against ONNX Runtime, which defines them."""
import random
from math import erf, sqrt

import numpy as np

from onnx_cases import Constant, OnnxCase

MS = "com.microsoft"


def plain_cases():
    values = np.random.default_rng(7)

    def tensor(*shape):
        return values.uniform(-2, 2, shape).astype(np.float32)

    def case(name, op, inputs, attributes=None, outputs=(True,), **more):
        return OnnxCase(name, op, inputs, attributes or {}, outputs, domain=MS, **more)

    yield case("gelu", "Gelu", [tensor(3, 5)])
    yield case("fast_gelu", "FastGelu", [tensor(3, 5)])
    yield case("fast_gelu_bias", "FastGelu", [tensor(2, 3, 5), tensor(5)])
    yield case("bias_gelu", "BiasGelu", [tensor(2, 3, 5), tensor(5)])
    yield case("quick_gelu", "QuickGelu", [tensor(3, 5)], {"alpha": 1.3})
    x, bias = tensor(2, 3, 8), tensor(8)
    both = (x + bias).astype(np.float64)
    gate = both[..., 4:] * (1 + np.vectorize(erf)(both[..., 4:] / sqrt(2))) / 2
    yield case("bias_split_gelu", "BiasSplitGelu", [x, bias], expected=[(both[..., :4] * gate).astype(np.float32)])
    skip = tensor(2, 3, 8)
    yield case("bias_add", "BiasAdd", [x, bias, skip], expected=[x + bias + skip])

    conv = [tensor(1, 3, 6, 7), tensor(4, 3, 3, 3), tensor(4)]
    for name, params in (("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.7]),
                         ("HardSigmoid", [0.3, 0.4])):
        yield case(f"fused_conv_{name}", "FusedConv", conv,
                   {"activation": name, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
                   | ({"activation_params": params} if params else {}))
    yield case("fused_conv_sum", "FusedConv", conv + [tensor(1, 4, 4, 5)], {"activation": "Relu"})

    for number, (a, b, attributes) in enumerate([
            ((3, 4), (4, 5), {"alpha": 0.5}), ((4, 3), (4, 5), {"transA": 1}), ((2, 3, 4), (2, 5, 4), {"transB": 1}),
            ((3, 2, 4), (5, 2, 4), {"transBatchA": 1, "transBatchB": 1, "transB": 1}),
            ((4,), (4, 5), {"alpha": 2.0}), ((3, 4), (4,), {}), ((2, 1, 3, 4), (3, 5, 4), {"transB": 1})]):
        yield case(f"fused_matmul_{number}", "FusedMatMul", [tensor(*a), tensor(*b)], attributes)
    yield case("transpose_matmul", "TransposeMatMul", [tensor(4, 3), tensor(5, 4)], {"transA": 1, "transB": 1, "alpha": 0.3})
    for name, more in (("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.3}), ("Tanh", {}), ("Sigmoid", {}),
                       ("Elu", {"activation_alpha": 0.5}),
                       ("HardSigmoid", {"activation_alpha": 0.4, "activation_beta": 0.3})):
        yield case(f"fused_gemm_{name}", "FusedGemm", [tensor(4, 3), tensor(4, 5), tensor(5)],
                   {"activation": name, "transA": 1, "alpha": 0.5, "beta": 2.0, **more})
    a, b, c = tensor(3, 4), tensor(4, 5), tensor(5)
    y = (a @ b + c).astype(np.float64)
    yield case("gemm_fast_gelu", "GemmFastGelu", [a, b, c], expected=[
        (y * (1 + np.tanh(sqrt(2 / np.pi) * (y + 0.044715 * y**3))) / 2).astype(np.float32)])

    for name, skip_shape in (("same", (2, 3, 8)), ("batch", (1, 3, 8)), ("plain", (3, 8))):
        yield case(f"skip_layer_norm_{name}", "SkipLayerNormalization",
                   [tensor(2, 3, 8), tensor(*skip_shape), tensor(8), tensor(8), tensor(8)], {"epsilon": 1e-5},
                   (True, False, False, True))
    yield case("skip_layer_norm_least", "SkipLayerNormalization", [tensor(2, 3, 8), tensor(2, 3, 8), tensor(8)])
    yield case("skip_rms_norm", "SkipSimplifiedLayerNormalization",
               [tensor(2, 3, 8), tensor(2, 3, 8), tensor(8), tensor(8)], {"epsilon": 1e-5}, (True, False, False, True))
    yield OnnxCase("rms_norm", "SimplifiedLayerNormalization", [tensor(2, 3, 8), tensor(8)], {"axis": -1, "epsilon": 1e-4},
                   opset=17)
    ids, segments = values.integers(0, 11, (2, 5)).astype(np.int32), values.integers(0, 2, (2, 5)).astype(np.int32)
    mask = (np.arange(5) < np.array([[5], [2]])).astype(np.int32)
    tables = [Constant(tensor(11, 8)), Constant(tensor(6, 8)), Constant(tensor(2, 8)), tensor(8), tensor(8)]
    yield case("embed", "EmbedLayerNormalization", [ids, segments, *tables, mask], {"epsilon": 1e-5}, (True, True))
    yield case("embed_sum", "EmbedLayerNormalization",
               [ids, None, *tables[:2], None, *tables[3:], None, values.integers(0, 6, (2, 5)).astype(np.int32)], {},
               (True, True, True))
    yield case("cdist", "CDist", [tensor(3, 4), tensor(5, 4)], {"metric": "sqeuclidean"})
    yield case("expand_dims", "ExpandDims", [tensor(3, 4), Constant(np.array(-1, np.int32))])


def attention_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)

    def tensor(*shape):
        return values.uniform(-1, 1, shape).astype(np.float32)

    batch, rows, heads, size = choice.choice([1, 3]), choice.choice([1, 4, 7]), choice.choice([1, 2, 4]), choice.choice([4, 8])
    hidden, features = heads * size, choice.choice([5, 16])
    past = choice.choice([0, 0, 3])
    total = past + rows
    inputs = [tensor(batch, rows, features), Constant(tensor(features, 3 * hidden)), Constant(tensor(3 * hidden)),
              None, None, None]
    kind = choice.choice(["none", "none", "lengths", "keys", "matrix"])
    if kind == "lengths" and not past:
        inputs[3] = values.integers(1, total + 1, batch).astype(np.int32)
    elif kind == "keys":
        inputs[3] = values.integers(0, 2, (batch, total)).astype(np.int32)
    elif kind == "matrix":
        inputs[3] = values.integers(0, 2, (batch, rows, total)).astype(np.int32)
    if inputs[3] is not None and inputs[3].ndim > 1:
        inputs[3][..., 0] = 1
    if past:
        inputs[4] = tensor(2, batch, heads, past, size)
    elif choice.random() < 0.3:
        inputs[5] = tensor(choice.choice([1, batch]), choice.choice([1, heads]), rows, total)
    attributes = {"num_heads": heads, "unidirectional": choice.randint(0, 1)}
    if choice.random() < 0.3:
        attributes["scale"] = 0.4
    return OnnxCase(f"attention_{seed}", "Attention", inputs, attributes, (True, True) if past else (True,), domain=MS)


def multi_head_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)

    def tensor(*shape):
        return values.uniform(-1, 1, shape).astype(np.float32)

    batch, rows, columns = choice.choice([1, 3]), choice.choice([1, 4]), choice.choice([2, 5])
    heads, size, value_size = choice.choice([1, 2, 4]), choice.choice([4, 8]), choice.choice([4, 8])
    hidden = heads * size
    layout = choice.choice(["plain", "plain", "packed", "packed_kv", "cross"])
    bias, past = None, 0
    if layout == "packed":
        columns, value_size = rows, size
        inputs = [tensor(batch, rows, heads, 3, size), None, None]
    elif layout == "packed_kv":
        value_size = size
        inputs = [tensor(batch, rows, hidden), tensor(batch, columns, heads, 2, size), None]
    elif layout == "cross":
        value_size = size
        inputs = [tensor(batch, rows, hidden), tensor(batch, heads, columns, size), tensor(batch, heads, columns, size)]
    else:
        inputs = [tensor(batch, rows, hidden), tensor(batch, columns, hidden), tensor(batch, columns, heads * value_size)]
        if choice.random() < 0.5:
            bias = tensor(2 * hidden + heads * value_size)
        past = choice.choice([0, 2])
    total = past + columns
    inputs += [bias, None, None, None, None]
    if choice.random() < 0.5:
        inputs[4] = values.integers(0, 2, (batch, total)).astype(np.int32)
        inputs[4][:, 0] = 1
    if choice.random() < 0.3:
        inputs[5] = tensor(choice.choice([1, batch]), choice.choice([1, heads]), rows, total)
    outputs = (True,)
    if past:
        inputs[6], inputs[7] = tensor(batch, heads, past, size), tensor(batch, heads, past, value_size)
        outputs = (True, True, True)
    attributes, plain = {"num_heads": heads}, None
    if layout.startswith("packed"):
        # ONNX Runtime has these layouts on GPUs only.
        apart = list(inputs)
        merged = [part.reshape(batch, -1, hidden) for part in np.moveaxis(inputs[layout == "packed_kv"], 3, 0)]
        apart[3 - len(merged):3] = merged
        plain = OnnxCase("", "MultiHeadAttention", apart, attributes, outputs, domain=MS)
    return OnnxCase(f"multi_head_{seed}", "MultiHeadAttention", inputs, attributes, outputs, domain=MS, same_as=plain)


def group_query_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)

    def tensor(*shape):
        return values.uniform(-1, 1, shape).astype(np.float32)

    batch, kv_heads, groups, size = choice.choice([1, 2]), choice.choice([1, 2]), choice.choice([1, 3]), choice.choice([16, 32])
    heads, past = kv_heads * groups, choice.choice([0, 4])
    rows = choice.choice([1, 5]) if not past else 1
    total = past + rows
    inputs = [tensor(batch, rows, heads * size), tensor(batch, rows, kv_heads * size), tensor(batch, rows, kv_heads * size),
              None, None, Constant(np.full(batch, total - 1, np.int32)), Constant(np.array(total, np.int32))]
    if past:
        inputs[3:5] = tensor(batch, kv_heads, past, size), tensor(batch, kv_heads, past, size)
    attributes = {"num_heads": heads, "kv_num_heads": kv_heads}
    if choice.random() < 0.5:
        angles = values.uniform(0, 6, (12, size // 2)).astype(np.float32)
        inputs += [np.cos(angles), np.sin(angles)]
        attributes |= {"do_rotary": 1, "rotary_interleaved": choice.randint(0, 1)}
    if choice.random() < 0.3:
        attributes["softcap"] = 2.0
    if choice.random() < 0.3:
        attributes["local_window_size"] = 2
    return OnnxCase(f"group_query_{seed}", "GroupQueryAttention", inputs, attributes, (True, True, True), domain=MS)


def rotary_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)
    batch, heads, rows, size = choice.choice([1, 2]), choice.choice([1, 3]), choice.choice([1, 5]), choice.choice([8, 16])
    angles = values.uniform(0, 6, (20, size // 2)).astype(np.float32)
    positions = values.integers(0, 15, choice.choice([(1,), (batch, rows)]))
    shape = choice.choice([(batch, rows, heads * size), (batch, heads, rows, size)])
    return OnnxCase(f"rotary_{seed}", "RotaryEmbedding", [values.uniform(-1, 1, shape).astype(np.float32), positions,
                                                         np.cos(angles), np.sin(angles)],
                    {"interleaved": choice.randint(0, 1)}, domain=MS)


def cases():
    yield from plain_cases()
    yield from (attention_case(seed) for seed in range(20))
    yield from (multi_head_case(seed) for seed in range(20))
    yield from (group_query_case(seed) for seed in range(12))
    yield from (rotary_case(seed) for seed in range(8))

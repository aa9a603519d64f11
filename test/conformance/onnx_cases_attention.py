# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and RotaryEmbedding of the default domain, and FlexAttention, against onnx's reference."""
import random

import numpy as np
from onnx import TensorProto, parser

from onnx_cases import Constant, OnnxCase


def case_mask(mask):
    return mask.value if isinstance(mask, Constant) else mask


def attention_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)

    def tensor(*shape):
        return values.uniform(-1, 1, shape).astype(np.float32)

    batch, kv_heads, groups = choice.choice([1, 2]), choice.choice([1, 2, 3]), choice.choice([1, 1, 2, 4])
    heads, size, value_size = kv_heads * groups, choice.choice([1, 4, 8, 17]), choice.choice([4, 8, 5])
    rows, columns = choice.choice([1, 3, 6]), choice.choice([2, 5, 8])
    flat = choice.random() < 0.4
    opset = choice.choice([23, 24])
    attributes = {}
    past = choice.choice([0, 0, 3])
    lengths = opset == 24 and not past and choice.random() < 0.4
    total = past + columns
    if flat:
        attributes |= {"q_num_heads": heads, "kv_num_heads": kv_heads}
        inputs = [tensor(batch, rows, heads * size), tensor(batch, columns, kv_heads * size),
                  tensor(batch, columns, kv_heads * value_size)]
    else:
        inputs = [tensor(batch, heads, rows, size), tensor(batch, kv_heads, columns, size),
                  tensor(batch, kv_heads, columns, value_size)]
    inputs += [None] * 4
    if choice.random() < 0.6:
        shape = choice.choice([(rows, total), (1, total), (heads, rows, total), (batch, 1, rows, total),
                               (batch, heads, rows, total)])
        if choice.random() < 0.5:
            inputs[3] = tensor(*shape)
            if choice.random() < 0.5:
                inputs[3][..., 0] = -np.inf
        else:
            inputs[3] = values.integers(0, 2, shape).astype(bool)
        inputs[3] = choice.choice([Constant, lambda value: value])(inputs[3])
    if past:
        inputs[4], inputs[5] = tensor(batch, kv_heads, past, size), tensor(batch, kv_heads, past, value_size)
    if lengths:
        inputs[6] = values.integers(1, total + 1, batch).astype(np.int64)
    # Where a mask has one row for all queries, onnx's reference takes them all for the first.
    if choice.random() < 0.4 and (inputs[3] is None or case_mask(inputs[3]).shape[-2] == rows):
        attributes["is_causal"] = 1
    if choice.random() < 0.3:
        attributes["softcap"] = 1.5
    if choice.random() < 0.3:
        attributes["scale"] = 0.3
    outputs = (True,)
    if past:
        outputs = (True, True, True)
    elif choice.random() < 0.3:
        # Without a cap: onnx's reference shows capped products in mode 0, its text does not.
        attributes.pop("softcap", None)
        attributes["qk_matmul_output_mode"] = choice.randint(0, 3)
        outputs = (True, False, False, True)
    if opset == 23:
        inputs = inputs[:6]
    return OnnxCase(f"attention_{seed}", "Attention", inputs, attributes, outputs, opset=opset, by="onnx")


def rotary_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)
    batch, heads, rows, size = choice.choice([1, 2]), choice.choice([1, 3]), choice.choice([1, 5]), choice.choice([4, 8, 16])
    rotated = choice.choice([0, size // 2])
    half = (rotated or size) // 2
    positions = choice.random() < 0.5
    angles = values.uniform(0, 6, (20, half) if positions else (batch, rows, half)).astype(np.float32)
    flat = choice.random() < 0.5
    shape = (batch, rows, heads * size) if flat else (batch, heads, rows, size)
    inputs = [values.uniform(-1, 1, shape).astype(np.float32), np.cos(angles), np.sin(angles)]
    if positions:
        inputs.append(values.integers(0, 20, (batch, rows)))
    attributes = {"interleaved": choice.randint(0, 1), "rotary_embedding_dim": rotated}
    if flat:
        attributes["num_heads"] = heads
    return OnnxCase(f"rotary_{seed}", "RotaryEmbedding", inputs, attributes, opset=23, by="onnx")


def modifier(element, body):
    """A graph from x to y, both of the element type."""
    return parser.parse_graph(f"g ({element}[b,h,r,c] x) => ({element}[b,h,r,c] y) {{ {body} }}")


SCORE_MODS = (
    "y = Tanh(x)",
    # A causal mask by positions that are computed from the shape, as exporters write it.
    """shape = Shape(x) two = Constant<value_int = 2>() three = Constant<value_int = 3>()
       zero = Constant<value_int = 0>() one = Constant<value_int = 1>()
       rows = Gather(shape, two) columns = Gather(shape, three)
       i = Range(zero, rows, one) j = Range(zero, columns, one) last = Constant<value_ints = [-1, 1]>()
       i2 = Reshape(i, last) seen = GreaterOrEqual(i2, j) low = Constant<value_float = -inf>()
       low2 = CastLike(low, x) y = Where(seen, x, low2)""")
PROB_MODS = ("h = Mul(x, x) y = Add(h, x)",)


def flex_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)
    kind = choice.choice([np.float32, np.float32, np.float16, np.float64])
    batch, kv_heads, groups = choice.choice([1, 2]), choice.choice([1, 2]), choice.choice([1, 3])
    size, value_size = choice.choice([1, 4, 9]), choice.choice([4, 5])
    rows, columns = choice.choice([1, 3, 6]), choice.choice([2, 5, 8])
    inputs = [values.uniform(-1, 1, shape).astype(kind) for shape in
              ((batch, kv_heads * groups, rows, size), (batch, kv_heads, columns, size),
               (batch, kv_heads, columns, value_size))]
    attributes, element = {}, "double" if kind == np.float64 else "float"
    if kind == np.float32 and choice.random() < 0.3:
        attributes["softmax_precision"], element = TensorProto.DOUBLE, "double"
    if choice.random() < 0.7:
        attributes["score_mod"] = modifier(element, choice.choice(SCORE_MODS))
    if choice.random() < 0.5:
        attributes["prob_mod"] = modifier(element, choice.choice(PROB_MODS))
    if choice.random() < 0.3:
        attributes["scale"] = 0.3
    rounding = 2e-3 if kind == np.float16 else 1e-5
    return OnnxCase(f"flex_{seed}", "FlexAttention", inputs, attributes, domain="ai.onnx.preview", by="onnx",
                    atol=rounding)


def cases():
    yield from (attention_case(seed) for seed in range(40))
    yield from (rotary_case(seed) for seed in range(10))
    yield from (flex_case(seed) for seed in range(12))

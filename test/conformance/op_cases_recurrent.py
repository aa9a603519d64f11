# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers, step by step in numpy."""
import numpy as np

from op_cases_elementwise import case
from op_programs import Case, Tensor

GATES = {"lstm": 4, "gru": 3, "gru_reset_first": 3, "rnn_tanh": 1, "rnn_relu": 1}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(kind, x, h, c, weights, bias, peepholes):
    """The next state; `weights` is [gates, state, unit]."""
    if kind == "lstm":
        i, o, f, g = (x[n] + h @ weights[n] for n in range(4))
        p_i, p_o, p_f = peepholes
        c = sigmoid(f + p_f * c) * c + sigmoid(i + p_i * c) * np.tanh(g)
        return sigmoid(o + p_o * c) * np.tanh(c), c
    if kind == "gru":
        z, r = sigmoid(x[0] + h @ weights[0]), sigmoid(x[1] + h @ weights[1])
        return (1 - z) * np.tanh(x[2] + r * (h @ weights[2] + bias)) + z * h, c
    if kind == "gru_reset_first":
        z, r = sigmoid(x[0] + h @ weights[0]), sigmoid(x[1] + h @ weights[1])
        return (1 - z) * np.tanh(x[2] + (r * h) @ weights[2]) + z * h, c
    sum = x[0] + h @ weights[0]
    return (np.tanh(sum) if kind == "rnn_tanh" else np.maximum(sum, 0)), c


def recurrence(kind, x, weights, initial, bias, peepholes, lengths, reverse):
    """`weights` is [directions, gates, state, unit]."""
    steps, batch, _ = x.shape
    directions, gates, hidden, _ = weights.shape
    x = x.reshape(steps, batch, directions, gates, hidden)
    y, last = np.zeros((steps, directions, batch, hidden)), initial.copy()
    for d in range(directions):
        for b in range(batch):
            h, c = initial[0, d, b], initial[-1, d, b]
            own = np.clip(lengths[b], 0, steps)
            for t in range(own)[:: -1 if reverse or d == 1 else 1]:
                h, c = step(kind, x[t, b, d], h, c, weights[d], bias[d], peepholes[d].reshape(3, hidden))
                y[t, d, b] = h
            last[0, d, b] = h
            if kind == "lstm":
                last[1, d, b] = c
    return y, last


def pack(weights):
    """[directions, blocks of 16 units, state, gates, 16]"""
    directions, gates, hidden, _ = weights.shape
    blocks = -(-hidden // 16)
    padded = np.zeros((directions, gates, hidden, blocks * 16), np.float32)
    padded[..., :hidden] = weights
    return padded.reshape(directions, gates, hidden, blocks, 16).transpose(0, 3, 2, 1, 4)


def make(name, kind, steps, batch, hidden, directions=1, reverse=False, bias=False, peepholes=False, lengths=None, sequences=None,
         scale=1.0, special=()):
    random = np.random.default_rng(len(name) + hidden)
    gates = GATES[kind]
    x = (scale * random.standard_normal((steps, batch, directions * gates * hidden))).astype(np.float32)
    for index, value in special:
        x[index] = value
    weights = (random.uniform(-1, 1, (directions, gates, hidden, hidden)) / np.sqrt(hidden)).astype(np.float32)
    initial = random.uniform(-1, 1, (2 if kind == "lstm" else 1, directions, batch, hidden)).astype(np.float32)
    vector = random.uniform(-1, 1, (directions, hidden)).astype(np.float32)
    peeps = random.uniform(-1, 1, (directions, 3 * hidden)).astype(np.float32)
    inputs = [Tensor("f32", x), Tensor("f32", pack(weights)), Tensor("f32", initial)]
    text = f"recurrence {kind} %a0, %a1, %a2"
    for word, given, tensor in (("bias", bias, Tensor("f32", vector)), ("peepholes", peepholes, Tensor("f32", peeps)),
                                ("lengths", lengths is not None, Tensor("i32", np.array(lengths or [0]))),
                                ("sequences", sequences is not None, Tensor("i32", np.array([sequences or 0])))):
        if given:
            text += f" {word} %a{len(inputs)}"
            inputs.append(tensor)
    steps_of = np.array(np.broadcast_to(steps if lengths is None else lengths, batch))
    steps_of[batch if sequences is None else max(sequences, 0):] = 0
    with np.errstate(invalid="ignore", over="ignore"):
        y, last = recurrence(kind, *(v.astype(np.float64) for v in (x, weights, initial)), vector * bias, peeps * peepholes,
                             steps_of, reverse)
    return case(name, text + (" {reverse}" if reverse else ""), inputs, [Tensor("f32", y), Tensor("f32", last)])


def multiply_bytes(h, weights, scales, zeros):
    """The states of all sequences by weights [state, column] of bytes; quantised by their range."""
    low, high = min(h.min(), np.float32(0)), max(h.max(), np.float32(0))
    scale = np.float32(high - low or 1) / np.float32(255)
    zero = np.rint(np.clip(-low / scale, 0, 255))
    q = np.clip(np.rint(h / scale) + zero, 0, 255)
    sums = (q - zero).astype(np.int64) @ (weights.astype(np.int64) - zeros)
    return sums * (scale * scales)


def make_bytes(name, steps, batch, hidden, directions=1, reverse=False, peepholes=False, length=None, sequences=None, zeros=True,
               large=1.0, rtol=0.0, atol=2e-3):
    random = np.random.default_rng(len(name) + hidden)
    x = random.standard_normal((steps, batch, directions, 4, hidden)).astype(np.float32)
    weights = random.integers(-128, 128, (directions, hidden, 4, hidden))
    scales = random.uniform(0.2, 1, (directions, 4, hidden)).astype(np.float32) / np.float32(128 * np.sqrt(hidden))
    zero = random.integers(-128, 128, (directions, 4, hidden)) * zeros
    initial = (large * random.uniform(-1, 1, (2, directions, batch, hidden))).astype(np.float32)
    peeps = random.uniform(-1, 1, (directions, 3, hidden)).astype(np.float32) * peepholes
    blocks, quads = -(-hidden // 16), -(-hidden // 4)
    packed = np.zeros((directions, quads * 4, 4, blocks * 16), np.int8)
    packed[:, :hidden, :, :hidden] = weights
    packed = packed.reshape(directions, quads, 4, 4, blocks, 16).transpose(0, 4, 1, 3, 5, 2)
    inputs = [Tensor("f32", x.reshape(steps, batch, -1)), Tensor("i8", packed), Tensor("f32", initial)]
    text = "recurrence lstm %a0, %a1, %a2"
    for word, given, tensor in (("peepholes", peepholes, Tensor("f32", peeps.reshape(directions, -1))),
                                ("scales", True, Tensor("f32", scales.reshape(directions, -1))),
                                ("zeros", True, Tensor("i32", zero.reshape(directions, -1))),
                                ("lengths", length is not None, Tensor("i32", np.array([length or 0]))),
                                ("sequences", sequences is not None, Tensor("i32", np.array([sequences or 0])))):
        if given:
            text += f" {word} %a{len(inputs)}"
            inputs.append(tensor)
    y, last = np.zeros((steps, directions, batch, hidden), np.float32), initial.copy()
    active = batch if sequences is None else min(max(sequences, 0), batch)
    own = range(steps if length is None else min(max(length, 0), steps))
    for d in range(directions if active else 0):
        h, c = initial[0, d, :active], initial[1, d, :active]
        for t in own[:: -1 if reverse or d == 1 else 1]:
            products = multiply_bytes(h, weights[d].reshape(hidden, -1), scales[d].reshape(-1), zero[d].reshape(-1))
            i, o, f, g = np.moveaxis(x[t, :active, d] + products.reshape(active, 4, hidden), 1, 0)
            p_i, p_o, p_f = peeps[d]
            c = sigmoid(f + p_f * c) * c + sigmoid(i + p_i * c) * np.tanh(g)
            h = (sigmoid(o + p_o * c) * np.tanh(c)).astype(np.float32)
            y[t, d, :active] = h
        last[0, d, :active], last[1, d, :active] = h, c
    # A state between two numbers may be rounded the other way.
    return Case(name, text + (" {reverse}" if reverse else ""), inputs, [Tensor("f32", y), Tensor("f32", last)],
                rtol, atol)


def cases_of_bytes():
    for batch, hidden in ((1, 7), (1, 129), (2, 16), (3, 33), (7, 48), (32, 20)):
        yield make_bytes(f"bytes_{batch}_{hidden}", 4, batch, hidden)
    yield make_bytes("bytes_symmetric", 5, 3, 24, reverse=True, zeros=False)
    yield make_bytes("bytes_both", 5, 6, 40, directions=2, peepholes=True)
    for length in (-2, 0, 3, 99):
        yield make_bytes(f"bytes_length_{length % 100}", 6, 3, 24, directions=2, length=length)
    for sequences in (-1, 0, 1, 5, 99):
        yield make_bytes(f"bytes_sequences_{sequences % 100}", 3, 9, 24, directions=2, sequences=sequences)
    # Ranges far above those of later states, and without a range.
    for index, large in enumerate((1e4, 1e-30, 0.0)):
        yield make_bytes(f"bytes_large_{index}", 4, 5, 20, large=large, rtol=5e-2, atol=2e-2)


def cases():
    yield from cases_of_bytes()
    # Units: less than a vector, several vectors, a last one of 1; sequences: tiles of 4, 2 and 1, several workgroups.
    # A workgroup with more sequences than it takes at once.
    yield make("many", "lstm", 2, 700, 5, directions=2, lengths=[n % 3 for n in range(700)])
    for kind in GATES:
        for batch, hidden in ((1, 7), (1, 129), (2, 16), (3, 33), (7, 48), (11, 20)):
            yield make(f"{kind}_{batch}_{hidden}", kind, 4, batch, hidden, bias=kind == "gru")
        yield make(f"{kind}_reverse", kind, 5, 3, 24, reverse=True)
        yield make(f"{kind}_both", kind, 5, 6, 24, directions=2, bias=kind == "gru", peepholes=kind == "lstm")
        yield make(f"{kind}_lengths", kind, 6, 5, 24, directions=2, lengths=[6, 0, 3, -2, 99])
        yield make(f"{kind}_few", kind, 3, 9, 24, directions=2, lengths=[3, 2, 0, 0, 0, 0, 0, 1, 0])
        for sequences in (-1, 1, 5, 99):
            yield make(f"{kind}_sequences_{sequences % 100}", kind, 3, 9, 24, directions=2, sequences=sequences)
        yield make(f"{kind}_padded", kind, 4, 6, 20, lengths=[3, 2, 4, 9, 9, 9], sequences=2)
        yield make(f"{kind}_one_length", kind, 6, 5, 24, reverse=True, lengths=[4])
        # Gates that saturate, and numbers that are none: only in their own sequence, and after their step.
        yield make(f"{kind}_large", kind, 4, 5, 20, scale=1.0 if kind == "rnn_relu" else 60.0)
        yield make(f"{kind}_special", kind, 4, 5, 20,
                   special=(((1, 0, 3), np.nan), ((2, 1, 0), np.inf), ((0, 2, 1), -np.inf), ((3, 4, 2), 3e38)))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over a cache and sampling, from IR to machine code: caches are inputs and outputs here, and activations
between steps, so that they are copied and updated in place. Against numpy."""
import json

import pytest

from bundles import np, run_bundle, run_once
from gate import nightly, nightly_rows, pairs

CPUS = ["native", "x86-64-v3"]
HEADS, GROUPS, DEPTH, CONTEXT = 6, 2, 64, 288
WIDTH = (HEADS + 2 * GROUPS) * DEPTH
SCALE = 0.12
ELEMENTS = {np.float16: "f16", np.float32: "f32", np.int8: "i8"}


def rounded(x, dtype):
    """Elements as a cache stores them, and the scale of each 32."""
    if dtype != np.int8:
        return x.astype(dtype), np.ones((*x.shape[:-1], x.shape[-1] // 32), np.float16)
    x = x.astype(np.float32).reshape(*x.shape[:-1], -1, 32)
    scales = (np.abs(x).max(-1) / np.float32(127)).astype(np.float16)
    divisors = np.where(scales == 0, np.float32(1), scales.astype(np.float32))[..., None]
    elements = np.clip(np.rint(x / divisors), -127, 127).astype(np.int8)
    return elements.reshape(*elements.shape[:-2], -1), scales


class Rows:
    """What a cache holds of [sequences, groups, positions], DEPTH elements each."""

    def __init__(self, dtype, numbers):
        self.elements, self.scales = rounded(numbers, dtype)

    def numbers(self):
        return self.elements.astype(np.float64) * np.repeat(self.scales.astype(np.float64), 32, axis=-1)


class Cache:
    """Keys and values of some sequences, and how the device stores them: without `sequences`, those of one."""

    def __init__(self, dtype, rng=None, sequences=None):
        shape = (sequences or 1, GROUPS, CONTEXT, DEPTH)
        self.dtype, self.sequences = dtype, sequences
        self.keys, self.values = (Rows(dtype, rng.standard_normal(shape) if rng else np.zeros(shape)) for _ in "kv")

    def leading(self, array):
        return array if self.sequences else array[0]

    def stored(self):
        blocks = (self.sequences or 1, GROUPS, CONTEXT // 32, 32)
        keys = self.keys.elements.reshape(*blocks, DEPTH).swapaxes(3, 4)
        values = self.values.elements.reshape(*blocks, DEPTH // 32, 32).transpose(0, 1, 4, 2, 3, 5)
        if self.dtype == np.int8:
            scales = self.keys.scales.reshape(*blocks, -1).swapaxes(3, 4)
            keys = np.concatenate([keys, np.ascontiguousarray(scales).view(np.int8).reshape(*keys.shape[:3], -1, 32)], 3)
            scales = self.values.scales.reshape(*blocks, -1).transpose(0, 1, 4, 2, 3)
            scales = np.ascontiguousarray(scales).view(np.int8)
            values = np.concatenate([values, scales.reshape(*values.shape[:4], 2, 32)], 4)
        values = values.reshape(len(values), GROUPS, DEPTH // 32, -1, 32)
        return tuple(self.leading(np.ascontiguousarray(array)) for array in (keys, values))

    def load(self, keys, values):
        keys = keys.reshape(-1, GROUPS, CONTEXT // 32, *keys.shape[-2:])
        values = values.reshape(len(keys), GROUPS, DEPTH // 32, CONTEXT // 32, -1, 32)
        rows = (len(keys), GROUPS, CONTEXT, -1)
        if self.dtype == np.int8:
            scales = np.ascontiguousarray(keys[:, :, :, DEPTH:]).view(np.float16).reshape(*keys.shape[:3], -1, 32)
            self.keys.scales = scales.swapaxes(3, 4).reshape(rows)
            scales = np.ascontiguousarray(values[..., 32:, :]).reshape(*values.shape[:4], 64).view(np.float16)
            self.values.scales = scales.transpose(0, 1, 3, 4, 2).reshape(rows)
        self.keys.elements = keys[:, :, :, :DEPTH].swapaxes(3, 4).reshape(rows)
        self.values.elements = values[..., :32, :].transpose(0, 1, 3, 4, 2, 5).reshape(rows)


def cos_sin():
    angles = np.arange(CONTEXT)[:, None] * 1e4 ** (-2 * np.arange(DEPTH // 2) / DEPTH)
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def rotate(x, table, rope):
    if rope == "none":
        return x
    cosines, sines = table[:DEPTH // 2], table[DEPTH // 2:]
    a, b = (x[..., 0::2], x[..., 1::2]) if rope == "pairs" else (x[..., :DEPTH // 2], x[..., DEPTH // 2:])
    y = np.empty_like(x)
    first, second = a * cosines - b * sines, b * cosines + a * sines
    if rope == "pairs":
        y[..., 0::2], y[..., 1::2] = first, second
    else:
        y[..., :DEPTH // 2], y[..., DEPTH // 2:] = first, second
    return y


def places(rows, positions, count, sequences):
    """The sequence and the position of each row that is valid."""
    positions = np.atleast_1d(positions)
    for m in range(min(count, rows)):
        own = sequences is not None and len(sequences) == rows
        s = 0 if sequences is None else int(sequences[m if own else 0])
        if not 0 <= s < len(positions) or (own and s in sequences[:m]) or positions[s] < 0:
            continue
        p = int(positions[s]) + (0 if own else m)
        if p < CONTEXT:
            yield m, s, p


def attend(qkv, cache, positions, count, rope, sequences=None, window=CONTEXT, soft_cap=None, sinks=None):
    """Updates the cache, returns y."""
    table = cos_sin().astype(np.float64)
    y = np.zeros((len(qkv), HEADS * DEPTH))
    for m, s, p in places(len(qkv), positions, count, sequences):
        heads = qkv[m].astype(np.float64).reshape(-1, DEPTH)
        for rows, new in [(cache.keys, rotate(heads[HEADS:HEADS + GROUPS], table[p], rope)),
                          (cache.values, heads[HEADS + GROUPS:])]:
            rows.elements[s, :, p], rows.scales[s, :, p] = rounded(new, cache.dtype)
        attended = slice(max(p + 1 - window, 0), p + 1)
        keys, values = cache.keys.numbers()[s, :, attended], cache.values.numbers()[s, :, attended]
        for h in range(HEADS):
            g = h * GROUPS // HEADS
            scores = keys[g] @ rotate(heads[h], table[p], rope) * SCALE
            if soft_cap:
                scores = soft_cap * np.tanh(scores / soft_cap)
            most = scores.max() if sinks is None else max(scores.max(), sinks[h])
            weights = np.exp(scores - most)
            more = 0 if sinks is None else np.exp(float(sinks[h]) - most)
            y[m, h * DEPTH:(h + 1) * DEPTH] = weights @ values[g] / (weights.sum() + more)
    return y


def cache_types(dtype, sequences=None):
    keys, values = Cache(dtype, sequences=sequences).stored()
    return tuple(f"tensor<{'x'.join(map(str, array.shape))}x{ELEMENTS[dtype]}>" for array in (keys, values))


def attention_text(rows, dtype, rope, count, names, results, sequences=None, active=None, window=None, soft_cap=None, sinks=None):
    """One ttc.cached_attention; `names` are qkv, keys, values, position, table, count. With `sequences`, those of the
    caches, `active` is a name and the number of elements; `sinks` is a name."""
    qkv, keys, values, position, table, valid = names
    keys_type, values_type = cache_types(dtype, sequences)
    types = [f"tensor<{rows}x{WIDTH}xf32>", keys_type, values_type, f"tensor<{sequences or 1}xi32>"]
    text = f"  {results}:3 = ttc.cached_attention {qkv}, {keys}, {values}, {position}"
    if rope != "none":
        text += f" cos_sin {table}"
        types.append(f"tensor<{CONTEXT}x{DEPTH}xf32>")
    if count:
        text += f" count {valid}"
        types.append("tensor<1xi32>")
    if sequences:
        text += f" sequences {active[0]}"
        types.append(f"tensor<{active[1]}xi32>")
    if sinks:
        text += f" sinks {sinks}"
        types.append(f"tensor<{HEADS}xf32>")
    text += f" rope {rope}" if rope != "none" else ""
    more = "".join(f", {name} = {value}" for name, value in (("window", window), ("soft_cap", soft_cap)) if value)
    return (f"{text} {{heads = {HEADS}, kv_heads = {GROUPS}, scale = {SCALE}{more}}} : ({', '.join(types)}) -> "
            f"(tensor<{rows}x{HEADS * DEPTH}xf32>, {keys_type}, {values_type})\n")


def build(tools, folder, text, *options):
    (folder / "model.mlir").write_text(text)
    tools.compile_ir(folder / "model.mlir", folder / "model.ttcb", *options)
    return folder / "model.ttcb"


def run(tools, bundle, inputs, all_ways=False):
    """The outputs; in all ways to run a bundle, they have the same bits."""
    named = {f"input{i}": array for i, array in enumerate(inputs)}
    return [*(run_bundle(tools, bundle, named, {}, 0, 0) if all_ways else run_once(tools, bundle, named)).values()]


WINDOW = {"window": 13}
SPECIAL = {"window": 40, "soft_cap": 1.5}


def int32(value):
    return np.atleast_1d(np.array(value, np.int32))


def check(found, cache, expected, reference, dtype):
    """Keys are rotated in f32 or in f64 before they are rounded, which may differ by one unit."""
    tolerance = 1e-5 if dtype == np.float32 else 2e-3
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(cache.values.elements, reference.values.elements)
    np.testing.assert_array_equal(cache.values.scales, reference.values.scales)
    np.testing.assert_allclose(cache.keys.scales.astype(np.float64), reference.keys.scales.astype(np.float64), rtol=1e-3)
    difference = np.abs(cache.keys.elements.astype(np.float64) - reference.keys.elements.astype(np.float64))
    assert difference.max() <= (1 if dtype == np.int8 else tolerance)


@pytest.mark.parametrize("kind,cpu", pairs([
    (np.float16, "pairs", {}), (np.float32, "halves", {}), (np.float32, "none", {}), (np.int8, "pairs", {}),
    (np.float16, "halves", WINDOW), (np.float32, "pairs", SPECIAL), (np.int8, "none", SPECIAL)], CPUS))
def test_steps(tools, tmp_path, kind, cpu):
    """A prompt, then tokens; the host hands the caches on. With windows, caps and sinks, too."""
    dtype, rope, special = kind
    rng = np.random.default_rng(7)
    keys_type, values_type = cache_types(dtype)
    arguments = (f"%k: {keys_type}, %v: {values_type}, %p: tensor<1xi32>, %n: tensor<1xi32>, "
                 f"%t: tensor<{CONTEXT}x{DEPTH}xf32>, %s: tensor<{HEADS}xf32>")
    sinks = rng.standard_normal(HEADS).astype(np.float32)
    bundles = {}
    for rows in (16, 1):
        folder = tmp_path / str(rows)
        folder.mkdir()
        y = f"tensor<{rows}x{HEADS * DEPTH}xf32>"
        bundles[rows] = build(
            tools, folder,
            f"func.func @main(%q: tensor<{rows}x{WIDTH}xf32>, {arguments}) -> ({y}, {keys_type}, {values_type}) {{\n"
            + attention_text(rows, dtype, rope, rows > 1, ("%q", "%k", "%v", "%p", "%t", "%n"), "%0",
                             sinks="%s" if special else None, **special)
            + f"  return %0#0, %0#1, %0#2 : {y}, {keys_type}, {values_type}\n}}\n", f"target-cpu={cpu}")
    cache, reference = Cache(dtype), Cache(dtype)
    position = 0
    for rows, count in [(16, 16), (16, 11), (1, 1), (1, 1), (16, 16), (1, 1)]:
        qkv = (2 * rng.standard_normal((rows, WIDTH))).astype(np.float32)
        expected = attend(qkv, reference, position, count, rope, sinks=sinks if special else None, **special)
        y, keys, values = run(tools, bundles[rows],
                              [qkv, *cache.stored(), int32(position), int32(count), cos_sin(), sinks])
        cache.load(keys, values)
        check(y, cache, expected, reference, dtype)
        position += count


@pytest.mark.parametrize("dtype", ELEMENTS)
def test_in_place(tools, tmp_path, dtype):
    """Several calls in one function: the caches between them are activations, which are updated where they are. All
    ways of running have the same bits."""
    rng = np.random.default_rng(8)
    rows = [1, 16, 1, 1]
    keys_type, values_type = cache_types(dtype)
    text, names = "", [f"%q{i}: tensor<{n}x{WIDTH}xf32>" for i, n in enumerate(rows)]
    names += [f"%p{i}: tensor<1xi32>" for i in range(len(rows))]
    names += [f"%k: {keys_type}", f"%v: {values_type}", "%n: tensor<1xi32>", f"%t: tensor<{CONTEXT}x{DEPTH}xf32>"]
    keys, values = "%k", "%v"
    for i, n in enumerate(rows):
        text += attention_text(n, dtype, "pairs", n > 1, (f"%q{i}", keys, values, f"%p{i}", "%t", "%n"), f"%r{i}")
        keys, values = f"%r{i}#1", f"%r{i}#2"
    types = [f"tensor<{n}x{HEADS * DEPTH}xf32>" for n in rows] + [keys_type, values_type]
    results = [f"%r{i}#0" for i in range(len(rows))] + [keys, values]
    bundle = build(tools, tmp_path, f"func.func @main({', '.join(names)}) -> ({', '.join(types)}) {{\n{text}"
                                    f"  return {', '.join(results)} : {', '.join(types)}\n}}\n")
    # The caches between the first call and the last one have one buffer for the keys and one for the values.
    buffers = json.loads(tools.ttrun("read", bundle, "--json").stdout)["buffers"]
    size = Cache(dtype).stored()[0].nbytes
    assert sum(buffer["kind"] == "activation" and buffer["size"] == size for buffer in buffers) == 2
    reference = Cache(dtype, rng)
    cache = Cache(dtype)
    cache.load(*reference.stored())
    qkvs = [rng.standard_normal((n, WIDTH)).astype(np.float32) for n in rows]
    positions = [70, 71, 83, 84]  # 12 of 16 rows count
    expected = [attend(qkv, reference, position, min(len(qkv), 12), "pairs") for qkv, position in zip(qkvs, positions)]
    found = run(tools, bundle, [*qkvs, *map(int32, positions), *cache.stored(), int32(12), cos_sin()], all_ways=True)
    cache.load(*found[-2:])
    for y, wanted in zip(found, expected):
        check(y, cache, wanted, reference, dtype)


@pytest.mark.parametrize("rows", [1, 16])
def test_position_outside(tools, tmp_path, rows):
    rng = np.random.default_rng(9)
    keys_type, values_type = cache_types(np.float16)
    y = f"tensor<{rows}x{HEADS * DEPTH}xf32>"
    bundle = build(
        tools, tmp_path,
        f"func.func @main(%q: tensor<{rows}x{WIDTH}xf32>, %k: {keys_type}, %v: {values_type}, %p: tensor<1xi32>)"
        f" -> ({y}, {keys_type}, {values_type}) {{\n"
        + attention_text(rows, np.float16, "none", False, ("%q", "%k", "%v", "%p", "", ""), "%0")
        + f"  return %0#0, %0#1, %0#2 : {y}, {keys_type}, {values_type}\n}}\n")
    cache = Cache(np.float16, rng)
    qkv = rng.standard_normal((rows, WIDTH)).astype(np.float32)
    for position in (-1, CONTEXT, 2**31 - 1, -2**31):
        found = run(tools, bundle, [qkv, *cache.stored(), int32(position)])
        assert not found[0].any(), position
        for before, after in zip(cache.stored(), found[1:]):
            assert before.tobytes() == after.tobytes(), position


@pytest.mark.parametrize("dtype,cpu", pairs(ELEMENTS, CPUS))
def test_sequences(tools, tmp_path, dtype, cpu):
    """Steps of several sequences, a prompt of one, then steps again: at the ends of blocks and of the cache, with rows
    that have no sequence, one that does not exist, or that of a row before them. The caches of all others stay, whether
    they are copied (the first call) or not. All ways of running have the same bits."""
    rng = np.random.default_rng(11)
    count = 6
    calls = [(4, 4), (16, 1), (8, 8), (1, 1)]
    keys_type, values_type = cache_types(dtype, count)
    text, names, keys, values = "", [], "%k", "%v"
    for i, (rows, active) in enumerate(calls):
        names += [f"%q{i}: tensor<{rows}x{WIDTH}xf32>", f"%p{i}: tensor<{count}xi32>", f"%s{i}: tensor<{active}xi32>",
                  f"%n{i}: tensor<1xi32>"]
        text += attention_text(rows, dtype, "halves", True, (f"%q{i}", keys, values, f"%p{i}", "%t", f"%n{i}"),
                               f"%r{i}", count, (f"%s{i}", active))
        keys, values = f"%r{i}#1", f"%r{i}#2"
    names += [f"%k: {keys_type}", f"%v: {values_type}", f"%t: tensor<{CONTEXT}x{DEPTH}xf32>"]
    types = [f"tensor<{rows}x{HEADS * DEPTH}xf32>" for rows, _ in calls] + [keys_type, values_type]
    results = [f"%r{i}#0" for i in range(len(calls))] + [keys, values]
    bundle = build(tools, tmp_path, f"func.func @main({', '.join(names)}) -> ({', '.join(types)}) {{\n{text}"
                                    f"  return {', '.join(results)} : {', '.join(types)}\n}}\n", f"target-cpu={cpu}")
    outside = [-1, CONTEXT, 2**31 - 1, -2**31, 40, 41]
    for case, (positions, sequences, counts) in enumerate([
            ([[0, 31, 32, 95, CONTEXT - 1, 7]] * 4, [[5, 3, 0, 4], [1], [0, 1, 2, 3, 4, 5, -1, 6], [2]], [4, 16, 8, 1]),
            ([[64, CONTEXT - 9, 33, 1, 63, 127]] * 4, [[2, 2, 6, 2], [1], [5, 5, 5, 5, -7, 2**31 - 1, -2**31, 4], [6]],
             [9, 11, 8, 1]),
            ([outside] * 4, [[0, 1, 4, 5], [2], [5, 4, 3, 2, 1, 0, 0, 0], [3]], [3, 16, 1, 1]),
            ([[5, 6, 7, 8, 9, 10]] * 4, [[0, 1, 2, 3], [-1], [0, 1, 2, 3, 4, 5, 6, 7], [5]], [-3, 5, 0, 1])]):
        reference = Cache(dtype, rng, count)
        cache, before = Cache(dtype, sequences=count), reference.stored()
        cache.load(*before)
        qkvs = [rng.standard_normal((rows, WIDTH)).astype(np.float32) for rows, _ in calls]
        expected = [attend(q, reference, p, n, "halves", np.array(s)) for q, p, s, n in
                    zip(qkvs, positions, sequences, counts)]
        inputs = [array for q, p, s, n in zip(qkvs, positions, sequences, counts)
                  for array in (q, int32(p), int32(s), int32(n))]
        found = run(tools, bundle, [*inputs, *before, cos_sin()], all_ways=case == 0)
        cache.load(*found[-2:])
        for y, wanted in zip(found, expected):
            check(y, cache, wanted, reference, dtype)


@pytest.mark.parametrize("dtype,special", [(np.float16, {}), (np.int8, {}), *nightly_rows([(np.float32, {})]), (np.float16, {"window": 100})])
def test_batch_is_alone(tools, tmp_path, dtype, special):
    """A sequence has the same bits alone, without others, and at any place of a batch of any size."""
    rng = np.random.default_rng(12)
    count = 5
    bundles = {}
    for rows in (0, 1, 3, 4, 8):  # 0: a cache without sequences
        folder = tmp_path / str(rows)
        folder.mkdir()
        size = max(rows, 1)
        keys_type, values_type = cache_types(dtype, count if rows else None)
        y = f"tensor<{size}x{HEADS * DEPTH}xf32>"
        arguments = (f"%q: tensor<{size}x{WIDTH}xf32>, %k: {keys_type}, %v: {values_type}, "
                     f"%p: tensor<{count if rows else 1}xi32>, %t: tensor<{CONTEXT}x{DEPTH}xf32>")
        arguments += f", %s: tensor<{rows}xi32>" if rows else ""
        bundles[rows] = build(
            tools, folder, f"func.func @main({arguments}) -> ({y}, {keys_type}, {values_type}) {{\n"
            + attention_text(size, dtype, "pairs", False, ("%q", "%k", "%v", "%p", "%t", ""), "%0", count if rows else None,
                             ("%s", rows), **special)
            + f"  return %0#0, %0#1, %0#2 : {y}, {keys_type}, {values_type}\n}}\n")
    caches = Cache(dtype, rng, count)
    keys, values = caches.stored()
    positions = [200, 287, 31, 64, 3]
    row = rng.standard_normal(WIDTH).astype(np.float32)
    alone = run(tools, bundles[0], [row[None], keys[3], values[3], int32(positions[3]), cos_sin()])
    for rows, at in [(1, 0), (3, 1), (4, 3), (8, 0), (8, 6)]:
        qkv = rng.standard_normal((rows, WIDTH)).astype(np.float32)
        qkv[at] = row
        sequences = np.resize([0, 1, 2, 4], rows)
        sequences[at] = 3
        found = run(tools, bundles[rows],
                    [qkv, keys, values, int32(positions), cos_sin(), int32(sequences)])
        assert found[0][at].tobytes() == alone[0][0].tobytes()
        assert found[1][3].tobytes() == alone[1].tobytes() and found[2][3].tobytes() == alone[2].tobytes()


def test_sample(tools, tmp_path):
    """Two steps in one function: greedy, with a penalty, then a stop token that the second step sees."""
    vocabulary, context = 5000, 40
    types = ["tensor<1xi32>", "tensor<1xi32>", "tensor<64xi32>", f"tensor<{context}xi32>"]
    step = (f" : (tensor<1x{vocabulary}xf32>, {', '.join(types)}) -> (tensor<1xi32>, {', '.join(types)})\n")
    results = ["tensor<1xi32>"] * 2 + types
    bundle = build(
        tools, tmp_path,
        f"func.func @main(%l: tensor<1x{vocabulary}xf32>, %m: tensor<1x{vocabulary}xf32>, %t: {types[0]}, %p: {types[1]}, "
        f"%s: {types[2]}, %h: {types[3]}) -> ({', '.join(results)}) {{\n"
        f"  %0:5 = ttc.sample %l, %t, %p, %s, %h{step}  %1:5 = ttc.sample %m, %0#1, %0#2, %0#3, %0#4{step}"
        f"  return %0#0, %1#0, %1#1, %1#2, %1#3, %1#4 : {', '.join(results)}\n}}\n")
    rng = np.random.default_rng(10)
    first, second = (rng.standard_normal((1, vocabulary)).astype(np.float32) for _ in range(2))
    first[0, [77, 1234]], second[0, 77] = [9, 8], 9
    history = np.full(context, -1, np.int32)
    history[:6] = [5, 6, 7, 8, 77, 9]
    sampling = np.zeros(64, np.int32)
    sampling[0] = 256
    sampling[4] = np.float32(2).view(np.int32)  # repetition_penalty: token 77 has 4.5
    found = run(tools, bundle, [first, second, int32(9), int32(5), sampling, history])
    assert [int(array[0]) for array in found[:4]] == [1234, int(np.argmax(np.where(np.arange(vocabulary) == 77, 4.5, second[0]))),
                                                     int(found[1][0]), 7]
    assert list(found[5][:8]) == [5, 6, 7, 8, 77, 9, 1234, int(found[1][0])]
    assert found[4].tobytes() == sampling.tobytes()
    # 1234 stops: the second step does nothing.
    sampling[11:13] = [1, 1234]  # stop_count, stop
    found = run(tools, bundle, [first, second, int32(9), int32(5), sampling, history])
    assert [int(array[0]) for array in found[:4]] == [1234, -1, 1234, 6]
    sampling[10] = 1  # done
    assert found[4].tobytes() == sampling.tobytes()


def test_sample_sequences(tools, tmp_path):
    """Two steps in one function: of rows 2, 0 and none, then of row 2, which a stop token has ended, and 1, twice."""
    vocabulary, context, sequences = 3000, 40, 4
    types = [f"tensor<{sequences}xi32>", f"tensor<{sequences}xi32>", f"tensor<{sequences}x64xi32>", f"tensor<{sequences}x{context}xi32>"]
    step = f" : (tensor<3x{vocabulary}xf32>, {', '.join(types)}, tensor<3xi32>) -> (tensor<3xi32>, {', '.join(types)})\n"
    results = ["tensor<3xi32>"] * 2 + types
    bundle = build(
        tools, tmp_path,
        f"func.func @main(%l: tensor<3x{vocabulary}xf32>, %m: tensor<3x{vocabulary}xf32>, %t: {types[0]}, %p: {types[1]}, "
        f"%s: {types[2]}, %h: {types[3]}, %a: tensor<3xi32>, %b: tensor<3xi32>) -> ({', '.join(results)}) {{\n"
        f"  %0:5 = ttc.sample %l, %t, %p, %s, %h sequences %a{step}  %1:5 = ttc.sample %m, %0#1, %0#2, %0#3, %0#4 sequences %b{step}"
        f"  return %0#0, %1#0, %1#1, %1#2, %1#3, %1#4 : {', '.join(results)}\n}}\n")
    rng = np.random.default_rng(11)
    first, second = (rng.standard_normal((3, vocabulary)).astype(np.float32) for _ in range(2))
    first[0, 1234] = 9
    history = np.full((sequences, context), -1, np.int32)
    position = np.array([5, 0, 11, 7], np.int32)
    sampling = np.zeros((sequences, 64), np.int32)
    sampling[:, 0] = 256
    sampling[2, 11:13] = [1, 1234]  # stop_count, stop
    token = np.array([7, 8, 9, 10], np.int32)
    inputs = [first, second, token, position, sampling, history, np.array([2, 0, -1], np.int32), np.array([2, 1, 1], np.int32)]
    found = run(tools, bundle, inputs, all_ways=True)
    chosen = [int(np.argmax(first[1])), int(np.argmax(second[1])), 1234]
    assert list(found[0]) == [1234, chosen[0], -1] and list(found[1]) == [-1, chosen[1], -1]
    assert list(found[2]) == [*chosen, 10] and list(found[3]) == [6, 1, 12, 7]
    sampling[2, 10] = 1  # done
    assert found[4].tobytes() == sampling.tobytes()
    for sequence in range(3):
        history[sequence, found[3][sequence]] = chosen[sequence]
    assert found[5].tobytes() == history.tobytes()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over a cache and sampling, from IR to machine code: caches are inputs and outputs here, and activations
between steps, so that they are copied and updated in place. Against numpy."""
import json

import pytest

from bundles import WAYS, np

HEADS, GROUPS, DEPTH, CONTEXT = 6, 2, 32, 288
WIDTH = (HEADS + 2 * GROUPS) * DEPTH
SCALE = 0.17


class Cache:
    """Keys and values as [groups, positions, depth], and as the device stores them."""

    def __init__(self, dtype, rng=None):
        shape = (GROUPS, CONTEXT, DEPTH)
        self.dtype = dtype
        self.keys, self.values = ((rng.standard_normal(shape) if rng else np.zeros(shape)).astype(dtype) for _ in "kv")

    def stored(self):
        keys = self.keys.reshape(GROUPS, CONTEXT // 32, 32, DEPTH).transpose(0, 1, 3, 2)
        values = self.values.reshape(GROUPS, CONTEXT, DEPTH // 32, 32).transpose(0, 2, 1, 3)
        return np.ascontiguousarray(keys), np.ascontiguousarray(values)

    def load(self, keys, values):
        self.keys = keys.transpose(0, 1, 3, 2).reshape(GROUPS, CONTEXT, DEPTH)
        self.values = values.transpose(0, 2, 1, 3).reshape(GROUPS, CONTEXT, DEPTH)


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


def attend(qkv, cache, position, count, rope):
    """Updates the cache, returns y."""
    table = cos_sin().astype(np.float64)
    y = np.zeros((len(qkv), HEADS * DEPTH))
    for m in range(min(count, CONTEXT - position) if 0 <= position < CONTEXT else 0):
        p = position + m
        heads = qkv[m].astype(np.float64).reshape(-1, DEPTH)
        cache.keys[:, p] = rotate(heads[HEADS:HEADS + GROUPS], table[p], rope).astype(cache.dtype)
        cache.values[:, p] = heads[HEADS + GROUPS:].astype(cache.dtype)
        for h in range(HEADS):
            g = h * GROUPS // HEADS
            scores = cache.keys[g, :p + 1].astype(np.float64) @ rotate(heads[h], table[p], rope) * SCALE
            weights = np.exp(scores - scores.max())
            y[m, h * DEPTH:(h + 1) * DEPTH] = weights @ cache.values[g, :p + 1].astype(np.float64) / weights.sum()
    return y


def cache_types(dtype):
    element = {np.float16: "f16", np.float32: "f32"}[dtype]
    return (f"tensor<{GROUPS}x{CONTEXT // 32}x{DEPTH}x32x{element}>",
            f"tensor<{GROUPS}x{DEPTH // 32}x{CONTEXT}x32x{element}>")


def attention_text(rows, dtype, rope, count, names, results):
    """One ttc.cached_attention; `names` are qkv, keys, values, position, table, count."""
    qkv, keys, values, position, table, valid = names
    keys_type, values_type = cache_types(dtype)
    types = [f"tensor<{rows}x{WIDTH}xf32>", keys_type, values_type, "tensor<1xi32>"]
    text = f"  {results}:3 = ttc.cached_attention {qkv}, {keys}, {values}, {position}"
    if rope != "none":
        text += f" cos_sin {table}"
        types.append(f"tensor<{CONTEXT}x{DEPTH}xf32>")
    if count:
        text += f" count {valid}"
        types.append("tensor<1xi32>")
    text += f" rope {rope}" if rope != "none" else ""
    return (f"{text} {{heads = {HEADS}, kv_heads = {GROUPS}, scale = {SCALE}}} : ({', '.join(types)}) -> "
            f"(tensor<{rows}x{HEADS * DEPTH}xf32>, {keys_type}, {values_type})\n")


def build(tools, folder, text, *options):
    (folder / "model.mlir").write_text(text)
    pipeline = "--ttc-trace-pipeline" + (f"={' '.join(options)}" if options else "")
    tools.run("ttc-opt", folder / "model.mlir", pipeline, "-o", folder / "plan.mlir")
    tools.run("ttc-translate", "--ttc-to-bundle", folder / "plan.mlir", "-o", folder / "model.ttcb")
    tools.ttrun("check", "--execute", folder / "model.ttcb")
    return folder / "model.ttcb"


def run(tools, folder, bundle, inputs, outputs, *options):
    args = []
    for i, array in enumerate(inputs):
        np.save(folder / f"in{i}.npy", array)
        args += ["--input", f"input{i}={folder / f'in{i}.npy'}"]
    args += [f"--output=output{i}={folder / f'out{i}.npy'}" for i in range(outputs)]
    tools.ttrun("run", bundle, *args, *options)
    return [np.load(folder / f"out{i}.npy") for i in range(outputs)]


def int32(value):
    return np.array([value], np.int32)


def check(found, cache, expected, reference, dtype):
    tolerance = 2e-3 if dtype == np.float16 else 1e-5
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(cache.values, reference.values)
    np.testing.assert_allclose(cache.keys.astype(np.float64), reference.keys.astype(np.float64), rtol=1e-3,
                               atol=2e-3 if dtype == np.float16 else 1e-5)


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
@pytest.mark.parametrize("dtype,rope", [(np.float16, "pairs"), (np.float32, "halves"), (np.float32, "none")])
def test_steps(tools, tmp_path, dtype, rope, cpu):
    """A prompt, then tokens; the host hands the caches on."""
    rng = np.random.default_rng(7)
    keys_type, values_type = cache_types(dtype)
    arguments = (f"%k: {keys_type}, %v: {values_type}, %p: tensor<1xi32>, %n: tensor<1xi32>, "
                 f"%t: tensor<{CONTEXT}x{DEPTH}xf32>")
    bundles = {}
    for rows in (16, 1):
        folder = tmp_path / str(rows)
        folder.mkdir()
        y = f"tensor<{rows}x{HEADS * DEPTH}xf32>"
        bundles[rows] = build(
            tools, folder,
            f"func.func @main(%q: tensor<{rows}x{WIDTH}xf32>, {arguments}) -> ({y}, {keys_type}, {values_type}) {{\n"
            + attention_text(rows, dtype, rope, rows > 1, ("%q", "%k", "%v", "%p", "%t", "%n"), "%0")
            + f"  return %0#0, %0#1, %0#2 : {y}, {keys_type}, {values_type}\n}}\n", f"target-cpu={cpu}")
    cache, reference = Cache(dtype), Cache(dtype)
    position = 0
    for rows, count in [(16, 16), (16, 11), (1, 1), (1, 1), (16, 16), (1, 1)]:
        qkv = (2 * rng.standard_normal((rows, WIDTH))).astype(np.float32)
        expected = attend(qkv, reference, position, count, rope)
        y, keys, values = run(tools, tmp_path, bundles[rows],
                              [qkv, *cache.stored(), int32(position), int32(count), cos_sin()], 3)
        cache.load(keys, values)
        check(y, cache, expected, reference, dtype)
        position += count


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
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
    cache.keys, cache.values = reference.keys.copy(), reference.values.copy()
    qkvs = [rng.standard_normal((n, WIDTH)).astype(np.float32) for n in rows]
    positions = [70, 71, 83, 84]  # 12 of 16 rows count
    expected = [attend(qkv, reference, position, min(len(qkv), 12), "pairs") for qkv, position in zip(qkvs, positions)]
    first = None
    for way in WAYS:
        found = run(tools, tmp_path, bundle,
                    [*qkvs, *map(int32, positions), *cache.stored(), int32(12), cos_sin()], len(types), *way)
        first = first or found
        for a, b in zip(first, found):
            assert a.tobytes() == b.tobytes(), f"other bits with {' '.join(way)}"
    cache.load(*found[-2:])
    for y, wanted in zip(found, expected):
        check(y, cache, wanted, reference, dtype)


@pytest.mark.parametrize("position", [-1, CONTEXT, 2**31 - 1, -2**31])
@pytest.mark.parametrize("rows", [1, 16])
def test_position_outside(tools, tmp_path, rows, position):
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
    found = run(tools, tmp_path, bundle, [qkv, *cache.stored(), int32(position)], 3)
    assert not found[0].any()
    for before, after in zip(cache.stored(), found[1:]):
        assert before.tobytes() == after.tobytes()


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
    found = run(tools, tmp_path, bundle, [first, second, int32(9), int32(5), sampling, history], 6)
    assert [int(array[0]) for array in found[:4]] == [1234, int(np.argmax(np.where(np.arange(vocabulary) == 77, 4.5, second[0]))),
                                                     int(found[1][0]), 7]
    assert list(found[5][:8]) == [5, 6, 7, 8, 77, 9, 1234, int(found[1][0])]
    assert found[4].tobytes() == sampling.tobytes()
    # 1234 stops: the second step does nothing.
    sampling[11:13] = [1, 1234]  # stop_count, stop
    found = run(tools, tmp_path, bundle, [first, second, int32(9), int32(5), sampling, history], 6)
    assert [int(array[0]) for array in found[:4]] == [1234, -1, 1234, 6]
    sampling[10] = 1  # done
    assert found[4].tobytes() == sampling.tobytes()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as one kernel: encoders' graphs whose numbers are compared with ONNX Runtime's and with those of the
same graph without the kernel. A bundle says by its programs what was fused."""
import json

import pytest

from bundles import np, run_bundle, run_onnxruntime
from gate import nightly
from test_elided_copies import Graph


def attention(graph, heads, size, values=None, mask=None, divide=False, fused=False, batch=1, length=0):
    """Q, K and V of x by products with weights, split into heads, attended, merged."""
    values = values or size

    def split(x, width):
        parts = graph.op("Reshape", x, graph.ints(batch, length, heads, width))
        return graph.op("Transpose", parts, perm=[0, 2, 1, 3])

    if fused:  # one product whose result is split, as ViT of timm has it
        x = graph.op("MatMul", "x", graph.weight(64, 3 * heads * size))
        x = graph.op("Reshape", x, graph.ints(batch, length, 3, heads, size))
        x = graph.op("Transpose", x, perm=[2, 0, 3, 1, 4])
        q, k, v = [graph.op("Squeeze", part, graph.ints(0)) for part in graph.op("Split", x, outputs=3, axis=0)]
        k = graph.op("Transpose", k, perm=[0, 1, 3, 2])
    else:
        q, k, v = [graph.op("MatMul", "x", graph.weight(64, heads * width)) for width in (size, size, values)]
        q, k, v = split(q, size), split(k, size), split(v, values)
        k = graph.op("Transpose", k, perm=[0, 1, 3, 2])
    scores = graph.op("MatMul", q, k)
    factor = graph.weight(1)
    scores = graph.op("Div" if divide else "Mul", scores, factor)
    if mask:
        # Made at run time: a constant would be folded, which is another path.
        offsets = graph.op("ReduceMean", "x", axes=[0, 1, 2], keepdims=0)
        added = graph.op("Mul", graph.weight(*mask), offsets)
        scores = graph.op("Add", added, scores)
    y = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), v)
    y = graph.op("Transpose", y, perm=[0, 2, 1, 3])
    y = graph.op("Reshape", y, graph.ints(batch, length, heads * values))
    return graph.op("MatMul", y, graph.weight(heads * values, 16))


# Heads of 32, 64, 80, 96 and 128; lengths that are no multiples of tiles; batches; masks of all shapes.
CASES = {
    "minilm": dict(heads=4, size=32, batch=1, length=128, mask=(1, 1, 128, 128)),
    "bert": dict(heads=2, size=64, batch=1, length=128, mask=(1, 1, 1, 128), divide=True),
    "vit": dict(heads=2, size=64, batch=1, length=197),
    "heads_of_80": dict(heads=3, size=80, batch=2, length=50, fused=True),
    "heads_of_96": dict(heads=2, size=96, batch=3, length=49, mask=(3, 1, 49, 49)),
    "heads_of_128": dict(heads=1, size=128, batch=1, length=77, mask=(77, 77)),
    "one_head": dict(heads=1, size=64, batch=1, length=511),
    "long": dict(heads=2, size=64, batch=1, length=1500),
    "long_mask": dict(heads=2, size=40, batch=1, length=777, mask=(777, 777)),
    "other_values": dict(heads=3, size=24, values=40, batch=2, length=17, mask=(3, 17, 17)),
    "short": dict(heads=12, size=32, batch=1, length=16, mask=(16,)),
}
PLAIN = ["minilm", "heads_of_80", "other_values"]
LONG = ["heads_of_96", "long", "long_mask"]


def programs_of(tools, bundle):
    return [program["symbol"] if "symbol" in program else program["name"]
            for program in json.loads(tools.ttrun("read", bundle, "--json").stdout)["programs"]]


def check(name, tools, tmp_path, *options):
    """With ONNX Runtime; the outputs."""
    case = CASES[name]
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    shape = [case["batch"], case["length"], 64]
    graph.save(path, shape, attention(graph, **case))
    inputs = {"x": np.random.default_rng(1).standard_normal(shape).astype(np.float32)}
    tools.compile(path, bundle, *options)
    outputs = run_bundle(tools, bundle, inputs, run_onnxruntime(path, inputs), 1e-4, 1e-4)
    programs = programs_of(tools, bundle)
    assert any("attention" in program for program in programs) == (not options), programs
    assert any("softmax" in program for program in programs) == bool(options), programs
    return [*outputs.values()]


@pytest.mark.parametrize("name", [*(name for name in CASES if name not in LONG), *nightly(LONG)])
def test_fused(name, tools, tmp_path):
    check(name, tools, tmp_path)


@pytest.mark.parametrize("name", [*PLAIN, *nightly(name for name in CASES if name not in PLAIN)])
def test_not_fused(name, tools, tmp_path):
    outputs = [check(name, tools, tmp_path, *options) for options in ([], ["--attention=false"])]
    np.testing.assert_allclose(*outputs, rtol=1e-4, atol=2e-5)


def test_fused_on_other_cpus(tools, tmp_path):
    """AVX2's tiles, on the machine that runs the tests."""
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [2, 45, 64], attention(graph, heads=2, size=80, batch=2, length=45, mask=(45, 45)))
    inputs = {"x": np.random.default_rng(2).standard_normal((2, 45, 64)).astype(np.float32)}
    tools.compile(path, bundle, "--target-cpu=x86-64-v3")
    assert any("attention" in program for program in programs_of(tools, bundle))
    run_bundle(tools, bundle, inputs, run_onnxruntime(path, inputs), 1e-4, 1e-4)


def test_operations_are_counted(tools, tmp_path):
    """As many as without the kernel: what is computed does not depend on how."""
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [1, 40, 64], attention(graph, heads=2, size=32, batch=1, length=40, mask=(40, 40)))
    counts = []
    for options in [], ["--attention=false"]:
        tools.compile(path, bundle, *options)
        counts.append(sum(program["flops"]
                          for program in json.loads(tools.ttrun("read", bundle, "--json").stdout)["programs"]))
    assert counts[0] == counts[1] > 0


def test_too_wide(tools, tmp_path):
    """A panel of queries of 12,000 elements does not fit: products in several parts."""
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [1, 20, 64], attention(graph, heads=1, size=12000, batch=1, length=20))
    tools.compile(path, bundle)
    assert not any("attention" in program for program in programs_of(tools, bundle))


@pytest.mark.parametrize("option", ["--shard=height", "--target=wormhole_n150"])
def test_elsewhere(option, tools, tmp_path):
    """Sharded activations, and chips."""
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [1, 64, 64], attention(graph, heads=2, size=32, batch=1, length=64))
    tools.compile(path, bundle, option)
    fused = any("attention" in program for program in programs_of(tools, bundle))
    assert fused == (option != "--shard=height")


@pytest.mark.parametrize("option", ["--attention=true", "--attention=false"])
@pytest.mark.parametrize("masked", [True, False])
def test_operand_within_another_tensor(masked, option, tools, tmp_path):
    """The queries are stored as a part of a concat where the kernels can follow its rows. With four batch dimensions, of
    which the gaps would keep two apart, they cannot."""
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    q = graph.op("Tanh", "x")
    if masked:
        scores = graph.op("MatMul", q, graph.op("Reshape", "x", graph.ints(2, 3, 2, 2, 8, 12)))
        scores = graph.op("Add", scores, graph.weight(2, 1, 1, 12))
    else:  # keys whose batch dimensions are swapped
        keys = graph.op("Slice", "x", graph.ints(0, 0), graph.ints(1, 1), graph.ints(0, 1))
        keys = graph.op("Transpose", keys, perm=[0, 1, 3, 2, 5, 4])
        scores = graph.op("MatMul", q, keys)
    y = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), graph.op("Sin", "x"))
    joined = graph.op("Concat", q, graph.weight(2, 1, 2, 2, 12, 8), axis=1)
    graph.save(path, [2, 3, 2, 2, 12, 8], graph.op("Concat", joined, y, axis=1))
    inputs = {"x": np.random.default_rng(4).standard_normal((2, 3, 2, 2, 12, 8)).astype(np.float32)}
    tools.compile(path, bundle, option)
    run_bundle(tools, bundle, inputs, run_onnxruntime(path, inputs), 1e-4, 1e-4)

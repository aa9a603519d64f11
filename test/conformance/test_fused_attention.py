# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as one kernel: encoders' graphs whose numbers are compared with ONNX Runtime's and with those of the
same graph without the kernel. A bundle says by its programs what was fused."""
import json

import pytest

from bundles import np, onnx, run_bundle, run_onnxruntime
from gate import nightly
from test_elided_copies import Graph

from onnx import TensorProto, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402


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


def exact_values(path, x):
    """The nodes of a model, and all values in f64."""
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float64), tensor.name))
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    names = [name for node in model.graph.node for name in node.output]
    del model.graph.output[:], model.graph.value_info[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    values.update(zip(names, ReferenceEvaluator(model).run(None, {"x": x.astype(np.float64)})))
    return list(model.graph.node), values


def standard_errors(path, x):
    """Of each output of attention() in f32, from Q, K and V on: what the roundings of the formula add up to, each of which is
    at most 2^-24 of a number and 1/sqrt(3) of that on average. The partial sums of n terms with the sum s grow towards it, so
    that their squares, which the roundings are relative to, are s^2 n/3 and the terms' squares n/6 together."""
    nodes, values = exact_values(path, x)
    softmax = next(i for i, node in enumerate(nodes) if node.op_type == "Softmax")
    product = [node for node in nodes[:softmax] if node.op_type == "MatMul"][-1]
    combined = next(node for node in nodes if node.input[0] == nodes[softmax].output[0])
    q, k = (values[name] for name in product.input)
    products = values[product.output[0]]
    scaled = values[next(node for node in nodes if node.input[0] == product.output[0]).output[0]]
    scores, p = values[nodes[softmax].input[0]], values[nodes[softmax].output[0]]
    v, o = values[combined.input[1]], values[combined.output[0]]
    rows, weights, y = *(values[name] for name in nodes[-1].input), values[nodes[-1].output[0]]

    def summed(n, total, squares):
        return n / 3 * total**2 + (n / 6 + 1) * squares

    factor = (scaled / products).flat[0] ** 2
    # Of scores: their sum, the factor, the mask, the largest subtracted; two units of exp.
    of_scores = (summed(q.shape[-1], scaled, factor * (q**2 @ k**2)) + scaled**2 + scores**2
                 + (scores - scores.max(-1, keepdims=True)) ** 2 + 4)
    # An error of a score moves the row by that, its share, and the distance of its value to the row's.
    moved = p**2 * of_scores
    of_rows = moved @ v**2 - 2 * o * (moved @ v) + o**2 * moved.sum(-1, keepdims=True)
    of_rows += summed(p.shape[-1], o, p**2 @ v**2) + (p.shape[-1] / 3 + 1) * o**2  # and the sum of exp, by which it is divided
    of_rows = of_rows.transpose(0, 2, 1, 3).reshape(rows.shape)
    return 2.0**-24 / 3**0.5 * np.sqrt(of_rows @ weights**2 + summed(rows.shape[-1], y, rows**2 @ weights**2))


def made(name, folder):
    """The model of a case, and its input."""
    case, graph, path = CASES[name], Graph(), folder / "model.onnx"
    shape = [case["batch"], case["length"], 64]
    graph.save(path, shape, attention(graph, **case))
    return path, np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def check(name, tools, tmp_path, *options):
    """With ONNX Runtime; the outputs."""
    path, x = made(name, tmp_path)
    inputs, bundle = {"x": x}, tmp_path / "model.ttcb"
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
    """Both are as near to each other as two orders of f32 arithmetic are: a fixed bound is too small for rows of which two
    scores are large and nearly equal, and says nothing about others. Of 12,000 elements, none is five deviations off."""
    [fused], [plain] = [check(name, tools, tmp_path, *options) for options in ([], ["--attention=false"])]
    deviation = 2**0.5 * standard_errors(*made(name, tmp_path))
    apart = np.abs(fused.astype(np.float64) - plain) / deviation
    assert apart.max() < 5, np.unravel_index(apart.argmax(), apart.shape)


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

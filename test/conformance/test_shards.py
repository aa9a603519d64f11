# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose activations are sharded over the cores' L1 (--shard): the same numbers as without
shards, in every way to run them, for a chip and for a small target; and chains without barriers."""
import json
import pathlib

import pytest

import encoders
from bundles import np, run_bundle, run_once
from gate import pairs
from graphs import Graph

SMALL = {"name": "small", "grid_rows": 2, "grid_cols": 2, "l1_bytes": 262144, "dram_banks": 2,
         "dram_bank_bytes": 16777216}
KINDS = ["height", "width", "block"]


BOTH = pairs(KINDS, ["wormhole_n150", "small"])


@pytest.fixture
def target(request, tmp_path):
    if request.param != "small":
        return request.param
    path = tmp_path / "small.json"
    path.write_text(json.dumps(SMALL))
    return path


def elementwise(graph):
    """Programs that cannot be fused into one: each value is used twice."""
    x = "x"
    for _ in range(3):
        a = graph.op("Sigmoid", graph.op("Add", x, graph.weight(64)))
        x = graph.op("Mul", graph.op("Transpose", graph.op("Transpose", a, perm=[1, 0]),
                                     perm=[1, 0]), a)
        x = graph.op("Softmax", x, axis=-1)
    return [graph.op("Tanh", x)]


def rows(graph):
    """Along rows only: normalisations, softmax, sums."""
    x = graph.op("LayerNormalization", "x", graph.weight(64), graph.weight(64), axis=-1)
    x = graph.op("Softmax", graph.op("Exp", x), axis=-1)
    x = graph.op("LayerNormalization", x, graph.weight(64), graph.weight(64), axis=-1)
    total = graph.op("ReduceMax", x, axes=[1], keepdims=1)
    return [graph.op("Softmax", graph.op("Sub", x, total), axis=-1)]


def products(graph):
    """Products with everything between them; of one hidden value a sum over all rows, too, for which
    shards are joined."""
    x = graph.op("Add", graph.op("MatMul", "x", graph.weight(64, 256)), graph.weight(256))
    x = graph.op("Softmax", x, axis=-1)
    x = graph.op("Relu", graph.op("MatMul", x, graph.weight(256, 128)))
    total = graph.op("ReduceSum", x, keepdims=1)
    x = graph.op("LayerNormalization", x, graph.weight(128), graph.weight(128), axis=-1)
    x = graph.op("MatMul", x, graph.weight(128, 64))
    return [graph.op("Softmax", x, axis=-1), total]


def compile_both(tools, model, target, kind, folder, *options):
    bundles = []
    for shard in ("none", kind):
        bundles.append(folder / f"{shard}.ttcb")
        tools.compile(model, bundles[-1], f"--target={target}", "--target-cpu=x86-64-v3",
                      f"--shard={shard}", "--queues=1", *options)
    return bundles


def run_both(tools, bundles, inputs, atol):
    """What the bundle without shards computes is what the other one must. Returns the commands of the
    latter."""
    run_bundle(tools, bundles[1], inputs, run_once(tools, bundles[0], inputs), rtol=0, atol=atol)
    read = json.loads(tools.ttrun("read", bundles[1], "--json", "--traces", "--buffers").stdout)
    return read


def count_sharded(read):
    return sum(1 for buffer in read["buffers"] if buffer.get("shards", 0) > 0)


@pytest.mark.parametrize("kind,target", BOTH, indirect=["target"])
@pytest.mark.parametrize("make", [elementwise, rows, products], ids=lambda make: make.__name__)
def test_graphs(make, kind, target, tools, tmp_path):
    graph = Graph(3)
    outputs = make(graph)
    graph.save(tmp_path / "model.onnx", [64, 64], *outputs)
    bundles = compile_both(tools, tmp_path / "model.onnx", target, kind, tmp_path, "--memory=dram")
    inputs = {"x": np.random.default_rng(5).standard_normal((64, 64)).astype(np.float32)}
    # A product of very few rows sums in another order (kernels/GemmTile.h); all else has equal bits.
    read = run_both(tools, bundles, inputs, 1e-6 if make is products else 0)
    if kind == "height":
        assert count_sharded(read) >= 3
    if make is rows and kind == "height":
        # From the first command that makes shards to the last one that reads them.
        commands = [c["opcode"] for c in read["traces"][0]["commands"]]
        assert commands.count("dispatch") >= 4
        assert commands.count("barrier") == 0, commands


@pytest.mark.parametrize("kind,target", BOTH, indirect=["target"])
def test_digits(kind, target, tools, root, tmp_path):
    bundles = compile_both(tools, root / "examples/digits/digits.onnx", target, kind, tmp_path)
    image = np.load(root / "examples/digits/images.npy")[:1].astype(np.float32)
    read = run_both(tools, bundles, {"image": image.reshape(1, 1, 8, 8)}, 1e-4)
    # An image has no rows that convolutions could be cut along, but channels.
    assert (count_sharded(read) > 0) == (kind != "height")


@pytest.mark.parametrize("kind,target", BOTH, indirect=["target"])
def test_encoder(kind, target, tools, tmp_path):
    model = tmp_path / "small_32.onnx"
    encoders.fill(pathlib.Path(__file__).parent / "encoders/small_32.onnx", model)
    bundles = compile_both(tools, model, target, kind, tmp_path)
    rng = np.random.default_rng(1)
    mask = np.ones((1, 32), np.int64)
    mask[:, 24:] = 0
    inputs = {"ids": rng.integers(0, 100, (1, 32)), "mask": mask}
    read = run_both(tools, bundles, inputs, 1e-5)
    if kind == "height":
        assert count_sharded(read) >= 4

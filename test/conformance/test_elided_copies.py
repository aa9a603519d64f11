# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Concats, slices and splits that move nothing, and results that take an operand's place: small
graphs whose numbers are compared with ONNX Runtime's, and whose bundles say what was elided."""
import json

import pytest

import graphs
from bundles import np, run_bundle, run_onnxruntime


class Graph(graphs.Graph):
    SCALE, OPSET = 0.3, 13

    def conv(self, x, channels_in, channels_out, kernel=3, group=1):
        pad = kernel // 2
        return self.op("Conv", x, self.weight(channels_out, channels_in // group, kernel, kernel),
                       self.weight(channels_out), pads=[pad] * 4, group=group)

    def batch_norm(self, x, channels):
        scale = self.op("Mul", x, self.weight(1, channels, 1, 1))
        return self.op("Add", scale, self.weight(1, channels, 1, 1))


def dense_layer(graph, x, channels):
    x = graph.op("Relu", graph.batch_norm(x, channels))
    return graph.conv(graph.op("Relu", graph.conv(x, channels, 24, kernel=1)), 24, 12)


def dense_block_nested(graph):
    x = graph.op("MaxPool", graph.conv("x", 4, 20), kernel_shape=[2, 2], strides=[2, 2])
    for channels in (20, 32, 44):
        x = graph.op("Concat", x, dense_layer(graph, x, channels), axis=1)
    return graph.op("Relu", graph.batch_norm(x, 56))


def dense_block_flat(graph):
    """The same written with concats of all that came before."""
    parts = [graph.op("MaxPool", graph.conv("x", 4, 20), kernel_shape=[2, 2], strides=[2, 2])]
    x = parts[0]
    for channels in (20, 32, 44):
        parts.append(dense_layer(graph, x, channels))
        x = graph.op("Concat", *parts, axis=1)
    return graph.op("Relu", graph.batch_norm(x, 56))


def inception(graph):
    """Branches of all kernels, an odd number of channels among them, read by all kernels."""
    x = graph.op("Relu", graph.conv("x", 4, 16))
    branches = [graph.conv(x, 16, 16, kernel=1), graph.op("Relu", graph.conv(x, 16, 5)),
                graph.conv(x, 16, 16, group=16),
                graph.op("AveragePool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4)]
    x = graph.op("Concat", *branches, axis=1)
    return graph.op("Add", graph.conv(x, 53, 8), graph.conv(x, 53, 8, kernel=1))


def fire(graph):
    """Two expanding convolutions of one squeeze, twice."""
    x = "x"
    for channels in (4, 32):
        squeezed = graph.op("Relu", graph.conv(x, channels, 8, kernel=1))
        x = graph.op("Concat", graph.op("Relu", graph.conv(squeezed, 8, 16, kernel=1)),
                     graph.op("Relu", graph.conv(squeezed, 8, 16)), axis=1)
    return graph.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2])


def parts_of_a_whole(graph):
    """A split of channels, read by kernels and elementwise ops, and joined again."""
    x = graph.conv("x", 4, 24)
    a, b, c = graph.op("Split", x, graph.ints(8, 4, 12), outputs=3, axis=1)
    a = graph.conv(a, 8, 8)
    b = graph.op("MaxPool", b, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4)
    c = graph.op("Tanh", graph.conv(c, 12, 12, group=12))
    return graph.op("Concat", a, b, graph.op("Mul", c, c), axis=1)


def slices(graph):
    """Slices of rows, of columns and of both, of what is computed and of the input."""
    x = graph.op("Mul", "x", graph.weight(1, 4, 8, 8))
    top = graph.op("Slice", x, graph.ints(0), graph.ints(3), graph.ints(2))
    corner = graph.op("Slice", x, graph.ints(2, 1), graph.ints(5, 6), graph.ints(2, 3))
    given = graph.op("Slice", "x", graph.ints(1), graph.ints(3), graph.ints(1))
    total = graph.op("ReduceSum", graph.op("Exp", top), graph.ints(1, 2, 3), keepdims=1)
    total = graph.op("Add", total, graph.op("ReduceMax", graph.op("Exp", corner), axes=[1, 2, 3]))
    return graph.op("Mul", graph.op("Sigmoid", given), total)


def joined_twice(graph):
    """One value in two concats, twice in one, and as a result: it can lie in one place only."""
    a, b = graph.conv("x", 4, 8), graph.conv("x", 4, 8, kernel=1)
    first = graph.op("Concat", a, b, axis=1)
    second = graph.op("Concat", b, a, a, axis=1)
    return graph.op("Add", graph.conv(first, 16, 8), graph.conv(second, 24, 8))


def joined_often(graph):
    """More parts than a command has operands, all of which must be copied."""
    return graph.op("Tanh", graph.op("Concat", *["x"] * 100, axis=1))


def many_parts(graph):
    """As many that are stored in place, and one that is copied."""
    parts = [graph.op("Mul", "x", graph.weight(1, 4, 1, 1)) for _ in range(70)]
    return graph.op("Neg", graph.op("Concat", *parts, "x", axis=1))


def join_of_outer(graph):
    """Along the outermost dimension: parts follow each other without a gap."""
    x = graph.op("Reshape", "x", graph.ints(16, 16))
    halves = [graph.op("Tanh", graph.op("MatMul", x, graph.weight(16, 9))) for _ in range(2)]
    return graph.op("Softmax", graph.op("Concat", *halves, axis=0), axis=1)


def residual(graph):
    x = graph.conv("x", 4, 16)
    for _ in range(3):
        x = graph.op("Relu", graph.op("Add", graph.conv(graph.op("Relu", x), 16, 16), x))
    return graph.op("Tanh", graph.op("Exp", graph.op("Neg", x)))


# How many programs that only move elements are left: what lies in a box of rows and columns is no rows
# of anything, and one value lies in one place only.
GRAPHS = {
    dense_block_nested: 0, dense_block_flat: 0, inception: 0, fire: 0, parts_of_a_whole: 0,
    slices: 1, joined_twice: 2, joined_often: 2, many_parts: 1, join_of_outer: 0, residual: 0,
}


@pytest.mark.parametrize("build", GRAPHS, ids=lambda build: build.__name__)
def test_elided(build, tools, tmp_path):
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [1, 4, 8, 8], build(graph))
    inputs = {"x": np.random.default_rng(1).standard_normal((1, 4, 8, 8)).astype(np.float32)}
    expected = run_onnxruntime(path, inputs)
    tools.compile(path, bundle)
    run_bundle(tools, bundle, inputs, expected, rtol=1e-4, atol=1e-4)
    programs = [program["symbol"] if "symbol" in program else program["name"]
                for program in json.loads(tools.ttrun("read", bundle, "--json").stdout)["programs"]]
    moves = [name for name in programs if name.startswith(("concat", "slice", "split", "copy"))]
    assert len(moves) == GRAPHS[build], programs

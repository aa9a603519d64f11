# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products by the same matrix that become one: small graphs whose numbers are compared with ONNX Runtime's, and
whose bundles say how many products are left."""
import json

import pytest

import graphs
from bundles import np, run_bundle, run_onnxruntime

STEPS, WIDTH = 6, 64


class Graph(graphs.Graph):
    SCALE, OPSET = 0.1, 13


def steps(graph):
    return graph.op("Split", "x", graph.constant(np.ones(STEPS, np.int64)), outputs=STEPS, axis=0)


def recurrent_cell(graph):
    """The inputs' products become one; those of the state need each other."""
    u, w, bias = graph.weight(WIDTH, WIDTH), graph.weight(WIDTH, WIDTH), graph.weight(WIDTH)
    state = graph.constant(np.zeros((1, WIDTH), np.float32))
    for part in steps(graph):
        state = graph.op("Tanh", graph.op("Add", graph.op("Gemm", part, w, bias), graph.op("MatMul", state, u)))
    return [state]


def both_directions(graph):
    """Four products: the inputs' of each direction, and two steps of states."""
    results = []
    for parts in (steps(graph)[:2], steps(graph)[:2][::-1]):
        u, w = graph.weight(WIDTH, WIDTH), graph.weight(WIDTH, WIDTH)
        state = None
        for part in parts:
            state = graph.op("Sum", *[graph.op("MatMul", part, w)] + ([graph.op("MatMul", state, u)] if state else []))
            state = graph.op("Tanh", state)
        results.append(state)
    return results


def shared_layers(graph):
    """Two layers for inputs of several tensors, which are joined; results of three shapes."""
    parts = [graph.op("Sigmoid", part) for part in steps(graph)[:3]]
    parts[1] = graph.op("Concat", parts[1], graph.op("Neg", parts[0]), axis=0)
    u, w, bias = graph.weight(WIDTH, 2 * WIDTH), graph.weight(2 * WIDTH, WIDTH), graph.weight(2 * WIDTH)
    hidden = [graph.op("Relu", graph.op("Add", graph.op("MatMul", part, u), bias)) for part in parts]
    hidden = [graph.op("MatMul", value, w) for value in hidden]
    hidden[2] = graph.op("Reshape", hidden[2], graph.constant(np.array([4, -1], np.int64)))
    return hidden


def rows_apart(graph):
    """Rows that are no slice together are joined."""
    w = graph.weight(WIDTH, 4 * WIDTH)
    parts = steps(graph)
    return [graph.op("Tanh", graph.op("MatMul", parts[i], w)) for i in (0, 2, 5, 4)]


GRAPHS = {recurrent_cell: 7, both_directions: 4, shared_layers: 2, rows_apart: 1}


@pytest.mark.parametrize("build", GRAPHS, ids=lambda build: build.__name__)
def test_merged(build, tools, tmp_path):
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [STEPS, WIDTH], *build(graph))
    inputs = {"x": np.random.default_rng(1).standard_normal((STEPS, WIDTH)).astype(np.float32)}
    expected = run_onnxruntime(path, inputs)
    tools.compile(path, bundle)
    run_bundle(tools, bundle, inputs, expected, rtol=1e-4, atol=1e-5)
    contents = json.loads(tools.ttrun("read", bundle, "--json").stdout)
    programs = [command["program"] for command in contents["traces"][0]["commands"] if command["opcode"] == "dispatch"]
    assert sum(name.startswith("gemm") for name in programs) == GRAPHS[build], programs

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--workgroups: finer or coarser grids, whose results have the same bits on any number of cores, and those of kernels
with any grid."""
import json

import pytest

from bundles import np, run_bundle, run_onnxruntime
from test_elided_copies import Graph
from test_fused_attention import attention


def convolutions(graph):
    """Winograd's algorithm, direct and depthwise convolutions, a pool, elementwise ops, a product of one row."""
    x = graph.op("Relu", graph.conv("x", 8, 32))
    x = graph.op("Relu", graph.conv(x, 32, 64, kernel=1))
    x = graph.op("Relu", graph.conv(x, 64, 64, group=64))
    x = graph.op("Add", graph.conv(x, 64, 64), x)
    x = graph.op("Erf", graph.op("Exp", graph.op("Tanh", x)))
    x = graph.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2])
    x = graph.op("Softmax", x, axis=1)
    x = graph.op("Flatten", graph.op("ReduceMean", x, axes=[2, 3]))
    return graph.op("MatMul", x, graph.weight(64, 1000))


def encoder(graph):
    return attention(graph, heads=6, size=64, batch=2, length=160, mask=(160, 160))


MODELS = {"convolutions": (convolutions, [1, 8, 64, 64]), "encoder": (encoder, [2, 160, 64])}


def grids_of(tools, bundle):
    return [program["grid"] for program in json.loads(tools.ttrun("read", bundle, "--json").stdout)["programs"]]


@pytest.mark.parametrize("name", MODELS)
def test_same_results(name, tools, tmp_path):
    build, shape = MODELS[name]
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, shape, build(graph))
    inputs = {"x": np.random.default_rng(3).standard_normal(shape).astype(np.float32)}
    expected = run_onnxruntime(path, inputs)
    bits, most, outputs = {}, {}, []
    for workgroups in (1, 2, 16, 64, 256):
        tools.compile(path, bundle, f"--workgroups={workgroups}")
        # On one core and several, traced or not: the same bits.
        outputs += run_bundle(tools, bundle, inputs, expected, 1e-3, 1e-4).values()
        bits[workgroups] = outputs[-1].tobytes()
        most[workgroups] = max(grids_of(tools, bundle))
    # LLVM may add the elements of a softmax or a mean in another order where tiles are smaller.
    assert len(set(bits.values())) == 1 or name == "convolutions"
    for output in outputs:
        np.testing.assert_allclose(output, outputs[0], rtol=1e-5, atol=1e-6)
    assert most[1] == 1 and most[2] <= 3 and most[1] < most[2] < most[16] < most[64] <= most[256], most


def test_default(tools, tmp_path):
    """16, byte for byte."""
    graph = Graph()
    path = tmp_path / "model.onnx"
    graph.save(path, [1, 8, 64, 64], convolutions(graph))
    bundles = []
    for options in [], ["--workgroups=16"]:
        tools.compile(path, tmp_path / "model.ttcb", *options)
        bundles.append((tmp_path / "model.ttcb").read_bytes())
    assert bundles[0] == bundles[1]


@pytest.mark.parametrize("value", ["0", "-4", "24", "65536"])
def test_errors(value, tools, tmp_path):
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [1, 8, 64, 64], convolutions(graph))
    done = tools.compile(path, bundle, f"--workgroups={value}", check=False)
    assert done.returncode == 1 and not bundle.exists()
    assert f"expected 'workgroups' to be a power of two from 1 to 32768, found {value}" in done.stderr

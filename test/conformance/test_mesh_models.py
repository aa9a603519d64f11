# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are divided over a mesh compute what they do on one device: all devices' work as one program, and by devices
that are threads."""
import json
import re

import pytest

from bundles import np, onnx, relative_to_largest, run_onnxruntime
from gate import nightly_rows
import mesh_models
from mesh_models import Graph, MODELS, SHAPES, TensorProto
from random_graphs import make

DIVISIONS = [("2", "data"), ("2", "tensor"), ("2x2", "data:x,tensor:y"), ("2x2", "tensor:x,data:y"), ("4", "tensor")]
# What divides the model so that sums are split: how many there are.
SUMS = {"mlp": 1, "transformer": 2}


@pytest.fixture(scope="module", params=MODELS)
def model(request, tmp_path_factory):
    """The name, the file, the input and the output that ONNX Runtime computes."""
    path = tmp_path_factory.mktemp("models") / f"{request.param}.onnx"
    MODELS[request.param](path)
    x = np.random.default_rng(9).standard_normal(SHAPES[request.param]).astype(np.float32)
    np.save(path.with_suffix(".x.npy"), x)
    np.save(path.with_suffix(".y.npy"), run_onnxruntime(path, {"x": x})["y"])
    return request.param, path


def run(tools, bundle, path, *options):
    tolerance = relative_to_largest({"y": np.load(path.with_suffix(".y.npy"))}, 1e-5)
    tools.ttrun("run", bundle, f"--input=x={path.with_suffix('.x.npy')}",
                f"--expect=y={path.with_suffix('.y.npy')}", "--rtol=1e-5", f"--atol={tolerance}", *options)


def divide(mesh, parallel):
    return [f"--ttc-set-mesh=mesh={mesh}", "--ttc-expose-dimensions",
            f"--ttc-annotate-sharding=parallel={parallel}", "--ttc-partition"]


# In the gate, each division is unrolled or run on devices.
@pytest.mark.parametrize("mesh,parallel", [*DIVISIONS[1:4:2], *nightly_rows([DIVISIONS[0], DIVISIONS[2], DIVISIONS[4]])])
def test_unrolled(tools, model, tmp_path, mesh, parallel):
    name, path = model
    tools.run("ttc-translate", "--import-onnx", path, "-o", tmp_path / "model.mlir")
    tools.run("ttc-opt", tmp_path / "model.mlir", "--canonicalize", "--cse", *divide(mesh, parallel),
              "-o", tmp_path / "divided.mlir")
    text = (tmp_path / "divided.mlir").read_text()
    if "tensor" in parallel and name in SUMS:
        assert len(re.findall(r"ttc\.all_reduce", text)) == SUMS[name]
    if parallel == "data":
        assert not re.search(r"ttc\.all_|ttc\.reduce_scatter|#ttc\.shards", text)
    tools.run("ttc-opt", tmp_path / "divided.mlir", "--ttc-unroll-mesh", "--ttc-trace-pipeline", "-o",
              tmp_path / "plan.mlir")
    tools.run("ttc-translate", "--ttc-to-bundle", tmp_path / "plan.mlir", "-o", tmp_path / "model.ttcb")
    run(tools, tmp_path / "model.ttcb", path)


@pytest.mark.parametrize("mesh,parallel", [*DIVISIONS[::2], *nightly_rows(DIVISIONS[1::2])])
def test_devices(tools, model, tmp_path, mesh, parallel):
    _, path = model
    devices = {"2": 2, "4": 4, "2x2": 4}[mesh]
    bundle = tmp_path / "model.ttcb"
    tools.compile(path, bundle, f"--mesh={mesh}", f"--parallel={parallel}")
    for how in "devices", "processes":
        run(tools, bundle, path, f"--{how}={devices}")


@pytest.mark.parametrize("name,parallel", [
    ("reshape", "data"), ("symmetric", "data"), ("graph_convolution", "data"), ("degrees", "data"), ("depthwise", "tensor"),
    ("half_weights", "tensor"), ("dequantized_weights", "tensor"), ("quantized", "tensor")])
def test_special_divisions(tools, tmp_path, name, parallel):
    """Compared with one device, because ONNX Runtime rounds quantised models in other places."""
    path, one, two = (tmp_path / file for file in ("model.onnx", "one.ttcb", "two.ttcb"))
    getattr(mesh_models, name)(path)
    shape = [dim.dim_value for dim in onnx.load(path).graph.input[0].type.tensor_type.shape.dim]
    np.save(path.with_suffix(".x.npy"), np.random.default_rng(8).standard_normal(shape).astype(np.float32))
    tools.compile(path, one)
    tools.ttrun("run", one, f"--input=x={path.with_suffix('.x.npy')}", f"--output=y={path.with_suffix('.y.npy')}")
    compiled = tools.compile(path, two, "--mesh=2", f"--parallel={parallel}")
    assert compiled.stderr == ""
    run(tools, two, path, "--devices=2")
    if parallel == "tensor":
        def constants(bundle):
            held = json.loads(tools.ttrun("read", bundle, "--mesh", "--json").stdout)["mesh"]["holds"]
            return max(device["common_constants"] + device["own_constants"] for device in held)
        whole = tmp_path / "whole.ttcb"
        tools.compile(path, whole, "--mesh=2")
        assert constants(two) < 0.6 * constants(whole)


@pytest.mark.parametrize("seed,mesh,parallel", [(3, "2", "tensor"), (7, "2x2", "tensor"), (22, "2x2", "data:x,tensor:y")])
def test_random_graph(tools, tmp_path, seed, mesh, parallel):
    model, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    onnx.save(make(seed), model)
    random = np.random.default_rng(seed)
    inputs = {value.name: random.standard_normal([d.dim_value for d in value.type.tensor_type.shape.dim])
              .astype(np.float32) for value in onnx.load(model).graph.input}
    expected = run_onnxruntime(model, inputs)
    files = []
    for kind, arrays in (("input", inputs), ("expect", expected)):
        for index, (name, array) in enumerate(arrays.items()):
            np.save(tmp_path / f"{kind}{index}.npy", array)
            files.append(f"--{kind}={name}={tmp_path}/{kind}{index}.npy")
    tools.compile(model, bundle, f"--mesh={mesh}", f"--parallel={parallel}")
    devices = 4 if mesh == "2x2" else 2
    tools.ttrun("run", bundle, f"--devices={devices}", *files, "--rtol=1e-3",
                f"--atol={relative_to_largest(expected, 1e-4)}")


@pytest.mark.parametrize("mesh,parallel", [("2", "tensor"), ("2x2", "data:x,tensor:y"), ("2x2", "tensor:x,pipeline:y"), ("4", "tensor")])
def test_embeddings(tools, tmp_path, mesh, parallel):
    """Devices have columns of the table of words, and all of that of positions, of which there are few."""
    graph = Graph(5)
    words = graph.op("Gather", graph.weight(3000, 32), "x", axis=0)
    hidden = graph.op("Add", words, graph.weight(1, 6, 32))
    hidden = graph.op("LayerNormalization", hidden, graph.weight(32, offset=1), graph.weight(32), axis=-1)
    graph.linear(graph.op("Relu", graph.linear(hidden, 32, 128)), 128, 32)
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [4, 6], TensorProto.INT64)
    x = np.random.default_rng(3).integers(0, 3000, (4, 6))
    np.save(path.with_suffix(".x.npy"), x)
    np.save(path.with_suffix(".y.npy"), run_onnxruntime(path, {"x": x})["y"])
    tools.compile(path, bundle, f"--mesh={mesh}", f"--parallel={parallel}")
    run(tools, bundle, path, f"--devices={2 if mesh == '2' else 4}")
    held = json.loads(tools.ttrun("read", bundle, "--mesh", "--json").stdout)["mesh"]["holds"]
    table = 3000 * 32 * 4
    assert all(device["common_constants"] + device["own_constants"] < 0.6 * table for device in held)


@pytest.mark.parametrize("mesh,parallel", [("2", "tensor"), ("2x2", "tensor:x,pipeline:y")])
def test_constants_that_are_exchanged(tools, tmp_path, mesh, parallel):
    """What is looked up in a divided table of positions is a constant: other processes do not reach it where it is stored."""
    graph = Graph(6)
    positions = graph.op("Gather", graph.weight(512, 32), graph.constant(np.arange(6)), axis=0)
    hidden = graph.op("LayerNormalization", graph.op("Add", "x", positions), graph.weight(32, offset=1), graph.weight(32), axis=-1)
    graph.linear(graph.op("Relu", graph.linear(hidden, 32, 128)), 128, 32)
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [4, 6, 32])
    x = np.random.default_rng(3).standard_normal((4, 6, 32)).astype(np.float32)
    np.save(path.with_suffix(".x.npy"), x)
    np.save(path.with_suffix(".y.npy"), run_onnxruntime(path, {"x": x})["y"])
    tools.compile(path, bundle, f"--mesh={mesh}", f"--parallel={parallel}")
    devices = 2 if mesh == "2" else 4
    for how in "devices", "processes":
        run(tools, bundle, path, f"--{how}={devices}", "--loops=5")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that a model stores as int8 stay int8 in the bundle, where the outputs keep the bits that they have with the same
weights in f32."""
import pytest

from bundles import np, onnx, run_once
from onnx import TensorProto, helper, numpy_helper

WORDS, WIDTH, IDS = 3000, 64, 24


def model(path, nodes, weights, width):
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, [2, IDS])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, IDS, width])]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph([helper.make_node(*node[:3], **(node[3] if node[3:] else {})) for node in nodes], "g", inputs,
                              outputs, tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path)


def table(kind, random):
    """The nodes that make `w` of stored bytes, the weights, and what they make in numpy."""
    q = random.integers(-128, 128, (WORDS, WIDTH), np.int8)
    zero = np.int8(3)
    if kind == "cast":
        scale = random.uniform(0.01, 0.1, WIDTH).astype(np.float32)
        nodes = [("Cast", ["q"], ["c"], {"to": TensorProto.FLOAT}), ("Mul", ["c", "s"], ["w"])]
        return nodes, {"q": q, "s": scale}, q.astype(np.float32) * scale
    axis = {"tensor": None, "rows": 0, "columns": 1}[kind]
    count = 1 if axis is None else q.shape[axis]
    scale = random.uniform(0.01, 0.1, count).astype(np.float32)
    zeros = np.full(count, zero, np.int8)
    shape = [1, 1] if axis is None else [-1, 1] if axis == 0 else [1, -1]
    real = (q.astype(np.float32) - np.float32(zero)) * scale.reshape(shape)
    if axis is None:
        scale, zeros = scale[0], zeros[0]
    return [("DequantizeLinear", ["q", "s", "z"], ["w"], {"axis": axis or 0})], {
        "q": q, "s": np.asarray(scale), "z": np.asarray(zeros)}, real


def compile_and_run(tools, folder, name, nodes, weights, width, *options):
    model(folder / f"{name}.onnx", nodes, weights, width)
    tools.compile(folder / f"{name}.onnx", folder / f"{name}.ttcb", *options)
    ids = np.random.default_rng(4).integers(-WORDS, WORDS, (2, IDS))
    return run_once(tools, folder / f"{name}.ttcb", {"ids": ids})["y"], (folder / f"{name}.ttcb").stat().st_size


@pytest.mark.parametrize("kind", ["tensor", "rows", "columns", "cast"])
def test_table(tools, tmp_path, kind):
    """Word embeddings: rows are converted when they are read."""
    nodes, weights, real = table(kind, np.random.default_rng(1))
    gather = [("Gather", ["w", "ids"], ["y"], {"axis": 0})]
    stored, size = compile_and_run(tools, tmp_path, "stored", nodes + gather, weights, WIDTH)
    whole, whole_size = compile_and_run(tools, tmp_path, "whole", gather, {"w": real}, WIDTH)
    assert stored.tobytes() == whole.tobytes()
    assert size < whole_size - 2.9 * WORDS * WIDTH, (size, whole_size)


@pytest.mark.parametrize("kind", ["cast", "tensor", "columns", "unsigned"])
def test_product(tools, tmp_path, kind):
    """The kernel converts and scales when it loads, or once for several tiles of rows."""
    random = np.random.default_rng(2)
    q, x = random.integers(-128, 128, (WIDTH, 4096), np.int8), random.standard_normal((WORDS, WIDTH)).astype(np.float32)
    scale = random.uniform(0.01, 0.1, 1 if kind == "tensor" else 4096).astype(np.float32)
    real = q.astype(np.float32) * (1 if kind == "cast" else scale)
    weights = {"q": (q.astype(np.int16) + 128).astype(np.uint8) if kind == "unsigned" else q, "x": x}
    if kind == "cast":
        convert = ("Cast", ["q"], ["w"], {"to": TensorProto.FLOAT})
    else:
        weights["s"] = scale[0] if kind == "tensor" else scale
        if kind == "unsigned":
            weights["z"] = np.full(4096, 128, np.uint8)
        convert = ("DequantizeLinear", ["q", "s", *(["z"] if kind == "unsigned" else [])], ["w"], {"axis": 0 if kind == "tensor" else 1})
    gather, product = ("Gather", ["x", "ids"], ["r"], {"axis": 0}), ("MatMul", ["r", "w"], ["y"])
    weights = {name: np.asarray(value) for name, value in weights.items()}
    stored, size = compile_and_run(tools, tmp_path, "stored", [gather, convert, product], weights, 4096)
    whole, whole_size = compile_and_run(tools, tmp_path, "whole", [gather, product], {"w": real, "x": x}, 4096, "--weights=f32")
    assert stored.tobytes() == whole.tobytes()
    assert size < whole_size - 2.7 * q.size, (size, whole_size)

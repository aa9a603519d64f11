# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of whole models: what the compiler counts against what the shapes in the ONNX file say."""
import math
import re
import sys

import pytest

from bundles import onnx

WINDOWS = {"MaxPool", "AveragePool"}
# Operations for an element of the result.
ELEMENTWISE = {"Relu": 1, "Clip": 2, "Add": 1, "Sum": 1, "Mul": 1}


def count(path):
    """Operations of products, and of all else that is counted here."""
    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    graph = model.graph
    shapes = {i.name: list(i.dims) for i in graph.initializer}
    for node in graph.node:  # the weights of the light models are not stored
        if node.op_type == "ConstantOfShape":
            shapes[node.output[0]] = list(onnx.numpy_helper.to_array(
                next(i for i in graph.initializer if i.name == node.input[0])))
    for value in [*graph.input, *graph.output, *graph.value_info]:
        shapes.setdefault(value.name, [d.dim_value for d in value.type.tensor_type.shape.dim])
    products = others = 0
    for node in graph.node:
        if node.op_type not in {"Conv", "Gemm", "MatMul", "GlobalAveragePool", *WINDOWS, *ELEMENTWISE}:
            continue
        size = math.prod(shapes[node.output[0]])
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "Conv":
            products += 2 * size * math.prod(shapes[node.input[1]][1:])
        elif node.op_type in ("Gemm", "MatMul"):
            products += 2 * size * shapes[node.input[0]][0 if attributes.get("transA") else -1]
        elif node.op_type == "GlobalAveragePool":
            others += math.prod(shapes[node.input[0]])
        elif node.op_type in WINDOWS:
            others += size * math.prod(attributes["kernel_shape"])
        else:
            others += size * ELEMENTWISE[node.op_type]
        if node.op_type in ("Conv", "Gemm"):
            others += size  # a bias, of a batch norm
    return products, others


def compiled(tools, path):
    """The sum over all dispatches."""
    module = tools.run("ttc-translate", "--import-onnx", path).stdout
    plan = tools.run("ttc-opt", "--ttc-trace-pipeline=compile=false schedules=single target-cpu=x86-64-v3",
                     "--mlir-elide-elementsattrs-if-larger=8", "--mlir-elide-resource-strings-if-larger=8",
                     input=module).stdout
    flops = {name: int(count) for name, count in re.findall(r"ttc\.program (?:private )?@(\w+)\(.*?flops = (\d+)", plan)}
    dispatched = re.findall(r"ttc\.cmd\.dispatch @(\w+)", plan)
    assert dispatched and set(dispatched) <= set(flops)
    return sum(flops[name] for name in dispatched)


@pytest.mark.parametrize("name, giga", [("resnet50", 8.2), ("squeezenet", 0.71), ("shufflenet", 0.26), ("mobilenet_v2", 0.61)])
def test_operations_of_models(name, giga, tools, root, shared, tmp_path):
    if name == "mobilenet_v2":
        sys.path.insert(0, str(root / "benchmarks"))
        quantize = pytest.importorskip("quantize", reason="onnxruntime is not installed: mobilenet_v2 not counted")
        path = tmp_path / "model.onnx"
        quantize.make_mobilenet_v2(path)
    else:
        path = shared / "data" / "light" / f"light_{name}.onnx"
    products, others = count(path)
    total = compiled(tools, path)
    assert total >= products
    # Softmax, divisions of means, LRN; batch norms and biases that are folded differently.
    assert total - products == pytest.approx(others, rel=0.1)
    assert total == pytest.approx(giga * 1e9, rel=0.03)

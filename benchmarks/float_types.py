#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: float_types.py f16|bf16 MODEL.onnx RESULT.onnx

Converts an f32 model to 16 bits: all weights, constants and values in between are of that type. Inputs
and outputs stay f32, with Cast nodes, so that every engine is given the same.
"""
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {"f16": (TensorProto.FLOAT16, np.float16),
         "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}
# Operands that ONNX wants in f32 whatever the type of the others.
ALWAYS_F32 = {"Resize": (1, 2), "Upsample": (1,)}


def _largest(dtype):
    return float(ml_dtypes.finfo(dtype).max)


def _convert_tensor(tensor, dtype):
    if tensor.data_type == TensorProto.FLOAT:
        values = numpy_helper.to_array(tensor)
        # Masks of encoders are often the smallest f32: finite, and to stay so.
        finite = np.where(np.isfinite(values), np.clip(values, -_largest(dtype), _largest(dtype)),
                          values)
        tensor.CopyFrom(numpy_helper.from_array(finite.astype(dtype), tensor.name))


def convert(model, name):
    """A copy of the model in f16 or bf16."""
    wanted, dtype = TYPES[name]
    model = onnx.ModelProto.FromString(model.SerializeToString())
    graph = model.graph
    graph.ClearField("value_info")
    kept = {node.input[i] for node in graph.node for i in ALWAYS_F32.get(node.op_type, ())
            if i < len(node.input)}
    weights = {tensor.name for tensor in graph.initializer}
    for tensor in graph.initializer:
        if tensor.name not in kept:
            _convert_tensor(tensor, dtype)
    for node in graph.node:
        if set(node.output) & kept:
            continue
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                _convert_tensor(attribute.t, dtype)
            elif node.op_type == "Cast" and attribute.name == "to" \
                    and attribute.i == TensorProto.FLOAT:
                attribute.i = wanted
        if node.op_type == "ConstantOfShape" and not node.attribute:
            node.attribute.append(helper.make_attribute(
                "value", numpy_helper.from_array(np.zeros(1, dtype))))
    casts_in, casts_out = [], []
    renamed = {}
    for value in graph.input:
        if value.type.tensor_type.elem_type != TensorProto.FLOAT:
            continue
        if value.name in weights:
            value.type.tensor_type.elem_type = wanted
            continue
        renamed[value.name] = f"{value.name}_{name}"
        casts_in.append(helper.make_node("Cast", [value.name], [renamed[value.name]], to=wanted))
    for value in graph.output:
        if value.type.tensor_type.elem_type != TensorProto.FLOAT:
            continue
        renamed[value.name] = f"{value.name}_{name}"
        casts_out.append(helper.make_node("Cast", [renamed[value.name]], [value.name],
                                          to=TensorProto.FLOAT))
    for node in graph.node:
        node.input[:] = [renamed.get(i, i) for i in node.input]
        node.output[:] = [renamed.get(o, o) for o in node.output]
    nodes = [*casts_in, *graph.node, *casts_out]
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def main():
    name, source, target = sys.argv[1:4]
    onnx.save(convert(onnx.load(source), name), target)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformer encoders as PyTorch exported them, without their weights.

encoders/NAME.onnx is what ../shared/tools/export_encoders.py writes (transformers' BertModel through
torch.onnx), with the values of its float weights taken out: a graph of PyTorch's, a few kilobytes, and
no need of PyTorch to test with it. `fill` puts seeded random weights back.

    python test/conformance/encoders.py EXPORTED.onnx encoders/NAME.onnx    strips a new one
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

LARGE = 1024  # bytes; smaller tensors are constants of the graph, and kept


def strip(source, target):
    model = onnx.load(source)
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and len(tensor.raw_data) > LARGE:
            tensor.raw_data = b""
    model.graph.ClearField("value_info")
    for node in model.graph.node:
        node.ClearField("metadata_props")
        node.doc_string = ""
    onnx.save(model, target)


def fill(source, target, seed=0):
    """Weights of BERT's initialisation: normal with deviation 0.02; scales of norms around one."""
    model = onnx.load(source)
    rng = np.random.default_rng(seed)
    for tensor in model.graph.initializer:
        if tensor.data_type != TensorProto.FLOAT or tensor.raw_data:
            continue
        values = rng.standard_normal(tuple(tensor.dims), np.float32) * np.float32(0.02)
        if tensor.name.endswith("LayerNorm.weight"):
            values += 1
        tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    onnx.save(model, target)


if __name__ == "__main__":
    strip(*sys.argv[1:])

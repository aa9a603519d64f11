# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an encoder of texts with random weights, for any number of texts of any length: make.py ENCODER.onnx
Tokens are the bytes of a text, so it needs no vocabulary. The mask is 1 where a text has a byte."""
import sys

import numpy as np
import onnx
from onnx import numpy_helper, parser

GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
encoder (int64[batch, sequence] ids, float[batch, sequence] mask) => (float[batch, 64] embedding)
<int64[1] row = {1}, int64[1] column = {2}, float one = {1}, float far = {-10000}, float scale = {0.125}> {
  tokens = Gather(bytes, ids)
  query = MatMul(tokens, to_query)
  key = MatMul(tokens, to_key)
  value = MatMul(tokens, to_value)
  turned = Transpose <perm = [0, 2, 1]> (key)
  scores = MatMul(query, turned)
  scaled = Mul(scores, scale)
  present = Unsqueeze(mask, row)
  absent = Sub(one, present)
  bias = Mul(absent, far)
  masked = Add(scaled, bias)
  weights = Softmax <axis = -1> (masked)
  context = MatMul(weights, value)
  mixed = Add(tokens, context)
  wide = MatMul(mixed, widen)
  bent = Tanh(wide)
  narrow = MatMul(bent, contract)
  features = Add(mixed, narrow)
  valid = Unsqueeze(mask, column)
  kept = Mul(features, valid)
  sum = ReduceSum <keepdims = 0> (kept, row)
  count = ReduceSum <keepdims = 1> (mask, row)
  mean = Div(sum, count)
  length = ReduceL2 <axes = [1], keepdims = 1> (mean)
  embedding = Div(mean, length)
}
"""
SHAPES = {"bytes": (256, 64), "to_query": (64, 64), "to_key": (64, 64), "to_value": (64, 64), "widen": (64, 256),
          "contract": (256, 64)}
random = np.random.default_rng(0)
model = parser.parse_model(GRAPH)
for name, shape in SHAPES.items():
    weight = random.standard_normal(shape) / np.sqrt(1 if name == "bytes" else shape[0])
    model.graph.initializer.append(numpy_helper.from_array(weight.astype(np.float32), name))
onnx.checker.check_model(model)
onnx.save(model, sys.argv[1])

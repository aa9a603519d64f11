# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a transformer encoder as PyTorch's exporter does (opset 20), with random weights and a
small vocabulary: token ids and an attention mask in, hidden states out."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class EncoderBuilder:
    def __init__(self, width, layers, heads, sequence, vocabulary=100, seed=0):
        self.rng = np.random.default_rng(seed)
        self.width, self.heads, self.sequence = width, heads, sequence
        self.nodes, self.weights = [], []
        hidden = self.embed(vocabulary)
        bias = self.attention_bias()
        for _ in range(layers):
            hidden = self.layer(hidden, bias)
        self.nodes[-1].output[0] = "y"

    def weight(self, *shape, scale=0.05, offset=0.0):
        data = offset + scale * self.rng.standard_normal(shape)
        return self.constant(data.astype(np.float32))

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, *inputs, **attributes):
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"node_{op}_{len(self.nodes)}",
                                           **attributes))
        return output

    def norm(self, x):
        return self.node("LayerNormalization", x, self.weight(self.width, offset=1.0),
                         self.weight(self.width), axis=-1, epsilon=1e-12)

    def linear(self, x, rows, columns):
        y = self.node("MatMul", x, self.weight(rows, columns))
        return self.node("Add", y, self.weight(columns))

    def embed(self, vocabulary):
        positions = self.constant(np.arange(self.sequence, dtype=np.int64)[None])
        types = self.constant(np.zeros((1, 512), np.int64))
        words = self.node("Gather", self.weight(vocabulary, self.width), "ids", axis=0)
        kinds = self.node("GatherElements", types, positions, axis=1)
        kinds = self.node("Gather", self.weight(2, self.width), kinds, axis=0)
        places = self.node("Gather", self.weight(512, self.width), positions, axis=0)
        return self.norm(self.node("Add", self.node("Add", words, kinds), places))

    def attention_bias(self):
        """0 where the mask allows attention, else the lowest float."""
        n = self.sequence
        flags = self.node("Cast", "mask", to=TensorProto.BOOL)
        index = np.stack([np.zeros((1, 1, 1, n), np.int64),
                          np.arange(n, dtype=np.int64)[None, None, None]], axis=-1)
        keys = self.node("GatherND", flags, self.constant(index), batch_dims=0)
        allowed = self.node("And", self.constant(np.ones((1, 1, n, 1), bool)), keys)
        lowest = np.float32(np.finfo(np.float32).min)
        return self.node("Where", allowed, self.constant(np.float32(0)), self.constant(lowest))

    def split_heads(self, x, permutation):
        shape = self.constant(np.array([1, self.sequence, -1, self.width // self.heads], np.int64))
        return self.node("Transpose", self.node("Reshape", x, shape, allowzero=1), perm=permutation)

    def layer(self, x, bias):
        width = self.width
        query = self.split_heads(self.linear(x, width, width), [0, 2, 1, 3])
        keys = self.split_heads(self.linear(x, width, width), [0, 2, 3, 1])
        values = self.split_heads(self.linear(x, width, width), [0, 2, 1, 3])
        scale = self.constant(np.float32((width // self.heads) ** -0.5))
        scores = self.node("Mul", self.node("MatMul", query, keys), scale)
        weights = self.node("Softmax", self.node("Add", scores, bias), axis=-1)
        context = self.node("Transpose", self.node("MatMul", weights, values), perm=[0, 2, 1, 3])
        shape = self.constant(np.array([1, self.sequence, -1], np.int64))
        context = self.node("Reshape", context, shape, allowzero=1)
        x = self.norm(self.node("Add", self.linear(context, width, width), x))
        inner = self.node("Gelu", self.linear(x, width, 4 * width), approximate="none")
        return self.norm(self.node("Add", self.linear(inner, 4 * width, width), x))

    def model(self):
        n = self.sequence
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, n])
                  for name in ("ids", "mask")]
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, n, self.width])
        graph = helper.make_graph(self.nodes, "encoder", inputs, [output], self.weights)
        return helper.make_model(graph, ir_version=8,
                                 opset_imports=[helper.make_opsetid("", 20)])


def write_encoder(path, **options):
    onnx.save(EncoderBuilder(**options).model(), path)

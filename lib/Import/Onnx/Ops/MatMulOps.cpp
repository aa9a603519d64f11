// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// A vector on the left is a row, one on the right a column; the result drops that dimension.
static LogicalResult importMatMul(OnnxNode &node) {
  Value a = node.input(0), b = node.input(1);
  bool row = rankOf(a) == 1, column = rankOf(b) == 1;
  if (rankOf(a) == 0 || rankOf(b) == 0)
    return node.error() << "expected operands to have at least one dimension, found " << a.getType()
                        << " and " << b.getType();
  if (row)
    a = node.reshape(a, {1, shapeOf(a)[0]});
  if (column)
    b = node.reshape(b, {shapeOf(b)[0], 1});
  Value y = node.create<MatmulOp>({a, b});
  if (y && (row || column)) {
    SmallVector<int64_t> shape(shapeOf(y));
    if (column)
      shape.pop_back();
    if (row)
      shape.erase(shape.end() - (column ? 1 : 2));
    y = node.reshape(y, shape);
  }
  return node.results(y);
}

/// alpha * op(a) * op(b) + beta * c
static LogicalResult importGemm(OnnxNode &node) {
  node.ignoreAttrs({"broadcast"}); // before opset 7; c broadcasts to the result in any case
  double alpha = node.getFloat("alpha", 1.0), beta = node.getFloat("beta", 1.0);
  SmallVector<NamedAttribute> attrs;
  if (node.getInt("transA", 0))
    attrs.push_back(node.flag("transpose_a"));
  if (node.getInt("transB", 0))
    attrs.push_back(node.flag("transpose_b"));
  Value a = node.input(0), b = node.input(1), c = node.input(2);
  if (rankOf(a) != 2 || rankOf(b) != 2)
    return node.error() << "expected operands to be matrices, found " << a.getType() << " and "
                        << b.getType();
  if (c && beta == 0.0)
    c = nullptr;
  if (c && beta != 1.0)
    c = node.create<MulOp>({c, node.scalarLike(c, beta)});
  if (alpha == 1.0)
    return node.results(node.create<MatmulOp>({a, b, c}, attrs));
  Value y = node.create<MatmulOp>({a, b}, attrs);
  y = node.create<MulOp>({y, node.scalarLike(y, alpha)});
  return node.results(c ? node.create<AddOp>({y, c}) : y);
}

void mlir::ttc::registerMatMulOps(OnnxRegistry &registry) {
  registry.add("Gemm", {2, 3}, importGemm);
  registry.add("MatMul", {2, 2}, importMatMul);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops on bits.
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "dialects/Ttc/Tensors/BitwiseOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

template <typename OpTy> static LogicalResult importBitwise(OnnxNode &node) {
  return node.results(node.create<OpTy>(node.allInputs()));
}

static LogicalResult importBitShift(OnnxNode &node) {
  StringRef direction = node.getString("direction", "");
  if (direction == "LEFT")
    return importBitwise<ShiftLeftOp>(node);
  if (direction == "RIGHT")
    return importBitwise<ShiftRightOp>(node);
  return node.error() << "expected attribute 'direction' LEFT or RIGHT, found '" << direction
                      << "'";
}

static LogicalResult importBitCast(OnnxNode &node) {
  int64_t dataType = node.getInt("to", 0);
  Type to = getOnnxElementType(node.context(), dataType);
  if (!to)
    return node.error() << "cast to " << getOnnxTypeName(dataType)
                        << " is not supported (supported: " << getSupportedOnnxTypes() << ")";
  Value x = node.input(0);
  Type from = elementTypeOf(x);
  // ONNX stores a bool in a byte of 0 or 1.
  if (from != to && (from.isInteger(1) || to.isInteger(1)) && from.getIntOrFloatBitWidth() <= 8 &&
      to.getIntOrFloatBitWidth() <= 8 && isa<IntegerType>(from) && isa<IntegerType>(to))
    return node.results(node.cast(x, to));
  return node.results(node.createAs<BitcastOp>(RankedTensorType::get(shapeOf(x), to), x));
}

void mlir::ttc::registerBitwiseOps(OnnxRegistry &registry) {
  registry.add("BitCast", {1, 1}, importBitCast, {26}, "between the element types above");
  registry.add("BitShift", {2, 2}, importBitShift, {11});
  registry.add("BitwiseAnd", {2, 2}, importBitwise<BitAndOp>, {18});
  registry.add("BitwiseNot", {1, 1}, importBitwise<BitNotOp>, {18});
  registry.add("BitwiseOr", {2, 2}, importBitwise<BitOrOp>, {18});
  registry.add("BitwiseXor", {2, 2}, importBitwise<BitXorOp>, {18});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's ops on quantised tensors.
#include "Quantization.h"
#include "QuantizeLinear.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {
/// A tensor, and how its quantisation is shaped to broadcast to it.
struct LinearShape {
  /// The tensor's shape while it is quantised: blocks have a dimension of their own.
  SmallVector<int64_t> shape;
  /// The shape of scale and zero point.
  SmallVector<int64_t> paramShape;
  int64_t axis = 0;
  /// The size of blocks that do not divide the axis, else 0.
  int64_t unevenBlock = 0;
};
} // namespace

/// `scale` has one element, one for each element of the axis, or one for each block of it.
static FailureOr<LinearShape> getLinearShape(OnnxNode &node, ArrayRef<int64_t> shape, Value scale) {
  const int64_t rank = shape.size(), blockSize = node.getInt("block_size", 0);
  int64_t axis = node.getInt("axis", 1);
  LinearShape linear;
  linear.shape.assign(shape.begin(), shape.end());
  if (blockSize < 0)
    return node.error() << "attribute 'block_size' is " << blockSize
                        << " (supported: 0 for none, or more)";
  if (tensorType(scale).getNumElements() == 1)
    return linear; // The axis has no meaning and may be out of range.
  if (failed(node.normalizeAxes(axis, rank)))
    return failure();
  linear.axis = axis;
  if (blockSize == 0) {
    if (rankOf(scale) != 1 || shapeOf(scale)[0] != shape[axis])
      return node.error() << "expected the scale to have one element or " << shape[axis]
                          << ", one for each of dimension " << axis << ", found "
                          << scale.getType();
    linear.paramShape.assign(rank - axis, 1);
    linear.paramShape[0] = shape[axis];
    return linear;
  }
  const int64_t blocks = llvm::divideCeil(shape[axis], blockSize);
  SmallVector<int64_t> expected(shape);
  expected[axis] = blocks;
  if (shapeOf(scale) != ArrayRef<int64_t>(expected))
    return node.error() << "expected the scale of blocks of " << blockSize << " to have the shape ["
                        << printList(expected) << "], found " << scale.getType();
  linear.paramShape = expected;
  if (shape[axis] % blockSize) {
    linear.unevenBlock = std::min(blockSize, shape[axis]);
    return linear;
  }
  linear.shape[axis] = blocks;
  linear.shape.insert(linear.shape.begin() + axis + 1, blockSize);
  linear.paramShape.insert(linear.paramShape.begin() + axis + 1, 1);
  return linear;
}

static Value shapeParam(OnnxNode &node, Value value, const LinearShape &linear) {
  Expressions e(node);
  if (value && tensorType(value).getNumElements() == 1)
    return e.reshape(value, {});
  if (linear.unevenBlock == 0)
    return e.reshape(value, linear.paramShape);
  Value element = e.iota(linear.shape[linear.axis], node.getBuilder().getI32Type());
  Value block = e.div(element, static_cast<double>(linear.unevenBlock));
  return e.gather(value, block, linear.axis);
}

/// Reports a zero point whose shape is not the scale's.
static LogicalResult checkZeroPoint(OnnxNode &node) {
  Value scale = node.input(1), zero = node.input(2);
  if (!zero || tensorType(zero).getNumElements() == 1 || shapeOf(zero) == shapeOf(scale))
    return success();
  return node.error() << "expected the zero point to have the shape of the scale "
                      << scale.getType() << ", found " << zero.getType();
}

/// The element type that an attribute names; null if it is absent.
static FailureOr<Type> readType(OnnxNode &node, StringRef name) {
  const int64_t dataType = node.getInt(name, 0);
  if (dataType == onnx::TensorProto::UNDEFINED)
    return Type();
  if (Type type = getOnnxElementType(node.context(), dataType))
    return type;
  return node.error() << "element type " << getOnnxTypeName(dataType) << " of attribute '" << name
                      << "' is not supported (supported: " << getSupportedOnnxTypes() << ")";
}

LogicalResult mlir::ttc::importQuantizeLinear(OnnxNode &node) {
  Value x = node.input(0), scale = node.input(1), zero = node.input(2);
  // Integers saturate in any case.
  NamedAttribute saturate =
      node.attr("saturate", node.getBuilder().getBoolAttr(node.getInt("saturate", 1)));
  FailureOr<Type> named = readType(node, "output_dtype"), precision = readType(node, "precision");
  FailureOr<LinearShape> linear = getLinearShape(node, shapeOf(x), scale);
  if (failed(named) || failed(precision) || failed(linear) || failed(checkZeroPoint(node)))
    return failure();
  Type elementType = zero     ? elementTypeOf(zero)
                     : *named ? *named
                              : Type(node.getBuilder().getIntegerType(8, /*isSigned=*/false));
  if (*named && *named != elementType)
    return node.error() << "attribute 'output_dtype' is " << *named
                        << ", which is not the type of the zero point " << zero.getType();
  // The quotient is rounded to the named type, or to that of both operands.
  Type common = *precision                                 ? *precision
                : elementTypeOf(x) == elementTypeOf(scale) ? elementTypeOf(x)
                                                           : getArithmeticType(elementTypeOf(x));
  if (!isa<FloatType>(common))
    common = node.getBuilder().getF32Type();
  Expressions e(node);
  Quantization quantization(node);
  QuantizationParams params = {node.cast(shapeParam(node, scale, *linear), common),
                               shapeParam(node, quantization.zeroOr(zero, elementType), *linear)};
  x = node.cast(e.reshape(x, linear->shape), common);
  Value y;
  if (isa<FloatType>(elementType)) {
    // The zero point of floats is zero.
    Value quotient = e.div(x, params.scale);
    if (!quotient)
      return failure();
    y = node.createAs<CastOp>(
        tensorType(quotient).clone(elementType), quotient,
        {saturate,
         node.attr("rounding", PowerRoundingAttr::get(node.context(), PowerRounding::Up))});
  } else if (common.getIntOrFloatBitWidth() < 32) {
    Type f32 = node.getBuilder().getF32Type();
    x = node.cast(e.div(x, params.scale), f32);
    y = quantization.quantize(x, {e.splat({}, f32, 1), params.zero});
  } else {
    y = quantization.quantize(x, params);
  }
  return node.results(e.reshape(y, shapeOf(node.input(0))));
}

LogicalResult mlir::ttc::importDequantizeLinear(OnnxNode &node) {
  Value x = node.input(0), scale = node.input(1), zero = node.input(2);
  FailureOr<Type> named = readType(node, "output_dtype");
  FailureOr<LinearShape> linear = getLinearShape(node, shapeOf(x), scale);
  if (failed(named) || failed(linear) || failed(checkZeroPoint(node)))
    return failure();
  Expressions e(node);
  Quantization quantization(node);
  Type elementType = elementTypeOf(x);
  x = e.reshape(x, linear->shape);
  Value ofScale = shapeParam(node, scale, *linear), y;
  if (isa<FloatType>(elementType)) {
    // Its zero point is zero.
    Type type = getArithmeticType(elementTypeOf(scale));
    y = e.mul(node.cast(x, type), node.cast(ofScale, type));
  } else {
    Value ofZero = shapeParam(node, quantization.zeroOr(zero, elementType), *linear);
    y = quantization.dequantize(x, {ofScale, ofZero});
  }
  y = node.cast(y, *named ? *named : elementTypeOf(scale));
  return node.results(e.reshape(y, shapeOf(node.input(0))));
}

static LogicalResult importDynamicQuantizeLinear(OnnxNode &node) {
  Quantization quantization(node);
  QuantizationParams params = quantization.rangeOf(node.input(0));
  return node.results({quantization.quantize(node.input(0), params), params.scale, params.zero});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static LogicalResult importConvInteger(OnnxNode &node) {
  return node.results(importIntConv(node, 0, 1, 2, 3));
}

static LogicalResult importMatMulInteger(OnnxNode &node) {
  return node.results(
      importIntMatmul(node, node.input(0), node.input(1), node.input(2), node.input(3)));
}

/// x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, bias
static LogicalResult importQLinearConv(OnnxNode &node) {
  Expressions e(node);
  Quantization quantization(node);
  Value sums = importIntConv(node, 0, 3, 2, 5);
  if (!sums)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(sums);
  if (Value bias = node.input(8))
    sums = e.add(sums, quantization.perAxis(bias, 1, shape, "the bias"));
  Value scale = e.mul(quantization.scalar(node.input(1), "the input's scale"),
                      quantization.perAxis(node.input(4), 1, shape, "the weights' scale"));
  scale = e.div(scale, quantization.scalar(node.input(6), "the result's scale"));
  return node.results(quantization.requantize(
      sums, scale, quantization.scalar(node.input(7), "the result's zero point")));
}

/// a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point
static LogicalResult importQLinearMatMul(OnnxNode &node) {
  Expressions e(node);
  Quantization quantization(node);
  Value a = node.input(0), b = node.input(3);
  Value sums = importIntMatmul(node, a, b, node.input(2), node.input(5));
  auto ofProduct = [&](unsigned index, Value matrix, bool isRows, StringRef what) {
    return broadcastToProduct(node, node.input(index), matrix, isRows, what);
  };
  Value scale =
      e.mul(ofProduct(1, a, true, "the scale of a"), ofProduct(4, b, false, "the scale of b"));
  scale = e.div(scale, ofProduct(6, sums, true, "the scale of the result"));
  return node.results(quantization.requantize(
      sums, scale, ofProduct(7, sums, true, "the zero point of the result")));
}

void mlir::ttc::registerQuantizationOps(OnnxRegistry &registry) {
  registry.add("ConvInteger", {2, 4}, importConvInteger, {10}, "1 to 3 spatial dimensions");
  registry.add("DequantizeLinear", {2, 3}, importDequantizeLinear, {10});
  registry.add("DynamicQuantizeLinear", {1, 1}, importDynamicQuantizeLinear, {11});
  registry.add("MatMulInteger", {2, 4}, importMatMulInteger, {10});
  registry.add("QLinearConv", {8, 9}, importQLinearConv, {10}, "1 to 3 spatial dimensions");
  registry.add("QLinearMatMul", {8, 8}, importQLinearMatMul, {10});
  registry.add("QuantizeLinear", {2, 3}, importQuantizeLinear, {10});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Quantization.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Value Quantization::zeroOr(Value zero, Type elementType) {
  // Constants of the types that are only stored are made by a cast.
  return zero ? zero : node.cast(e.splat({}, node.getBuilder().getI32Type(), 0), elementType);
}

Value Quantization::scalar(Value value, StringRef what) {
  if (!value)
    return {};
  if (tensorType(value).getNumElements() == 1)
    return e.reshape(value, {});
  node.error() << "expected " << what << " to have one element, found " << value.getType();
  return {};
}

Value Quantization::perAxis(Value value, int64_t axis, ArrayRef<int64_t> shape, StringRef what) {
  if (!value)
    return {};
  if (tensorType(value).getNumElements() == 1)
    return e.reshape(value, {});
  if (rankOf(value) == 1 && shapeOf(value)[0] == shape[axis]) {
    SmallVector<int64_t> broadcast(shape.size() - axis, 1);
    broadcast[0] = shape[axis];
    return e.reshape(value, broadcast);
  }
  node.error() << "expected " << what << " to have one element, or one for each of the "
               << shape[axis] << " of dimension " << axis << ", found " << value.getType();
  return {};
}

QuantizationParams Quantization::readScalar(unsigned scaleInput, unsigned zeroInput,
                                            Type elementType) {
  if (!node.hasInput(scaleInput)) {
    node.error() << "input " << scaleInput << " (a scale) is missing";
    return {};
  }
  Value zero = zeroOr(node.input(zeroInput), elementType);
  return {scalar(node.input(scaleInput), "a scale"), scalar(zero, "a zero point")};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Whether ttc.quantize has the type.
static bool isQuantizeType(Type type) {
  return type.isInteger(8) || type.isUnsignedInteger(8) || type.isSignlessInteger(16);
}

static bool isByteType(Type type) { return type.isInteger(8) || type.isUnsignedInteger(8); }

/// Whether ttc.dequantize has the type.
static bool isDequantizeType(Type type) {
  return isQuantizeType(type) || type.isSignlessInteger(32);
}

Value Quantization::quantize(Value x, QuantizationParams params) {
  if (!x || !params.scale || !params.zero)
    return {};
  // The wider of both types, at least f32.
  Type type = getArithmeticType(elementTypeOf(elementTypeOf(x).isF64() ? x : params.scale));
  Type stored = elementTypeOf(params.zero);
  x = node.cast(x, type);
  Value scale = node.cast(params.scale, type);
  if (isQuantizeType(stored))
    return node.createAs<QuantizeOp>(RankedTensorType::get(shapeOf(x), stored),
                                     {x, scale, params.zero});
  // Numbers of f32 are exact far beyond the range of 16 bits.
  Value rounded = e.add(e.round(e.div(x, scale)), node.cast(params.zero, type));
  return castSaturated(node, rounded, stored);
}

Value Quantization::dequantize(Value q, QuantizationParams params) {
  if (!q || !params.scale || !params.zero)
    return {};
  Type type = getArithmeticType(elementTypeOf(params.scale));
  Value scale = node.cast(params.scale, type);
  // --ttc-fuse-quantization finds small weights, too, as bytes.
  if (isByteType(elementTypeOf(q)) && tensorType(q).getNumElements() > 1)
    return node.createUnfolded<DequantizeOp>({q, scale, params.zero});
  if (isDequantizeType(elementTypeOf(q)))
    return node.create<DequantizeOp>({q, scale, params.zero});
  return e.mul(e.sub(node.cast(q, type), node.cast(params.zero, type)), scale);
}

Value Quantization::requantize(Value sums, Value scale, Value zero) {
  if (!sums || !scale)
    return {};
  Type type = getArithmeticType(elementTypeOf(scale));
  Value product = e.mul(node.cast(sums, type), node.cast(scale, type));
  return quantize(product, {e.splat({}, type, 1), zero});
}

QuantizationParams Quantization::rangeOf(Value x) {
  if (!x)
    return {};
  constexpr double most = 255;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  Value high = e.max(e.maximum(x, axes), 0), low = e.min(e.minimum(x, axes), 0);
  Value range = e.sub(high, low);
  Value isFlat = e.compare(ComparePredicate::EQ, range, 0);
  Value scale = e.div(e.where(isFlat, e.number(range, 1), range), most);
  Value zero = e.sub(e.number(low, 0), e.div(low, scale));
  zero = e.round(e.min(e.max(zero, 0), most));
  Type ui8 = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  return {scale, node.cast(zero, ui8)};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value Quantization::matmul(Value a, Value b, Value aZero, Value bZero) {
  if (!a || !b || !aZero || !bZero)
    return {};
  const bool row = rankOf(a) == 1, column = rankOf(b) == 1;
  if (rankOf(a) == 0 || rankOf(b) == 0) {
    node.error() << "expected operands to have at least one dimension, found " << a.getType()
                 << " and " << b.getType();
    return {};
  }
  if (row)
    a = e.reshape(a, {1, shapeOf(a)[0]});
  if (column)
    b = e.reshape(b, {shapeOf(b)[0], 1});
  Value y = node.create<IntMatmulOp>({a, b, aZero, bZero});
  if (!y || (!row && !column))
    return y;
  SmallVector<int64_t> shape(shapeOf(y));
  if (column)
    shape.pop_back();
  if (row)
    shape.erase(shape.end() - (column ? 1 : 2));
  return e.reshape(y, shape);
}

Value Quantization::multiplyByRange(Value a, Value b, Value bScale, Value bZero, Value addend) {
  QuantizationParams params = rangeOf(a);
  Value sums = matmul(quantize(a, params), b, params.zero, bZero);
  Value scale = e.mul(params.scale, bScale);
  if (!sums || !scale)
    return {};
  Value y = e.mul(node.cast(sums, elementTypeOf(scale)), scale);
  return addend ? e.add(y, addend) : y;
}

Value Quantization::conv(Value x, Value w, Value xZero, Value wZero, const Window &window,
                         int64_t groups) {
  SmallVector<NamedAttribute> attrs = window.getAttrs(node);
  attrs.push_back(node.i64("groups", groups));
  return node.create<IntConvOp>({x, w, xZero, wZero}, attrs);
}

Value mlir::ttc::importIntConv(OnnxNode &node, unsigned x, unsigned w, unsigned xZero,
                               unsigned wZero) {
  Quantization quantization(node);
  Value operand = node.input(x), weights = node.input(w);
  if (rankOf(operand) < 3 || rankOf(operand) > 5 || rankOf(weights) != rankOf(operand)) {
    node.error()
        << "expected the input to have 1 to 3 spatial dimensions and the weights as many, found "
        << operand.getType() << " and " << weights.getType();
    return {};
  }
  FailureOr<Window> window = readWindow(node, rankOf(operand) - 2, shapeOf(weights).drop_front(2));
  if (failed(window) || failed(resolveAutoPad(node, *window, shapeOf(operand).drop_front(2))))
    return {};
  Value ofX = quantization.zeroOr(node.input(xZero), elementTypeOf(operand));
  Value ofW = quantization.zeroOr(node.input(wZero), elementTypeOf(weights));
  return quantization.conv(
      operand, weights, quantization.scalar(ofX, "the input's zero point"),
      quantization.perAxis(ofW, 0, shapeOf(weights), "the weights' zero point"), *window,
      node.getInt("group", 1));
}

Value mlir::ttc::broadcastToProduct(OnnxNode &node, Value value, Value matrix, bool isRows,
                                    StringRef what) {
  if (!value || !matrix)
    return {};
  Expressions e(node);
  if (tensorType(value).getNumElements() == 1)
    return e.reshape(value, {});
  const int64_t rank = rankOf(matrix), count = rankOf(value);
  const int64_t place = isRows ? rank - 2 : rank - 1;
  if (count == 1 && rank >= 2 && shapeOf(value)[0] == shapeOf(matrix)[place])
    return isRows ? e.reshape(value, {shapeOf(value)[0], 1}) : value;
  // One for each row or column of each matrix of a batch.
  if (count == rank && count >= 2)
    return value;
  node.error() << "expected " << what << " to have one element or one for each "
               << (isRows ? "row" : "column") << " of " << matrix.getType() << ", found "
               << value.getType();
  return {};
}

Value mlir::ttc::importIntMatmul(OnnxNode &node, Value a, Value b, Value aZero, Value bZero) {
  Quantization quantization(node);
  if (!a || !b)
    return {};
  aZero = quantization.zeroOr(aZero, elementTypeOf(a));
  bZero = quantization.zeroOr(bZero, elementTypeOf(b));
  return quantization.matmul(
      a, b, broadcastToProduct(node, aZero, a, /*isRows=*/true, "the zero point of a"),
      broadcastToProduct(node, bZero, b, /*isRows=*/false, "the zero point of b"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

/// Whether `value` broadcasts to `shape` without changing it.
static bool broadcastsTo(Value value, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> broadcast(shape);
  return succeeded(broadcastShape(broadcast, tensorType(value).getShape())) &&
         ArrayRef(broadcast) == shape;
}

/// Fails unless a zero point has its operand's element type and broadcasts to it.
static LogicalResult checkZeroPoint(const InferenceScope &scope, StringRef typeConstraint,
                                    StringRef shapeConstraint, StringRef name, Value zero,
                                    Value operand) {
  auto type = tensorType(operand);
  if (tensorType(zero).getElementType() != type.getElementType())
    return scope.fail("(", typeConstraint, ") expected '", name, "' to have elements of ",
                      type.getElementType(), ", found ", zero.getType());
  if (!broadcastsTo(zero, type.getShape()))
    return scope.fail("(", shapeConstraint, ") expected '", name, "' to broadcast to the shape ",
                      toString(type.getShape()), ", found ", zero.getType());
  return success();
}

//===----------------------------------------------------------------------===//
// ttc.quantize and ttc.dequantize
//===----------------------------------------------------------------------===//

namespace {
/// Scalars or vectors of arith; constants take the shape of a value.
struct Emitter {
  OpBuilder &builder;
  Location loc;

  static Type shaped(Value like, Type elementType) {
    if (auto shape = dyn_cast<ShapedType>(like.getType()))
      return shape.clone(elementType);
    return elementType;
  }
  Value number(Value like, double number) {
    TypedAttr element = builder.getF32FloatAttr(number);
    if (auto shape = dyn_cast<ShapedType>(like.getType()))
      element = DenseElementsAttr::get(shape.clone(builder.getF32Type()), Attribute(element));
    return arith::ConstantOp::create(builder, loc, element);
  }
  Value toF32(Value x) {
    if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() == 32)
      return x;
    return arith::ExtFOp::create(builder, loc, shaped(x, builder.getF32Type()), x);
  }
  /// An integer of at most 32 bits as an i32.
  Value toI32(Value x, bool isUnsigned) {
    Type type = shaped(x, builder.getI32Type());
    if (type == x.getType())
      return x;
    return isUnsigned ? Value(arith::ExtUIOp::create(builder, loc, type, x))
                      : Value(arith::ExtSIOp::create(builder, loc, type, x));
  }
  Value toFloat(Value integer) {
    return arith::SIToFPOp::create(builder, loc, shaped(integer, builder.getF32Type()), integer);
  }
};
} // namespace

static bool isUnsignedTensor(Value value) {
  return tensorType(value).getElementType().isUnsignedInteger();
}

LogicalResult QuantizeOp::verify() {
  auto x = tensorType(getX()), y = tensorType(getY());
  if (tensorType(getScale()).getElementType() != x.getElementType())
    return emitOpError() << "(C1) expected 'scale' to have elements of " << x.getElementType()
                         << ", found " << getScale().getType();
  if (tensorType(getZeroPoint()).getElementType() != y.getElementType())
    return emitOpError() << "(C2) expected 'zero_point' to have elements of " << y.getElementType()
                         << ", found " << getZeroPoint().getType();
  if (!broadcastsTo(getScale(), x.getShape()) || !broadcastsTo(getZeroPoint(), x.getShape()))
    return emitOpError() << "(C3) expected 'scale' and 'zero_point' to broadcast to the shape "
                         << toString(x.getShape()) << ", found " << getScale().getType() << " and "
                         << getZeroPoint().getType();
  if (x.getShape() != y.getShape())
    return emitOpError() << "(C4) expected a result of shape " << toString(x.getShape())
                         << ", found " << y;
  return success();
}

Value QuantizeOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Value x = arith::DivFOp::create(builder, loc, e.toF32(elements[0]), e.toF32(elements[1]));
  bool isUnsigned = isUnsignedTensor(getY());
  Value zero = e.toI32(elements[2], isUnsigned), realZero = e.toFloat(zero);
  unsigned width = tensorType(getY()).getElementTypeBitWidth();
  // The range without the zero point. `x > low ? x : low` is one instruction, and `low` for NaN.
  auto bound = [&](double limit) -> Value {
    return arith::SubFOp::create(builder, loc, e.number(x, limit), realZero);
  };
  auto greater = [&](Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
  };
  Value low = bound(isUnsigned ? 0.0 : -std::ldexp(1.0, width - 1));
  Value high = bound(std::ldexp(1.0, isUnsigned ? width : width - 1) - 1);
  x = arith::SelectOp::create(builder, loc, greater(x, low), x, low);
  x = arith::SelectOp::create(builder, loc, greater(high, x), x, high);
  // Next to 1.5 * 2^23 the last bit of an f32 is worth 1: the sum is rounded to an integer, halves
  // to even, which its bits hold.
  const double magic = 0x1.8p23;
  Value sum = arith::AddFOp::create(builder, loc, x, e.number(x, magic));
  Type i32 = Emitter::shaped(x, builder.getI32Type());
  auto bitsOf = [&](Value real) -> Value {
    return arith::BitcastOp::create(builder, loc, i32, real);
  };
  Value rounded = arith::SubIOp::create(builder, loc, bitsOf(sum), bitsOf(e.number(x, magic)));
  Value integer = arith::AddIOp::create(builder, loc, rounded, zero);
  return arith::TruncIOp::create(builder, loc, Emitter::shaped(x, builder.getIntegerType(width)),
                                 integer);
}

LogicalResult DequantizeOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  if (failed(
          checkZeroPoint(scope, "C1", "C2", "zero_point", adaptor.getZeroPoint(), adaptor.getX())))
    return failure();
  auto x = tensorType(adaptor.getX()), scale = tensorType(adaptor.getScale());
  if (!broadcastsTo(adaptor.getScale(), x.getShape()))
    return scope.fail("(C2) expected 'scale' to broadcast to the shape ", toString(x.getShape()),
                      ", found ", scale);
  types.push_back(x.clone(scale.getElementType()));
  return success();
}

Value DequantizeOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  bool isUnsigned = isUnsignedTensor(getX());
  Value difference = arith::SubIOp::create(builder, loc, e.toI32(elements[0], isUnsigned),
                                           e.toI32(elements[2], isUnsigned));
  Value product = arith::MulFOp::create(builder, loc, e.toFloat(difference), e.toF32(elements[1]));
  Type type = elements[1].getType();
  return product.getType() == type ? product
                                   : Value(arith::TruncFOp::create(builder, loc, type, product));
}

//===----------------------------------------------------------------------===//
// Products of integers
//===----------------------------------------------------------------------===//

LogicalResult IntMatmulOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  if (failed(checkZeroPoint(scope, "C1", "C5", "a_zero", adaptor.getAZero(), adaptor.getA())) ||
      failed(checkZeroPoint(scope, "C1", "C5", "b_zero", adaptor.getBZero(), adaptor.getB())))
    return failure();
  auto a = tensorType(adaptor.getA()), b = tensorType(adaptor.getB());
  if (a.getRank() < 2 || b.getRank() < 2)
    return scope.fail("(C2) expected operands of at least two dimensions, found ", a, " and ", b);
  int64_t depth = a.getShape().back(), rows = b.getShape()[b.getRank() - 2];
  if (depth != rows)
    return scope.fail("(C3) expected 'b' to have as many rows as 'a' has columns, ", depth,
                      ", found ", rows);
  SmallVector<int64_t> shape(a.getShape().drop_back(2));
  if (failed(broadcastShape(shape, b.getShape().drop_back(2))))
    return scope.fail("(C4) expected batch dimensions that broadcast, found ",
                      toString(a.getShape().drop_back(2)), " and ",
                      toString(b.getShape().drop_back(2)));
  shape.append({a.getShape()[a.getRank() - 2], b.getShape().back()});
  types.push_back(RankedTensorType::get(shape, IntegerType::get(scope.getContext(), 32)));
  return success();
}

LogicalResult IntConvOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX()), w = tensorType(adaptor.getW());
  if (x.getRank() < 3 || x.getRank() > 5)
    return scope.fail("(C2) expected 'x' to have three to five dimensions, found ", x);
  if (w.getRank() != x.getRank())
    return scope.fail("(C2) expected 'w' to have as many dimensions as 'x', ", x.getRank(),
                      ", found ", w);
  auto zero = tensorType(adaptor.getXZero());
  if (zero.getElementType() != x.getElementType())
    return scope.fail("(C1) expected 'x_zero' to have elements of ", x.getElementType(), ", found ",
                      zero);
  if (zero.getNumElements() != 1)
    return scope.fail("(C6) expected 'x_zero' to have one element, found ", zero);
  ImageDims dims(x, adaptor.getChannelsLast());
  int64_t spatial = dims.numSpatial;
  if (failed(checkZeroPoint(scope, "C1", "C6", "w_zero", adaptor.getWZero(), adaptor.getW())) ||
      failed(scope.checkArray("C3", "strides", adaptor.getStrides(), spatial, 1)) ||
      failed(scope.checkArray("C3", "dilations", adaptor.getDilations(), spatial, 1)) ||
      failed(scope.checkArray("C3", "pads", adaptor.getPads(), 2 * spatial, 0)))
    return failure();
  int64_t groups = adaptor.getGroups(), channels = x.getDimSize(dims.channel);
  int64_t resultChannels = w.getDimSize(0);
  if (groups <= 0 || channels % groups != 0 || resultChannels % groups != 0)
    return scope.fail("(C4) expected 'groups' to be positive and to divide ", channels, " and ",
                      resultChannels, " channels, found ", groups);
  if (w.getDimSize(1) != channels / groups)
    return scope.fail("(C5) expected 'w' to have ", channels / groups, " input channels, found ",
                      w);
  SmallVector<int64_t> shape(x.getShape());
  shape[dims.channel] = resultChannels;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t padded =
        x.getDimSize(dims.firstSpatial + i) + adaptor.getPads()[i] + adaptor.getPads()[spatial + i];
    int64_t window = toSize(__int128(w.getDimSize(2 + i) - 1) * adaptor.getDilations()[i] + 1);
    if (window > padded)
      return scope.fail("(C7) expected the dilated kernel to be no larger than the padded operand "
                        "in spatial dimension ",
                        i, ", found ", window, " and ", padded);
    shape[dims.firstSpatial + i] = (padded - window) / adaptor.getStrides()[i] + 1;
  }
  types.push_back(RankedTensorType::get(shape, IntegerType::get(scope.getContext(), 32)));
  return success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types.
#include "dialects/Ttc/Tensors/ElementEmitter.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NarrowFloats.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

LogicalResult CastOp::verify() {
  auto x = tensorType(getX()), y = tensorType(getY());
  if (x.getShape() != y.getShape())
    return emitOpError() << "(C1) expected a result of shape " << toString(x.getShape())
                         << ", found " << y;
  return success();
}

/// An f64 as f32, so that rounding the f32 to fewer bits gives what rounding the f64 would: inexact
/// results are odd ("rounding to odd").
static Value narrowToOdd(Emitter &e, Value x) {
  OpBuilder &b = e.builder;
  Type f32 = Emitter::shaped(x, b.getF32Type()), i32 = Emitter::shaped(x, b.getI32Type());
  Value all = e.op<arith::BitcastOp>(Emitter::shaped(x, b.getI64Type()), x);
  auto number = [&](int64_t value) { return e.splat(all, b.getI64IntegerAttr(value)); };
  auto exponent = [&](int64_t power) { return number((1023 + power) << 52); };
  constexpr int64_t cut = 52 - 23;
  Value size = e.op<arith::AndIOp>(all, number(INT64_MAX));
  Value lost = e.op<arith::AndIOp>(size, number((int64_t(1) << cut) - 1));
  Value isExact = e.cmp(CmpIPredicate::eq, lost, number(0));
  Value bits = e.op<arith::SubIOp>(e.op<arith::ShRUIOp>(size, number(cut)),
                                   number(int64_t(1023 - 127) << 23));
  bits = e.select(isExact, bits, e.op<arith::OrIOp>(bits, number(1)));
  // Too large, infinite or NaN.
  bits = e.select(e.cmp(CmpIPredicate::uge, size, exponent(128)), number(0x7f800000), bits);
  bits = e.select(e.cmp(CmpIPredicate::ugt, size, exponent(1024)), number(0x7fc00000), bits);
  Value sign = e.op<arith::ShRUIOp>(e.op<arith::AndIOp>(all, number(INT64_MIN)), number(32));
  Value narrow = e.op<arith::TruncIOp>(i32, e.op<arith::OrIOp>(bits, sign));
  // What is subnormal as f32 is less than half of any f16. As bf16 it may be rounded twice.
  return e.select(e.cmp(CmpIPredicate::ult, size, exponent(-126)), e.op<arith::TruncFOp>(f32, x),
                  e.op<arith::BitcastOp>(f32, narrow));
}

/// From a float to another float.
static Value convertFloats(Emitter &e, Value x, Type to) {
  const unsigned fromWidth = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  const unsigned toWidth = to.getIntOrFloatBitWidth();
  Type type = Emitter::shaped(x, to);
  if (x.getType() == type)
    return x;
  if (fromWidth < toWidth)
    return e.op<arith::ExtFOp>(type, x);
  if (fromWidth == toWidth) // there is no direct conversion between f16 and bf16
    x = e.op<arith::ExtFOp>(Emitter::shaped(x, e.builder.getF32Type()), x);
  else if (fromWidth == 64 && toWidth == 16)
    x = narrowToOdd(e, x);
  return e.op<arith::TruncFOp>(type, x);
}

/// To a signed integer. What is out of range, or NaN, becomes the least one, as by x86's
/// instructions; arith leaves it undefined, and LLVM makes anything of it.
static Value convertToSigned(Emitter &e, Value x, Type to) {
  const double end = std::ldexp(1.0, getElementTypeOrSelf(to).getIntOrFloatBitWidth() - 1);
  Value fits = e.cmp(CmpFPredicate::OLT, e.op<math::AbsFOp>(x), e.number(x, end));
  return e.op<arith::FPToSIOp>(to, e.select(fits, x, e.number(x, -end)));
}

/// From a float to an integer. Via at least 32 bits, so that values out of range of a narrow
/// integer wrap around.
static Value convertToInteger(Emitter &e, Value x, IntegerType to, bool toUnsigned) {
  OpBuilder &b = e.builder;
  if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() < 32)
    x = e.op<arith::ExtFOp>(Emitter::shaped(x, b.getF32Type()), x);
  if (toUnsigned && to.getWidth() == 64) {
    // The upper half of the range by way of the lower one; negative values wrap around, too.
    Type type = Emitter::shaped(x, to);
    Value half = e.number(x, 0x1p63);
    Value isUpper = e.cmp(CmpFPredicate::OGE, x, half);
    Value integer = convertToSigned(e, e.select(isUpper, e.sub(x, half), x), type);
    Value top = e.splat(integer, IntegerAttr::get(to, APInt::getSignedMinValue(64)));
    return e.select(isUpper, e.op<arith::XOrIOp>(integer, top), integer);
  }
  const unsigned width = toUnsigned && to.getWidth() == 32 ? 64 : std::max(32u, to.getWidth());
  Type wide = b.getIntegerType(width);
  Value integer = convertToSigned(e, x, Emitter::shaped(x, wide));
  return wide == to ? integer : e.op<arith::TruncIOp>(Emitter::shaped(x, to), integer);
}

/// Between element types that are computed with; `to` is not bool.
static Value convertNumber(Emitter &e, Value x, bool fromUnsigned, Type to) {
  Type from = getElementTypeOrSelf(x.getType());
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return convertFloats(e, x, to);
  const bool toUnsigned = to.isUnsignedInteger();
  const unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (isa<IntegerType>(to))
    to = e.builder.getIntegerType(toWidth);
  Type type = Emitter::shaped(x, to);
  if (isa<FloatType>(from))
    return convertToInteger(e, x, cast<IntegerType>(to), toUnsigned);
  if (isa<FloatType>(to))
    return fromUnsigned ? e.op<arith::UIToFPOp>(type, x) : e.op<arith::SIToFPOp>(type, x);
  if (from == to)
    return x;
  if (fromWidth > toWidth)
    return e.op<arith::TruncIOp>(type, x);
  return fromUnsigned ? e.op<arith::ExtUIOp>(type, x) : e.op<arith::ExtSIOp>(type, x);
}

Value CastOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Value x = elements[0];
  Type from = tensorType(getX()).getElementType(), to = tensorType(getY()).getElementType();
  if (from == to)
    return x;
  if (isNarrowFloat(from))
    x = emitDecodeFloat(builder, loc, x, cast<FloatType>(from));
  if (to.isInteger(1))
    return isFloat(x) ? e.cmp(CmpFPredicate::UNE, x, e.number(x, 0))
                      : e.cmp(CmpIPredicate::ne, x, e.number(x, 0));
  if (isNarrowFloat(to)) {
    Value number = convertNumber(e, x, isUnsigned(getX()), builder.getF32Type());
    return emitEncodeFloat(builder, loc, number, cast<FloatType>(to), getSaturate(), getRounding());
  }
  Value y = convertNumber(e, x, isUnsigned(getX()), getStorageType(to));
  if (isNarrowInteger(to))
    y = emitWrapInteger(builder, loc, y, to.getIntOrFloatBitWidth(), to.isUnsignedInteger());
  return y;
}

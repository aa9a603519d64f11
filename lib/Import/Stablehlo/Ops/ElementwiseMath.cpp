// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementwiseMath.h"

#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

#include <numbers>

using namespace mlir;
using namespace mlir::ttc;

/// An integer of the width of `like`'s elements by its bits.
static Value makeBits(TensorBuilder &builder, Value like, uint64_t bits) {
  if (!like)
    return {};
  auto type = RankedTensorType::get({}, elementTypeOf(like));
  const APInt value(64, bits);
  return builder.constant(
      DenseElementsAttr::get(type, value.trunc(type.getElementType().getIntOrFloatBitWidth())));
}

static Value bitcastTo(TensorBuilder &builder, Value x, Type elementType) {
  if (!x || elementTypeOf(x) == elementType)
    return x;
  return builder.createAs<BitcastOp>(RankedTensorType::get(shapeOf(x), elementType), x);
}

/// Whether the sign is minus, of zeros and NaN too.
static Value isNegative(TensorBuilder &builder, Value x) {
  if (!x)
    return {};
  Type integer = builder.getBuilder().getIntegerType(elementTypeOf(x).getIntOrFloatBitWidth());
  return Expressions(builder).compare(ComparePredicate::LT, bitcastTo(builder, x, integer), 0.0);
}

// For |x| >= 1/2 no digits are lost. Below, u = exp(x) is rounded, and x / log(u) corrects what the
// rounding changed: (u - 1) / log(u) is smooth, so that an error of u hardly matters.
Value mlir::ttc::makeExpm1(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  Value u = e.unary<ExpOp>(x);
  Value plain = e.sub(u, 1.0);
  Value corrected = e.mul(plain, e.div(x, e.unary<LogOp>(u)));
  Value small = e.where(e.compare(ComparePredicate::EQ, u, 1.0), x, corrected);
  return e.where(e.compare(ComparePredicate::LT, e.abs(x), 0.5), small, plain);
}

Value mlir::ttc::makeLog1p(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  Value u = e.add(x, 1.0);
  Value plain = e.unary<LogOp>(u);
  Value corrected = e.mul(plain, e.div(x, e.sub(u, 1.0)));
  Value small = e.where(e.compare(ComparePredicate::EQ, u, 1.0), x, corrected);
  return e.where(e.compare(ComparePredicate::LT, e.abs(x), 0.5), small, plain);
}

Value mlir::ttc::makeTan(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  return e.div(e.unary<SinOp>(x), e.unary<CosOp>(x));
}

// A power, and a step of Newton's method, whose quotients do not overflow.
Value mlir::ttc::makeCbrt(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  Value a = e.abs(x);
  if (!a)
    return {};
  Value y = builder.create<PowOp>({a, e.number(a, 1.0 / 3)});
  y = e.sub(y, e.div(e.sub(y, e.div(a, e.mul(y, y))), 3.0));
  y = e.where(isNegative(builder, x), e.unary<NegOp>(y), y);
  // Zero, infinities and NaN are their own roots.
  Value isOrdinary =
      e.both(e.compare(ComparePredicate::GT, a, 0.0), e.compare(ComparePredicate::LT, a, HUGE_VAL));
  return e.where(isOrdinary, y, x);
}

Value mlir::ttc::makeRoundAwayFromZero(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  Value a = e.abs(x);
  Value whole = e.floor(a);
  Value rounded =
      e.where(e.compare(ComparePredicate::GE, e.sub(a, whole), 0.5), e.add(whole, 1.0), whole);
  return e.where(isNegative(builder, x), e.unary<NegOp>(rounded), rounded);
}

/// The number of ones of unsigned elements: counts of 2, 4 and 8 bits beside each other, which a
/// product adds up in the highest byte.
static Value countOnes(TensorBuilder &builder, Value x) {
  if (!x)
    return {};
  const unsigned width = elementTypeOf(x).getIntOrFloatBitWidth();
  auto bits = [&](uint64_t pattern) { return makeBits(builder, x, pattern); };
  auto right = [&](Value value, unsigned count) {
    return builder.create<ShiftRightOp>({value, bits(count)});
  };
  auto both = [&](Value value, uint64_t mask) {
    return builder.create<BitAndOp>({value, bits(mask)});
  };
  Expressions e(builder);
  x = e.sub(x, both(right(x, 1), 0x5555555555555555));
  x = e.add(both(x, 0x3333333333333333), both(right(x, 2), 0x3333333333333333));
  x = both(e.add(x, right(x, 4)), 0x0F0F0F0F0F0F0F0F);
  return right(builder.create<MulOp>({x, bits(0x0101010101010101)}), width - 8);
}

static Type getUnsigned(Value x) {
  return IntegerType::get(x.getContext(), elementTypeOf(x).getIntOrFloatBitWidth(),
                          IntegerType::Unsigned);
}

Value mlir::ttc::makePopulationCount(TensorBuilder &builder, Value x) {
  if (!x)
    return {};
  return bitcastTo(builder, countOnes(builder, bitcastTo(builder, x, getUnsigned(x))),
                   elementTypeOf(x));
}

Value mlir::ttc::makeLeadingZeros(TensorBuilder &builder, Value x) {
  if (!x)
    return {};
  const unsigned width = elementTypeOf(x).getIntOrFloatBitWidth();
  Value ones = bitcastTo(builder, x, getUnsigned(x));
  // All bits after the first 1 become 1.
  for (unsigned count = 1; count < width; count *= 2)
    ones = builder.create<BitOrOp>(
        {ones, builder.create<ShiftRightOp>({ones, makeBits(builder, ones, count)})});
  Value zeros = builder.create<SubOp>({makeBits(builder, ones, width), countOnes(builder, ones)});
  return bitcastTo(builder, zeros, elementTypeOf(x));
}

// The arc tangent of a quotient of at most 1, reflected to the octant of (x, y).
Value mlir::ttc::makeAtan2(TensorBuilder &builder, Value y, Value x) {
  Expressions e(builder);
  Value across = e.abs(x), up = e.abs(y);
  if (!across || !up)
    return {};
  Value larger = e.max(across, up), smaller = e.min(across, up);
  Value quotient = e.div(smaller, larger);
  // 0 / 0 and inf / inf.
  quotient = e.where(e.compare(ComparePredicate::EQ, larger, 0.0), larger, quotient);
  quotient =
      e.where(e.compare(ComparePredicate::EQ, smaller, HUGE_VAL), e.number(x, 1.0), quotient);
  Value angle = e.unary<AtanOp>(quotient);
  angle = e.where(e.compare(ComparePredicate::GT, up, across), e.sub(std::numbers::pi / 2, angle),
                  angle);
  angle = e.where(isNegative(builder, x), e.sub(std::numbers::pi, angle), angle);
  return e.where(isNegative(builder, y), e.unary<NegOp>(angle), angle);
}

Value mlir::ttc::makeTotalOrder(TensorBuilder &builder, Value x) {
  if (!x || !isa<FloatType>(elementTypeOf(x)))
    return x;
  const unsigned width = elementTypeOf(x).getIntOrFloatBitWidth();
  Type integer = builder.getBuilder().getIntegerType(width);
  Value bits = builder.createAs<BitcastOp>(RankedTensorType::get(shapeOf(x), integer), x);
  if (!bits)
    return {};
  Expressions e(builder);
  // Negative numbers grow as their bits get smaller.
  APInt most = APInt::getSignedMaxValue(width);
  Value mask = builder.constant(DenseElementsAttr::get(RankedTensorType::get({}, integer), most));
  Value flipped = builder.create<BitXorOp>({bits, mask});
  return e.where(e.compare(ComparePredicate::LT, bits, 0.0), flipped, bits);
}

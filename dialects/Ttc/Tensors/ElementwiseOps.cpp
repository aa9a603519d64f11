// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The meaning of the elementwise ops, as arith and math ops on scalars or vectors.
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ElementEmitter.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

/// Computes in f32 on the elements of narrower floats, which have too few bits for the intermediate
/// results of `emit`.
template <typename Fn> Value inF32(OpBuilder &builder, Location loc, ValueRange elements, Fn emit) {
  Emitter e{builder, loc};
  Type narrow = elements[0].getType();
  if (getElementTypeOrSelf(narrow).getIntOrFloatBitWidth() >= 32)
    return emit(e, elements);
  SmallVector<Value> wide;
  for (Value element : elements)
    wide.push_back(e.op<arith::ExtFOp>(Emitter::shaped(element, builder.getF32Type()), element));
  return e.op<arith::TruncFOp>(narrow, emit(e, wide));
}

} // namespace

//===----------------------------------------------------------------------===//
// Unary ops on floats
//===----------------------------------------------------------------------===//

// An op with one operand `x` that is computed in f32 if its elements are narrower.
#define TTC_EMIT_FLOAT(OP, ...)                                                                    \
  Value OP::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {                   \
    return inF32(builder, loc, elements, [&](Emitter &e, ValueRange wide) -> Value {               \
      Value x = wide[0];                                                                           \
      __VA_ARGS__                                                                                  \
    });                                                                                            \
  }

TTC_EMIT_FLOAT(ErfOp, return e.op<math::ErfOp>(x);)
TTC_EMIT_FLOAT(SigmoidOp, return e.sigmoid(x);)
TTC_EMIT_FLOAT(TanhOp, return e.op<math::TanhOp>(x);)
TTC_EMIT_FLOAT(ExpOp, return e.op<math::ExpOp>(x);)
TTC_EMIT_FLOAT(LogOp, return e.op<math::LogOp>(x);)
TTC_EMIT_FLOAT(SqrtOp, return e.op<math::SqrtOp>(x);)
TTC_EMIT_FLOAT(RsqrtOp, return e.div(e.number(x, 1), e.op<math::SqrtOp>(x));)
TTC_EMIT_FLOAT(ReciprocalOp, return e.div(e.number(x, 1), x);)
TTC_EMIT_FLOAT(FloorOp, return e.op<math::FloorOp>(x);)
TTC_EMIT_FLOAT(CeilOp, return e.op<math::CeilOp>(x);)
TTC_EMIT_FLOAT(RoundOp, return e.op<math::RoundEvenOp>(x);)
TTC_EMIT_FLOAT(SinOp, return e.op<math::SinOp>(x);)
TTC_EMIT_FLOAT(CosOp, return e.op<math::CosOp>(x);)

TTC_EMIT_FLOAT(AsinOp, return e.op<math::AsinOp>(x);)
TTC_EMIT_FLOAT(AcosOp, return e.op<math::AcosOp>(x);)
TTC_EMIT_FLOAT(AtanOp, return e.op<math::AtanOp>(x);)
TTC_EMIT_FLOAT(SinhOp, return e.op<math::SinhOp>(x);)
TTC_EMIT_FLOAT(CoshOp, return e.op<math::CoshOp>(x);)
TTC_EMIT_FLOAT(AsinhOp, return e.op<math::AsinhOp>(x);)
TTC_EMIT_FLOAT(AcoshOp, return e.op<math::AcoshOp>(x);)
TTC_EMIT_FLOAT(AtanhOp, return e.op<math::AtanhOp>(x);)

TTC_EMIT_FLOAT(GeluOp, {
  Value half = e.mul(x, e.number(x, 0.5));
  if (getApproximate() == GeluApproximation::None) {
    Value scaled = e.mul(x, e.number(x, std::numbers::sqrt2 / 2));
    return e.mul(half, e.add(e.op<math::ErfOp>(scaled), e.number(x, 1)));
  }
  // sqrt(2 / pi) * (x + 0.044715 x^3) = x * (c + c * 0.044715 * x^2)
  const double c = std::sqrt(2 / std::numbers::pi);
  Value square = e.mul(x, x);
  Value inner = e.mul(x, e.add(e.mul(square, e.number(x, c * 0.044715)), e.number(x, c)));
  return e.mul(half, e.add(e.op<math::TanhOp>(inner), e.number(x, 1)));
})

TTC_EMIT_FLOAT(LeakyReluOp, {
  Value scaled = e.mul(x, e.number(x, getAlpha().convertToFloat()));
  return e.ifNegative(x, scaled, x);
})

TTC_EMIT_FLOAT(EluOp, return e.ifNegative(x, e.expMinusOne(x, getAlpha().convertToFloat()), x);)

TTC_EMIT_FLOAT(SeluOp, {
  const double gamma = getGamma().convertToFloat(), alpha = getAlpha().convertToFloat();
  return e.ifNegative(x, e.expMinusOne(x, gamma * alpha), e.mul(x, e.number(x, gamma)));
})

TTC_EMIT_FLOAT(HardSigmoidOp, {
  Value line = e.add(e.mul(x, e.number(x, getAlpha().convertToFloat())),
                     e.number(x, getBeta().convertToFloat()));
  return e.atMost(e.atLeast(line, 0), 1);
})

TTC_EMIT_FLOAT(HardSwishOp, {
  Value line = e.add(e.mul(x, e.number(x, 1.0 / 6)), e.number(x, 0.5));
  return e.mul(x, e.atMost(e.atLeast(line, 0), 1));
})

// max(x, 0) + log1p(exp(-|x|)) does not overflow.
TTC_EMIT_FLOAT(SoftplusOp, {
  Value decay = e.op<math::ExpOp>(e.op<arith::NegFOp>(e.op<math::AbsFOp>(x)));
  return e.add(e.atLeast(x, 0), e.op<math::Log1pOp>(decay));
})

TTC_EMIT_FLOAT(SoftsignOp, { return e.div(x, e.add(e.number(x, 1), e.op<math::AbsFOp>(x))); })

#undef TTC_EMIT_FLOAT

//===----------------------------------------------------------------------===//
// Unary ops on numbers and bools
//===----------------------------------------------------------------------===//

Value ReluOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Value x = elements[0];
  if (isFloat(x))
    return e.atLeast(x, 0);
  return isUnsigned(getX()) ? x : e.op<arith::MaxSIOp>(x, e.number(x, 0));
}

Value AbsOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Value x = elements[0];
  if (isFloat(x))
    return e.op<math::AbsFOp>(x);
  return isUnsigned(getX()) ? x : e.op<math::AbsIOp>(x);
}

Value NegOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Value x = elements[0];
  return isFloat(x) ? e.op<arith::NegFOp>(x) : e.op<arith::SubIOp>(e.number(x, 0), x);
}

Value SignOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Value x = elements[0], zero = e.number(x, 0), one = e.number(x, 1);
  if (isFloat(x)) {
    // Zeros and NaN are their own sign.
    Value positive = e.select(e.cmp(CmpFPredicate::OGT, x, zero), one, x);
    return e.ifNegative(x, e.number(x, -1), positive);
  }
  if (isUnsigned(getX()))
    return e.op<arith::MinUIOp>(x, one);
  return e.op<arith::MaxSIOp>(e.op<arith::MinSIOp>(x, one), e.number(x, -1));
}

Value ClampOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Value x = elements[0];
  const double low = getMin().convertToFloat(), high = getMax().convertToFloat();
  if (isFloat(x)) {
    if (std::isfinite(low) || low > 0)
      x = e.atLeast(x, low);
    if (std::isfinite(high) || high < 0)
      x = e.atMost(x, high);
    return x;
  }
  const bool isUnsignedX = isUnsigned(getX());
  const unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  const APSInt least = APSInt::getMinValue(width, isUnsignedX);
  const APSInt most = APSInt::getMaxValue(width, isUnsignedX);
  // A fractional bound is rounded towards the inside of the range; a bound outside of the type's
  // range becomes the type's limit.
  auto bound = [&](double value) {
    APSInt integer(width, isUnsignedX);
    bool isExact;
    APFloat(value).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
    return e.splat(x, builder.getIntegerAttr(getElementTypeOrSelf(x.getType()), integer));
  };
  // convertToInteger saturates, so infinite bounds become the type's limits.
  if (std::isfinite(low))
    x = isUnsignedX ? e.op<arith::MaxUIOp>(x, bound(std::ceil(low)))
                    : e.op<arith::MaxSIOp>(x, bound(std::ceil(low)));
  if (std::isfinite(high))
    x = isUnsignedX ? e.op<arith::MinUIOp>(x, bound(std::floor(high)))
                    : e.op<arith::MinSIOp>(x, bound(std::floor(high)));
  return x;
}

bool ClampOp::isExactIn(FloatType type) {
  return llvm::all_of(ArrayRef<APFloat>{getMin(), getMax()}, [&](APFloat bound) {
    bool losesInfo = false;
    bound.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return !losesInfo;
  });
}

LogicalResult ClampOp::verify() {
  float low = getMin().convertToFloat(), high = getMax().convertToFloat();
  if (!(low <= high))
    return emitOpError() << "(C1) expected 'min' <= 'max', found " << getMinAttr() << " and "
                         << getMaxAttr();
  return success();
}

Value NotOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  return e.op<arith::XOrIOp>(elements[0], e.number(elements[0], 1));
}

Value ReducePrecisionOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Value x = elements[0];
  if (!getTo().isBF16()) {
    Value narrow = e.op<arith::TruncFOp>(Emitter::shaped(x, getTo()), x);
    return e.op<arith::ExtFOp>(x.getType(), narrow);
  }
  // In words: conversions would narrow and widen vectors, and AVX512_BF16's flushes denormals.
  Value bits = e.op<arith::BitcastOp>(Emitter::shaped(x, builder.getI32Type()), x);
  auto word = [&](uint32_t value) { return e.number(bits, static_cast<int32_t>(value)); };
  auto vector = dyn_cast<VectorType>(x.getType());
  if (vector && vector.getNumElements() == 16) {
    // Halves up, and then back to even: with AVX-512's masks one instruction less.
    bits = e.op<arith::AddIOp>(bits, word(0x8000));
    Value isHalf = e.cmp(CmpIPredicate::eq, e.op<arith::AndIOp>(bits, word(0xffff)), word(0));
    bits = e.op<arith::AndIOp>(bits, e.select(isHalf, word(0xfffe0000), word(0xffff0000)));
  } else {
    Value odd = e.op<arith::AndIOp>(e.op<arith::ShRUIOp>(bits, word(16)), word(1));
    bits = e.op<arith::AddIOp>(e.op<arith::AddIOp>(bits, word(0x7fff)), odd);
    bits = e.op<arith::AndIOp>(bits, word(0xffff0000));
  }
  // Rounded, NaN with the largest payloads would become zero, and with the smallest ones infinite.
  if (!getNarrowNan())
    bits = e.select(e.cmp(CmpFPredicate::UNO, x, x), word(0x7fc00000), bits);
  return e.op<arith::BitcastOp>(x.getType(), bits);
}

//===----------------------------------------------------------------------===//
// Binary and ternary ops
//===----------------------------------------------------------------------===//

Value AddOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  return isFloat(elements[0]) ? e.add(elements[0], elements[1])
                              : e.op<arith::AddIOp>(elements[0], elements[1]);
}

Value SubOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  return isFloat(elements[0]) ? e.sub(elements[0], elements[1])
                              : e.op<arith::SubIOp>(elements[0], elements[1]);
}

Value MulOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  return isFloat(elements[0]) ? e.mul(elements[0], elements[1])
                              : e.op<arith::MulIOp>(elements[0], elements[1]);
}

/// Calls `emit(a, divisor)` with a divisor that does not trap, and selects 0 where `b` is 0. The
/// machine traps on a zero and on the smallest number divided by -1; a kernel must not.
static Value guardedDivision(Emitter &e, Value a, Value b, bool isUnsignedOp, bool isRemainder) {
  Value zero = e.number(b, 0), one = e.number(b, 1);
  Value isZero = e.cmp(CmpIPredicate::eq, b, zero);
  if (isUnsignedOp) {
    Value divisor = e.select(isZero, one, b);
    return e.select(isZero, zero,
                    isRemainder ? e.op<arith::RemUIOp>(a, divisor)
                                : e.op<arith::DivUIOp>(a, divisor));
  }
  Value isMinusOne = e.cmp(CmpIPredicate::eq, b, e.number(b, -1));
  Value divisor = e.select(e.op<arith::OrIOp>(isZero, isMinusOne), one, b);
  Value byMinusOne = isRemainder ? zero : e.op<arith::SubIOp>(zero, a);
  Value result = isRemainder ? e.op<arith::RemSIOp>(a, divisor) : e.op<arith::DivSIOp>(a, divisor);
  return e.select(isZero, zero, e.select(isMinusOne, byMinusOne, result));
}

Value DivOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  if (isFloat(elements[0]))
    return e.div(elements[0], elements[1]);
  return guardedDivision(e, elements[0], elements[1], isUnsigned(getA()), /*isRemainder=*/false);
}

Value ModOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  const bool signOfDivisor = !getFmod();
  if (isFloat(elements[0]))
    return inF32(builder, loc, elements, [&](Emitter &e, ValueRange wide) -> Value {
      Value a = wide[0], b = wide[1];
      Value remainder = e.op<arith::RemFOp>(a, b);
      if (!signOfDivisor)
        return remainder;
      // A zero has the sign of the divisor, too.
      Value zero = e.number(b, 0);
      Value isNegative = e.cmp(CmpFPredicate::OLT, remainder, zero);
      Value differ = e.op<arith::XOrIOp>(isNegative, e.cmp(CmpFPredicate::OLT, b, zero));
      Value shifted = e.select(differ, e.add(remainder, b), remainder);
      return e.select(e.cmp(CmpFPredicate::OEQ, remainder, zero), e.op<math::CopySignOp>(zero, b),
                      shifted);
    });
  Emitter e{builder, loc};
  Value a = elements[0], b = elements[1];
  Value remainder = guardedDivision(e, a, b, isUnsigned(getA()), /*isRemainder=*/true);
  if (!signOfDivisor || isUnsigned(getA()))
    return remainder;
  Value zero = e.number(b, 0);
  Value signs = e.cmp(CmpIPredicate::slt, e.op<arith::XOrIOp>(remainder, b), zero);
  Value notZero = e.cmp(CmpIPredicate::ne, remainder, zero);
  return e.select(e.op<arith::AndIOp>(signs, notZero), e.op<arith::AddIOp>(remainder, b),
                  remainder);
}

/// By squaring, without branches. Only six bits of `b` matter, since every larger power of a number
/// other than -1, 0 and 1 overflows. A negative power of an integer is 0, except those of -1
/// and 1.
static Value powerOfIntegers(OpBuilder &builder, Location loc, Value a, Value b,
                             bool isUnsignedOp) {
  Emitter e{builder, loc};
  Value zero = e.number(a, 0), one = e.number(a, 1);
  Value square = a, power = one;
  for (int64_t bit = 0; bit < 6; ++bit) {
    Value isSet =
        e.cmp(CmpIPredicate::ne, e.op<arith::AndIOp>(b, e.number(b, double(1 << bit))), zero);
    power = e.select(isSet, e.op<arith::MulIOp>(power, square), power);
    square = e.op<arith::MulIOp>(square, square);
  }
  // `square` is now a^64.
  Value isLarge = e.cmp(CmpIPredicate::ugt, b, e.number(b, 63));
  power = e.select(isLarge, e.op<arith::MulIOp>(power, square), power);
  if (isUnsignedOp)
    return power;
  // The odd powers of -1 are -1; the lowest bit of `b` decides, whatever its sign.
  Value isUnit = e.op<arith::OrIOp>(e.cmp(CmpIPredicate::eq, a, one),
                                    e.cmp(CmpIPredicate::eq, a, e.number(a, -1)));
  Value isNegative = e.cmp(CmpIPredicate::slt, b, zero);
  return e.select(e.op<arith::AndIOp>(isNegative, e.op<arith::XOrIOp>(isUnit, e.number(isUnit, 1))),
                  zero, power);
}

Value PowOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  if (isFloat(elements[0]))
    return inF32(builder, loc, elements,
                 [](Emitter &e, ValueRange wide) { return e.op<math::PowFOp>(wide[0], wide[1]); });
  return powerOfIntegers(builder, loc, elements[0], elements[1], isUnsigned(getA()));
}

Value MinOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  if (isFloat(elements[0]))
    return e.op<arith::MinimumFOp>(elements[0], elements[1]);
  return isUnsigned(getA()) ? e.op<arith::MinUIOp>(elements[0], elements[1])
                            : e.op<arith::MinSIOp>(elements[0], elements[1]);
}

Value MaxOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  if (isFloat(elements[0]))
    return e.op<arith::MaximumFOp>(elements[0], elements[1]);
  return isUnsigned(getA()) ? e.op<arith::MaxUIOp>(elements[0], elements[1])
                            : e.op<arith::MaxSIOp>(elements[0], elements[1]);
}

Value PReluOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return inF32(builder, loc, elements, [](Emitter &e, ValueRange wide) {
    return e.ifNegative(wide[0], e.mul(wide[0], wide[1]), wide[0]);
  });
}

Value AndOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return arith::AndIOp::create(builder, loc, elements[0], elements[1]);
}

Value OrOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return arith::OrIOp::create(builder, loc, elements[0], elements[1]);
}

Value XorOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return arith::XOrIOp::create(builder, loc, elements[0], elements[1]);
}

Value CompareOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  struct Predicates {
    CmpFPredicate ordered;
    CmpIPredicate isSigned, isUnsigned;
  };
  auto predicates = [&]() -> Predicates {
    switch (getPredicate()) {
    case ComparePredicate::EQ:
      return {CmpFPredicate::OEQ, CmpIPredicate::eq, CmpIPredicate::eq};
    case ComparePredicate::NE:
      return {CmpFPredicate::UNE, CmpIPredicate::ne, CmpIPredicate::ne};
    case ComparePredicate::LT:
      return {CmpFPredicate::OLT, CmpIPredicate::slt, CmpIPredicate::ult};
    case ComparePredicate::LE:
      return {CmpFPredicate::OLE, CmpIPredicate::sle, CmpIPredicate::ule};
    case ComparePredicate::GT:
      return {CmpFPredicate::OGT, CmpIPredicate::sgt, CmpIPredicate::ugt};
    case ComparePredicate::GE:
      return {CmpFPredicate::OGE, CmpIPredicate::sge, CmpIPredicate::uge};
    }
    llvm_unreachable("a predicate that is not in the enumeration");
  }();
  if (isFloat(elements[0]))
    return e.cmp(predicates.ordered, elements[0], elements[1]);
  return e.cmp(isUnsigned(getA()) ? predicates.isUnsigned : predicates.isSigned, elements[0],
               elements[1]);
}

Value WhereOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return arith::SelectOp::create(builder, loc, elements[0], elements[1], elements[2]);
}

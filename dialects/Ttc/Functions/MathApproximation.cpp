// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Functions/MathApproximation.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;
using P = arith::CmpFPredicate;

namespace {

/// Adding and subtracting this rounds to an integer, which stands in the low bits in between.
constexpr double kRoundF32 = 12582912.0; // 1.5 * 2^23
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Rounded {
  Value number;  // As f32.
  Value integer; // As i32.
};

/// To the nearest integer, for |x| < 2^22.
Rounded roundToInteger(Arithmetic &a, Value x, Value scale) {
  Value magic = a.f32(kRoundF32);
  Value shifted = a.add(a.mul(x, scale), magic);
  // Not contracted with anything: this difference is exact, and must stay one.
  Value number = arith::SubFOp::create(a.builder(), shifted, magic);
  return {number, a.subi(a.bitsI32(shifted), a.bitsI32(magic))};
}

/// 2^n for -126 <= n <= 127.
Value powerOfTwo(Arithmetic &a, Value n) {
  return a.bitsF32(a.shl(a.addi(n, a.i32(127)), a.i32(23)));
}

/// The reduced argument and exponent of exp: x = n * ln 2 + r.
std::pair<Value, Rounded> reduceExp(Arithmetic &a, Value x) {
  Rounded n = roundToInteger(a, x, a.f32(1.44269504088896341));
  Value r = a.sub(x, a.mul(n.number, a.f32(0.693359375)));
  return {a.sub(r, a.mul(n.number, a.f32(-2.12194440e-4))), n};
}

/// exp(r) - 1 - r for |r| <= ln(2)/2.
Value expTail(Arithmetic &a, Value r) {
  Value tail = a.polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                                1.6666665459e-1, 5.0000001201e-1});
  return a.mul(a.mul(tail, r), r);
}

/// x * 2^n in two steps, so that results may be subnormal or infinite.
Value scaleByPower(Arithmetic &a, Value x, Value n) {
  Value half = a.shr(n, a.i32(1));
  return a.mul(a.mul(x, powerOfTwo(a, half)), powerOfTwo(a, a.subi(n, half)));
}

} // namespace

Value mlir::ttc::emitExp(Arithmetic &a, Value x) {
  x = a.clamp(x, -104.0, 89.0);
  auto [r, n] = reduceExp(a, x);
  return scaleByPower(a, a.add(a.add(expTail(a, r), r), a.f32(1.0)), n.integer);
}

Value mlir::ttc::emitExp2(Arithmetic &a, Value x) {
  // 2^x = 2^n exp(r ln 2), with x - n = r exactly.
  x = a.clamp(x, -151.0, 129.0);
  Rounded n = roundToInteger(a, x, a.f32(1.0));
  Value r = a.mul(a.sub(x, n.number), a.f32(0.693147180559945309));
  return scaleByPower(a, a.add(a.add(expTail(a, r), r), a.f32(1.0)), n.integer);
}

Value mlir::ttc::emitExpM1(Arithmetic &a, Value x) {
  // exp(x) - 1 = 2^n (exp(r) - 1) + 2^n - 1, exact where n = 0. Below -25 it rounds to -1.
  Value clamped = a.clamp(x, -25.0, 88.7);
  auto [r, n] = reduceExp(a, clamped);
  Value half = powerOfTwo(a, a.subi(n.integer, a.i32(1)));
  Value value = a.add(a.mul(a.add(expTail(a, r), r), half), a.sub(half, a.f32(0.5)));
  value = a.add(value, value);
  return a.select(a.less(a.f32(88.72), x), a.f32(kInfinity), value);
}

Value mlir::ttc::emitLog(Arithmetic &a, Value x) {
  // Subnormal arguments are scaled up first.
  Value isSmall = a.less(x, a.f32(1.17549435e-38));
  Value scaled = a.select(isSmall, a.mul(x, a.f32(8388608.0)), x);
  Value adjust = a.select(isSmall, a.f32(-23.0), a.f32(0.0));
  // x = 2^e m with m from sqrt(1/2) to sqrt(2).
  constexpr int64_t kSqrtHalf = 0x3f3504f3;
  Value shifted = a.subi(a.bitsI32(scaled), a.i32(kSqrtHalf));
  Value exponent = a.convert<arith::SIToFPOp>(a.shr(shifted, a.i32(23)), a.builder().getF32Type());
  exponent = a.add(exponent, adjust);
  Value m = a.bitsF32(a.addi(a.andi(shifted, a.i32(0x007fffff)), a.i32(kSqrtHalf)));
  Value f = a.sub(m, a.f32(1.0));
  Value square = a.mul(f, f);
  Value tail = a.polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                                -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                                2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  tail = a.mul(a.mul(tail, f), square);
  tail = a.add(tail, a.mul(exponent, a.f32(-2.12194440e-4)));
  tail = a.sub(tail, a.mul(square, a.f32(0.5)));
  Value result = a.add(a.add(tail, f), a.mul(exponent, a.f32(0.693359375)));
  result = a.select(a.cmp(P::OEQ, x, a.f32(kInfinity)), x, result);
  result = a.select(a.cmp(P::OEQ, x, a.f32(0.0)), a.f32(-kInfinity), result);
  return a.select(a.cmp(P::UGE, x, a.f32(0.0)), a.select(a.cmp(P::UNO, x, x), x, result),
                  a.f32(kNaN));
}

Value mlir::ttc::emitLog1p(Arithmetic &a, Value x) {
  // log(1 + x), corrected for what rounding 1 + x loses.
  Value u = arith::AddFOp::create(a.builder(), x, a.f32(1.0));
  Value rounded = arith::SubFOp::create(a.builder(), u, a.f32(1.0));
  Value result = a.mul(emitLog(a, u), a.div(x, rounded));
  Value isExact = a.ori(a.cmp(P::OEQ, rounded, a.f32(0.0)), a.cmp(P::OEQ, x, a.f32(kInfinity)));
  return a.select(isExact, x, result);
}

Value mlir::ttc::emitTanh(Arithmetic &a, Value x) {
  Value clamped = a.clamp(x, -7.90531110763549805, 7.90531110763549805);
  Value square = a.mul(clamped, clamped);
  Value p = a.polynomial(square, {-2.76076847742355e-16, 2.00018790482477e-13,
                                  -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05,
                                  6.37261928875436e-04, 4.89352455891786e-03});
  Value q = a.polynomial(square, {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03,
                                  4.89352518554385e-03});
  Value result = a.div(a.mul(clamped, p), q);
  return a.select(a.less(a.abs(x), a.f32(0.0004)), x, result);
}

Value mlir::ttc::emitErf(Arithmetic &a, Value x) {
  // A rational function; beyond 4 the value rounds to 1. Both polynomials are 64 times as large as
  // they need to be, so that the product with a tiny x is no subnormal number.
  Value clamped = a.clamp(x, -4.0, 4.0);
  Value square = a.mul(clamped, clamped);
  Value p = a.polynomial(square, {64 * -2.72614225801306e-10, 64 * 2.77068142495902e-08,
                                  64 * -2.10102402082508e-06, 64 * -5.69250639462346e-05,
                                  64 * -7.34990630326855e-04, 64 * -2.95459980854025e-03,
                                  64 * -1.60960333262415e-02});
  Value q = a.polynomial(square, {64 * -1.45660718464996e-05, 64 * -2.13374055278905e-04,
                                  64 * -1.68282697438203e-03, 64 * -7.37332916720468e-03,
                                  64 * -1.42647390514189e-02});
  return a.div(a.mul(clamped, p), q);
}

/// x as a number of quarter turns and the rest in radians, |rest| <= pi/4, for every finite x:
/// Payne and Hanek's reduction in f64. The product of |x| and 1 / (2 pi) in parts of 28 bits is
/// exact in each part, and whole turns are dropped from each. Only four parts count: those before
/// are whole turns, those after less than 2^-60 of one.
static std::pair<Value, Value> reduceAngle(Arithmetic &a, Value x) {
  constexpr int64_t kParts[] = {0x28be60d, 0xb939105, 0x4a7f09d, 0x5f47d4d,
                                0x377036d, 0x8a5664f, 0x10e4107};
  Type f64 = a.builder().getF64Type(), i64 = a.builder().getI64Type();
  // Not contracted with anything: all but the last products and sums are exact.
  auto sum = [&](Value l, Value r) -> Value { return arith::AddFOp::create(a.builder(), l, r); };
  auto minus = [&](Value l, Value r) -> Value { return arith::SubFOp::create(a.builder(), l, r); };
  auto times = [&](Value l, Value r) -> Value { return arith::MulFOp::create(a.builder(), l, r); };
  auto part = [&](int64_t index) {
    return a.f64(std::ldexp(static_cast<double>(kParts[index]), -28 * static_cast<int>(index + 1)));
  };
  Value magic = a.f64(6755399441055744.0); // 1.5 * 2^52
  Value size = a.convert<arith::ExtFOp>(a.abs(x), f64);
  Value isBeyond[] = {a.less(a.f64(0x1p51), size), a.less(a.f64(0x1p79), size),
                      a.less(a.f64(0x1p107), size)};
  Value turns, rest;
  for (int64_t i = 0; i < 4; ++i) {
    Value factor = part(i);
    for (int64_t window = 1; window <= 3; ++window)
      factor = a.select(isBeyond[window - 1], part(i + window), factor);
    Value product = times(size, factor);
    Value fraction = minus(product, minus(sum(product, magic), magic));
    if (!turns) {
      turns = fraction;
      continue;
    }
    // The sum and its error.
    Value total = sum(turns, fraction), added = minus(total, turns);
    Value error = sum(minus(turns, minus(total, added)), minus(fraction, added));
    rest = rest ? sum(rest, error) : error;
    turns = total;
  }
  Value quarters = times(turns, a.f64(4.0)), shifted = sum(quarters, magic);
  Value radians = times(sum(minus(quarters, minus(shifted, magic)), times(rest, a.f64(4.0))),
                        a.f64(1.57079632679489661923));
  Value number = a.subi(a.bits(shifted, i64), a.bits(magic, i64));
  return {a.convert<arith::TruncIOp>(number, a.builder().getI32Type()),
          a.convert<arith::TruncFOp>(radians, a.builder().getF32Type())};
}

/// sin(|x| + quarters * pi/2).
static Value emitSinShifted(Arithmetic &a, Value x, int64_t quarters) {
  auto [number, r] = reduceAngle(a, x);
  Value quadrant = a.addi(number, a.i32(quarters));
  Value square = a.mul(r, r);
  Value sine = a.polynomial(square, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  sine = a.add(a.mul(a.mul(sine, square), r), r);
  Value cosine =
      a.polynomial(square, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cosine = a.mul(a.mul(cosine, square), square);
  cosine = a.add(a.sub(cosine, a.mul(square, a.f32(0.5))), a.f32(1.0));
  Value isOdd = a.cmpi(arith::CmpIPredicate::ne, a.andi(quadrant, a.i32(1)), a.i32(0));
  Value result = a.select(isOdd, cosine, sine);
  Value sign = a.shl(a.andi(quadrant, a.i32(2)), a.i32(30));
  result = a.bitsF32(a.xori(a.bitsI32(result), sign));
  return a.select(a.cmp(P::ULT, a.abs(x), a.f32(kInfinity)), result, a.f32(kNaN));
}

Value mlir::ttc::emitSin(Arithmetic &a, Value x) {
  Value sign = a.andi(a.bitsI32(x), a.i32(0x80000000));
  return a.bitsF32(a.xori(a.bitsI32(emitSinShifted(a, x, 0)), sign));
}
Value mlir::ttc::emitCos(Arithmetic &a, Value x) { return emitSinShifted(a, x, 1); }

//===--- pow --------------------------------------------------------------------------===//

/// log(x) in f64 to about 1e-11, for positive normal x.
static Value emitLogF64(Arithmetic &a, Value x) {
  Type f64 = a.builder().getF64Type(), i64 = a.builder().getI64Type();
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Value shifted = a.subi(a.bits(x, i64), a.i64(kSqrtHalf));
  Value exponent = a.convert<arith::SIToFPOp>(
      a.convert<arith::TruncIOp>(a.shr(shifted, a.i64(52)), a.builder().getI32Type()), f64);
  Value m = a.bits(a.addi(a.andi(shifted, a.i64(0x000fffffffffffff)), a.i64(kSqrtHalf)), f64);
  // log(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172
  Value s = a.div(a.sub(m, a.f64(1.0)), a.add(m, a.f64(1.0)));
  Value square = a.mul(s, s);
  Value series =
      a.polynomial(square, {2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0});
  return a.add(a.mul(series, s), a.mul(exponent, a.f64(0.69314718055994530942)));
}

/// exp(x) in f64 to about 1e-11, for |x| < 700.
static Value emitExpF64(Arithmetic &a, Value x) {
  Type f64 = a.builder().getF64Type(), i64 = a.builder().getI64Type();
  Value magic = a.f64(6755399441055744.0); // 1.5 * 2^52
  Value shifted = a.add(a.mul(x, a.f64(1.44269504088896340736)), magic);
  Value n = arith::SubFOp::create(a.builder(), shifted, magic);
  Value integer = a.subi(a.bits(shifted, i64), a.bits(magic, i64));
  Value r = a.sub(x, a.mul(n, a.f64(0.69314718055994530942)));
  Value series = a.polynomial(r, {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                  1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  return a.mul(series, a.bits(a.shl(a.addi(integer, a.i64(1023)), a.i64(52)), f64));
}

namespace {
enum Rounding { ToEven, Down, Up, TowardZero, AwayFromZero };
}
static Value emitRoundedTo(Arithmetic &a, Value x, Rounding mode);

Value mlir::ttc::emitPow(Arithmetic &a, Value x, Value y) {
  // exp(y log |x|) in f64: in f32 the error would grow with the exponent of the result.
  Type f32 = a.builder().getF32Type(), f64 = a.builder().getF64Type();
  Value zero = a.f32(0.0), one = a.f32(1.0), infinity = a.f32(kInfinity);
  Value magnitude = a.abs(x);
  Value log = emitLogF64(a, a.convert<arith::ExtFOp>(magnitude, f64));
  log = a.select(a.cmp(P::OEQ, magnitude, zero), a.f64(-1000.0), log);
  log = a.select(a.cmp(P::OEQ, magnitude, infinity), a.f64(1000.0), log);
  Value product = a.mul(log, a.convert<arith::ExtFOp>(y, f64));
  product = a.select(a.cmp(P::OLT, product, a.f64(-600.0)), a.f64(-600.0), product);
  product = a.select(a.cmp(P::OGT, product, a.f64(600.0)), a.f64(600.0), product);
  Value result = a.convert<arith::TruncFOp>(emitExpF64(a, product), f32);
  // 0 and infinity to any power are 0, 1 or infinity, also where the power is tiny.
  Value isZero = a.cmp(P::OEQ, magnitude, zero), isInfinite = a.cmp(P::OEQ, magnitude, infinity);
  Value isDown = a.less(y, zero);
  result = a.select(isZero, a.select(isDown, infinity, zero), result);
  result = a.select(isInfinite, a.select(isDown, zero, infinity), result);
  // Negative bases: odd powers are negative, fractional powers are not real.
  Value rounded = emitRoundedTo(a, y, ToEven);
  Value isInteger = a.cmp(P::OEQ, rounded, y);
  Value half = a.mul(y, a.f32(0.5));
  Value isOdd = a.andi(isInteger, a.cmp(P::UNE, emitRoundedTo(a, half, ToEven), half));
  Value isNegative = a.cmpi(arith::CmpIPredicate::slt, a.bitsI32(x), a.i32(0));
  Value flipped = a.bitsF32(a.xori(a.bitsI32(result), a.i32(0x80000000)));
  result = a.select(a.andi(isNegative, isOdd), flipped, result);
  Value isFinite = a.andi(a.less(zero, magnitude), a.less(magnitude, infinity));
  Value isYFinite = a.less(a.abs(y), infinity);
  Value isFractional = a.andi(a.cmp(P::UNE, rounded, y), isYFinite);
  result = a.select(a.andi(a.andi(isNegative, isFinite), isFractional), a.f32(kNaN), result);
  result = a.select(a.ori(a.cmp(P::UNO, x, x), a.cmp(P::UNO, y, y)), a.add(x, y), result);
  result = a.select(a.andi(a.cmp(P::OEQ, magnitude, one), a.cmp(P::OEQ, a.abs(y), infinity)), one,
                    result);
  return a.select(a.ori(a.cmp(P::OEQ, y, zero), a.cmp(P::OEQ, x, one)), one, result);
}

//===--- rounding ---------------------------------------------------------------------===//

/// Rounds without the instructions that a bare x86-64 lacks.
static Value emitRoundedTo(Arithmetic &a, Value x, Rounding mode) {
  Value magic = a.f32(8388608.0); // 2^23: what is larger is an integer.
  Value magnitude = a.abs(x);
  Value shifted = arith::AddFOp::create(a.builder(), magnitude, magic);
  Value rounded = arith::SubFOp::create(a.builder(), shifted, magic);
  Value one = a.f32(1.0);
  if (mode == TowardZero || mode == AwayFromZero) {
    Value down = a.select(a.less(magnitude, rounded), a.sub(rounded, one), rounded);
    rounded = down;
    if (mode == AwayFromZero) {
      Value fraction = a.sub(magnitude, down);
      rounded = a.select(a.less(fraction, a.f32(0.5)), down, a.add(down, one));
    }
  }
  rounded = a.withSign(rounded, x);
  if (mode == Down)
    rounded = a.select(a.less(x, rounded), a.sub(rounded, one), rounded);
  if (mode == Up)
    rounded = a.withSign(a.abs(a.select(a.less(rounded, x), a.add(rounded, one), rounded)), x);
  return a.select(a.less(magnitude, magic), rounded, x);
}

//===--- by op -----------------------------------------------------------------------===//

Value mlir::ttc::emitFunction(Arithmetic &a, Operation *op) {
  Value x = op->getOperand(0);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return emitExp(a, x); })
      .Case([&](math::Exp2Op) { return emitExp2(a, x); })
      .Case([&](math::ExpM1Op) { return emitExpM1(a, x); })
      .Case([&](math::LogOp) { return emitLog(a, x); })
      .Case([&](math::Log1pOp) { return emitLog1p(a, x); })
      .Case([&](math::TanhOp) { return emitTanh(a, x); })
      .Case([&](math::ErfOp) { return emitErf(a, x); })
      .Case([&](math::SinOp) { return emitSin(a, x); })
      .Case([&](math::CosOp) { return emitCos(a, x); })
      .Case([&](math::Log2Op) { return a.mul(emitLog(a, x), a.f32(1.44269504088896341)); })
      .Case([&](math::Log10Op) { return a.mul(emitLog(a, x), a.f32(0.434294481903251828)); })
      .Case([&](math::FloorOp) { return emitRoundedTo(a, x, Down); })
      .Case([&](math::CeilOp) { return emitRoundedTo(a, x, Up); })
      .Case([&](math::TruncOp) { return emitRoundedTo(a, x, TowardZero); })
      .Case([&](math::RoundOp) { return emitRoundedTo(a, x, AwayFromZero); })
      .Case([&](math::RoundEvenOp) { return emitRoundedTo(a, x, ToEven); })
      .Case([&](math::PowFOp) { return emitPow(a, x, op->getOperand(1)); })
      .Case([&](math::RsqrtOp) { return a.div(a.f32(1.0), math::SqrtOp::create(a.builder(), x)); })
      .Default([&](Operation *) { return emitTrigonometry(a, op); });
}

/// Contracts what may be contracted among `emitted` ops, and nothing afterwards: what the code
/// generator would choose depends on the code around. Returns what `result` became.
static Value contractProducts(RewriterBase &rewriter, ArrayRef<Operation *> emitted, Value result) {
  SmallPtrSet<Operation *, 32> products;
  auto takeContract = [](Operation *op) {
    auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
    arith::FastMathFlagsAttr given = flags ? flags.getFastMathFlagsAttr() : nullptr;
    if (!given || given.getValue() != arith::FastMathFlags::contract)
      return false;
    op->setAttr(flags.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::none));
    return true;
  };
  auto getProduct = [&](Value operand) {
    auto product = operand.getDefiningOp<arith::MulFOp>();
    return product && products.contains(product) && product->hasOneUse() ? product : nullptr;
  };
  for (Operation *op : emitted) {
    if (!takeContract(op))
      continue;
    if (isa<arith::MulFOp>(op)) {
      products.insert(op);
      continue;
    }
    arith::MulFOp left = getProduct(op->getOperand(0));
    arith::MulFOp product = left ? left : getProduct(op->getOperand(1));
    if (!product)
      continue;
    rewriter.setInsertionPoint(op);
    Value x = product.getLhs(), addend = op->getOperand(left ? 1 : 0);
    if (isa<arith::SubFOp>(op)) {
      Value &negated = left ? addend : x;
      negated = arith::NegFOp::create(rewriter, op->getLoc(), negated);
    }
    Value fused = math::FmaOp::create(rewriter, op->getLoc(), x, product.getRhs(), addend);
    if (result == op->getResult(0))
      result = fused;
    products.erase(product);
    rewriter.replaceOp(op, fused);
    rewriter.eraseOp(product);
  }
  return result;
}

Value mlir::ttc::expandFunction(RewriterBase &rewriter, Operation *op) {
  if (!isa<math::MathDialect>(op->getDialect()) || op->getNumResults() != 1)
    return {};
  Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
  if (!element.isF32() && !element.isF64())
    return {};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Operation *previous = op->getPrevNode();
  Arithmetic arithmetic(rewriter, op->getLoc(), type);
  Value result = element.isF64() ? emitFunctionF64(arithmetic, op) : emitFunction(arithmetic, op);
  if (!result)
    return {};
  SmallVector<Operation *> emitted;
  for (auto it = previous ? std::next(previous->getIterator()) : op->getBlock()->begin();
       it != op->getIterator(); ++it)
    emitted.push_back(&*it);
  return contractProducts(rewriter, emitted, result);
}

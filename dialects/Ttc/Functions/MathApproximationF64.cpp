// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f64 functions as straight arithmetic, to about one unit in the last place. The polynomials and
// rational functions are those of FreeBSD's msun (Copyright (C) 1993 by Sun Microsystems, Inc.;
// permission to use, copy, modify, and distribute is freely granted, provided that this notice is
// preserved); what they do with branches is done with selects here.
#include "dialects/Ttc/Functions/MathApproximationF64.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::f64;
using P = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

constexpr double kLog2High = 6.93147180369123816490e-01, kLog2Low = 1.90821492927058770002e-10;

/// 2^n for -1022 <= n <= 1023.
static Value powerOfTwo(Arithmetic &a, Value n) {
  return number(a, a.shl(a.addi(n, a.i64(1023)), a.i64(52)));
}
/// x * 2^n in two steps, so that results may be subnormal or infinite.
static Value scaleByPower(Arithmetic &a, Value x, Value n) {
  Value half = a.shr(n, a.i64(1));
  return a.mul(a.mul(x, powerOfTwo(a, half)), powerOfTwo(a, a.subi(n, half)));
}

//===--- exp, log -----------------------------------------------------------------------===//

/// c(r) = r - r^2 P(r^2), by which exp(r) = 1 + r + r c / (2 - c), for |r| <= ln(2)/2.
static Value expPart(Arithmetic &a, Value r, Value square) {
  Value series = a.polynomial(square, {4.13813679705723846039e-08, -1.65339022054652515390e-06,
                                       6.61375632143793436117e-05, -2.77777777770155933842e-03,
                                       1.66666666666666019037e-01});
  return a.sub(r, a.mul(square, series));
}

Value f64::emitExpF64(Arithmetic &a, Value x) {
  x = clamp(a, x, -746.0, 710.0);
  Rounded n = roundToInteger(a, x, 1.44269504088896338700e+00);
  Value high = difference(a, x, product(a, n.number, a.f64(kLog2High)));
  Value low = product(a, n.number, a.f64(kLog2Low));
  Value r = difference(a, high, low);
  Value c = expPart(a, r, a.mul(r, r));
  Value quotient = a.div(a.mul(r, c), a.sub(a.f64(2.0), c));
  Value y = a.add(a.f64(1.0), a.add(a.sub(quotient, low), high));
  return scaleByPower(a, y, n.integer);
}

static Value emitExp2F64(Arithmetic &a, Value x) {
  x = clamp(a, x, -1076.0, 1025.0);
  Rounded n = roundToInteger(a, x, 1.0);
  Value r = a.mul(difference(a, x, n.number), a.f64(0.693147180559945309417));
  Value c = expPart(a, r, a.mul(r, r));
  Value y = a.add(a.f64(1.0), a.add(r, a.div(a.mul(r, c), a.sub(a.f64(2.0), c))));
  return scaleByPower(a, y, n.integer);
}

Value f64::emitExpM1F64(Arithmetic &a, Value x) {
  Value bounded = clamp(a, x, -56.0, 709.79);
  Rounded n = roundToInteger(a, bounded, 1.44269504088896338700e+00);
  Value high = difference(a, bounded, product(a, n.number, a.f64(kLog2High)));
  Value low = product(a, n.number, a.f64(kLog2Low));
  Value r = difference(a, high, low);
  Value lost = difference(a, difference(a, high, r), low);
  Value half = a.mul(r, a.f64(0.5)), square = a.mul(r, half);
  Value series = a.polynomial(square, {-2.01099218183624371326e-07, 4.00821782732936239552e-06,
                                       -7.93650757867487942473e-05, 1.58730158725481460165e-03,
                                       -3.33333333333331316428e-02, 1.0});
  Value t = a.sub(a.f64(3.0), a.mul(series, half));
  Value e = a.mul(square, a.div(a.sub(series, t), a.sub(a.f64(6.0), a.mul(r, t))));
  e = a.sub(a.sub(a.mul(r, a.sub(e, lost)), lost), square);
  Value less1 = a.sub(r, e); // exp(r) - 1
  // exp(x) - 1 = 2^n (exp(r) - 1) + 2^n - 1, halved so that 2^n fits.
  Value scale = powerOfTwo(a, a.subi(n.integer, a.i64(1)));
  Value y = a.add(a.mul(less1, scale), difference(a, scale, a.f64(0.5)));
  y = a.add(y, y);
  y = a.select(a.less(a.f64(709.782712893383973096), x), a.f64(kInfinity), y);
  return a.select(a.cmp(P::OEQ, x, a.f64(0.0)), x, y);
}

/// Subnormal numbers are scaled up, by what is subtracted from their exponents.
static std::pair<Value, Value> normalize(Arithmetic &a, Value x) {
  Value isSmall = a.less(x, a.f64(2.2250738585072014e-308));
  return {a.select(isSmall, a.mul(x, a.f64(18014398509481984.0)), x),
          a.select(isSmall, a.f64(54.0), a.f64(0.0))};
}

/// An i64 of few bits as f64.
static Value toDouble(Arithmetic &a, Value x) {
  return a.convert<arith::SIToFPOp>(a.convert<arith::TruncIOp>(x, a.builder().getI32Type()),
                                    a.builder().getF64Type());
}

Value f64::emitLogF64(Arithmetic &a, Value x) {
  auto [scaled, adjust] = normalize(a, x);
  // x = 2^e m with m from sqrt(1/2) to sqrt(2).
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Value shifted = a.subi(bits(a, scaled), a.i64(kSqrtHalf));
  Value e = a.sub(toDouble(a, a.shr(shifted, a.i64(52))), adjust);
  Value m = number(a, a.addi(a.andi(shifted, a.i64(0x000fffffffffffff)), a.i64(kSqrtHalf)));
  Value f = difference(a, m, a.f64(1.0));
  Value s = a.div(f, a.add(f, a.f64(2.0)));
  Value square = a.mul(s, s);
  Value series = a.polynomial(square, {1.479819860511658591e-01, 1.531383769920937332e-01,
                                       1.818357216161805012e-01, 2.222219843214978396e-01,
                                       2.857142874366239149e-01, 3.999999999940941908e-01,
                                       6.666666666666735130e-01});
  Value half = a.mul(a.mul(f, f), a.f64(0.5));
  Value tail = a.add(a.mul(s, a.add(half, a.mul(series, square))), a.mul(e, a.f64(kLog2Low)));
  Value y = a.sub(product(a, e, a.f64(kLog2High)), a.sub(a.sub(half, tail), f));
  y = a.select(a.cmp(P::OEQ, x, a.f64(kInfinity)), x, y);
  y = a.select(a.cmp(P::OEQ, x, a.f64(0.0)), a.f64(-kInfinity), y);
  return a.select(a.cmp(P::UGE, x, a.f64(0.0)), a.select(a.cmp(P::UNO, x, x), x, y), a.f64(kNaN));
}

Value f64::emitLog1pF64(Arithmetic &a, Value x) {
  // log(1 + x), corrected for what rounding 1 + x loses.
  Value u = sum(a, x, a.f64(1.0));
  Value rounded = difference(a, u, a.f64(1.0));
  Value y = a.mul(emitLogF64(a, u), a.div(x, rounded));
  Value isExact = a.ori(a.cmp(P::OEQ, rounded, a.f64(0.0)), a.cmp(P::OEQ, x, a.f64(kInfinity)));
  return a.select(isExact, x, y);
}

//===--- tanh, erf ----------------------------------------------------------------------===//

static Value emitTanhF64(Arithmetic &a, Value x) {
  Value size = clamp(a, magnitude(a, x), 0.0, 22.0);
  Value isLarge = a.cmp(P::OGE, size, a.f64(1.0));
  Value twice = a.add(size, size);
  Value t = emitExpM1F64(a, a.select(isLarge, twice, arith::NegFOp::create(a.builder(), twice)));
  Value quotient = a.div(a.select(isLarge, a.f64(2.0), arith::NegFOp::create(a.builder(), t)),
                         a.add(t, a.f64(2.0)));
  return withSign(a, a.select(isLarge, a.sub(a.f64(1.0), quotient), quotient), x);
}

static Value emitErfF64(Arithmetic &a, Value x) {
  Value size = clamp(a, magnitude(a, x), 0.0, 6.0);
  Value one = a.f64(1.0);
  // Up to 0.84375: x + x P(x^2)/Q(x^2).
  Value square = a.mul(size, size);
  Value near = a.div(a.polynomial(square, {-2.37630166566501626084e-05, -5.77027029648944159157e-03,
                                           -2.84817495755985104766e-02, -3.25042107247001499370e-01,
                                           1.28379167095512558561e-01}),
                     a.polynomial(square, {-3.96022827877536812320e-06, 1.32494738004321644526e-04,
                                           5.08130628187576562776e-03, 6.50222499887672944485e-02,
                                           3.97917223959155352819e-01, 1.0}));
  near = a.add(size, a.mul(size, near));
  // Up to 1.25: around 1.
  Value s = a.sub(size, one);
  Value middle =
      a.div(a.polynomial(s, {-2.16637559486879084300e-03, 3.54783043256182359371e-02,
                             -1.10894694282396677476e-01, 3.18346619901161753674e-01,
                             -3.72207876035701323847e-01, 4.14856118683748331666e-01,
                             -2.36211856075265944077e-03}),
            a.polynomial(s, {1.19844998467991074170e-02, 1.36370839120290507362e-02,
                             1.26171219808761642112e-01, 7.18286544141962662868e-02,
                             5.40397917702171048937e-01, 1.06420880400844228286e-01, 1.0}));
  middle = a.add(a.f64(8.45062911510467529297e-01), middle);
  // Beyond: 1 - exp(-x^2 - 0.5625 + R(1/x^2)/S(1/x^2)) / x, in two ranges.
  Value inverse = a.div(one, a.select(a.less(size, one), one, square));
  Value r1 =
      a.div(a.polynomial(inverse, {-9.81432934416914548592e+00, -8.12874355063065934246e+01,
                                   -1.84605092906711035994e+02, -1.62396669462573470355e+02,
                                   -6.23753324503260060396e+01, -1.05586262253232909814e+01,
                                   -6.93858572707181764372e-01, -9.86494403484714822705e-03}),
            a.polynomial(inverse, {-6.04244152148580987438e-02, 6.57024977031928170135e+00,
                                   1.08635005541779435134e+02, 4.29008140027567833386e+02,
                                   6.45387271733267880336e+02, 4.34565877475229228821e+02,
                                   1.37657754143519042600e+02, 1.96512716674392571292e+01, 1.0}));
  Value r2 = a.div(a.polynomial(inverse, {-4.83519191608651397019e+02, -1.02509513161107724954e+03,
                                          -6.37566443368389627722e+02, -1.60636384855821916062e+02,
                                          -1.77579549177547519889e+01, -7.99283237680523006574e-01,
                                          -9.86494292470009928597e-03}),
                   a.polynomial(inverse, {-2.24409524465858183362e+01, 4.74528541206955367215e+02,
                                          2.55305040643316442583e+03, 3.19985821950859553908e+03,
                                          1.53672958608443695994e+03, 3.25792512996573918826e+02,
                                          3.03380607434824582924e+01, 1.0}));
  Value ratio = a.select(a.less(size, a.f64(1 / 0.35)), r1, r2);
  Value top = upper(a, size);
  Value exponent = a.sub(a.f64(-0.5625), product(a, top, top));
  Value rest = a.add(a.mul(difference(a, top, size), a.add(top, size)), ratio);
  Value tail = a.mul(emitExpF64(a, exponent), emitExpF64(a, rest));
  Value far = a.sub(one, a.div(tail, a.select(a.less(size, one), one, size)));
  Value y = a.select(a.less(size, a.f64(1.25)), middle, far);
  return withSign(a, a.select(a.cmp(P::UGE, size, a.f64(0.84375)), y, near), x);
}

//===--- rounding -----------------------------------------------------------------------===//

namespace {
enum Rounding { ToEven, Down, Up, TowardZero, AwayFromZero };
} // namespace

/// Rounds without the instructions that a bare x86-64 lacks.
static Value emitRoundedTo(Arithmetic &a, Value x, Rounding mode) {
  Value magic = a.f64(4503599627370496.0); // 2^52: what is larger is an integer.
  Value size = magnitude(a, x), one = a.f64(1.0);
  Value rounded = difference(a, sum(a, size, magic), magic);
  if (mode == TowardZero || mode == AwayFromZero) {
    Value down = a.select(a.less(size, rounded), a.sub(rounded, one), rounded);
    rounded = down;
    if (mode == AwayFromZero)
      rounded = a.select(a.less(a.sub(size, down), a.f64(0.5)), down, a.add(down, one));
  }
  rounded = withSign(a, rounded, x);
  if (mode == Down)
    rounded = a.select(a.less(x, rounded), a.sub(rounded, one), rounded);
  if (mode == Up)
    rounded =
        withSign(a, magnitude(a, a.select(a.less(rounded, x), a.add(rounded, one), rounded)), x);
  return a.select(a.less(size, magic), rounded, x);
}

//===--- pow ----------------------------------------------------------------------------===//

namespace {
struct Pair {
  Value high, low;
};
} // namespace

/// log2(x) in two parts, the first of 21 bits, for positive finite x.
static Pair emitLog2Pair(Arithmetic &a, Value x) {
  auto [scaled, adjust] = normalize(a, x);
  Value all = bits(a, scaled);
  Value fraction = a.andi(all, a.i64(0x000fffffffffffff));
  Value e = a.subi(a.shru(all, a.i64(52)), a.i64(1023));
  // The mantissa near 1 (up to sqrt(3/2)), near 3/2 (up to sqrt(3)), or half of it near 1.
  Value isOne = a.cmpi(I::ult, fraction, a.i64(0x3988f00000000));
  Value isTwo = a.cmpi(I::uge, fraction, a.i64(0xbb67a00000000));
  Value isMiddle = a.cmpi(I::eq, a.ori(isOne, isTwo), a.xori(isOne, isOne));
  e = a.select(isTwo, a.addi(e, a.i64(1)), e);
  Value m = number(
      a, a.ori(fraction, a.select(isTwo, a.i64(0x3fe0000000000000), a.i64(0x3ff0000000000000))));
  Value base = a.select(isMiddle, a.f64(1.5), a.f64(1.0));
  Value n = a.sub(toDouble(a, e), adjust);

  // s = (m - base) / (m + base) in two parts.
  Value u = difference(a, m, base), v = a.div(a.f64(1.0), sum(a, m, base));
  Value s = product(a, u, v), high = upper(a, s);
  Value t = upper(a, sum(a, m, base));
  Value low = difference(a, m, difference(a, t, base));
  low = product(a, v, difference(a, difference(a, u, product(a, high, t)), product(a, high, low)));
  // log(m / base)
  Value square = a.mul(s, s);
  Value series = a.polynomial(square, {2.06975017800338417784e-01, 2.30660745775561754067e-01,
                                       2.72728123808534006489e-01, 3.33333329818377432918e-01,
                                       4.28571428578550184252e-01, 5.99999999999994648725e-01});
  Value r = a.add(a.mul(a.mul(square, square), series), a.mul(low, a.add(high, s)));
  square = product(a, high, high);
  t = upper(a, sum(a, sum(a, a.f64(3.0), square), r));
  Value rest = difference(a, r, difference(a, difference(a, t, a.f64(3.0)), square));
  u = product(a, high, t);
  v = sum(a, product(a, low, t), product(a, rest, s));
  Value pHigh = upper(a, sum(a, u, v));
  Value pLow = difference(a, v, difference(a, pHigh, u));
  // Times 2 / (3 ln 2), plus log2(base) and the exponent.
  Value zHigh = product(a, a.f64(9.61796700954437255859e-01), pHigh);
  Value zLow = sum(a, product(a, a.f64(-7.02846165095275826516e-09), pHigh),
                   product(a, pLow, a.f64(9.61796693925975554329e-01)));
  zLow = sum(a, zLow, a.select(isMiddle, a.f64(1.35003920212974897128e-08), a.f64(0.0)));
  Value baseHigh = a.select(isMiddle, a.f64(5.84962487220764160156e-01), a.f64(0.0));
  Value first = upper(a, sum(a, sum(a, sum(a, zHigh, zLow), baseHigh), n));
  Value second =
      difference(a, zLow, difference(a, difference(a, difference(a, first, n), baseHigh), zHigh));
  return {first, second};
}

static Value emitPowF64(Arithmetic &a, Value x, Value y) {
  Value zero = a.f64(0.0), one = a.f64(1.0), infinity = a.f64(kInfinity);
  Value size = magnitude(a, x);
  auto [logHigh, logLow] = emitLog2Pair(a, size);
  // A power that large overflows for any x but 1.
  Value bounded = clamp(a, y, -1e22, 1e22);
  Value top = upper(a, bounded);
  Value low = sum(a, product(a, difference(a, bounded, top), logHigh), product(a, bounded, logLow));
  Value high = product(a, top, logHigh);
  Value z = sum(a, low, high);
  Value isOver = a.cmp(P::OGE, z, a.f64(1024.5)), isUnder = a.less(z, a.f64(-1076.0));
  Value isFine = a.cmpi(I::eq, a.ori(isOver, isUnder), a.xori(isOver, isOver));
  z = a.select(isFine, z, zero);
  high = a.select(isFine, high, zero);
  low = a.select(isFine, low, zero);
  // 2^(high + low)
  Rounded n = roundToInteger(a, z, 1.0);
  high = difference(a, high, n.number);
  Value t = upper(a, sum(a, low, high));
  Value u = product(a, t, a.f64(6.93147182464599609375e-01));
  Value v = sum(
      a, product(a, difference(a, low, difference(a, t, high)), a.f64(6.93147180559945286227e-01)),
      product(a, t, a.f64(-1.90465429995776804525e-09)));
  Value r = sum(a, u, v), lost = difference(a, v, difference(a, r, u));
  Value c = expPart(a, r, a.mul(r, r));
  Value quotient = a.div(a.mul(r, c), a.sub(c, a.f64(2.0)));
  Value result = a.sub(one, a.sub(a.sub(quotient, a.add(lost, a.mul(r, lost))), r));
  result = scaleByPower(a, result, n.integer);
  result = a.select(isOver, infinity, a.select(isUnder, zero, result));
  // 0 and infinity to any power are 0, 1 or infinity.
  Value isZero = a.cmp(P::OEQ, size, zero), isInfinite = a.cmp(P::OEQ, size, infinity);
  Value isDown = a.less(y, zero);
  result = a.select(isZero, a.select(isDown, infinity, zero), result);
  result = a.select(isInfinite, a.select(isDown, zero, infinity), result);
  // Negative bases: odd powers are negative, fractional powers are not real.
  Value rounded = emitRoundedTo(a, y, ToEven), half = a.mul(y, a.f64(0.5));
  Value isInteger = a.cmp(P::OEQ, rounded, y);
  Value isOdd = a.andi(isInteger, a.cmp(P::UNE, emitRoundedTo(a, half, ToEven), half));
  Value isNegative = a.cmpi(I::slt, bits(a, x), a.i64(0));
  Value flipped = number(a, a.xori(bits(a, result), a.i64(INT64_MIN)));
  result = a.select(a.andi(isNegative, isOdd), flipped, result);
  Value isFinite = a.andi(a.less(zero, size), a.less(size, infinity));
  Value isYFinite = a.less(magnitude(a, y), infinity);
  Value isFractional = a.andi(a.cmp(P::UNE, rounded, y), isYFinite);
  result = a.select(a.andi(a.andi(isNegative, isFinite), isFractional), a.f64(kNaN), result);
  result = a.select(a.ori(a.cmp(P::UNO, x, x), a.cmp(P::UNO, y, y)), a.add(x, y), result);
  Value isEndless = a.cmp(P::OEQ, magnitude(a, y), infinity);
  result = a.select(a.andi(a.cmp(P::OEQ, size, one), isEndless), one, result);
  return a.select(a.ori(a.cmp(P::OEQ, y, zero), a.cmp(P::OEQ, x, one)), one, result);
}

//===--- by op -------------------------------------------------------------------------===//

Value mlir::ttc::emitFunctionF64(Arithmetic &a, Operation *op) {
  Value x = op->getOperand(0);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return emitExpF64(a, x); })
      .Case([&](math::Exp2Op) { return emitExp2F64(a, x); })
      .Case([&](math::ExpM1Op) { return emitExpM1F64(a, x); })
      .Case([&](math::LogOp) { return emitLogF64(a, x); })
      .Case([&](math::Log1pOp) { return emitLog1pF64(a, x); })
      .Case([&](math::TanhOp) { return emitTanhF64(a, x); })
      .Case([&](math::ErfOp) { return emitErfF64(a, x); })
      .Case([&](math::SinOp) { return emitSinF64(a, x); })
      .Case([&](math::CosOp) { return emitCosF64(a, x); })
      .Case([&](math::Log2Op) { return a.mul(emitLogF64(a, x), a.f64(1.44269504088896338700)); })
      .Case([&](math::Log10Op) { return a.mul(emitLogF64(a, x), a.f64(0.434294481903251827651)); })
      .Case([&](math::FloorOp) { return emitRoundedTo(a, x, Down); })
      .Case([&](math::CeilOp) { return emitRoundedTo(a, x, Up); })
      .Case([&](math::TruncOp) { return emitRoundedTo(a, x, TowardZero); })
      .Case([&](math::RoundOp) { return emitRoundedTo(a, x, AwayFromZero); })
      .Case([&](math::RoundEvenOp) { return emitRoundedTo(a, x, ToEven); })
      .Case([&](math::PowFOp) { return emitPowF64(a, x, op->getOperand(1)); })
      .Case([&](math::RsqrtOp) { return a.div(a.f64(1.0), math::SqrtOp::create(a.builder(), x)); })
      .Default([&](Operation *) { return emitTrigonometryF64(a, op); });
}

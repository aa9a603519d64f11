// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inverse trigonometric, hyperbolic and inverse hyperbolic functions of f64, after FreeBSD's msun
// (see MathApproximationF64.cpp).
#include "dialects/Ttc/Functions/MathApproximationF64.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::f64;
using P = arith::CmpFPredicate;

namespace {

constexpr double kHalfPi = 1.57079632679489655800e+00, kHalfPiLow = 6.12323399573676603587e-17;
constexpr double kLog2 = 0.693147180559945309417;

Value root(Arithmetic &a, Value x) { return math::SqrtOp::create(a.builder(), x); }

Value emitTan(Arithmetic &a, Value x) { return a.div(emitSinF64(a, x), emitCosF64(a, x)); }

Value emitAtan(Arithmetic &a, Value x) {
  Value size = magnitude(a, x), one = a.f64(1.0);
  // atan(size) = high + low + atan(t), by size's range.
  struct Range {
    double from, scale, shift, weight; // t = (scale size - shift) / (1 + weight size)
    double high, low;
  };
  constexpr Range ranges[] = {
      {0.4375, 1.0, 0.5, 0.5, 4.63647609000806093515e-01, 2.26987774529616870924e-17},
      {0.6875, 1.0, 1.0, 1.0, 7.85398163397448278999e-01, 3.06161699786838301793e-17},
      {1.1875, 1.0, 1.5, 1.5, 9.82793723247329054082e-01, 1.39033110312309984516e-17},
      {2.4375, 0.0, 1.0, 0.0, kHalfPi, kHalfPiLow}};
  Value numerator = size, denominator = one, high = a.f64(0.0), low = high;
  for (const Range &range : ranges) {
    Value isInside = a.cmp(P::OGE, size, a.f64(range.from));
    auto pick = [&](Value &value, Value other) { value = a.select(isInside, other, value); };
    if (range.scale == 0.0) { // -1 / size
      pick(numerator, a.f64(-1.0));
      pick(denominator, size);
    } else {
      pick(numerator, difference(a, size, a.f64(range.shift)));
      pick(denominator, sum(a, one, product(a, size, a.f64(range.weight))));
    }
    pick(high, a.f64(range.high));
    pick(low, a.f64(range.low));
  }
  Value t = a.div(numerator, denominator), square = a.mul(t, t);
  Value series = a.polynomial(
      square, {1.62858201153657823623e-02, -3.65315727442169155270e-02, 4.97687799461593236017e-02,
               -5.83357013379057348645e-02, 6.66107313738753120669e-02, -7.69187620504482999495e-02,
               9.09088713343650656196e-02, -1.11111104054623557880e-01, 1.42857142725034663711e-01,
               -1.99999999998764832476e-01, 3.33333333333329318027e-01});
  Value tail = a.mul(t, a.mul(series, square));
  return withSign(a, a.sub(high, a.sub(a.sub(tail, low), t)), x);
}

/// R(z), by which asin(x) = x + x R(x^2) for |x| <= 1/2.
Value asinPart(Arithmetic &a, Value z) {
  Value p = a.polynomial(z, {3.47933107596021167570e-05, 7.91534994289814532176e-04,
                             -4.00555345006794114027e-02, 2.01212532134862925881e-01,
                             -3.25565818622400915405e-01, 1.66666666666666657415e-01});
  Value q = a.polynomial(z, {7.70381505559019352791e-02, -6.88283971605453293030e-01,
                             2.02094576023350569471e+00, -2.40339491173441421878e+00, 1.0});
  return a.div(a.mul(z, p), q);
}

/// What asin and acos have in common. Beyond 1/2, asin(x) = pi/2 - 2 asin(s), s^2 = (1 - x) / 2.
struct AsinParts {
  Value isSmall, size;
  Value z;         // of R
  Value r;         // R(z)
  Value top, rest; // s in two parts
  Value s;
};

AsinParts emitAsinParts(Arithmetic &a, Value x) {
  AsinParts parts;
  parts.size = magnitude(a, x);
  parts.isSmall = a.less(parts.size, a.f64(0.5));
  Value half = a.mul(difference(a, a.f64(1.0), parts.size), a.f64(0.5));
  parts.z = a.select(parts.isSmall, a.mul(x, x), half);
  parts.r = asinPart(a, parts.z);
  parts.s = root(a, half);
  parts.top = upper(a, parts.s);
  Value both = sum(a, parts.s, parts.top);
  both = a.select(a.cmp(P::OEQ, both, a.f64(0.0)), a.f64(1.0), both);
  parts.rest = a.div(difference(a, half, product(a, parts.top, parts.top)), both);
  return parts;
}

Value emitAsin(Arithmetic &a, Value x) {
  AsinParts parts = emitAsinParts(a, x);
  Value near = a.add(x, a.mul(x, parts.r));
  Value quarter = a.f64(kHalfPi / 2), twice = a.add(parts.top, parts.top);
  Value p = a.sub(a.mul(a.add(parts.s, parts.s), parts.r),
                  a.sub(a.f64(kHalfPiLow), a.add(parts.rest, parts.rest)));
  Value far = difference(a, quarter, difference(a, p, difference(a, quarter, twice)));
  return a.select(parts.isSmall, near, withSign(a, far, a.select(a.cmp(P::UNO, far, far), far, x)));
}

Value emitAcos(Arithmetic &a, Value x) {
  AsinParts parts = emitAsinParts(a, x);
  Value near = a.sub(a.f64(kHalfPi), a.sub(x, a.sub(a.f64(kHalfPiLow), a.mul(x, parts.r))));
  Value w = a.add(a.mul(parts.r, parts.s), parts.rest);
  Value positive = a.add(parts.top, w);
  positive = a.add(positive, positive);
  w = a.sub(a.mul(parts.r, parts.s), a.f64(kHalfPiLow));
  Value negative = a.sub(a.f64(kHalfPi), a.add(parts.s, w));
  negative = a.add(negative, negative);
  Value far = a.select(a.less(x, a.f64(0.0)), negative, positive);
  return a.select(parts.isSmall, near, far);
}

/// e^|x| - 1 for |x| below 22, and (e^(|x|/2))^2 / 2 beyond, which is what sinh and cosh are there.
struct Exponentials {
  Value isSmall, less1, large;
};
Exponentials emitExponentials(Arithmetic &a, Value x) {
  Value size = magnitude(a, x);
  Value isSmall = a.less(size, a.f64(22.0));
  Value e = emitExpF64(a, a.mul(size, a.f64(0.5)));
  return {isSmall, emitExpM1F64(a, a.select(isSmall, size, a.f64(22.0))),
          a.mul(a.mul(e, a.f64(0.5)), e)};
}

Value emitSinh(Arithmetic &a, Value x) {
  Exponentials e = emitExponentials(a, x);
  Value y = a.add(e.less1, a.div(e.less1, a.add(e.less1, a.f64(1.0))));
  return withSign(a, a.select(e.isSmall, a.mul(y, a.f64(0.5)), e.large), x);
}

Value emitCosh(Arithmetic &a, Value x) {
  Exponentials e = emitExponentials(a, x);
  Value next = a.add(e.less1, a.f64(1.0));
  Value y = a.add(a.f64(1.0), a.div(a.mul(e.less1, e.less1), a.add(next, next)));
  return a.select(e.isSmall, y, e.large);
}

Value emitAsinh(Arithmetic &a, Value x) {
  // log(size + sqrt(size^2 + 1)); from 2^28 on, log(2 size).
  Value size = magnitude(a, x), one = a.f64(1.0);
  Value isLarge = a.cmp(P::OGE, size, a.f64(268435456.0));
  Value square = a.mul(size, size);
  Value more = a.add(size, a.div(square, a.add(one, root(a, a.add(square, one)))));
  Value y = emitLog1pF64(a, a.select(isLarge, difference(a, size, one), more));
  return withSign(a, a.add(y, a.select(isLarge, a.f64(kLog2), a.f64(0.0))), x);
}

Value emitAcosh(Arithmetic &a, Value x) {
  Value t = difference(a, x, a.f64(1.0));
  Value isLarge = a.cmp(P::OGE, x, a.f64(268435456.0));
  Value more = a.add(t, root(a, a.add(a.add(t, t), a.mul(t, t))));
  Value y = emitLog1pF64(a, a.select(isLarge, t, more));
  y = a.add(y, a.select(isLarge, a.f64(kLog2), a.f64(0.0)));
  return a.select(a.cmp(P::ULT, x, a.f64(1.0)), a.f64(std::numeric_limits<double>::quiet_NaN()), y);
}

Value emitAtanh(Arithmetic &a, Value x) {
  Value size = magnitude(a, x);
  Value y = emitLog1pF64(a, a.div(a.add(size, size), difference(a, a.f64(1.0), size)));
  y = a.mul(y, a.f64(0.5));
  return withSign(a, y, a.select(a.cmp(P::UNO, y, y), y, x));
}

} // namespace

Value mlir::ttc::emitTrigonometryF64(Arithmetic &a, Operation *op) {
  Value x = op->getOperand(0);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::TanOp) { return emitTan(a, x); })
      .Case([&](math::AtanOp) { return emitAtan(a, x); })
      .Case([&](math::AsinOp) { return emitAsin(a, x); })
      .Case([&](math::AcosOp) { return emitAcos(a, x); })
      .Case([&](math::SinhOp) { return emitSinh(a, x); })
      .Case([&](math::CoshOp) { return emitCosh(a, x); })
      .Case([&](math::AsinhOp) { return emitAsinh(a, x); })
      .Case([&](math::AcoshOp) { return emitAcosh(a, x); })
      .Case([&](math::AtanhOp) { return emitAtanh(a, x); })
      .Default([&](Operation *) { return Value(); });
}

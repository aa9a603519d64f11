// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inverse trigonometric and hyperbolic functions: the polynomials of the Cephes library, to 5e-7 of
// the value, near zeros and poles, too.
#include "dialects/Ttc/Functions/MathApproximation.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numbers>

using namespace mlir;
using namespace mlir::ttc;

namespace {

constexpr double kPi = std::numbers::pi, kLog2 = std::numbers::ln2;

/// x + x^3 * polynomial(x^2)
Value oddSeries(Arithmetic &a, Value x, ArrayRef<double> coefficients) {
  Value square = a.mul(x, x);
  return a.add(a.mul(a.mul(a.polynomial(square, coefficients), square), x), x);
}

Value root(Arithmetic &a, Value x) { return math::SqrtOp::create(a.builder(), x); }
/// `x`, negated where `sign` is negative.
Value flip(Arithmetic &a, Value x, Value sign) {
  return a.bitsF32(a.xori(a.bitsI32(x), a.andi(a.bitsI32(sign), a.i32(0x80000000))));
}

struct HalfAngle {
  Value isLarge;
  /// asin(|x|), or where |x| > 1/2 asin(sqrt((1 - |x|) / 2)), which is half of acos(|x|).
  Value angle;
};

HalfAngle reduceAsin(Arithmetic &a, Value x) {
  Value size = a.abs(x), isLarge = a.less(a.f32(0.5), size);
  Value far = root(a, a.mul(a.sub(a.f32(1.0), size), a.f32(0.5)));
  Value reduced = a.select(isLarge, far, size);
  return {isLarge, oddSeries(a, reduced,
                             {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2,
                              1.6666752422e-1})};
}

Value emitAsin(Arithmetic &a, Value x) {
  auto [isLarge, angle] = reduceAsin(a, x);
  Value far = a.sub(a.f32(kPi / 2), a.add(angle, angle));
  return flip(a, a.select(isLarge, far, angle), x);
}

Value emitAcos(Arithmetic &a, Value x) {
  auto [isLarge, angle] = reduceAsin(a, x);
  Value twice = a.add(angle, angle);
  Value far = a.select(a.less(x, a.f32(0.0)), a.sub(a.f32(kPi), twice), twice);
  return a.select(isLarge, far, a.sub(a.f32(kPi / 2), flip(a, angle, x)));
}

Value emitAtan(Arithmetic &a, Value x) {
  // atan(x) = pi/2 - atan(1/x) = pi/4 + atan((x - 1) / (x + 1))
  Value size = a.abs(x), one = a.f32(1.0);
  Value isFar = a.less(a.f32(2.414213562373095), size);
  Value isMiddle = a.less(a.f32(0.414213562373095), size);
  Value over = a.select(isFar, a.f32(-1.0), a.select(isMiddle, a.sub(size, one), size));
  Value under = a.select(isFar, size, a.select(isMiddle, a.add(size, one), one));
  Value angle =
      oddSeries(a, a.div(over, under),
                {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1});
  Value base = a.select(isFar, a.f32(kPi / 2), a.select(isMiddle, a.f32(kPi / 4), a.f32(0.0)));
  return flip(a, a.add(base, angle), x);
}

/// exp(|x|) / 2 and exp(-|x|) / 2, by the square of exp(|x| / 2), which does not overflow.
std::pair<Value, Value> emitHalfExps(Arithmetic &a, Value x) {
  Value e = emitExp(a, a.mul(a.abs(x), a.f32(0.5))), half = a.f32(0.5);
  return {a.mul(a.mul(half, e), e), a.div(a.div(half, e), e)};
}

Value emitSinh(Arithmetic &a, Value x) {
  auto [grown, decayed] = emitHalfExps(a, x);
  Value near = oddSeries(a, x, {2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1});
  return a.select(a.less(a.f32(1.0), a.abs(x)), flip(a, a.sub(grown, decayed), x), near);
}

Value emitCosh(Arithmetic &a, Value x) {
  auto [grown, decayed] = emitHalfExps(a, x);
  return a.add(grown, decayed);
}

/// log(x + root), or where x^2 may overflow log(2 x).
Value emitLogOfSum(Arithmetic &a, Value x, Value root) {
  Value isHuge = a.less(a.f32(1500.0), x);
  Value log = emitLog(a, a.select(isHuge, x, a.add(x, root)));
  return a.add(log, a.select(isHuge, a.f32(kLog2), a.f32(0.0)));
}

Value emitAsinh(Arithmetic &a, Value x) {
  Value size = a.abs(x);
  Value near =
      oddSeries(a, size, {2.0122003309e-2, -4.2699340972e-2, 7.4847586088e-2, -1.6666288134e-1});
  Value far = emitLogOfSum(a, size, root(a, a.add(a.mul(size, size), a.f32(1.0))));
  return flip(a, a.select(a.less(size, a.f32(0.5)), near, far), x);
}

Value emitAcosh(Arithmetic &a, Value x) {
  Value z = a.sub(x, a.f32(1.0));
  Value series = a.polynomial(
      z, {1.7596881071e-3, -7.5272886713e-3, 2.6454905019e-2, -1.1784741703e-1, 1.4142135263});
  Value near = a.mul(series, root(a, z));
  Value far = emitLogOfSum(a, x, root(a, a.mul(z, a.add(x, a.f32(1.0)))));
  return a.select(a.less(z, a.f32(0.5)), near, far);
}

Value emitAtanh(Arithmetic &a, Value x) {
  Value size = a.abs(x), one = a.f32(1.0);
  Value near = oddSeries(
      a, size,
      {1.81740078349e-1, 8.24370301058e-2, 1.46691431730e-1, 1.99782164500e-1, 3.33337300303e-1});
  Value far = a.mul(emitLog(a, a.div(a.add(one, size), a.sub(one, size))), a.f32(0.5));
  return flip(a, a.select(a.less(size, a.f32(0.5)), near, far), x);
}

} // namespace

Value mlir::ttc::emitTrigonometry(Arithmetic &a, Operation *op) {
  Value x = op->getOperand(0);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::AsinOp) { return emitAsin(a, x); })
      .Case([&](math::AcosOp) { return emitAcos(a, x); })
      .Case([&](math::AtanOp) { return emitAtan(a, x); })
      .Case([&](math::SinhOp) { return emitSinh(a, x); })
      .Case([&](math::CoshOp) { return emitCosh(a, x); })
      .Case([&](math::AsinhOp) { return emitAsinh(a, x); })
      .Case([&](math::AcoshOp) { return emitAcosh(a, x); })
      .Case([&](math::AtanhOp) { return emitAtanh(a, x); })
      .Default([&](Operation *) { return Value(); });
}

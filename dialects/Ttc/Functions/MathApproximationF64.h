// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the approximations of f64 functions share: operations on the bits, and sums and products
// that must stay what they are.
#ifndef TTC_DIALECTS_TTC_FUNCTIONS_MATHAPPROXIMATIONF64_H
#define TTC_DIALECTS_TTC_FUNCTIONS_MATHAPPROXIMATIONF64_H

#include "dialects/Ttc/Functions/MathApproximation.h"
#include <bit>

namespace mlir::ttc::f64 {

inline Value bits(Arithmetic &a, Value x) { return a.bits(x, a.builder().getI64Type()); }
inline Value number(Arithmetic &a, Value x) { return a.bits(x, a.builder().getF64Type()); }
inline Value magnitude(Arithmetic &a, Value x) {
  return number(a, a.andi(bits(a, x), a.i64(INT64_MAX)));
}
/// x >= 0 with the sign of `sign`.
inline Value withSign(Arithmetic &a, Value x, Value sign) {
  return number(a, a.ori(bits(a, x), a.andi(bits(a, sign), a.i64(INT64_MIN))));
}
inline Value clamp(Arithmetic &a, Value x, double low, double high) {
  x = a.select(a.less(x, a.f64(low)), a.f64(low), x);
  return a.select(a.less(a.f64(high), x), a.f64(high), x);
}
/// Not contracted with anything: what is lost in one sum is corrected by another.
inline Value sum(Arithmetic &a, Value x, Value y) {
  return arith::AddFOp::create(a.builder(), x, y);
}
inline Value difference(Arithmetic &a, Value x, Value y) {
  return arith::SubFOp::create(a.builder(), x, y);
}
inline Value product(Arithmetic &a, Value x, Value y) {
  return arith::MulFOp::create(a.builder(), x, y);
}
/// The upper half of the bits: products of two such numbers are exact.
inline Value upper(Arithmetic &a, Value x) {
  return number(a, a.andi(bits(a, x), a.i64(static_cast<int64_t>(0xffffffff00000000))));
}

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Adding and subtracting this rounds to an integer, which stands in the low bits in between.
inline constexpr double kRound = 6755399441055744.0; // 1.5 * 2^52

struct Rounded {
  Value number;  // As f64.
  Value integer; // As i64.
};

/// x * scale to the nearest integer, for results below 2^51.
inline Rounded roundToInteger(Arithmetic &a, Value x, double scale) {
  Value shifted = sum(a, product(a, x, a.f64(scale)), a.f64(kRound));
  return {difference(a, shifted, a.f64(kRound)),
          a.subi(bits(a, shifted), a.i64(std::bit_cast<int64_t>(kRound)))};
}

Value emitExpF64(Arithmetic &a, Value x);
Value emitExpM1F64(Arithmetic &a, Value x);
Value emitLogF64(Arithmetic &a, Value x);
Value emitLog1pF64(Arithmetic &a, Value x);
Value emitSinF64(Arithmetic &a, Value x);
Value emitCosF64(Arithmetic &a, Value x);

} // namespace mlir::ttc::f64

#endif // TTC_DIALECTS_TTC_FUNCTIONS_MATHAPPROXIMATIONF64_H

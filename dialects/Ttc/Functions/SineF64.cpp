// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sine and cosine of f64, whose polynomials are those of FreeBSD's msun (MathApproximationF64.cpp).
#include "dialects/Ttc/Functions/MathApproximationF64.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::f64;
using P = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

namespace {
/// x = quadrant * pi/2 + r + lost.
struct Reduced {
  Value quadrant, r, lost;
};
} // namespace

/// For |x| < 2^29 pi/2. Of the four parts of pi/2, three have 24 bits: their products are exact.
static Reduced reduceSmallAngle(Arithmetic &a, Value x) {
  Value bounded = clamp(a, x, -8.4e8, 8.4e8);
  Rounded n = roundToInteger(a, bounded, 6.36619772367581382433e-01);
  auto part = [&](double value) { return product(a, n.number, a.f64(value)); };
  Value t = difference(a, bounded, part(0x1.921fb4p+0));
  t = difference(a, t, part(0x1.4442dp-24));
  Value third = part(0x1.846988p-48);
  Value w = difference(a, t, third);
  Value error =
      difference(a, part(0x1.8cc51701b839ap-72), difference(a, difference(a, t, w), third));
  Value r = difference(a, w, error);
  return {n.integer, r, difference(a, difference(a, w, r), error)};
}

/// 1 / (2 pi) in words of 32 bits, after one of zeros.
constexpr int64_t kTurns[] = {
    0x00000000, 0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770, 0x36d8a566, 0x4f10e410, 0x7f9458ea,
    0xf7aef158, 0x6dc91b8e, 0x909374b8, 0x01924bba, 0x82746487, 0x3f877ac7, 0x2c4a69cf, 0xba208d7d,
    0x4baed121, 0x3a671c09, 0xad17df90, 0x4e64758e, 0x60d4ce7d, 0x272117e2, 0xef7e4a0e, 0xc7fe25ff,
    0xf7816603, 0xfbcbc462, 0xd6829b47, 0xdb4d9fb3, 0xc9f2c26d, 0xd3d18fd9, 0xa797fa8b, 0x5d49eeb1,
    0xfaf97c5e, 0xcf41ce7d, 0xe294a4ba, 0x9afed7ec, 0x47e35742, 0x1580cc11};
/// Those that count for any x.
constexpr size_t kNumWords = 6;

/// The fraction of |x| / (2 pi) in words of 32 bits, the highest first, to 2^-139, for |x| > 2^20.
static SmallVector<Value> emitTurns(Arithmetic &a, Value x) {
  // |x| = mantissa * 2^e. The first e bits of 1 / (2 pi) give whole turns, and what follows on the
  // next 192 less than 2^-139 of one. The place of these bits is a number of words and a shift.
  Value all = bits(a, x);
  Value offset = a.subi(a.shru(all, a.i64(52)), a.i64(1075 - 32));
  SmallVector<Value> words;
  for (size_t i = 0; i + 1 < std::size(kTurns); ++i)
    words.push_back(
        a.i64(static_cast<int64_t>(static_cast<uint64_t>(kTurns[i]) << 32) | kTurns[i + 1]));
  for (size_t step = 16; step != 0; step /= 2) {
    Value isSet = a.cmpi(I::ne, a.andi(offset, a.i64(static_cast<int64_t>(32 * step))), a.i64(0));
    for (size_t i = 0; i < kNumWords + step - 1; ++i)
      words[i] = a.select(isSet, words[i + step], words[i]);
  }
  Value shift = a.andi(offset, a.i64(31)), low32 = a.i64(0xffffffff);
  for (size_t i = 0; i < kNumWords; ++i)
    words[i] = a.shru(a.shl(words[i], shift), a.i64(32));

  Value low = a.andi(all, low32);
  Value high =
      a.shru(a.ori(a.andi(all, a.i64(0x000fffffffffffff)), a.i64(0x0010000000000000)), a.i64(32));
  SmallVector<Value> turns(kNumWords);
  Value carry;
  for (size_t i = kNumWords; i-- > 0;) {
    Value part = a.muli(low, words[i]), rest = a.andi(part, low32);
    part = a.shru(part, a.i64(32));
    if (carry) {
      rest = a.addi(a.addi(rest, carry), a.muli(high, words[i + 1]));
      part = a.addi(part, a.shru(rest, a.i64(32)));
    }
    turns[i] = a.andi(rest, low32);
    carry = part;
  }
  return turns;
}

/// For any |x| > 2^20, after Payne and Hanek, in integers: the nearest that an f64 is to a multiple
/// of pi/2 is 2^-61 of it, which leaves more than 70 bits.
static Reduced reduceLargeAngle(Arithmetic &a, Value x) {
  SmallVector<Value> turns = emitTurns(a, magnitude(a, x));
  // From a fraction in [0, 1) to the nearest quarter and the rest.
  Value shifted = a.andi(a.addi(turns[0], a.i64(int64_t(1) << 29)), a.i64(0xffffffff));
  Value quadrant = a.shru(shifted, a.i64(30));
  auto real = [&](Value word, int power, double less = 0) {
    Value exponent = a.i64(static_cast<int64_t>(1023 + 52 + power) << 52);
    return difference(a, number(a, a.ori(word, exponent)),
                      a.f64(std::ldexp(1.0, 52 + power) + less));
  };
  // The sum of the words in two parts; the first two may cancel but for the last bits.
  Value first = real(a.andi(shifted, a.i64((1 << 30) - 1)), -32, 0x1p-3);
  Value second = real(turns[1], -64), third = real(turns[2], -96);
  Value top = sum(a, first, second);
  Value rest = difference(a, second, difference(a, top, first));
  Value high = sum(a, top, third), added = difference(a, high, top);
  rest = sum(a, rest,
             sum(a, difference(a, top, difference(a, high, added)), difference(a, third, added)));
  rest = sum(a, rest, sum(a, real(turns[3], -128), real(turns[4], -160)));
  // Times 2 pi, in two parts.
  constexpr double kPi2 = 0x1.921fb54442d18p+2, kPi2Upper = 0x1.921fbp+2;
  Value upperPart = upper(a, high), lowerPart = difference(a, high, upperPart);
  Value r = product(a, high, a.f64(kPi2));
  Value lost = difference(a, product(a, upperPart, a.f64(kPi2Upper)), r);
  lost = sum(a, lost, product(a, upperPart, a.f64(kPi2 - kPi2Upper)));
  lost = sum(a, lost, product(a, lowerPart, a.f64(kPi2Upper)));
  lost = sum(a, lost, product(a, lowerPart, a.f64(kPi2 - kPi2Upper)));
  lost = sum(a, lost, product(a, high, a.f64(0x1.1a62633145c07p-52)));
  lost = sum(a, lost, product(a, rest, a.f64(kPi2)));
  Value whole = sum(a, r, lost);
  lost = difference(a, lost, difference(a, whole, r));
  // -x
  Value isNegative = a.cmpi(I::slt, bits(a, x), a.i64(0));
  auto signedAs = [&](Value y) {
    return number(a, a.xori(bits(a, y), a.andi(bits(a, x), a.i64(INT64_MIN))));
  };
  return {a.select(isNegative, a.subi(a.i64(0), quadrant), quadrant), signedAs(whole),
          signedAs(lost)};
}

/// sin(x + quarters * pi/2)
static Value emitSinShiftedF64(Arithmetic &a, Value x, int64_t quarters) {
  Value isLarge = a.less(a.f64(8.4e8), magnitude(a, x));
  Reduced small = reduceSmallAngle(a, x);
  Reduced large = reduceLargeAngle(a, a.select(isLarge, x, a.f64(0x1p30)));
  Value r = a.select(isLarge, large.r, small.r), lost = a.select(isLarge, large.lost, small.lost);
  Value quadrant = a.addi(a.select(isLarge, large.quadrant, small.quadrant), a.i64(quarters));

  Value square = a.mul(r, r), cube = a.mul(square, r);
  Value series = a.polynomial(square, {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                                       2.75573137070700676789e-06, -1.98412698298579493134e-04,
                                       8.33333333332248946124e-03});
  Value sine = a.sub(a.mul(square, a.sub(a.mul(a.f64(0.5), lost), a.mul(cube, series))), lost);
  sine = a.sub(r, a.sub(sine, a.mul(cube, a.f64(-1.66666666666666324348e-01))));
  series = a.polynomial(square, {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                 -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                 -1.38888888888741095749e-03, 4.16666666666666019037e-02});
  Value half = product(a, square, a.f64(0.5));
  Value rest = difference(a, a.f64(1.0), half);
  Value corrected = difference(a, difference(a, a.f64(1.0), rest), half);
  Value cosine = a.sub(a.mul(a.mul(square, square), series), a.mul(r, lost));
  cosine = sum(a, rest, sum(a, corrected, cosine));

  Value isOdd = a.cmpi(I::ne, a.andi(quadrant, a.i64(1)), a.i64(0));
  Value y = a.select(isOdd, cosine, sine);
  y = number(a, a.xori(bits(a, y), a.shl(a.andi(quadrant, a.i64(2)), a.i64(62))));
  if (quarters == 0) // -0
    y = a.select(a.cmp(P::OEQ, x, a.f64(0.0)), x, y);
  return a.select(a.cmp(P::ULT, magnitude(a, x), a.f64(kInfinity)), y, a.f64(kNaN));
}

Value f64::emitSinF64(Arithmetic &a, Value x) { return emitSinShiftedF64(a, x, 0); }
Value f64::emitCosF64(Arithmetic &a, Value x) { return emitSinShiftedF64(a, x, 1); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp of a vector, for kernels that compute a softmax.
#ifndef TTC_KERNELS_EXP_H
#define TTC_KERNELS_EXP_H

#include "kernels/Kernel.h"

namespace ttc::kernels {

/// exp(x) for x <= 0, to 1 unit in the last place; 0 below -87.33, where results would be
/// subnormal; NaN for NaN. The polynomial is that of the compiler's exp
/// (dialects/Ttc/Functions/MathApproximation.cpp).
TTC_INLINE vf expOfNegative(vf x) {
  // Adding this rounds to an integer, which stands in the low bits.
  const vf magic = (vf)12582912.0f; // 1.5 * 2^23
  vf shifted = x * (vf)1.44269504f + magic;
  vf n = shifted - magic;
  // x = n ln 2 + r, with ln 2 in two parts.
  vf r = x - n * (vf)0.693359375f;
  r = r + n * (vf)2.12194440e-4f;
  vf tail = (vf)1.9875691500e-4f;
  tail = tail * r + (vf)1.3981999507e-3f;
  tail = tail * r + (vf)8.3334519073e-3f;
  tail = tail * r + (vf)4.1665795894e-2f;
  tail = tail * r + (vf)1.6666665459e-1f;
  tail = tail * r + (vf)5.0000001201e-1f;
  tail = tail * (r * r) + r;
  // 2^n: the bits of the magic number above the integer are shifted out.
  vi power = (__builtin_bit_cast(vi, shifted) + 127) << 23;
  vf value = (tail + (vf)1.0f) * __builtin_bit_cast(vf, power);
  return x < (vf)-87.33f ? (vf)0.0f : value;
}

/// The lanes of x, exchanged with those `step` lanes further or before.
template <int step> TTC_INLINE vf exchangeLanes(vf x) {
#if VL == 16
  return __builtin_shufflevector(x, x, 0 ^ step, 1 ^ step, 2 ^ step, 3 ^ step, 4 ^ step, 5 ^ step,
                                 6 ^ step, 7 ^ step, 8 ^ step, 9 ^ step, 10 ^ step, 11 ^ step,
                                 12 ^ step, 13 ^ step, 14 ^ step, 15 ^ step);
#else
  return __builtin_shufflevector(x, x, 0 ^ step, 1 ^ step, 2 ^ step, 3 ^ step, 4 ^ step, 5 ^ step,
                                 6 ^ step, 7 ^ step);
#endif
}

TTC_INLINE vf largerOf(vf a, vf b) { return a > b ? a : b; }

/// The largest lane, in all lanes; any number if there are NaNs.
TTC_INLINE vf maxOfLanes(vf x) {
  if constexpr (VL == 16)
    x = largerOf(x, exchangeLanes<VL / 2>(x));
  x = largerOf(x, exchangeLanes<4>(x));
  x = largerOf(x, exchangeLanes<2>(x));
  return largerOf(x, exchangeLanes<1>(x));
}

/// The sum of all lanes, in all lanes.
TTC_INLINE vf sumOfLanes(vf x) {
  if constexpr (VL == 16)
    x += exchangeLanes<VL / 2>(x);
  x += exchangeLanes<4>(x);
  x += exchangeLanes<2>(x);
  return x + exchangeLanes<1>(x);
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_EXP_H

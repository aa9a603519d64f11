// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms of Winograd's convolutions, each for one dimension and VL channels.
#ifndef TTC_KERNELS_WINOGRADTRANSFORMS_H
#define TTC_KERNELS_WINOGRADTRANSFORMS_H

#include "kernels/Kernel.h"
#include "kernels/WinogradPoints.h"

namespace ttc::kernels {

/// Input elements at the points. Row p of the matrix has the coefficients of the product of (x - q)
/// over all other finite points q; the last row, for infinity, that over all of them.
TTC_INLINE void transformInput(const vf (&d)[6], vf (&v)[6]) {
  constexpr float a = kPointA, b = kPointB, a2 = a * a, b2 = b * b;
  vf even = d[4] - b2 * d[2], odd = a * (d[3] - b2 * d[1]);
  v[1] = even + odd;
  v[2] = even - odd;
  even = d[4] - a2 * d[2];
  odd = b * (d[3] - a2 * d[1]);
  v[3] = even + odd;
  v[4] = even - odd;
  v[0] = d[4] - (a2 + b2) * d[2] + a2 * b2 * d[0];
  v[5] = d[5] - (a2 + b2) * d[3] + a2 * b2 * d[1];
}

TTC_INLINE void transformInput(const vf (&d)[4], vf (&v)[4]) {
  constexpr float c = kPointC, c2 = c * c;
  vf odd = c * d[1];
  v[0] = d[2] - c2 * d[0];
  v[1] = d[2] + odd;
  v[2] = d[2] - odd;
  v[3] = d[3] - c2 * d[1];
}

/// Results from products: result i is the sum of (point to the power of i) x product; infinity
/// belongs to the last one.
TTC_INLINE void transformOutput(const vf (&m)[6], vf (&y)[4]) {
  constexpr float a = kPointA, b = kPointB;
  vf sumA = m[1] + m[2], sumB = m[3] + m[4];
  vf differenceA = a * (m[1] - m[2]), differenceB = b * (m[3] - m[4]);
  y[0] = m[0] + sumA + sumB;
  y[1] = differenceA + differenceB;
  y[2] = a * a * sumA + b * b * sumB;
  y[3] = a * a * differenceA + b * b * differenceB + m[5];
}

TTC_INLINE void transformOutput(const vf (&m)[6], vf (&y)[2]) {
  y[0] = m[0] + (m[1] + m[2]) + (m[3] + m[4]);
  y[1] = kPointA * (m[1] - m[2]) + kPointB * (m[3] - m[4]) + m[5];
}

TTC_INLINE void transformOutput(const vf (&m)[4], vf (&y)[2]) {
  y[0] = m[0] + m[1] + m[2];
  y[1] = kPointC * (m[1] - m[2]) + m[3];
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_WINOGRADTRANSFORMS_H

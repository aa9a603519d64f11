// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tanh of a vector.
#ifndef TTC_KERNELS_TANH_H
#define TTC_KERNELS_TANH_H

#include "kernels/Kernel.h"

namespace ttc::kernels {

/// A number that is not divided yet: factors share a division.
struct Fraction {
  vf above, below;
};
TTC_INLINE Fraction operator*(Fraction a, Fraction b) {
  return {a.above * b.above, a.below * b.below};
}
TTC_INLINE vf divide(Fraction a) { return a.above / a.below; }

/// The rational function of the compiler's tanh (dialects/Ttc/Functions/MathApproximation.cpp).
TTC_INLINE Fraction tanhOf(vf x) {
  const vf most = (vf)7.90531110763549805f;
  vf c = x > most ? most : x;
  c = c < -most ? -most : c;
  const vf s = c * c;
  vf p = (vf)-2.76076847742355e-16f;
  p = p * s + (vf)2.00018790482477e-13f;
  p = p * s + (vf)-8.60467152213735e-11f;
  p = p * s + (vf)5.12229709037114e-08f;
  p = p * s + (vf)1.48572235717979e-05f;
  p = p * s + (vf)6.37261928875436e-04f;
  p = p * s + (vf)4.89352455891786e-03f;
  vf q = (vf)1.19825839466702e-06f;
  q = q * s + (vf)1.18534705686654e-04f;
  q = q * s + (vf)2.26843463243900e-03f;
  q = q * s + (vf)4.89352518554385e-03f;
  return {c * p, q};
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_TANH_H

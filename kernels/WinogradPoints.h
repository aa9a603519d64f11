// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The points of Winograd's convolutions, for the kernels and for the weights that are transformed
// while compiling.
//
// F(m, r) computes m results of r taps by m + r - 1 products: it evaluates both polynomials at
// points and interpolates (Toom-Cook; S. Winograd, Arithmetic Complexity of Computations, 1980;
// A. Lavin and S. Gray, arXiv:1509.09308). Points in symmetric pairs +-p share half of the work.
// The usual 0, +-1, +-2 lose twice as many bits as these, which are near 2/3 and 3/2 (B. Barabasz
// et al., arXiv:1803.10986, search such points); their powers are exact in f32.
#ifndef TTC_KERNELS_WINOGRADPOINTS_H
#define TTC_KERNELS_WINOGRADPOINTS_H

namespace ttc::kernels {

/// With six products: 0, +-kPointA, +-kPointB and infinity, in this order.
inline constexpr float kPointA = 0.6875f, kPointB = 1.5f;
/// With four products: 0, +-kPointC and infinity.
inline constexpr float kPointC = 1.0f;

/// Elements between the last one at a point and the first one at the next: a cache line, so that
/// equal elements of all points do not share a set of the caches.
inline constexpr int kWinogradPadding = 16;

} // namespace ttc::kernels

#endif // TTC_KERNELS_WINOGRADPOINTS_H

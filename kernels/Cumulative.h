// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running sums and products along a dimension.
#ifndef TTC_KERNELS_CUMULATIVE_H
#define TTC_KERNELS_CUMULATIVE_H

#include "kernels/Elements.h"

namespace ttc::kernels {

/// Columns that are walked together: their accumulators are vectors.
constexpr int64_t kCumulativeLanes = 32;

template <typename T>
TTC_INLINE void cumulativeTyped(const CumulativeParams &p, void *const *operands,
                                int64_t workgroup) {
  using W = WideOf<T>;
  const T *x = static_cast<const T *>(operands[0]);
  T *y = static_cast<T *>(operands[1]);
  int64_t blocks = ceilDiv(p.inner, kCumulativeLanes);
  Range units = part(p.outer * blocks, p.splits, workgroup);
  for (int64_t unit = units.begin; unit < units.end; ++unit) {
    int64_t column = unit % blocks * kCumulativeLanes;
    int64_t first = unit / blocks * p.size * p.inner + column;
    int64_t lanes = min(kCumulativeLanes, p.inner - column);
    W sums[kCumulativeLanes];
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] = static_cast<W>(p.mode == kCumulativeProd);
    for (int64_t i = 0; i < p.size; ++i) {
      int64_t at = first + (p.reverse ? p.size - 1 - i : i) * p.inner;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        W value = widen(x[at + lane]), old = sums[lane];
        W sum = p.mode == kCumulativeProd ? mulOf(old, value) : addOf(old, value);
        y[at + lane] = narrow<T>(p.exclusive ? old : sum);
        sums[lane] = sum;
      }
    }
  }
}

TTC_INLINE void cumulative(void *const *operands, uint8_t *, int64_t workgroup,
                           const int64_t *params) {
  const CumulativeParams &p = *reinterpret_cast<const CumulativeParams *>(params);
  withElement(
      p.element,
      TTC_RUN(tag) { cumulativeTyped<typename decltype(tag)::Type>(p, operands, workgroup); });
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_CUMULATIVE_H

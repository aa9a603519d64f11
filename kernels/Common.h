// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels share that does not depend on vectors. Constant evaluation compiles it, too.
#ifndef TTC_KERNELS_COMMON_H
#define TTC_KERNELS_COMMON_H

#include "kernels/Params.h"

#define TTC_INLINE static inline __attribute__((always_inline))

namespace ttc::kernels {

template <typename T> TTC_INLINE T min(T a, T b) { return a < b ? a : b; }
template <typename T> TTC_INLINE T max(T a, T b) { return a > b ? a : b; }
TTC_INLINE int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Range {
  int64_t begin, end;
};

/// Part `index` of `parts` nearly equal parts of [0, total).
TTC_INLINE Range part(int64_t total, int64_t parts, int64_t index) {
  return {total * index / parts, total * (index + 1) / parts};
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_COMMON_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of the kernels on bytes; see Params.h.
#ifndef TTC_KERNELS_INTPARAMS_H
#define TTC_KERNELS_INTPARAMS_H

#include "kernels/Params.h"

namespace ttc::kernels {

/// How four products of bytes are summed.
enum ByteDot : int64_t { kDotPlain = 0, kDotMadd = 1, kDotVnni = 2 };

struct IntGemmParams {
  // As for f32. `batch` is 1, `bMode` unused, and offsets, strides and scratch count bytes.
  GemmParams loops;
  int64_t dot;
  // The value of padding, unless it is an operand.
  int64_t aZero;
  // 1 when operand 2 holds a zero point for each column, which the row's sum is multiplied by.
  int64_t hasBZero;
  // 1 when the last operand holds the value of padding.
  int64_t hasZero;
  // The bytes of an element of the result: 1 or 4.
  int64_t storedBytes;
  // Runs of k for each row, and the bytes of one.
  int64_t taps, run;
};

struct IntDepthwiseParams {
  DepthwiseParams windows;
  // The zero point, unless it is operand 2.
  int64_t xZero;
  int64_t hasZero;
  int64_t storedBytes;
  // ttc_kernel_int_depthwise_dot alone has these.
  int64_t dot;
  // Output lines that are computed together; the grid splits groups of them.
  int64_t linesTogether;
};

} // namespace ttc::kernels

#endif // TTC_KERNELS_INTPARAMS_H

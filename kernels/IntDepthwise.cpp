// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_int_depthwise_conv: of bytes. Products and sums are made in f32, which holds integers
// up to 2^24 exactly: a multiply-add takes one instruction there, and three in i32.
#include "kernels/DepthwiseLoops.h"
#include "kernels/IntKernel.h"

using namespace ttc::kernels;

TTC_KERNEL void ttc_kernel_int_depthwise_conv(void *const *operands, uint8_t *, int64_t workgroup,
                                              const int64_t *words, int_epilogue_t epilogue,
                                              ProgramMarkers *markers) {
  const IntDepthwiseParams &params = *reinterpret_cast<const IntDepthwiseParams *>(words);
  const DepthwiseParams &p = params.windows;
  int64_t zero = params.hasZero ? *static_cast<const uint8_t *>(operands[2]) : params.xZero;
  int64_t at = 2 + params.hasZero + p.numValid;
  auto *result = static_cast<uint8_t *>(operands[at]);
  auto load = [&](const uint8_t *from, int64_t lanes) __attribute__((always_inline)) {
    vi difference =
        __builtin_convertvector(loadBytes(from, lanes), vi) - (vi) static_cast<int32_t>(zero);
    return __builtin_convertvector(difference, vf);
  };
  auto finish = [&]<int WT>(const vf(&acc)[WT], int64_t row, int64_t col,
                            int64_t lanes) __attribute__((always_inline)) {
    TTC_UNROLL
    for (int i = 0; i < WT; ++i) {
      vi value = epilogue(__builtin_convertvector(acc[i], vi), row + i, col, lanes, operands);
      storeInts(result + ((row + i) * p.outRow + col) * params.storedBytes, value, lanes,
                params.storedBytes);
    }
  };
  runDepthwise<VL == 16 ? 8 : 4, uint8_t>(p, operands, at, workgroup, markers, load, finish);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_depthwise_conv: of f32.
#include "kernels/DepthwiseLoops.h"

using namespace ttc::kernels;

namespace {

/// The most pixels of a tile: half of the registers hold sums, or a little less. Usual images are
/// 7, 14, 28 ... pixels wide.
constexpr int kTile = VL == 16 ? 14 : 7;

/// Applies the epilogue to one vector of each of consecutive pixels and stores the results.
TTC_CALLED void ttc_kernel_store_pixels(const float *buffer, int64_t pixels, float *out,
                                        int64_t outRow, int64_t row, int64_t col, int64_t lanes,
                                        void *const *operands, epilogue_t epilogue) {
  TTC_UNROLL
  for (int64_t i = 0; i < pixels; ++i) {
    vf value = epilogue(load(buffer + i * VL), row + i, col, lanes, operands);
    storeResult(out + i * outRow, value, lanes);
  }
}

} // namespace

TTC_KERNEL void ttc_kernel_depthwise_conv(void *const *operands, uint8_t *, int64_t workgroup,
                                          const int64_t *params, epilogue_t epilogue,
                                          ProgramMarkers *markers) {
  const DepthwiseParams &p = *reinterpret_cast<const DepthwiseParams *>(params);
  auto finish = [&]<int WT>(const vf(&acc)[WT], int64_t row, int64_t col,
                            int64_t lanes) __attribute__((always_inline)) {
    // Stays in registers where storing is inlined.
    alignas(64) float buffer[WT * VL];
    TTC_UNROLL
    for (int i = 0; i < WT; ++i)
      store(buffer + i * VL, acc[i]);
    auto *out = static_cast<float *>(operands[2 + p.numValid]) + row * p.outRow + col;
    ttc_kernel_store_pixels(buffer, WT, out, p.outRow, row, col, lanes, operands, epilogue);
  };
  auto channels = [](const float *from, int64_t lanes)
                      __attribute__((always_inline)) { return load(from, lanes); };
  runDepthwise<kTile, float>(p, operands, 2 + p.numValid, workgroup, markers, channels, finish);
}

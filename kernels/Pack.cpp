// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_pack: weights that are only known at run time, as [group][panel][k][nr].
#include "kernels/Kernel.h"

using namespace ttc::kernels;

TTC_KERNEL void ttc_kernel_pack(void *const *operands, uint8_t *, int64_t workgroup,
                                const int64_t *params, epilogue_t, ProgramMarkers *markers) {
  const PackParams &p = *reinterpret_cast<const PackParams *>(params);
  const auto *from = static_cast<const float *>(operands[0]) + p.offset;
  auto *to = static_cast<float *>(operands[1]);
  int64_t panels = ceilDiv(p.cols, p.nr);
  Range range = part(p.groups * panels, p.splits, workgroup);
  TTC_NO_UNROLL
  for (int64_t panel = range.begin; panel < range.end; ++panel) {
    TTC_ZONE(markers, "panel");
    int64_t col = panel % panels * p.nr, valid = min(p.nr, p.cols - col);
    const float *source = from + panel / panels * p.groupStride + col * p.colStride;
    float *out = to + panel * p.taps * p.chans * p.nr;
    TTC_NO_UNROLL
    for (int64_t tap = 0; tap < p.taps; ++tap) {
      TTC_NO_UNROLL
      for (int64_t chan = 0; chan < p.chans; ++chan) {
        const float *row = source + tap * p.tapStride + chan * p.chanStride;
        TTC_NO_UNROLL
        for (int64_t j = 0; j < p.nr; ++j)
          *out++ = j < valid ? row[j * p.colStride] : 0.0f;
      }
    }
  }
}

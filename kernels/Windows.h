// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the kernels that slide a window over channels-last images walk output lines and channels.
#ifndef TTC_KERNELS_WINDOWS_H
#define TTC_KERNELS_WINDOWS_H

#include "kernels/Kernel.h"

namespace ttc::kernels {

/// The elements of an image along its spatial dimensions: what follows them is padding.
struct ImageSizes {
  int64_t d, h, w;
};

TTC_INLINE int64_t validSize(void *const *operands, int64_t operand, int64_t size) {
  if (operand == 0)
    return size;
  int64_t count = *static_cast<const int32_t *>(operands[operand]);
  return max<int64_t>(0, min(count, size));
}

template <typename Params>
TTC_INLINE ImageSizes imageSizes(const Params &p, void *const *operands) {
  return {validSize(operands, p.valid.operand[0], p.id),
          validSize(operands, p.valid.operand[1], p.ih),
          validSize(operands, p.valid.operand[2], p.iw)};
}

/// What is computed of a result: images, lines of each, and pixels of a line.
struct ResultSizes {
  int64_t images, lines, pixels;
};

/// What counts by `bounds`, the operand after the result with Params::bounded, or `all`.
template <typename Params>
TTC_INLINE ResultSizes resultSizes(const Params &p, const void *bounds, const ResultSizes &all) {
  if (!p.bounded)
    return all;
  const auto *counts = static_cast<const int64_t *>(bounds);
  return {counts[0], counts[1], counts[2]};
}

/// The input index of the first tap of one dimension, and the taps that are inside the input.
struct Taps {
  int64_t at, begin, end;
};

template <typename Params>
TTC_INLINE Taps tapsOf(const Params &p, int dim, int64_t out, int64_t size) {
  int64_t at = out * p.stride[dim] - p.padBegin[dim];
  return {at, at < 0 ? ceilDiv(-at, p.dilation[dim]) : 0,
          min(p.kernel[dim], ceilDiv(max<int64_t>(size - at, 0), p.dilation[dim]))};
}

/// The channels of a workgroup. They are split between cache lines of 16.
template <typename Params> TTC_INLINE Range channelsOf(const Params &p, int64_t workgroup) {
  Range blocks = part(ceilDiv(p.c, 16), p.channelSplits, workgroup % p.channelSplits);
  return {blocks.begin * 16, min(p.c, blocks.end * 16)};
}

/// Calls `run` with each vector of channels from `c` on: its first channel and its lanes.
template <typename Params, typename Run>
TTC_INLINE void forChannels(const Params &p, int64_t c, int64_t end, Run run) {
  TTC_NO_UNROLL
  for (; c + VL <= end; c += VL)
    run(c, VL);
  // Only a channel count that VL does not divide has a tail; its length is then constant.
  if (p.c % VL != 0 && c < end)
    run(c, p.c % VL);
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_WINDOWS_H

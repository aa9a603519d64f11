// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the kernels that slide a window over channels-last images walk output lines and channels.
#ifndef TTC_KERNELS_WINDOWS_H
#define TTC_KERNELS_WINDOWS_H

#include "kernels/Kernel.h"

namespace ttc::kernels {

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

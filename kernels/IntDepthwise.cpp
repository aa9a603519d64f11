// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_int_depthwise_conv: ttc_kernel_depthwise_conv (Depthwise.cpp) of bytes. Products and
// sums are made in f32, which holds integers up to 2^24 exactly: a multiply-add takes one
// instruction there, and three in i32.
#include "kernels/IntKernel.h"

using namespace ttc::kernels;

namespace {

/// One output line and one vector of channels.
struct Line {
  const uint8_t *x;
  const float *w;
  uint8_t *out;
  int64_t row, col, lanes, zero;
  // Kernel planes and rows that meet the input, and the input index of the first ones.
  int64_t kdBegin, kdEnd, khBegin, khEnd, id0, ih0;
  ProgramMarkers *markers;
};

TTC_INLINE vf loadWeights(const float *from, int64_t lanes) {
  return lanes >= VL ? load(from) : loadLanes(from, lanes);
}

TTC_INLINE vf loadPixel(const uint8_t *from, int64_t lanes, int64_t zero) {
  vb bytes = (vb)(uint8_t)0;
  if (lanes >= VL)
    bytes = *reinterpret_cast<const vbu *>(from);
  else {
    TTC_UNROLL
    for (int i = 0; i < VL; ++i)
      if (i < lanes)
        bytes[i] = from[i];
  }
  vi difference = __builtin_convertvector(bytes, vi) - (vi) static_cast<int32_t>(zero);
  return __builtin_convertvector(difference, vf);
}

/// WT output pixels from `ow` on; `kwBegin`, `kwEnd` clip the window's columns.
template <int WT>
TTC_INLINE void runPixels(const Line &l, const IntDepthwiseParams &params, int64_t ow,
                          int64_t kwBegin, int64_t kwEnd, bool clipped, void *const *operands,
                          int_epilogue_t epilogue) {
  const DepthwiseParams &p = params.windows;
  vf acc[WT];
  TTC_UNROLL
  for (int i = 0; i < WT; ++i)
    acc[i] = (vf)0.0f;
  int64_t iw = ow * p.stride[2] - p.padBegin[2];
  TTC_NO_UNROLL
  for (int64_t kd = l.kdBegin; kd < l.kdEnd; ++kd) {
    TTC_NO_UNROLL
    for (int64_t kh = l.khBegin; kh < l.khEnd; ++kh) {
      const uint8_t *from =
          l.x +
          (((l.id0 + kd * p.dilation[0]) * p.ih + l.ih0 + kh * p.dilation[1]) * p.iw + iw) * p.xRow;
      const float *weights = l.w + (kd * p.kernel[1] + kh) * p.kernel[2] * p.c;
      auto tap = [&](int64_t kw) __attribute__((always_inline)) {
        vf wv = loadWeights(weights + kw * p.c, l.lanes);
        TTC_UNROLL
        for (int i = 0; i < WT; ++i)
          acc[i] += wv * loadPixel(from + (i * p.stride[2] + kw * p.dilation[2]) * p.xRow, l.lanes,
                                   l.zero);
      };
      if (clipped) {
        TTC_NO_UNROLL
        for (int64_t kw = kwBegin; kw < kwEnd; ++kw)
          tap(kw);
      } else {
        // A constant count: shared input vectors of neighbouring pixels are loaded once.
        TTC_UNROLL
        for (int64_t kw = 0; kw < p.kernel[2]; ++kw)
          tap(kw);
      }
    }
  }
  TTC_UNROLL
  for (int i = 0; i < WT; ++i) {
    vi value =
        epilogue(__builtin_convertvector(acc[i], vi), l.row + ow + i, l.col, l.lanes, operands);
    storeInts(l.out + (ow + i) * p.outRow * params.storedBytes, value, l.lanes, params.storedBytes);
  }
}

TTC_INLINE void runLine(const Line &l, const IntDepthwiseParams &params, void *const *operands,
                        int_epilogue_t epilogue) {
  const DepthwiseParams &p = params.windows;
  int64_t window = (p.kernel[2] - 1) * p.dilation[2];
  // Output columns whose window is inside the input: [inBegin, inEnd).
  int64_t inBegin = min(p.ow, max<int64_t>(0, ceilDiv(p.padBegin[2], p.stride[2])));
  int64_t fits = p.iw - 1 - window + p.padBegin[2];
  int64_t inEnd = fits < 0 ? inBegin : max(inBegin, min(p.ow, fits / p.stride[2] + 1));
  auto border = [&](int64_t ow) __attribute__((always_inline)) {
    int64_t iw = ow * p.stride[2] - p.padBegin[2];
    int64_t kwBegin = iw < 0 ? ceilDiv(-iw, p.dilation[2]) : 0;
    int64_t kwEnd = min(p.kernel[2], ceilDiv(max<int64_t>(p.iw - iw, 0), p.dilation[2]));
    runPixels<1>(l, params, ow, kwBegin, kwEnd, true, operands, epilogue);
  };
  int64_t ow = 0;
  {
    TTC_SUM_ZONE(l.markers, 0, "border");
    TTC_NO_UNROLL
    for (; ow < inBegin; ++ow)
      border(ow);
  }
  constexpr int kTile = VL == 16 ? 8 : 4;
  TTC_NO_UNROLL
  for (; ow + kTile <= inEnd; ow += kTile)
    runPixels<kTile>(l, params, ow, 0, p.kernel[2], false, operands, epilogue);
  TTC_NO_UNROLL
  for (; ow < inEnd; ++ow)
    runPixels<1>(l, params, ow, 0, p.kernel[2], false, operands, epilogue);
  TTC_SUM_ZONE(l.markers, 0, "border");
  TTC_NO_UNROLL
  for (; ow < p.ow; ++ow)
    border(ow);
}

} // namespace

TTC_KERNEL void ttc_kernel_int_depthwise_conv(void *const *operands, uint8_t *, int64_t workgroup,
                                              const int64_t *words, int_epilogue_t epilogue,
                                              ProgramMarkers *markers) {
  const IntDepthwiseParams &params = *reinterpret_cast<const IntDepthwiseParams *>(words);
  const DepthwiseParams &p = params.windows;
  Range lines = part(p.n * p.od * p.oh, p.rowSplits, workgroup / p.channelSplits);
  // Channels are split between cache lines of 16.
  Range blocks = part(ceilDiv(p.c, 16), p.channelSplits, workgroup % p.channelSplits);
  int64_t channelEnd = min(p.c, blocks.end * 16);
  TTC_NO_UNROLL
  for (int64_t line = lines.begin; line < lines.end; ++line) {
    TTC_ZONE(markers, "line");
    int64_t h = line % p.oh, plane = line / p.oh, d = plane % p.od, n = plane / p.od;
    Line l;
    l.id0 = d * p.stride[0] - p.padBegin[0];
    l.ih0 = h * p.stride[1] - p.padBegin[1];
    l.kdBegin = l.id0 < 0 ? ceilDiv(-l.id0, p.dilation[0]) : 0;
    l.kdEnd = min(p.kernel[0], ceilDiv(max<int64_t>(p.id - l.id0, 0), p.dilation[0]));
    l.khBegin = l.ih0 < 0 ? ceilDiv(-l.ih0, p.dilation[1]) : 0;
    l.khEnd = min(p.kernel[1], ceilDiv(max<int64_t>(p.ih - l.ih0, 0), p.dilation[1]));
    l.row = line * p.ow;
    l.markers = markers;
    l.zero = params.hasZero ? *static_cast<const uint8_t *>(operands[2]) : params.xZero;
    const auto *x = static_cast<const uint8_t *>(operands[0]) + n * p.id * p.ih * p.iw * p.xRow;
    const auto *w = static_cast<const float *>(operands[1]);
    auto *out = static_cast<uint8_t *>(operands[params.hasZero ? 3 : 2]) +
                line * p.ow * p.outRow * params.storedBytes;
    auto channels = [&](int64_t c, int64_t lanes) __attribute__((always_inline)) {
      l.x = x + c;
      l.w = w + c;
      l.out = out + c * params.storedBytes;
      l.col = c;
      l.lanes = lanes;
      runLine(l, params, operands, epilogue);
    };
    int64_t c = blocks.begin * 16;
    TTC_NO_UNROLL
    for (; c + VL <= channelEnd; c += VL)
      channels(c, VL);
    // Only a channel count that VL does not divide has a tail; its length is then constant.
    if (p.c % VL != 0 && c < channelEnd)
      channels(c, p.c % VL);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_depthwise_conv: one filter per channel, vectors over channels, register tiles of
// output pixels along the width. x is [n, d, h, w, c], w is [tap][c].
#include "kernels/Kernel.h"

using namespace ttc::kernels;

namespace {

/// One output line and one vector of channels.
struct Line {
  const float *x;
  const float *w;
  float *out;
  int64_t row, col, lanes;
  // Kernel planes and rows that meet the input, and the input index of the first ones.
  int64_t kdBegin, kdEnd, khBegin, khEnd, id0, ih0;
  ProgramMarkers *markers;
};

TTC_INLINE vf loadChannels(const float *from, int64_t lanes) {
  return lanes >= VL ? load(from) : loadLanes(from, lanes);
}

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

/// WT output pixels from `ow` on. EDGE: some windows reach into the padding; their taps there are
/// left out. `ow` is constant at the ends of a line, so that this costs nothing.
template <int WT, bool EDGE>
TTC_INLINE void runPixels(const Line &l, const DepthwiseParams &p, int64_t ow,
                          void *const *operands, epilogue_t epilogue) {
  vf acc[WT];
  TTC_UNROLL
  for (int i = 0; i < WT; ++i)
    acc[i] = (vf)0.0f;
  int64_t iw = ow * p.stride[2] - p.padBegin[2];
  TTC_NO_UNROLL
  for (int64_t kd = l.kdBegin; kd < l.kdEnd; ++kd) {
    TTC_NO_UNROLL
    for (int64_t kh = l.khBegin; kh < l.khEnd; ++kh) {
      const float *from =
          l.x +
          (((l.id0 + kd * p.dilation[0]) * p.ih + l.ih0 + kh * p.dilation[1]) * p.iw + iw) * p.xRow;
      const float *weights = l.w + (kd * p.kernel[1] + kh) * p.kernel[2] * p.c;
      // A constant count: shared input vectors of neighbouring pixels are loaded once.
      TTC_UNROLL
      for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
        vf wv = loadChannels(weights + kw * p.c, l.lanes);
        TTC_UNROLL
        for (int i = 0; i < WT; ++i) {
          int64_t at = i * p.stride[2] + kw * p.dilation[2];
          if (!EDGE || (iw + at >= 0 && iw + at < p.iw))
            acc[i] += wv * loadChannels(from + at * p.xRow, l.lanes);
        }
      }
    }
  }
  // Stays in registers where storing is inlined.
  alignas(64) float buffer[WT * VL];
  TTC_UNROLL
  for (int i = 0; i < WT; ++i)
    store(buffer + i * VL, acc[i]);
  ttc_kernel_store_pixels(buffer, WT, l.out + ow * p.outRow, p.outRow, l.row + ow, l.col, l.lanes,
                          operands, epilogue);
}

/// The most pixels of a tile: half of the registers hold sums, or a little less. Usual images are
/// 7, 14, 28 ... pixels wide.
constexpr int kTile = VL == 16 ? 14 : 7;

/// Picks the instance for a count of pixels that is constant after inlining.
template <bool EDGE, int WT = kTile>
TTC_INLINE void runTile(int64_t pixels, const Line &l, const DepthwiseParams &p, int64_t ow,
                        void *const *operands, epilogue_t epilogue) {
  if constexpr (WT > 1)
    if (pixels != WT)
      return runTile<EDGE, WT - 1>(pixels, l, p, ow, operands, epilogue);
  runPixels<WT, EDGE>(l, p, ow, operands, epilogue);
}

/// A line in tiles of nearly equal width: single pixels would wait for their own sums.
TTC_INLINE void runLine(const Line &l, const DepthwiseParams &p, void *const *operands,
                        epilogue_t epilogue) {
  int64_t tiles = ceilDiv(p.ow, kTile), width = p.ow / tiles, wider = p.ow % tiles;
  int64_t first = width + (wider != 0);
  // Output columns whose window is inside the input: [inBegin, inEnd).
  int64_t window = (p.kernel[2] - 1) * p.dilation[2];
  int64_t inBegin = max<int64_t>(0, ceilDiv(p.padBegin[2], p.stride[2]));
  int64_t fits = p.iw - 1 - window + p.padBegin[2];
  int64_t inEnd = fits < 0 ? 0 : fits / p.stride[2] + 1;
  {
    TTC_SUM_ZONE(l.markers, 0, "border");
    runTile<true>(first, l, p, 0, operands, epilogue);
  }
  // All tiles but the ends are inside, where the padding is no wider than a tile.
  bool inside = inBegin <= first && inEnd >= p.ow - width;
  auto middle = [&](int64_t begin, int64_t end, int64_t pixels) __attribute__((always_inline)) {
    TTC_NO_UNROLL
    for (int64_t tile = begin; tile < end; ++tile) {
      int64_t ow = tile * width + min(tile, wider);
      if (inside || (ow >= inBegin && ow + pixels <= inEnd))
        runTile<false>(pixels, l, p, ow, operands, epilogue);
      else
        runTile<true>(pixels, l, p, ow, operands, epilogue);
    }
  };
  middle(1, wider, width + 1);
  middle(max<int64_t>(wider, 1), tiles - 1, width);
  if (tiles > 1) {
    TTC_SUM_ZONE(l.markers, 0, "border");
    runTile<true>(width, l, p, p.ow - width, operands, epilogue);
  }
}

} // namespace

TTC_KERNEL void ttc_kernel_depthwise_conv(void *const *operands, uint8_t *, int64_t workgroup,
                                          const int64_t *params, epilogue_t epilogue,
                                          ProgramMarkers *markers) {
  const DepthwiseParams &p = *reinterpret_cast<const DepthwiseParams *>(params);
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
    const auto *x = static_cast<const float *>(operands[0]) + n * p.id * p.ih * p.iw * p.xRow;
    const auto *w = static_cast<const float *>(operands[1]);
    auto *out = static_cast<float *>(operands[2]) + line * p.ow * p.outRow;
    auto channels = [&](int64_t c, int64_t lanes) __attribute__((always_inline)) {
      l.x = x + c;
      l.w = w + c;
      l.out = out + c;
      l.col = c;
      l.lanes = lanes;
      runLine(l, p, operands, epilogue);
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

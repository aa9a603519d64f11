// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution: one filter per channel, vectors over channels, register tiles of output
// pixels along the width. x is [n, d, h, w, c], w is [tap][c]; products and sums are in f32.
#ifndef TTC_KERNELS_DEPTHWISELOOPS_H
#define TTC_KERNELS_DEPTHWISELOOPS_H

#include "kernels/Windows.h"

namespace ttc::kernels {

/// One output line and one vector of channels, and what is known of the elements: `X` loads those
/// of x, `Finish` stores the sums of consecutive pixels of a line.
template <typename T, typename X, typename Finish> struct DepthwiseLine {
  const T *x;
  const float *w;
  int64_t row, col, lanes;
  // The kernel's planes and rows.
  Taps d, h;
  // Pixels of a line of x that count, and of the result.
  int64_t width, pixels;
  ProgramMarkers *markers;
  X load;
  Finish finish;
};

/// WT output pixels from `ow` on. EDGE: some windows reach into the padding; their taps there are
/// left out. `ow` is constant at the ends of a line, so that this costs nothing.
template <int WT, bool EDGE, typename Line>
TTC_INLINE void runPixels(const Line &l, const DepthwiseParams &p, int64_t ow) {
  vf acc[WT];
  TTC_UNROLL
  for (int i = 0; i < WT; ++i)
    acc[i] = (vf)0.0f;
  int64_t iw = ow * p.stride[2] - p.padBegin[2];
  TTC_NO_UNROLL
  for (int64_t kd = l.d.begin; kd < l.d.end; ++kd) {
    TTC_NO_UNROLL
    for (int64_t kh = l.h.begin; kh < l.h.end; ++kh) {
      const auto *from =
          l.x + (((l.d.at + kd * p.dilation[0]) * p.ih + l.h.at + kh * p.dilation[1]) * p.iw + iw) *
                    p.xRow;
      const float *weights = l.w + (kd * p.kernel[1] + kh) * p.kernel[2] * p.c;
      // A constant count: shared input vectors of neighbouring pixels are loaded once.
      TTC_UNROLL
      for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
        vf wv = load(weights + kw * p.c, l.lanes);
        TTC_UNROLL
        for (int i = 0; i < WT; ++i) {
          int64_t at = i * p.stride[2] + kw * p.dilation[2];
          if (!EDGE || (iw + at >= 0 && iw + at < l.width))
            acc[i] += wv * l.load(from + at * p.xRow, l.lanes);
        }
      }
    }
  }
  l.finish(acc, l.row + ow, l.col, l.lanes);
}

/// Picks the instance for a count of pixels that is constant after inlining.
template <bool EDGE, int WT, typename Line>
TTC_INLINE void runTile(int64_t pixels, const Line &l, const DepthwiseParams &p, int64_t ow) {
  if constexpr (WT > 1)
    if (pixels != WT)
      return runTile<EDGE, WT - 1>(pixels, l, p, ow);
  runPixels<WT, EDGE>(l, p, ow);
}

/// Some tiles of a line, which are of nearly equal width, at most `TILE` pixels: single pixels
/// would wait for their own sums.
template <int TILE, typename Line>
TTC_INLINE void runLine(const Line &l, const DepthwiseParams &p, const Range &of) {
  int64_t tiles = ceilDiv(p.ow, TILE), width = p.ow / tiles, wider = p.ow % tiles;
  int64_t first = width + (wider != 0);
  // Output columns whose window is inside the input: [inBegin, inEnd).
  int64_t window = (p.kernel[2] - 1) * p.dilation[2];
  int64_t inBegin = max<int64_t>(0, ceilDiv(p.padBegin[2], p.stride[2]));
  int64_t fits = l.width - 1 - window + p.padBegin[2];
  int64_t inEnd = fits < 0 ? 0 : fits / p.stride[2] + 1;
  if (of.begin == 0 && of.end != 0) {
    TTC_SUM_ZONE(l.markers, 0, "border");
    runTile<true, TILE>(first, l, p, 0);
  }
  // All tiles but the ends are inside, where the padding is no wider than a tile.
  bool inside = inBegin <= first && inEnd >= p.ow - width;
  auto middle = [&](int64_t begin, int64_t end, int64_t pixels) __attribute__((always_inline)) {
    TTC_NO_UNROLL
    for (int64_t tile = begin; tile < end; ++tile) {
      int64_t ow = tile * width + min(tile, wider);
      if (p.bounded && ow >= l.pixels)
        return;
      if (inside || (ow >= inBegin && ow + pixels <= inEnd))
        runTile<false, TILE>(pixels, l, p, ow);
      else
        runTile<true, TILE>(pixels, l, p, ow);
    }
  };
  middle(max<int64_t>(of.begin, 1), min(of.end, wider), width + 1);
  middle(max(max<int64_t>(wider, 1), of.begin), min(of.end, tiles - 1), width);
  if (tiles > 1 && of.end == tiles && (!p.bounded || p.ow - width < l.pixels)) {
    TTC_SUM_ZONE(l.markers, 0, "border");
    runTile<true, TILE>(width, l, p, p.ow - width);
  }
}

/// The tiles of part number `number` of a line, of which `pixels` count.
template <int TILE>
TTC_INLINE Range tilesOf(const DepthwiseParams &p, int64_t pixels, int64_t number) {
  int64_t tiles = ceilDiv(p.ow, TILE);
  if (p.lineParts == 1)
    return {0, tiles};
  return part(p.bounded ? min(tiles, ceilDiv(pixels, p.ow / tiles)) : tiles, p.lineParts, number);
}

/// The kernel. `load(from, lanes)` reads channels as f32; `finish(sums, row, col, lanes)` stores
/// the sums of consecutive rows, which are the pixels of all lines, in operand `result`.
template <int TILE, typename T, typename X, typename Finish>
TTC_INLINE void runDepthwise(const DepthwiseParams &p, void *const *operands, int64_t result,
                             int64_t workgroup, ProgramMarkers *markers, X load, Finish finish) {
  const ImageSizes in = imageSizes(p, operands);
  const ResultSizes out = resultSizes(p, operands[result + p.bounded], {p.n, p.od * p.oh, p.ow});
  Range parts =
      part(out.images * out.lines * p.lineParts, p.rowSplits, workgroup / p.channelSplits);
  Range channels = channelsOf(p, workgroup);
  TTC_NO_UNROLL
  for (int64_t at = parts.begin; at < parts.end; ++at) {
    TTC_ZONE(markers, "line");
    int64_t line = at / p.lineParts;
    Range tiles = tilesOf<TILE>(p, out.pixels, at % p.lineParts);
    int64_t n = line / out.lines, ofImage = line % out.lines, h = ofImage % p.oh,
            d = ofImage / p.oh;
    const auto *x = static_cast<const T *>(operands[0]) + n * p.id * p.ih * p.iw * p.xRow;
    const auto *w = static_cast<const float *>(operands[1]);
    Taps ofDepth = tapsOf(p, 0, d, in.d), ofHeight = tapsOf(p, 1, h, in.h);
    int64_t row = (n * p.od * p.oh + ofImage) * p.ow;
    auto run = [&](int64_t c, int64_t lanes) __attribute__((always_inline)) {
      DepthwiseLine<T, X, Finish> l = {x + c,    w + c, row,        c,       lanes, ofDepth,
                                       ofHeight, in.w,  out.pixels, markers, load,  finish};
      runLine<TILE>(l, p, tiles);
    };
    forChannels(p, channels.begin, channels.end, run);
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_DEPTHWISELOOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_int_depthwise_dot: depthwise convolution of bytes, four rows of a window's column as
// one dot product. The bytes of a channel in four input rows are brought together once;
// neighbouring windows and, with windows of three rows, two output lines share them.
#include "kernels/Budgets.h"
#include "kernels/IntKernel.h"
#include "kernels/Windows.h"

using namespace ttc::kernels;

namespace {

/// The most quads and columns of a window (Budgets.h).
constexpr int kQuads = kDotRows / 4;

/// A part of one or two output lines, for one vector of channels.
struct Strip {
  // The input rows of the quads; one that is clipped is any other.
  const uint8_t *rows[kDotRows];
  uint8_t *out;
  int64_t row, col, lanes;
  // Pixels of an input line that count, and of an output line.
  int64_t width, pixels;
  // For each output line, column of the window and quad: weights, zeros where rows are clipped.
  vi w[2][kDotColumns][kQuads];
};

typedef uint8_t bytes16 __attribute__((ext_vector_type(16)));
typedef uint8_t bytes32 __attribute__((ext_vector_type(32)));
typedef uint8_t bytes64 __attribute__((ext_vector_type(64)));

/// The bytes at `offset` of four rows; those of a channel are one word.
TTC_INLINE vi loadQuad(const uint8_t *const *rows, int64_t offset, int64_t lanes) {
  vb a = loadBytes(rows[0] + offset, lanes), b = loadBytes(rows[1] + offset, lanes);
  vb c = loadBytes(rows[2] + offset, lanes), d = loadBytes(rows[3] + offset, lanes);
#if VL == 16
  bytes32 ab =
      __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                              18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  bytes32 cd =
      __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                              18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  bytes64 quads = __builtin_shufflevector(
      ab, cd, 0, 16, 32, 48, 1, 17, 33, 49, 2, 18, 34, 50, 3, 19, 35, 51, 4, 20, 36, 52, 5, 21, 37,
      53, 6, 22, 38, 54, 7, 23, 39, 55, 8, 24, 40, 56, 9, 25, 41, 57, 10, 26, 42, 58, 11, 27, 43,
      59, 12, 28, 44, 60, 13, 29, 45, 61, 14, 30, 46, 62, 15, 31, 47, 63);
#else
  bytes16 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  bytes16 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  bytes32 quads =
      __builtin_shufflevector(ab, cd, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23, 8, 9,
                              24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
#endif
  return __builtin_bit_cast(vi, quads);
}

/// WT pixels of R output lines from pixel `ow` on. `clipped`: columns may lie outside of the input.
template <int R, int WT>
TTC_INLINE void runPixels(const Strip &s, const IntDepthwiseParams &params, int64_t ow,
                          bool clipped, void *const *operands, int_epilogue_t epilogue) {
  const DepthwiseParams &p = params.windows;
  int64_t quads = ceilDiv((R - 1) * p.stride[1] + p.kernel[1], 4);
  vi zeros = (vi)(static_cast<int32_t>(params.xZero) * 0x01010101);
  vi acc[R][WT];
  TTC_UNROLL
  for (int r = 0; r < R; ++r) {
    // Less the zero point times the sum of the weights.
    vi first = (vi)0;
    TTC_UNROLL
    for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
      TTC_UNROLL
      for (int64_t q = 0; q < quads; ++q)
        first = dot4(params.dot, first, zeros, s.w[r][kw][q]);
    }
    TTC_UNROLL
    for (int i = 0; i < WT; ++i)
      acc[r][i] = -first;
  }
  int64_t iw = ow * p.stride[2] - p.padBegin[2];
  TTC_UNROLL
  for (int64_t column = 0; column < (WT - 1) * p.stride[2] + (p.kernel[2] - 1) * p.dilation[2] + 1;
       ++column) {
    TTC_UNROLL
    for (int64_t q = 0; q < quads; ++q) {
      vi quad = zeros;
      if (!clipped || (iw + column >= 0 && iw + column < s.width))
        quad = loadQuad(s.rows + q * 4, (iw + column) * p.xRow, s.lanes);
      TTC_UNROLL
      for (int i = 0; i < WT; ++i) {
        int64_t distance = column - i * p.stride[2], kw = distance / p.dilation[2];
        if (distance < 0 || distance % p.dilation[2] != 0 || kw >= p.kernel[2])
          continue;
        TTC_UNROLL
        for (int r = 0; r < R; ++r)
          acc[r][i] = dot4(params.dot, acc[r][i], quad, s.w[r][kw][q]);
      }
    }
  }
  alignas(64) int32_t buffer[R * WT * VL];
  TTC_UNROLL
  for (int r = 0; r < R; ++r) {
    TTC_UNROLL
    for (int i = 0; i < WT; ++i)
      *reinterpret_cast<viu *>(buffer + (r * WT + i) * VL) = acc[r][i];
  }
  releaseVectors();
  int64_t step = p.outRow * params.storedBytes;
  TTC_NO_UNROLL
  for (int r = 0; r < R; ++r) {
    int64_t pixel = r * p.ow + ow;
    IntColumn column = {s.out + pixel * step, step,  params.storedBytes,
                        s.row + pixel,        s.col, s.lanes};
    finishRows(column, WT, operands, epilogue, [&](int64_t i) __attribute__((always_inline)) {
      return *reinterpret_cast<const viu *>(buffer + (r * WT + i) * VL);
    });
  }
}

template <int R, int WT>
TTC_INLINE void runLine(const Strip &s, const IntDepthwiseParams &params, void *const *operands,
                        int_epilogue_t epilogue) {
  const DepthwiseParams &p = params.windows;
  int64_t window = (p.kernel[2] - 1) * p.dilation[2];
  int64_t ow = 0;
  TTC_NO_UNROLL
  for (; ow + WT <= p.ow && ow < s.pixels; ow += WT) {
    int64_t iw = ow * p.stride[2] - p.padBegin[2];
    if (iw >= 0 && iw + (WT - 1) * p.stride[2] + window < s.width)
      runPixels<R, WT>(s, params, ow, false, operands, epilogue);
    else
      runPixels<R, WT>(s, params, ow, true, operands, epilogue);
  }
  if (p.ow % WT != 0) {
    TTC_NO_UNROLL
    for (; ow < s.pixels; ++ow)
      runPixels<R, 1>(s, params, ow, true, operands, epilogue);
  }
}

/// R output lines from `line` on, which are in one image, for the channels from `c` on.
template <int R>
TTC_INLINE void runLines(const IntDepthwiseParams &params, const ImageSizes &in, int64_t pixels,
                         int64_t line, int64_t c, int64_t lanes, void *const *operands,
                         int_epilogue_t epilogue) {
  const DepthwiseParams &p = params.windows;
  int64_t h = line % p.oh, n = line / p.oh, ih = h * p.stride[1] - p.padBegin[1];
  const auto *x = static_cast<const uint8_t *>(operands[0]) + n * p.ih * p.iw * p.xRow + c;
  const auto *w = static_cast<const int8_t *>(operands[1]) + c * 4;
  int64_t ofWindow = ceilDiv(p.kernel[1], 4);
  int64_t quads = ceilDiv((R - 1) * p.stride[1] + p.kernel[1], 4);
  Strip s;
  s.out = static_cast<uint8_t *>(operands[2 + p.numValid]) +
          (line * p.ow * p.outRow + c) * params.storedBytes;
  s.row = line * p.ow;
  s.col = c;
  s.lanes = lanes;
  s.width = in.w;
  s.pixels = pixels;
  uint32_t inside[kQuads];
  TTC_UNROLL
  for (int64_t q = 0; q < quads; ++q) {
    inside[q] = 0;
    TTC_UNROLL
    for (int64_t i = 0; i < 4; ++i) {
      int64_t from = ih + (q * 4 + i) * p.dilation[1];
      bool meets = from >= 0 && from < in.h;
      inside[q] |= meets ? 0xffu << (8 * i) : 0;
      s.rows[q * 4 + i] = x + (meets ? from : 0) * p.iw * p.xRow;
    }
  }
  TTC_UNROLL
  for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
    TTC_UNROLL
    for (int64_t q = 0; q < quads; ++q) {
      vi words = loadWords(w + (kw * ofWindow + q) * p.c * 4, lanes);
      s.w[0][kw][q] = words & (vi) static_cast<int32_t>(inside[q]);
      // The second line's window is one row further down.
      if (R == 2)
        s.w[1][kw][q] = (words << 8) & (vi) static_cast<int32_t>(inside[q]);
    }
  }
  constexpr int kTile = VL == 16 ? 8 : 4;
  // Few pixels remain of the usual widths.
  if (VL == 16 && p.ow % 8 != 0 && p.ow % 7 == 0)
    runLine<R, 7>(s, params, operands, epilogue);
  else
    runLine<R, kTile>(s, params, operands, epilogue);
}

} // namespace

TTC_KERNEL void ttc_kernel_int_depthwise_dot(void *const *operands, uint8_t *, int64_t workgroup,
                                             const int64_t *words, int_epilogue_t epilogue,
                                             ProgramMarkers *markers) {
  const IntDepthwiseParams &params = *reinterpret_cast<const IntDepthwiseParams *>(words);
  const DepthwiseParams &p = params.windows;
  const ImageSizes in = imageSizes(p, operands);
  const ResultSizes out =
      resultSizes(p, operands[2 + p.numValid + p.bounded], {p.n, p.od * p.oh, p.ow});
  int64_t together = params.linesTogether, groups = ceilDiv(out.lines, together);
  Range lines = part(out.images * groups, p.rowSplits, workgroup / p.channelSplits);
  Range channels = channelsOf(p, workgroup);
  TTC_NO_UNROLL
  for (int64_t group = lines.begin; group < lines.end; ++group) {
    TTC_ZONE(markers, "lines");
    int64_t h = group % groups * together, line = group / groups * p.oh + h;
    auto run = [&](int64_t c, int64_t lanes) __attribute__((always_inline)) {
      if (together == 2 && h + 1 < p.oh)
        runLines<2>(params, in, out.pixels, line, c, lanes, operands, epilogue);
      else
        runLines<1>(params, in, out.pixels, line, c, lanes, operands, epilogue);
    };
    forChannels(p, channels.begin, channels.end, run);
  }
}

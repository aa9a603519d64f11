// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_pool: max and average pooling, vectors over channels. x is [n, d, h, w, c].
#include "kernels/Windows.h"

using namespace ttc::kernels;

namespace {

struct Window {
  Taps d, h, w;
  float scale;
};

/// The taps of one dimension that are inside the padded input. In ceil mode the last window reaches
/// past the padding, too: that part never counts.
TTC_INLINE int64_t paddedTaps(const PoolParams &p, int dim, const Taps &taps, int64_t size) {
  return min(p.kernel[dim], ceilDiv(size + p.padEnd[dim] - taps.at, p.dilation[dim]));
}

/// Sums of more numbers than this are made of partial sums: in one chain, every addition to a large
/// sum rounds.
constexpr int64_t kTapsOfChain = 64;

/// The larger of two; NaN if one is NaN. The instruction for a maximum returns its second operand
/// where one is NaN.
TTC_INLINE vf largerOrNan(vf a, vf b) {
  const vf larger = a > b ? a : b;
  return a != a ? a : larger;
}

template <int CV>
TTC_INLINE void combine(const PoolParams &p, vf (&acc)[CV], const vf (&values)[CV]) {
  TTC_UNROLL
  for (int v = 0; v < CV; ++v)
    acc[v] = p.mode == kPoolMax ? largerOrNan(acc[v], values[v]) : acc[v] + values[v];
}

/// Combines the taps begin to end of one line.
template <int CV>
TTC_INLINE void addTaps(const PoolParams &p, vf (&acc)[CV], const float *from, int64_t begin,
                        int64_t end, int64_t lanes) {
  TTC_NO_UNROLL
  for (int64_t kw = begin; kw < end; ++kw) {
    vf values[CV];
    TTC_UNROLL
    for (int v = 0; v < CV; ++v) {
      const float *at = from + kw * p.dilation[2] * p.xRow + v * VL;
      values[v] = load(at, lanes);
    }
    combine<CV>(p, acc, values);
  }
}

template <int CV>
TTC_INLINE void runVectors(const PoolParams &p, const Window &win, const float *x, float *out,
                           int64_t row, int64_t col, int64_t lanes, void *const *operands,
                           epilogue_t epilogue) {
  vf acc[CV];
  TTC_UNROLL
  for (int v = 0; v < CV; ++v)
    acc[v] = (vf)(p.mode == kPoolMax ? -__builtin_inff() : 0.0f);
  TTC_NO_UNROLL
  for (int64_t kd = win.d.begin; kd < win.d.end; ++kd) {
    TTC_NO_UNROLL
    for (int64_t kh = win.h.begin; kh < win.h.end; ++kh) {
      int64_t line = (win.d.at + kd * p.dilation[0]) * p.ih + win.h.at + kh * p.dilation[1];
      const float *from = x + (line * p.iw + win.w.at) * p.xRow + col;
      if (p.mode == kPoolMax || p.kernel[0] * p.kernel[1] * p.kernel[2] <= kTapsOfChain) {
        addTaps<CV>(p, acc, from, win.w.begin, win.w.end, lanes);
        continue;
      }
      TTC_NO_UNROLL
      for (int64_t kw = win.w.begin; kw < win.w.end; kw += kTapsOfChain) {
        vf part[CV] = {};
        addTaps<CV>(p, part, from, kw, min(kw + kTapsOfChain, win.w.end), lanes);
        combine<CV>(p, acc, part);
      }
    }
  }
  TTC_UNROLL
  for (int v = 0; v < CV; ++v) {
    vf value = p.mode == kPoolMax ? acc[v] : acc[v] * (vf)win.scale;
    value = epilogue(value, row, col + v * VL, lanes, operands);
    storeResult(out + col + v * VL, value, lanes);
  }
}

} // namespace

TTC_KERNEL void ttc_kernel_pool(void *const *operands, uint8_t *, int64_t workgroup,
                                const int64_t *params, epilogue_t epilogue,
                                ProgramMarkers *markers) {
  const PoolParams &p = *reinterpret_cast<const PoolParams *>(params);
  const ImageSizes in = imageSizes(p, operands);
  const int64_t resultAt = 1 + p.numValid;
  const ResultSizes results =
      resultSizes(p, operands[resultAt + p.bounded], {p.n, p.od * p.oh, p.ow});
  Range lines = part(results.images * results.lines, p.rowSplits, workgroup / p.channelSplits);
  Range channels = channelsOf(p, workgroup);
  TTC_NO_UNROLL
  for (int64_t line = lines.begin; line < lines.end; ++line) {
    TTC_ZONE(markers, "line");
    int64_t n = line / results.lines, ofImage = line % results.lines;
    int64_t h = ofImage % p.oh, d = ofImage / p.oh;
    Window win;
    win.d = tapsOf(p, 0, d, in.d);
    win.h = tapsOf(p, 1, h, in.h);
    const auto *x = static_cast<const float *>(operands[0]) + n * p.id * p.ih * p.iw * p.xRow;
    TTC_NO_UNROLL
    for (int64_t w = 0; w < results.pixels; ++w) {
      win.w = tapsOf(p, 2, w, in.w);
      int64_t count = p.countPad ? paddedTaps(p, 0, win.d, p.id) * paddedTaps(p, 1, win.h, p.ih) *
                                       paddedTaps(p, 2, win.w, p.iw)
                                 : (win.d.end - win.d.begin) * (win.h.end - win.h.begin) *
                                       (win.w.end - win.w.begin);
      win.scale = 1.0f / static_cast<float>(count);
      int64_t row = (n * p.od * p.oh + ofImage) * p.ow + w;
      auto *out = static_cast<float *>(operands[resultAt]) + row * p.outRow;
      int64_t c = channels.begin;
      // Four vectors at a time: one alone would wait for each sum's latency.
      TTC_NO_UNROLL
      for (; c + 4 * VL <= channels.end; c += 4 * VL)
        runVectors<4>(p, win, x, out, row, c, VL, operands, epilogue);
      forChannels(p, c, channels.end,
                  [&](int64_t col, int64_t lanes) __attribute__((always_inline)) {
                    runVectors<1>(p, win, x, out, row, col, lanes, operands, epilogue);
                  });
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a convolution's window becomes pointers to bytes; as GemmRows.h does for f32.
#ifndef TTC_KERNELS_INTROWS_H
#define TTC_KERNELS_INTROWS_H

#include "kernels/GemmRows.h"
#include "kernels/IntKernel.h"

namespace ttc::kernels {

TTC_INLINE void fillBytes(uint8_t *to, int64_t count, int64_t value) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<uint8_t>(value);
}

/// One pointer for each row of [begin, end) and tap; padding points at bytes of its value, `zero`.
TTC_INLINE void buildByteTable(const IntGemmParams &params, int64_t zero, const uint8_t *a,
                               int64_t begin, int64_t end, uint8_t *scratch) {
  const GemmParams &p = params.loops;
  uint8_t *zeros = scratch + p.zeroAt;
  fillBytes(zeros, p.c * p.groups, zero);
  auto **table = reinterpret_cast<const uint8_t **>(scratch + p.tableAt);
  int64_t w = begin % p.ow, line = begin / p.ow;
  int64_t h = line % p.oh, plane = line / p.oh, d = plane % p.od, n = plane / p.od;
  TTC_NO_UNROLL
  for (int64_t row = begin; row < end; ++row) {
    TTC_NO_UNROLL
    for (int64_t kd = 0; kd < p.kernel[0]; ++kd) {
      int64_t id = inputIndex(p, 0, d, kd, p.id);
      TTC_NO_UNROLL
      for (int64_t kh = 0; kh < p.kernel[1]; ++kh) {
        int64_t ih = inputIndex(p, 1, h, kh, p.ih);
        const uint8_t *from = a + n * p.aN + id * p.aD + ih * p.aH;
        TTC_NO_UNROLL
        for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
          int64_t iw = inputIndex(p, 2, w, kw, p.iw);
          // One test for all three: -1 has the sign bit.
          *table++ = (id | ih | iw) < 0 ? zeros : from + iw * p.aW;
        }
      }
    }
    if (++w == p.ow) {
      w = 0;
      if (++h == p.oh) {
        h = 0;
        if (++d == p.od) {
          d = 0;
          ++n;
        }
      }
    }
  }
}

/// Few channels: copies the input lines of the rows [begin, end) with their padding, and makes the
/// table point at kw * c consecutive bytes for each (row, kh). Line numbers run through all images.
TTC_INLINE void copyByteLines(const IntGemmParams &params, int64_t zero, const uint8_t *a,
                              int64_t begin, int64_t end, uint8_t *scratch) {
  const GemmParams &p = params.loops;
  uint8_t *copy = scratch + p.copyAt;
  auto **table = reinterpret_cast<const uint8_t **>(scratch + p.tableAt);
  int64_t width = ((p.ow - 1) * p.stride[2] + p.kernel[2]) * p.c;
  int64_t window = (p.kernel[1] - 1) * p.dilation[1] + 1;
  int64_t padded = (p.oh - 1) * p.stride[1] + window;
  auto lineOf = [&](int64_t row) __attribute__((always_inline)) {
    int64_t outLine = row / p.ow;
    return outLine / p.oh * padded + outLine % p.oh * p.stride[1];
  };
  int64_t first = lineOf(begin), last = lineOf(end - 1) + window;
  int64_t left = min(max<int64_t>(p.padBegin[2], 0) * p.c, width);
  int64_t skip = max<int64_t>(-p.padBegin[2], 0) * p.c;
  int64_t middle = max<int64_t>(min(p.iw * p.c - skip, width - left), 0);
  TTC_NO_UNROLL
  for (int64_t line = first; line < last; ++line) {
    uint8_t *to = copy + (line - first) * width;
    int64_t ih = line % padded - p.padBegin[1];
    if (ih < 0 || ih >= p.ih) {
      fillBytes(to, width, zero);
      continue;
    }
    const uint8_t *from = a + line / padded * p.aN + ih * p.aH + skip;
    fillBytes(to, left, zero);
    for (int64_t i = 0; i < middle; ++i)
      to[left + i] = from[i];
    fillBytes(to + left + middle, width - left - middle, zero);
  }
  TTC_NO_UNROLL
  for (int64_t row = begin; row < end; ++row) {
    const uint8_t *from = copy + (lineOf(row) - first) * width + row % p.ow * p.stride[2] * p.c;
    TTC_NO_UNROLL
    for (int64_t kh = 0; kh < p.kernel[1]; ++kh)
      *table++ = from + kh * p.dilation[1] * width;
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_INTROWS_H

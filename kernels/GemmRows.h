// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a convolution's window becomes row pointers, and a run-time matrix a packed panel.
#ifndef TTC_KERNELS_GEMMROWS_H
#define TTC_KERNELS_GEMMROWS_H

#include "kernels/Kernel.h"

namespace ttc::kernels {

/// The input index of an output index and a tap along one dimension; -1 where it is padding or
/// falls between the elements of a dilated input.
TTC_INLINE int64_t inputIndex(const GemmParams &p, int dim, int64_t out, int64_t tap,
                              int64_t size) {
  int64_t at = out * p.stride[dim] - p.padBegin[dim] + tap * p.dilation[dim];
  int64_t index = at / p.inputDilation[dim];
  if (at < 0 || index >= size || index * p.inputDilation[dim] != at)
    return -1;
  return index;
}

template <typename T> TTC_INLINE void fill(T *to, int64_t count, T value) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = value;
}

/// One pointer for each row of [begin, end) and tap; padding points at elements of its value.
template <typename T>
TTC_INLINE void buildTable(const GemmParams &p, T padding, const T *a, int64_t begin, int64_t end,
                           uint8_t *scratch) {
  auto *outside = reinterpret_cast<T *>(scratch + p.zeroAt);
  TTC_NO_UNROLL
  for (int64_t i = 0; i < p.c * p.groups; ++i)
    outside[i] = padding;
  auto **table = reinterpret_cast<const T **>(scratch + p.tableAt);
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
        const T *from = a + n * p.aN + id * p.aD + ih * p.aH;
        TTC_NO_UNROLL
        for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
          int64_t iw = inputIndex(p, 2, w, kw, p.iw);
          // One test for all three: -1 has the sign bit.
          *table++ = (id | ih | iw) < 0 ? outside : from + iw * p.aW;
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

/// `count` pixels whose channels lie in planes, channels last.
template <typename T>
TTC_INLINE void interleave(const GemmParams &p, const T *from, int64_t count, T *to) {
  for (int64_t i = 0; i < count; ++i) {
    TTC_UNROLL
    for (int64_t c = 0; c < p.c; ++c)
      to[i * p.c + c] = from[i * p.aW + c * p.aC];
  }
}

/// Few channels: copies the input lines of the rows [begin, end) with their padding, and makes the
/// table point at kw * c consecutive values for each (row, kh). Line numbers run through all
/// images. Channels that lie in planes are interleaved.
template <typename T>
TTC_INLINE void copyLines(const GemmParams &p, T padding, const T *a, int64_t begin, int64_t end,
                          uint8_t *scratch) {
  auto *copy = reinterpret_cast<T *>(scratch + p.copyAt);
  auto **table = reinterpret_cast<const T **>(scratch + p.tableAt);
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
    T *to = copy + (line - first) * width;
    int64_t ih = line % padded - p.padBegin[1];
    const T *from = a + line / padded * p.aN + ih * p.aH + skip / p.c * p.aW;
    bool inside = ih >= 0 && ih < p.ih;
    fill(to, left, padding);
    if (p.aC == 1)
      for (int64_t i = 0; i < middle; ++i)
        to[left + i] = inside ? from[i] : padding;
    else if (inside)
      interleave(p, from, middle / p.c, to + left);
    else
      fill(to + left, middle, padding);
    fill(to + left + middle, width - left - middle, padding);
  }
  // Counted on from row to row: divisions took longer than the copies.
  int64_t w = begin % p.ow, h = begin / p.ow % p.oh;
  const T *line = copy;
  TTC_NO_UNROLL
  for (int64_t row = begin; row < end; ++row) {
    const T *from = line + w * p.stride[2] * p.c;
    TTC_NO_UNROLL
    for (int64_t kh = 0; kh < p.kernel[1]; ++kh)
      *table++ = from + kh * p.dilation[1] * width;
    if (++w == p.ow) {
      w = 0;
      bool isLast = ++h == p.oh;
      line += (isLast ? padded - (p.oh - 1) * p.stride[1] : p.stride[1]) * width;
      h = isLast ? 0 : h;
    }
  }
}

/// Eight rows of eight to eight columns: three stages of shuffles.
TTC_INLINE void transpose8(v8 (&m)[8]) {
  v8 t[8];
  TTC_UNROLL
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  v8 u[8];
  TTC_UNROLL
  for (int i = 0; i < 2; ++i) {
    TTC_UNROLL
    for (int j = 0; j < 2; ++j) {
      v8 x = t[4 * i + j], y = t[4 * i + 2 + j];
      u[4 * i + j] = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
      u[4 * i + 2 + j] = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  TTC_UNROLL
  for (int j = 0; j < 4; ++j) {
    m[j] = __builtin_shufflevector(u[j], u[4 + j], 0, 1, 2, 3, 8, 9, 10, 11);
    m[4 + j] = __builtin_shufflevector(u[j], u[4 + j], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// Columns [col, col + valid) of a strided B as one panel of nr columns, the rest zeros.
TTC_INLINE void packPanel(const GemmParams &p, const float *b, int64_t col, int64_t valid,
                          float *panel) {
  int64_t depth = p.c;
  const float *from = b + col * p.bN;
  int64_t k = 0;
  // B is transposed (attention's keys): blocks of 8 x 8, a third of the time of single elements.
  if (p.bK == 1 && p.bN != 1) {
    TTC_NO_UNROLL
    for (; k + 8 <= depth; k += 8) {
      TTC_NO_UNROLL
      for (int64_t j = 0; j < p.nr; j += 8) {
        v8 m[8];
        TTC_UNROLL
        for (int i = 0; i < 8; ++i)
          m[i] = j + i < valid ? (v8) * reinterpret_cast<const v8u *>(from + (j + i) * p.bN + k)
                               : (v8)0.0f;
        transpose8(m);
        TTC_UNROLL
        for (int i = 0; i < 8; ++i)
          *reinterpret_cast<v8u *>(panel + (k + i) * p.nr + j) = m[i];
      }
    }
  }
  TTC_NO_UNROLL
  for (; k < depth; ++k) {
    const float *row = from + k * p.bK;
    float *to = panel + k * p.nr;
    if (p.bN == 1 && valid == p.nr) {
      for (int64_t j = 0; j < p.nr; j += 8)
        *reinterpret_cast<v8u *>(to + j) = *reinterpret_cast<const v8u *>(row + j);
    } else {
      TTC_NO_UNROLL
      for (int64_t j = 0; j < p.nr; ++j)
        to[j] = j < valid ? row[j * p.bN] : 0.0f;
    }
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_GEMMROWS_H

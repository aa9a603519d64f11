// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of prepared rows with a group of 16 rows of weights in blocks.
//
// Rows of x are digits of 8 bits, which are multiplied by the stored integers of 32 columns
// exactly; one digit holds a quantised activation, three hold an f32. A group of w is unpacked in
// registers. One row of x, or a few, are multiplied with it at the speed of memory; many rows share
// what is unpacked, and their sums wait in L1. Formats without blocks are multiplied as a matrix of
// floats.
#ifndef TTC_KERNELS_BLOCKPRODUCTS_H
#define TTC_KERNELS_BLOCKPRODUCTS_H

#include "kernels/BlockRows.h"
#include "kernels/GemmTile.h"

namespace ttc::kernels {

/// The most rows of x whose sums stay in registers over all columns.
inline constexpr int64_t kRowsInRegisters = 4;

/// Prepared rows of x.
struct Rows {
  const int8_t *bytes;
  const PartDigit *digits;
  const float *floats;
  // For a group of weights as f32.
  float *panel;
  int64_t count;
  // All of them, if their sums stay in registers; else 0.
  int64_t inRegisters;
};

/// Calls `run` for each 32 columns of a group with the block's first byte, the part's first byte
/// and its number.
template <int64_t FORMAT, typename Run>
TTC_INLINE void forParts(const BlockMatmulParams &p, const uint8_t *group, Run run) {
  constexpr BlockLayout layout = getBlockLayout(FORMAT);
  constexpr int64_t parts = layout.columns / kBlockColumns;
  TTC_NO_UNROLL
  for (int64_t block = 0; block < p.k / layout.columns; ++block) {
    const uint8_t *from = group + block * getPackedBlockBytes(FORMAT);
    TTC_NO_UNROLL
    for (int64_t i = 0; i < parts; ++i)
      run(from, from + layout.header + i * layout.part, block * parts + i);
  }
}

/// The sums of COUNT rows of x with a group.
template <int64_t FORMAT, int COUNT>
TTC_INLINE void multiplyInRegisters(const BlockMatmulParams &p, const uint8_t *group,
                                    const Rows &rows, float *sums) {
  constexpr int64_t ahead = 16 * 320;
  vf acc[kHalves][COUNT];
  TTC_UNROLL
  for (int h = 0; h < kHalves; ++h) {
    TTC_UNROLL
    for (int r = 0; r < COUNT; ++r)
      acc[h][r] = (vf)0.0f;
  }
  forParts<FORMAT>(
      p, group,
      [&](const uint8_t *block, const uint8_t *part, int64_t index) __attribute__((always_inline)) {
        TTC_UNROLL
        for (int64_t line = 0; line < getBlockLayout(FORMAT).part; line += 64)
          __builtin_prefetch(part + ahead + line, 0, 3);
        const int8_t *bytes = rows.bytes + index * p.blockRows * p.digits * kBlockColumns;
        const int64_t step = getPartDigits(FORMAT, p.digits);
        const PartDigit *digits = rows.digits + index * p.blockRows * step;
        TTC_UNROLL
        for (int h = 0; h < kHalves; ++h) {
          vi words[8];
          unpackWords<FORMAT>(part, h, p.dot, words);
          PartScales scales = loadScales<FORMAT>(block, part, h);
          TTC_UNROLL
          for (int r = 0; r < COUNT; ++r)
            acc[h][r] =
                multiplyPart<FORMAT>(acc[h][r], words, scales, p.dot, p.digits,
                                     bytes + r * p.digits * kBlockColumns, digits + r * step);
        }
      });
  TTC_UNROLL
  for (int h = 0; h < kHalves; ++h) {
    TTC_UNROLL
    for (int r = 0; r < COUNT; ++r)
      store(sums + r * kBlockRows + h * VL, acc[h][r]);
  }
}

/// The sums of many rows of x with a group.
template <int64_t FORMAT>
TTC_INLINE void multiplyInMemory(const BlockMatmulParams &p, const uint8_t *group, const Rows &rows,
                                 float *sums) {
  TTC_NO_UNROLL
  for (int64_t i = 0; i < rows.count * kBlockRows; i += VL)
    store(sums + i, (vf)0.0f);
  forParts<FORMAT>(
      p, group,
      [&](const uint8_t *block, const uint8_t *part, int64_t index) __attribute__((always_inline)) {
        TTC_UNROLL
        for (int h = 0; h < kHalves; ++h) {
          vi words[8];
          unpackWords<FORMAT>(part, h, p.dot, words);
          PartScales scales = loadScales<FORMAT>(block, part, h);
          const int8_t *bytes = rows.bytes + index * p.blockRows * p.digits * kBlockColumns;
          const int64_t step = getPartDigits(FORMAT, p.digits);
          const PartDigit *digits = rows.digits + index * p.blockRows * step;
          float *to = sums + h * VL;
          TTC_NO_UNROLL
          for (int64_t r = 0; r < rows.count; ++r) {
            store(to,
                  multiplyPart<FORMAT>(load(to), words, scales, p.dot, p.digits, bytes, digits));
            to += kBlockRows;
            bytes += p.digits * kBlockColumns;
            digits += step;
          }
        }
      });
}

/// The rows of x whose sums with a group of floats stay in registers.
inline constexpr int kFloatRows = VL == 16 ? 14 : 6;

/// The sums of all rows with a group: as many as fit at a time, then fewer. By f32, a row has the
/// same bits whatever rows are beside it: the scores of experts do not depend on other sequences.
/// One row of f16 would take longer than reading its weights, if it were summed in that order.
template <typename T, int COUNT = kFloatRows>
TTC_INLINE void multiplyFloats(const BlockMatmulParams &p, const T *group, const Rows &rows,
                               float *sums, int64_t row = 0) {
  TTC_NO_UNROLL
  for (; row + COUNT <= rows.count; row += COUNT) {
    vf tile[COUNT][kHalves];
    multiplyPanel<COUNT, kHalves, kHalves != 1, __is_same(T, float) ? kFloatRows : COUNT>(
        tile, rows.floats + row * p.k, p.k, 1, group, kBlockRows, p.k);
    storeRows(sums + row * kBlockRows, kBlockRows, tile);
  }
  if constexpr (COUNT > 1)
    multiplyFloats<T, (COUNT > 8 ? 8 : COUNT > 4 ? 4 : COUNT / 2)>(p, group, rows, sums, row);
}

/// A group as f32: [column][16].
template <int64_t FORMAT>
TTC_INLINE void unpackPanel(const BlockMatmulParams &p, const uint8_t *group, float *panel) {
  forParts<FORMAT>(
      p, group,
      [&](const uint8_t *block, const uint8_t *part, int64_t index) __attribute__((always_inline)) {
        TTC_UNROLL
        for (int h = 0; h < kHalves; ++h) {
          vi words[8];
          // Tables are read by the instruction for it, if there is one.
          const int64_t dot = hasTable(FORMAT) ? p.dot : kDotPlain;
          unpackWords<FORMAT>(part, h, dot, words);
          PartScales s = loadScales<FORMAT>(block, part, h, /*centred=*/false);
          float *to = panel + index * kBlockColumns * kBlockRows + h * VL;
          TTC_UNROLL
          for (int k = 0; k < kBlockColumns; ++k) {
            vf scale = s.scale[k / 16];
            // An offset times the scale is exact, and so is the sum.
            vf minimum = hasMinima(FORMAT)
                             ? s.minimum[k / 16]
                             : scale * (vf) static_cast<float>(-getCentre(FORMAT, kDotPlain));
            vi stored = (vi)((vw)words[k / 4] >> (k % 4 * 8u) & 255u);
            if (hasTable(FORMAT)) {
              // But a scale of mxfp4 can be so large that an offset times it is infinite.
              const auto centre = static_cast<int32_t>(getCentre(FORMAT, dot));
              vi number = centre == 0 ? stored << 24 >> 24 : stored - (vi)centre;
              store(to + k * kBlockRows, __builtin_convertvector(number, vf) * scale);
              continue;
            }
            store(to + k * kBlockRows, __builtin_convertvector(stored, vf) * scale + minimum);
          }
        }
      });
}

template <int64_t FORMAT>
TTC_INLINE void multiplyBlocks(const BlockMatmulParams &p, const uint8_t *group, const Rows &rows,
                               float *sums) {
  if (p.digits == 0) {
    unpackPanel<FORMAT>(p, group, rows.panel);
    multiplyFloats(p, static_cast<const float *>(rows.panel), rows, sums);
    return;
  }
  switch (rows.inRegisters) {
  case 1:
    return multiplyInRegisters<FORMAT, 1>(p, group, rows, sums);
  case 2:
    return multiplyInRegisters<FORMAT, 2>(p, group, rows, sums);
  case 3:
    return multiplyInRegisters<FORMAT, 3>(p, group, rows, sums);
  case kRowsInRegisters:
    return multiplyInRegisters<FORMAT, kRowsInRegisters>(p, group, rows, sums);
  }
  multiplyInMemory<FORMAT>(p, group, rows, sums);
}

/// The sums of the rows of x with a group of w. The format is constant once inlined.
TTC_INLINE void multiplyGroup(const BlockMatmulParams &p, const uint8_t *group, const Rows &rows,
                              float *sums) {
  switch (p.format) {
  case kBlockF32:
    return multiplyFloats(p, reinterpret_cast<const float *>(group), rows, sums);
  case kBlockF16:
    return multiplyFloats(p, reinterpret_cast<const f16 *>(group), rows, sums);
  case kBlockBF16:
    return multiplyFloats(p, reinterpret_cast<const bf16 *>(group), rows, sums);
#define TTC_CASE(FORMAT)                                                                           \
  case FORMAT:                                                                                     \
    return multiplyBlocks<FORMAT>(p, group, rows, sums);
    TTC_FOR_BLOCK_FORMATS(TTC_CASE)
#undef TTC_CASE
  }
}

/// x / (1 + exp(-x)), without overflow.
TTC_INLINE vf silu(vf x) {
  vf tail = expOfNegative(-__builtin_elementwise_abs(x));
  vf upper = x < (vf)0.0f ? tail : (vf)1.0f;
  return x * upper / ((vf)1.0f + tail);
}

/// Zeros in the columns of `units` of these rows.
TTC_INLINE void clearRows(const BlockMatmulParams &p, float *out, Range rows, Range units) {
  const int64_t begin = units.begin * kBlockRows, end = min(p.n, units.end * kBlockRows);
  TTC_NO_UNROLL
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    TTC_NO_UNROLL
    for (int64_t col = begin; col < end; col += VL)
      storeResult(out + row * p.n + col, (vf)0.0f, min<int64_t>(VL, end - col));
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_BLOCKPRODUCTS_H

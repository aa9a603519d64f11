// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_attention: softmax(scale * Q K + mask) V, of which the scores never leave the scratch.
//
// A workgroup owns heads (elements of the batch), or row tiles of one. It packs K and V of a head
// once, as panels. Then a block of row tiles is multiplied with all panels of K. Its scores, which
// stay in L1 or L2, become exp(score - maximum of the row), and are multiplied with all panels of
// V. The sums of the rows divide the results, because these are fewer than the scores.
#include "kernels/Exp.h"
#include "kernels/GemmRows.h"
#include "kernels/GemmTile.h"

using namespace ttc::kernels;

namespace {

/// The scores of MR rows and `valid` columns of a panel. Lanes beyond are -infinity, which changes
/// no maximum, and whose exp is 0.
template <int MR, int NV, bool WIDE>
TTC_INLINE void computeScores(const AttentionParams &p, const float *q, const float *panel,
                              const float *mask, int64_t valid, float *scores) {
  vf sums[MR][NV];
  multiplyPanel<MR, NV, WIDE>(sums, q, p.qRow, p.qC, panel, p.nr, p.depth);
  vf scale = (vf) __builtin_bit_cast(float, static_cast<int32_t>(p.scale));
  TTC_UNROLL
  for (int r = 0; r < MR; ++r) {
    TTC_UNROLL
    for (int v = 0; v < NV; ++v) {
      vf score = sums[r][v] * scale;
      int64_t lanes = min<int64_t>(VL, valid - v * VL);
      if (p.hasMask) {
        const float *from = mask + r * p.maskRow + v * VL;
        score = sums[r][v] * scale + load(from, lanes);
      }
      if (lanes < VL)
        score = laneNumbers() < (vi)(int32_t)lanes ? score : (vf)-__builtin_inff();
      store(scores + r * p.scoreRow + v * VL, score);
    }
  }
}

/// Rows of scores that are exponentiated together.
constexpr int kRowsAtOnce = VL == 16 ? 4 : 2;

/// ROWS rows of scores become exp(score - maximum of the row), and `inverses` the reciprocals of
/// their sums. Several rows, so that the chains of maxima and sums do not wait for themselves. With
/// `nanToZero`, rows of NaN become zeros.
template <int ROWS>
TTC_INLINE void exponentiate(float *scores, int64_t scoreRow, int64_t vectors, bool nanToZero,
                             float *inverses) {
  vf most[ROWS], sums[ROWS];
  TTC_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    most[r] = load(scores + r * scoreRow);
    sums[r] = (vf)0.0f;
  }
  TTC_NO_UNROLL
  for (int64_t v = 1; v < vectors; ++v) {
    TTC_UNROLL
    for (int r = 0; r < ROWS; ++r)
      most[r] = largerOf(most[r], load(scores + r * scoreRow + v * VL));
  }
  TTC_UNROLL
  for (int r = 0; r < ROWS; ++r)
    most[r] = maxOfLanes(most[r]);
  TTC_NO_UNROLL
  for (int64_t v = 0; v < vectors; ++v) {
    TTC_UNROLL
    for (int r = 0; r < ROWS; ++r) {
      vf value = expOfNegative(load(scores + r * scoreRow + v * VL) - most[r]);
      store(scores + r * scoreRow + v * VL, value);
      sums[r] += value;
    }
  }
  TTC_UNROLL
  for (int r = 0; r < ROWS; ++r)
    inverses[r] = ((vf)1.0f / sumOfLanes(sums[r]))[0];
  if (!nanToZero)
    return;
  // One NaN makes the sum NaN, and so all weights of its row.
  TTC_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    if (inverses[r] == inverses[r])
      continue;
    inverses[r] = 1.0f;
    TTC_NO_UNROLL
    for (int64_t v = 0; v < vectors; ++v)
      store(scores + r * scoreRow + v * VL, (vf)0.0f);
  }
}

/// The results of MR rows and `valid` columns of a panel of V.
template <int MR, int NV, bool WIDE>
TTC_INLINE void computeResults(const AttentionParams &p, const float *scores, const float *inverses,
                               const float *panel, int64_t cols, int64_t valid, float *out,
                               int64_t skip, int64_t rows, int64_t row, int64_t col,
                               void *const *operands, epilogue_t epilogue) {
  vf sums[MR][NV];
  multiplyPanel<MR, NV, WIDE>(sums, scores, p.scoreRow, 1, panel, p.nr, cols);
  alignas(64) float buffer[MR * NV * VL];
  TTC_UNROLL
  for (int r = 0; r < MR; ++r) {
    TTC_UNROLL
    for (int v = 0; v < NV; ++v)
      store(buffer + (r * NV + v) * VL, sums[r][v] * (vf)inverses[r]);
  }
  ttc_kernel_store_tile(buffer + (p.bounded ? skip * NV * VL : 0), p.bounded ? rows : MR, NV, valid,
                        out, p.outRow, row, p.outRow / p.outPitch, col, operands, epilogue);
}

/// Calls `run` with the rows of a tile, the vectors of a panel that are used, and whether whole
/// panels have more than one, as constants.
template <typename Run>
TTC_INLINE void withSizes(int64_t rows, int64_t columns, int64_t nr, Run run) {
  switch (rows) {
#define TTC_CASE(MR)                                                                               \
  case MR:                                                                                         \
    if (nr == VL)                                                                                  \
      run.template operator()<MR, 1, false>();                                                     \
    else if (columns <= VL)                                                                        \
      run.template operator()<MR, 1, true>();                                                      \
    else                                                                                           \
      run.template operator()<MR, 2, true>();                                                      \
    return;
    TTC_FOR_ROWS(TTC_CASE)
#undef TTC_CASE
  }
  __builtin_unreachable();
}

/// A strided matrix of `depth` x `columns` as panels.
TTC_INLINE void packMatrix(const float *from, int64_t rowStride, int64_t colStride, int64_t depth,
                           int64_t columns, int64_t nr, float *to) {
  GemmParams g{};
  g.c = depth;
  g.bK = rowStride;
  g.bN = colStride;
  g.nr = nr;
  int64_t panels = ceilDiv(columns, nr), rest = columns - (panels - 1) * nr;
  TTC_NO_UNROLL
  for (int64_t panel = 0; panel < panels - 1; ++panel)
    packPanel(g, from, panel * nr, nr, to + panel * depth * nr);
  packPanel(g, from, (panels - 1) * nr, rest, to + (panels - 1) * depth * nr);
}

/// One head's row tiles [begin, end), and the keys and rows that count.
struct Head {
  const float *q, *mask;
  float *out;
  int64_t outBase;
  int64_t cols, rows;
};

TTC_INLINE void runBlock(const AttentionParams &p, const Head &head, int64_t begin, int64_t end,
                         uint8_t *scratch, void *const *operands, epilogue_t epilogue,
                         ProgramMarkers *markers) {
  const auto *keys = reinterpret_cast<const float *>(scratch + p.keysAt);
  const auto *values = reinterpret_cast<const float *>(scratch + p.valuesAt);
  auto *scores = reinterpret_cast<float *>(scratch + p.scoresAt);
  auto *inverses = reinterpret_cast<float *>(scratch + p.inversesAt);
  int64_t tiles = ceilDiv(p.rows, p.mr);
  int64_t height = p.rows / tiles, taller = p.rows % tiles;
  // With bounds, tiles have all rows that they can, or half of them if that suffices: the last one.
  int64_t most = min(p.mr, p.rows), half = ceilDiv(most, 2);
  auto isTall = [&](int64_t tile) __attribute__((always_inline)) {
    return p.bounded ? head.rows - tile * most > half : taller != 0 && tile < taller;
  };
  auto rowOf = [&](int64_t tile) __attribute__((always_inline)) {
    return p.bounded ? tile * most : tile * height + min(tile, taller);
  };
  int64_t first = rowOf(begin);
  int64_t last = p.bounded ? rowOf(end - 1) + (isTall(end - 1) ? most : half) : rowOf(end);
  // Both counts of columns are constant, and so are both heights. A tile has its rows from `row`
  // on, and those from `row` + `skip` on count.
  auto forTiles = [&](int64_t columns, auto run) __attribute__((always_inline)) {
    TTC_NO_UNROLL
    for (int64_t tile = begin; tile < end; ++tile) {
      int64_t from = rowOf(tile), row = from;
      if (p.bounded)
        row = min(row, p.rows - (isTall(tile) ? most : half));
      auto runTile = [&]<int MR, int NV, bool WIDE>() __attribute__((always_inline)) {
        run.template operator()<MR, NV, WIDE>(row, from - row, from - first);
      };
      if (isTall(tile))
        withSizes(p.bounded ? most : height + 1, columns, p.nr, runTile);
      else
        withSizes(p.bounded ? half : height, columns, p.nr, runTile);
    }
  };
  // Two vectors of a panel at a time: all of it, but for a wide panel on a narrow CPU.
  auto scorePanel = [&](int64_t panel, int64_t valid) __attribute__((always_inline)) {
    TTC_UNROLL
    for (int64_t shift = 0; shift < p.nr; shift += 2 * VL) {
      if (shift >= valid)
        break;
      int64_t col = panel * p.nr + shift, columns = min<int64_t>(2 * VL, valid - shift);
      forTiles(columns, [&]<int MR, int NV, bool WIDE>(int64_t row, int64_t,
                                                       int64_t at) __attribute__((always_inline)) {
        computeScores<MR, NV, WIDE>(p, head.q + row * p.qRow, keys + panel * p.depth * p.nr + shift,
                                    head.mask + row * p.maskRow + col, columns,
                                    scores + at * p.scoreRow + col);
      });
    }
  };
  auto resultPanel = [&](int64_t panel, int64_t valid) __attribute__((always_inline)) {
    TTC_UNROLL
    for (int64_t shift = 0; shift < p.nr; shift += 2 * VL) {
      if (shift >= valid)
        break;
      int64_t col = panel * p.nr + shift, columns = min<int64_t>(2 * VL, valid - shift);
      forTiles(columns, [&]<int MR, int NV, bool WIDE>(int64_t row, int64_t skip,
                                                       int64_t at) __attribute__((always_inline)) {
        int64_t out = head.outBase + (row + skip) * p.outRow;
        computeResults<MR, NV, WIDE>(p, scores + at * p.scoreRow, inverses + at,
                                     values + panel * head.cols * p.nr + shift, head.cols, columns,
                                     head.out + out + col, skip, min(most, head.rows - row - skip),
                                     out / p.outPitch, col, operands, epilogue);
      });
    }
  };
  int64_t keyPanels = ceilDiv(head.cols, p.nr), keyRest = head.cols - (keyPanels - 1) * p.nr;
  TTC_NO_UNROLL
  for (int64_t panel = 0; panel < keyPanels - 1; ++panel)
    scorePanel(panel, p.nr);
  scorePanel(keyPanels - 1, keyRest);
  {
    TTC_SUM_ZONE(markers, 0, "softmax");
    int64_t rows = last - first, row = 0;
    TTC_NO_UNROLL
    for (; row + kRowsAtOnce <= rows; row += kRowsAtOnce)
      exponentiate<kRowsAtOnce>(scores + row * p.scoreRow, p.scoreRow, ceilDiv(head.cols, VL),
                                p.nanToZero, inverses + row);
    TTC_NO_UNROLL
    for (; row < rows; ++row)
      exponentiate<1>(scores + row * p.scoreRow, p.scoreRow, ceilDiv(head.cols, VL), p.nanToZero,
                      inverses + row);
  }
  TTC_SUM_ZONE(markers, 1, "values");
  int64_t valuePanels = ceilDiv(p.values, p.nr), valueRest = p.values - (valuePanels - 1) * p.nr;
  TTC_NO_UNROLL
  for (int64_t panel = 0; panel < valuePanels - 1; ++panel)
    resultPanel(panel, p.nr);
  resultPanel(valuePanels - 1, valueRest);
}

} // namespace

TTC_KERNEL void ttc_kernel_attention(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                     const int64_t *params, epilogue_t epilogue,
                                     ProgramMarkers *markers) {
  const AttentionParams &p = *reinterpret_cast<const AttentionParams *>(params);
  int64_t batches[3] = {p.batch[0], p.batch[1], p.batch[2]}, rows = p.rows;
  if (p.bounded) {
    const auto *bounds = static_cast<const int64_t *>(operands[4 + p.hasMask + p.hasKeys]);
    TTC_UNROLL
    for (int i = 0; i < 3; ++i)
      batches[i] = bounds[i];
    rows = bounds[3];
  }
  int64_t height = p.bounded ? min(p.mr, p.rows) : p.mr;
  Range tiles = part(ceilDiv(rows, height), p.rowSplits, workgroup % p.rowSplits);
  Range batch = part(batches[0] * batches[1] * batches[2], p.batchSplits, workgroup / p.rowSplits);
  if (p.bounded && tiles.begin == tiles.end)
    return;
  // Whatever the number is, the kernel stays within its operands.
  int64_t cols = p.cols;
  if (p.hasKeys)
    cols = min<int64_t>(max(*static_cast<const int32_t *>(operands[p.hasMask ? 4 : 3]), 1), p.cols);
  TTC_NO_UNROLL
  for (int64_t index = batch.begin; index < batch.end; ++index) {
    TTC_MAIN_CHILD_ZONE(markers, "head");
    int64_t i2 = index % batches[2], upper = index / batches[2];
    int64_t i1 = upper % batches[1], i0 = upper / batches[1];
    auto at = [&](const int64_t (&strides)[3]) __attribute__((always_inline)) {
      return i0 * strides[0] + i1 * strides[1] + i2 * strides[2];
    };
    {
      TTC_ZONE(markers, "pack");
      packMatrix(static_cast<const float *>(operands[1]) + p.kOffset + at(p.kBatch), p.kK, p.kN,
                 p.depth, cols, p.nr, reinterpret_cast<float *>(scratch + p.keysAt));
      packMatrix(static_cast<const float *>(operands[2]) + p.vOffset + at(p.vBatch), p.vK, p.vN,
                 cols, p.values, p.nr, reinterpret_cast<float *>(scratch + p.valuesAt));
    }
    Head head;
    head.q = static_cast<const float *>(operands[0]) + p.qOffset + at(p.qBatch);
    head.mask = static_cast<const float *>(operands[3]) + at(p.maskBatch); // only if hasMask
    head.out = static_cast<float *>(operands[3 + p.hasMask + p.hasKeys]);
    head.outBase = p.outOffset + at(p.outBatch);
    head.cols = cols;
    head.rows = rows;
    TTC_NO_UNROLL
    for (int64_t tile = tiles.begin; tile < tiles.end; tile += p.blockTiles)
      runBlock(p, head, tile, min(tile + p.blockTiles, tiles.end), scratch, operands, epilogue,
               markers);
  }
}

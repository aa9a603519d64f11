// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_attention: softmax(scale * Q K + mask) V, of which the scores never leave L1.
//
// A workgroup owns heads (elements of the batch), or panels of rows of one: nr rows of Q, which are
// the lanes of vectors. The keys of a head come in blocks. The scores of a panel and a block are a
// product of keys and transposed queries, so that the maxima and sums of a softmax are those of
// lanes. Their exp is multiplied with the block's values. A later block scales what earlier ones
// have summed by exp(old maximum - new maximum). The sums of exp divide the results, because these
// are fewer than the scores.
//
// A row has the same bits whatever rows, and however many keys that do not count, are beside it:
// blocks begin at multiples of a constant, and all sums are one chain.
#include "kernels/Exp.h"
#include "kernels/GemmRows.h"
#include "kernels/GemmTile.h"

using namespace ttc::kernels;

namespace {

/// A head, its keys and rows that count, and where its results go.
struct Head {
  const float *q, *k, *v, *mask;
  float *out;
  int64_t outBase;
  int64_t cols, rows;
};

/// What a panel's rows have in scratch: a lane each.
struct PanelState {
  float *queries; ///< [depth][nr]
  float *most;    ///< the largest score
  float *total;   ///< the sum of exp(score - most)
  float *factor;  ///< of what earlier blocks have summed
  float *limit;   ///< of the whole panel: the largest magnitude of a query, and 1 without sums
  float *sums;    ///< [rows][sumRow]: the results, before they are divided
};

TTC_INLINE PanelState getPanel(const AttentionParams &p, uint8_t *scratch, int64_t panel) {
  auto *queries = reinterpret_cast<float *>(scratch + p.queriesAt) + panel * p.depth * p.nr;
  auto *states = reinterpret_cast<float *>(scratch + p.statesAt) + panel * 4 * p.nr;
  auto *sums = reinterpret_cast<float *>(scratch + p.sumsAt) + panel * p.panelRows * p.sumRow;
  return {queries, states, states + p.nr, states + 2 * p.nr, states + 3 * p.nr, sums};
}

/// The largest magnitude of a matrix whose rows or columns are consecutive; NaN if there is one.
TTC_INLINE float largestMagnitude(const float *from, int64_t rowStride, int64_t colStride,
                                  int64_t rows, int64_t cols) {
  if (colStride != 1) {
    if (rowStride != 1)
      return __builtin_nanf("");
    rowStride = colStride;
    int64_t swapped = rows;
    rows = cols;
    cols = swapped;
  }
  // As integers: NaNs are larger than infinity.
  vi most = (vi)0;
  TTC_NO_UNROLL
  for (int64_t row = 0; row < rows; ++row) {
    TTC_NO_UNROLL
    for (int64_t col = 0; col < cols; col += VL) {
      vi bits = __builtin_bit_cast(vi, load(from + row * rowStride + col, cols - col)) & 0x7fffffff;
      most = bits > most ? bits : most;
    }
  }
  int32_t largest = 0;
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    largest = max(largest, most[i]);
  return __builtin_bit_cast(float, largest);
}

/// Blocks are summed in one chain, whatever the tile is.
template <int MR, int NV>
TTC_INLINE void multiplyTile(vf (&sums)[MR][NV], const float *first, int64_t row, int64_t step,
                             const float *panel, int64_t nr, int64_t depth) {
  multiplyPanel<MR, NV, true, kMostTileRows>(sums, first, row, step, panel, nr, depth);
}

/// Columns [0, columns) of a strided matrix as panels of nr, one after the other.
TTC_INLINE void packMatrix(const float *from, int64_t rowStride, int64_t colStride, int64_t depth,
                           int64_t columns, int64_t nr, float *to) {
  GemmParams g{};
  g.c = depth;
  g.bK = rowStride;
  g.bN = colStride;
  g.nr = nr;
  TTC_NO_UNROLL
  for (int64_t col = 0; col < columns; col += nr)
    packPanel(g, from, col, min(nr, columns - col), to + col * depth);
}

/// The scores of MR keys, as rows, and NV vectors of queries. `left` keys count, from the first one
/// on. `largest` becomes those of the lanes.
template <int MR, int NV>
TTC_INLINE void computeScores(const AttentionParams &p, const float *keys, const float *queries,
                              const float *mask, int64_t left, float *scores, float *largest) {
  vf sums[MR][NV];
  multiplyTile<MR, NV>(sums, keys, p.kN, p.kK, queries, p.nr, p.depth);
  vf scale = (vf) __builtin_bit_cast(float, static_cast<int32_t>(p.scale));
  TTC_UNROLL
  for (int v = 0; v < NV; ++v) {
    vf most[2] = {load(largest + v * VL), (vf)-__builtin_inff()};
    TTC_UNROLL
    for (int r = 0; r < MR; ++r) {
      vf score = sums[r][v] * scale;
      if (p.hasMask)
        score = sums[r][v] * scale + (p.maskRow ? load(mask + r * p.nr + v * VL) : (vf)mask[r]);
      if (p.hasKeys)
        score = r < left ? score : (vf)-__builtin_inff();
      most[r % 2] = largerOf(score, most[r % 2]);
      store(scores + r * p.nr + v * VL, score);
    }
    store(largest + v * VL, largerOf(most[1], most[0]));
  }
}

/// NV vectors of lanes: scores become exp(score - maximum), and the state takes them in. A lane
/// whose scores are all -infinity has a sum of 0.
template <int NV>
TTC_INLINE void exponentiate(const AttentionParams &p, const PanelState &panel,
                             const float *largest, int64_t keys, float *scores) {
  vf base[NV], sums[NV];
  TTC_UNROLL
  for (int v = 0; v < NV; ++v) {
    vf most = load(largest + v * VL);
    base[v] = most == (vf)-__builtin_inff() ? (vf)0.0f : most;
    sums[v] = (vf)0.0f;
  }
  TTC_NO_UNROLL
  for (int64_t k = 0; k < keys; ++k) {
    TTC_UNROLL
    for (int v = 0; v < NV; ++v) {
      vf value = expOfNegative(load(scores + k * p.nr + v * VL) - base[v]);
      store(scores + k * p.nr + v * VL, value);
      sums[v] += value;
    }
  }
  TTC_UNROLL
  for (int v = 0; v < NV; ++v) {
    vf factor = expOfNegative(load(panel.most + v * VL) - base[v]);
    store(panel.factor + v * VL, factor);
    store(panel.total + v * VL, load(panel.total + v * VL) * factor + sums[v]);
    store(panel.most + v * VL, load(largest + v * VL));
  }
}

/// What the results are multiplied by. NaN for weights that are NaN, if they count as 0.
TTC_INLINE void invertTotals(const AttentionParams &p, const PanelState &panel, float *inverse) {
  TTC_UNROLL
  for (int64_t lane = 0; lane < p.nr; lane += VL) {
    vf total = load(panel.total + lane), ofLanes = (vf)1.0f / total;
    if (p.nanToZero)
      ofLanes = total > (vf)0.0f ? ofLanes : (vf)__builtin_nanf("");
    store(inverse + lane, ofLanes);
  }
}

/// A block of keys: values as rows of `valueRow` elements, panels of them apart.
struct Block {
  const float *values;
  int64_t valueRow, valuePanel;
  int64_t begin, keys;
  bool isFirst, isLast;
  /// The largest magnitude of a key; infinity or NaN if a value is not finite.
  float limit;
};

TTC_INLINE float getLimit(const AttentionParams &p, const Head &head, int64_t key, int64_t keys) {
  const float values = largestMagnitude(head.v + key * p.vK, p.vK, p.vN, keys, p.values);
  const float ofKeys = largestMagnitude(head.k + key * p.kN, p.kN, p.kK, keys, p.depth);
  return values < __builtin_inff() ? ofKeys : __builtin_nanf("");
}

/// Masks of keys that may not count are lower.
constexpr float kLowMask = -1000.0f;

/// Whether a mask leaves a panel no key of a block: every exp would be 0. Never if something is not
/// finite, which would reach results as NaN.
TTC_INLINE bool isMasked(const AttentionParams &p, const Head &head, const Block &block,
                         const PanelState &panel, int64_t row, int64_t valid) {
  const float *mask = head.mask + row * p.maskRow + block.begin;
  // Most blocks count: a look at two corners says so.
  if (mask[(valid - 1) * p.maskRow] > kLowMask || mask[block.keys - 1] > kLowMask)
    return false;
  const float scale = __builtin_bit_cast(float, static_cast<int32_t>(p.scale));
  const float score =
      static_cast<float>(p.depth) * panel.limit[0] * block.limit * (scale < 0 ? -scale : scale);
  if (!(score < 1e37f))
    return false;
  const vf lowest = (vf)-__builtin_inff();
  vf most = lowest;
  vi areNumbers = (vi)-1;
  TTC_NO_UNROLL
  for (int64_t r = 0; r < valid; ++r) {
    TTC_NO_UNROLL
    for (int64_t key = 0; key < block.keys; key += VL) {
      const int64_t lanes = block.keys - key;
      vf part = load(mask + r * p.maskRow + key, lanes);
      if (lanes < VL)
        part = laneNumbers() < (vi)(int32_t)lanes ? part : lowest;
      most = largerOf(part, most);
      areNumbers &= part == part;
    }
  }
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    if (areNumbers[i] == 0)
      return false;
  const float largest = maxOfLanes(most)[0];
  if (largest == lowest[0])
    return true;
  // With what rounding adds to the scores. exp is 0 below -87.33.
  const float distance = 1.001f * score + 100.0f - 1e-6f * largest;
  TTC_NO_UNROLL
  for (int64_t lane = 0; lane < valid; ++lane)
    if (!(largest <= kLowMask && panel.most[lane] - largest > distance))
      return false;
  return true;
}

/// The results of MR rows and NV vectors of columns, from the weights on of the first row. `valid`
/// columns and `rows` rows are stored.
template <int MR, int NV>
TTC_INLINE void addValues(const AttentionParams &p, const Block &block, const float *weights,
                          const float *values, const float *factor, const float *inverse,
                          float *sums, int64_t valid, int64_t rows, float *out, int64_t row,
                          int64_t col, void *const *operands, epilogue_t epilogue) {
  vf tile[MR][NV];
  multiplyTile<MR, NV>(tile, weights, 1, p.nr, values, block.valueRow, block.keys);
  if (!block.isFirst) {
    TTC_UNROLL
    for (int r = 0; r < MR; ++r) {
      TTC_UNROLL
      for (int v = 0; v < NV; ++v)
        tile[r][v] += load(sums + r * p.sumRow + v * VL) * (vf)factor[r];
    }
  }
  if (!block.isLast) {
    storeRows(sums, p.sumRow, tile);
    return;
  }
  alignas(64) float buffer[MR * NV * VL];
  TTC_UNROLL
  for (int r = 0; r < MR; ++r) {
    TTC_UNROLL
    for (int v = 0; v < NV; ++v) {
      vf result = tile[r][v] * (vf)inverse[r];
      if (p.nanToZero)
        result = inverse[r] == inverse[r] ? result : (vf)0.0f;
      store(buffer + (r * NV + v) * VL, result);
    }
  }
  ttc_kernel_store_tile(buffer, rows, NV, valid, out, p.outRow, row, p.outRow / p.outPitch, col,
                        operands, epilogue);
}

/// Calls `run` with the rows of a tile, which are constant after inlining.
template <typename Run> TTC_INLINE void withRows(int64_t rows, Run run) {
  switch (rows) {
#define TTC_CASE(MR)                                                                               \
  case MR:                                                                                         \
    return run.template operator()<MR>();
    TTC_FOR_ROWS(TTC_CASE)
#undef TTC_CASE
  }
  __builtin_unreachable();
}

/// Calls `run` with the first lane, and the number of vectors: two, or one where no more lanes
/// count. `whole` lanes are a panel.
template <typename Run>
TTC_INLINE void forVectors(int64_t whole, int64_t valid, bool mayBeOne, Run run) {
  TTC_UNROLL
  for (int64_t lane = 0; lane < whole; lane += 2 * VL) {
    if (lane >= valid)
      return;
    if (whole == VL || (mayBeOne && valid - lane <= VL))
      run.template operator()<1>(lane);
    else
      run.template operator()<2>(lane);
  }
}

/// The scores of a panel and a block, and their exp.
TTC_INLINE void runScores(const AttentionParams &p, const Head &head, const Block &block,
                          const PanelState &panel, int64_t row, int64_t valid, float *scores,
                          uint8_t *scratch, ProgramMarkers *markers) {
  auto *mask = reinterpret_cast<float *>(scratch + p.maskAt);
  const int64_t first = min(block.begin, p.cols - p.keyTile);
  if (p.hasMask && p.maskRow)
    packMatrix(head.mask + row * p.maskRow + first, 1, p.maskRow,
               min(block.begin + p.blockKeys, p.cols) - first, valid, p.nr, mask);
  alignas(64) float largest[4 * VL];
  TTC_UNROLL
  for (int64_t lane = 0; lane < p.nr; lane += VL)
    store(largest + lane, load(panel.most + lane));
  const bool mayBeOne = p.bounded || (p.rows % p.nr + 2 * VL - 1) % (2 * VL) < VL;
  TTC_NO_UNROLL
  for (int64_t at = 0; at < block.keys; at += p.keyTile) {
    const int64_t key = min(block.begin + at, p.cols - p.keyTile);
    forVectors(p.nr, valid, mayBeOne, [&]<int NV>(int64_t lane) __attribute__((always_inline)) {
      withRows(p.keyTile, [&]<int MR>() __attribute__((always_inline)) {
        computeScores<MR, NV>(p, head.k + key * p.kN, panel.queries + lane,
                              p.maskRow ? mask + (key - first) * p.nr + lane : head.mask + key,
                              head.cols - key, scores + (key - block.begin) * p.nr + lane,
                              largest + lane);
      });
    });
  }
  TTC_SUM_ZONE(markers, 0, "softmax");
  forVectors(p.nr, valid, mayBeOne, [&]<int NV>(int64_t lane) __attribute__((always_inline)) {
    const PanelState part{
        nullptr, panel.most + lane, panel.total + lane, panel.factor + lane, nullptr, nullptr};
    exponentiate<NV>(p, part, largest + lane, block.keys, scores + lane);
  });
}

/// One panel and one block. `row` is the panel's first one, of which `valid` rows count.
TTC_INLINE void runPanel(const AttentionParams &p, const Head &head, Block block,
                         const PanelState &panel, int64_t row, int64_t valid, uint8_t *scratch,
                         void *const *operands, epilogue_t epilogue, ProgramMarkers *markers) {
  // A tile may begin before the block, so that it ends with the last key.
  auto *scores = reinterpret_cast<float *>(scratch + p.scoresAt) + p.keyTile * p.nr;
  if (p.mayMask) {
    block.isFirst = panel.limit[1] != 0.0f;
    if (isMasked(p, head, block, panel, row, valid)) {
      if (!block.isLast)
        return;
      // What there is becomes the results.
      block.keys = 0;
      TTC_UNROLL
      for (int64_t lane = 0; lane < p.nr; lane += VL)
        store(panel.factor + lane, (vf)1.0f);
    }
    panel.limit[1] = 0.0f;
  }
  if (block.keys != 0)
    runScores(p, head, block, panel, row, valid, scores, scratch, markers);
  TTC_SUM_ZONE(markers, 1, "values");
  // The last tile may have rows after the last lane, which are not stored.
  alignas(64) float inverse[4 * VL + kMostTileRows];
  if (block.isLast)
    invertTotals(p, panel, inverse);
  const bool mayBeNarrow = (p.values % p.valueTile + 2 * VL - 1) % (2 * VL) < VL;
  TTC_NO_UNROLL
  for (int64_t tile = 0; tile < valid; tile += p.rowTile) {
    const int64_t out = head.outBase + (row + tile) * p.outRow;
    TTC_NO_UNROLL
    for (int64_t col = 0; col < p.values; col += p.valueTile)
      forVectors(p.valueTile, p.values - col, mayBeNarrow,
                 [&]<int NV>(int64_t lane) __attribute__((always_inline)) {
                   withRows(p.rowTile, [&]<int MR>() __attribute__((always_inline)) {
                     addValues<MR, NV>(p, block, scores + tile,
                                       block.values + col / p.valueTile * block.valuePanel + lane,
                                       panel.factor + tile, inverse + tile,
                                       panel.sums + tile * p.sumRow + col + lane,
                                       min<int64_t>(NV * VL, p.values - col - lane),
                                       min(p.rowTile, valid - tile), head.out + out + col + lane,
                                       out / p.outPitch, col + lane, operands, epilogue);
                   });
                 });
  }
}

/// The panels [begin, end) of a head, all of whose state is in scratch.
TTC_INLINE void runPanels(const AttentionParams &p, const Head &head, int64_t begin, int64_t end,
                          uint8_t *scratch, void *const *operands, epilogue_t epilogue,
                          ProgramMarkers *markers) {
  auto validOf = [&](int64_t panel)
                     __attribute__((always_inline)) { return min(p.nr, head.rows - panel * p.nr); };
  {
    TTC_ZONE(markers, "pack");
    TTC_NO_UNROLL
    for (int64_t panel = begin; panel < end; ++panel) {
      const PanelState state = getPanel(p, scratch, panel - begin);
      packMatrix(head.q + panel * p.nr * p.qRow, p.qC, p.qRow, p.depth, validOf(panel), p.nr,
                 state.queries);
      TTC_UNROLL
      for (int64_t lane = 0; lane < p.nr; lane += VL) {
        store(state.most + lane, (vf)-__builtin_inff());
        store(state.total + lane, (vf)0.0f);
      }
      if (p.mayMask) {
        state.limit[0] = largestMagnitude(state.queries, p.nr, 1, p.depth, p.nr);
        state.limit[1] = 1.0f;
      }
    }
  }
  auto *packed = reinterpret_cast<float *>(scratch + p.valuesAt);
  TTC_NO_UNROLL
  for (int64_t key = 0; key < head.cols; key += p.blockKeys) {
    const int64_t keys = min(p.blockKeys, head.cols - key);
    const float *values = head.v + key * p.vK;
    if (p.packsValues)
      packMatrix(values, p.vK, p.vN, keys, p.values, p.valueTile, packed);
    const Block block{p.packsValues ? packed : values,
                      p.packsValues ? p.valueTile : p.vK,
                      p.packsValues ? keys * p.valueTile : p.valueTile,
                      key,
                      keys,
                      key == 0,
                      key + keys == head.cols,
                      p.mayMask ? getLimit(p, head, key, keys) : 0.0f};
    TTC_NO_UNROLL
    for (int64_t panel = begin; panel < end; ++panel)
      runPanel(p, head, block, getPanel(p, scratch, panel - begin), panel * p.nr, validOf(panel),
               scratch, operands, epilogue, markers);
  }
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
  Range panels = part(ceilDiv(rows, p.nr), p.rowSplits, workgroup % p.rowSplits);
  Range batch = part(batches[0] * batches[1] * batches[2], p.batchSplits, workgroup / p.rowSplits);
  if (p.bounded && panels.begin == panels.end)
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
    Head head;
    head.q = static_cast<const float *>(operands[0]) + p.qOffset + at(p.qBatch);
    head.k = static_cast<const float *>(operands[1]) + p.kOffset + at(p.kBatch);
    head.v = static_cast<const float *>(operands[2]) + p.vOffset + at(p.vBatch);
    head.mask = static_cast<const float *>(operands[3]) + at(p.maskBatch); // only if hasMask
    head.out = static_cast<float *>(operands[3 + p.hasMask + p.hasKeys]);
    head.outBase = p.outOffset + at(p.outBatch);
    head.cols = cols;
    head.rows = rows;
    TTC_NO_UNROLL
    for (int64_t panel = panels.begin; panel < panels.end; panel += p.groupPanels)
      runPanels(p, head, panel, min(panel + p.groupPanels, panels.end), scratch, operands, epilogue,
                markers);
  }
}

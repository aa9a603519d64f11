// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matmul and convolution as one implicit GEMM.
//
// A workgroup owns row tiles x panels. Row blocks (their A stays in L2) are the outer loop, panels
// stream linearly through it, and each panel is multiplied with all tiles of the block while the
// next one is prefetched evenly across them. Prefetching it all in the first tile gained nothing.
#ifndef TTC_KERNELS_GEMMLOOPS_H
#define TTC_KERNELS_GEMMLOOPS_H

#include "kernels/GemmRows.h"
#include "kernels/GemmTile.h"

namespace ttc::kernels {

/// One panel against the tiles [tileBegin, tileEnd).
struct PanelArgs {
  const float *a;
  // The next panel, and its bytes for each k.
  const char *next;
  int64_t nextBytes;
  uint8_t *scratch;
  int64_t group, col, outBase;
  int64_t tileBegin, tileEnd;
  Runs runs;
  ProgramMarkers *markers;
};

/// Elements of a panel.
template <typename TB> TTC_INLINE int64_t panelSize(int64_t depth, int64_t nr) {
  return (depth + (hasScales<TB> ? kScaleRows : 0)) * nr;
}

/// The weights of a panel as f32.
template <typename TB>
TTC_INLINE void convertPanel(const TB *from, int64_t depth, int64_t nr, float *to) {
  const auto *scales = reinterpret_cast<const float *>(from + depth * nr);
  TTC_NO_UNROLL
  for (int64_t k = 0; k < depth; ++k) {
    TTC_NO_UNROLL
    for (int64_t column = 0; column < nr; column += VL)
      store(to + k * nr + column, loadWeights(from + k * nr + column, scales + column));
  }
}

/// `valid` columns from column `shift` of the panel on, in NV vectors. `WIDE`: see depthUnroll().
/// With DOTS, NV panels of one column.
template <int NV, bool WIDE, bool DOTS = false, typename TB>
TTC_INLINE void runPanel(const PanelArgs &g, const TB *b, const GemmParams &p, int64_t shift,
                         int64_t valid, void *const *operands, float *out, epilogue_t epilogue) {
  int64_t rows = p.n * p.od * p.oh * p.ow;
  // Tiles of nearly equal height, so that 49 rows are 4 x 6 + 5 x 5 and not 8 x 6 + 1.
  int64_t tiles = ceilDiv(rows, p.mr);
  int64_t height = rows / tiles, taller = rows % tiles;
  bool copied = p.aMode == kRowsCopied;
  int64_t taps = p.kernel[0] * p.kernel[1] * p.kernel[2];
  int64_t depth = taps * p.c;
  int64_t tableTaps = copied ? p.kernel[1] : taps;
  int64_t blockRow = g.tileBegin * height + min(g.tileBegin, taller);
  // Bytes of the next panel, or of the next part of this one, for each k of each tile.
  int64_t count = g.tileEnd - g.tileBegin;
  int64_t prefetchStep = ceilDiv(g.nextBytes, count);
  // A window's taps are not divided.
  int64_t partDepth = p.blockDepth != 0 ? p.blockDepth : depth;
  TTC_NO_UNROLL
  for (int64_t k = 0; k < depth; k += partDepth) {
    RunRow next{};
    if (p.bounded)
      next = getRunRow(g.runs, g.tileBegin * mostRows(p));
    TTC_NO_UNROLL
    for (int64_t tile = g.tileBegin; tile < g.tileEnd; ++tile) {
      int64_t row = tile * height + min(tile, taller);
      TileArgs<TB> t;
      bool isTall = taller != 0 && tile < taller;
      int64_t tableRow = row - blockRow;
      int64_t rowsOf[kMostTileRows];
      if (p.bounded) {
        row = 0;
        nextTile(p, g.runs, next, tile, rowsOf, t);
        isTall = t.count > halfRows(p);
        tableRow = (tile - g.tileBegin) * mostRows(p);
      }
      t.k = k;
      t.depth = p.aMode == kRowsDirect ? min(partDepth, depth - k) : 0;
      t.partial =
          reinterpret_cast<float *>(g.scratch + p.partialAt) + (tile - g.tileBegin) * p.mr * p.nr;
      t.a = g.a + (p.shuffle != 0 ? 0 : g.group * p.c) + row * p.aRow;
      t.table =
          reinterpret_cast<const float *const *>(g.scratch + p.tableAt) + tableRow * tableTaps;
      t.channel = g.group * p.c;
      t.b = b + shift + k * p.nr;
      t.panelStep = DOTS ? depth : 0;
      t.scales = nullptr;
      if constexpr (hasScales<TB>)
        t.scales = reinterpret_cast<const float *>(b + depth * p.nr) + shift;
      const char *stored = k + partDepth < depth
                               ? reinterpret_cast<const char *>(b + (k + partDepth) * p.nr)
                               : g.next;
      t.prefetch =
          stored + (tile - g.tileBegin) * prefetchStep * (p.aMode == kRowsDirect ? t.depth : depth);
      t.prefetchStep = prefetchStep;
      t.col = g.col + shift;
      t.out = out + g.outBase + row * p.outRow + t.col;
      t.rowStep = p.outRow / p.outPitch;
      t.markers = g.markers;
      t.row = g.outBase / p.outPitch + row * t.rowStep;
      // Two heights, both constant.
      if (isTall)
        runTileOf<NV, WIDE, DOTS>(p.bounded ? mostRows(p) : height + 1, t, p, valid, operands,
                                  epilogue);
      else
        runTileOf<NV, WIDE, DOTS>(p.bounded ? halfRows(p) : height, t, p, valid, operands,
                                  epilogue);
    }
  }
}

/// All columns of a panel, at most three vectors at a time.
template <typename TB>
TTC_INLINE void runColumns(const PanelArgs &g, const TB *b, const GemmParams &p, int64_t valid,
                           void *const *operands, float *out, epilogue_t epilogue) {
  int64_t vectors = ceilDiv(valid, VL);
  if (p.nr <= VL)
    return runPanel<1, false>(g, b, p, 0, valid, operands, out, epilogue);
  if (vectors == 1)
    return runPanel<1, true>(g, b, p, 0, valid, operands, out, epilogue);
  if (vectors == 2)
    return runPanel<2, true>(g, b, p, 0, valid, operands, out, epilogue);
  if (vectors == 3 && VL == 16)
    return runPanel<3, true>(g, b, p, 0, valid, operands, out, epilogue);
  for (int64_t shift = 0; shift < valid; shift += VL)
    runPanel<1, true>(g, b, p, shift, min<int64_t>(VL, valid - shift), operands, out, epilogue);
}

/// All columns of a product of a few, which have a panel each.
template <typename TB>
TTC_INLINE void runFewColumns(const PanelArgs &g, const TB *b, const GemmParams &p,
                              void *const *operands, float *out, epilogue_t epilogue) {
  switch (p.o) {
#define TTC_CASE(N)                                                                                \
  case N:                                                                                          \
    return runPanel<N, false, true>(g, b, p, 0, N, operands, out, epilogue);
    TTC_CASE(1)
    TTC_CASE(2)
    TTC_CASE(3)
    TTC_CASE(4)
#undef TTC_CASE
  }
  __builtin_unreachable();
}

/// All columns of a panel: `nr`, or the `rest` in the last one. Both counts are constant.
template <typename TB>
TTC_INLINE void runWholeOrRest(const PanelArgs &g, const TB *b, const GemmParams &p, bool whole,
                               int64_t rest, void *const *operands, float *out,
                               epilogue_t epilogue) {
  if (whole)
    runColumns(g, b, p, p.nr, operands, out, epilogue);
  else
    runColumns(g, b, p, rest, operands, out, epilogue);
}

/// One row and `P` whole panels of NV vectors, `panelStep` elements apart, from g.col on.
template <int P, int NV, typename TB>
TTC_INLINE void runRow(const PanelArgs &g, const TB *b, int64_t panelStep, const GemmParams &p,
                       void *const *operands, float *out, epilogue_t epilogue) {
  TileArgs<TB> t;
  t.a = g.a;
  t.table = nullptr;
  t.channel = 0;
  t.b = b;
  t.panelStep = panelStep;
  t.scales = nullptr;
  if constexpr (hasScales<TB>)
    t.scales = reinterpret_cast<const float *>(b + p.c * p.nr);
  t.prefetch = nullptr;
  t.prefetchStep = 0;
  t.out = out + g.outBase + g.col;
  t.row = g.outBase / p.outPitch;
  t.rowStep = 0;
  t.col = g.col;
  t.k = 0;
  t.depth = p.c;
  t.partial = nullptr;
  t.markers = g.markers;
  runTile<1, P * NV, kDepthUnrollOfRow, P>(t, p, p.nr, operands, epilogue);
}

/// One row and the whole panels [begin, end), in nearly equal parts of up to kPanelsOfRow. Returns
/// the panel that is left for the caller, or `end`.
template <typename TB>
TTC_INLINE int64_t runOneRow(PanelArgs &g, const TB *b, int64_t begin, int64_t end,
                             const GemmParams &p, void *const *operands, float *out,
                             epilogue_t epilogue) {
  int64_t panelStep = panelSize<TB>(p.c, p.nr);
  TTC_NO_UNROLL
  while (end - begin > 1) {
    int64_t left = end - begin, count = ceilDiv(left, ceilDiv(left, kPanelsOfRow));
    const TB *stored = b + begin * panelStep;
    g.col = begin * p.nr;
    if (p.nr == 2 * VL) {
      if (count == 2)
        runRow<2, 2>(g, stored, panelStep, p, operands, out, epilogue);
      else
        runRow<kPanelsOfRow, 2>(g, stored, panelStep, p, operands, out, epilogue);
    } else {
      runRow<2, 3>(g, stored, panelStep, p, operands, out, epilogue);
    }
    begin += count;
  }
  return begin;
}

/// The kernel; `TB` is how a packed B is stored.
template <typename TB>
TTC_INLINE void runGemm(void *const *operands, uint8_t *scratch, int64_t workgroup,
                        const int64_t *params, epilogue_t epilogue, ProgramMarkers *markers) {
  const GemmParams &p = *reinterpret_cast<const GemmParams *>(params);
  const auto *a = static_cast<const float *>(operands[0]) + p.aOffset;
  const auto *b = static_cast<const TB *>(operands[1]) + p.bOffset;
  auto *out = static_cast<float *>(operands[2 + p.numValid]);

  int64_t rows = p.n * p.od * p.oh * p.ow;
  int64_t tiles = ceilDiv(rows, p.mr);
  int64_t depth = p.kernel[0] * p.kernel[1] * p.kernel[2] * p.c;
  int64_t groupPanels = ceilDiv(p.o, p.nr), panels = p.groups * groupPanels;
  int64_t rest = p.o - (groupPanels - 1) * p.nr;

  int64_t batches[3] = {p.batch[0], p.batch[1], p.batch[2]};
  Runs runs{};
  ConvPart convPart{imageSizes(p, operands), p.od * p.oh, p.ow, /*hasShortBlocks=*/false};
  if (p.bounded) {
    const auto *bounds = static_cast<const int64_t *>(operands[3 + p.numValid]);
    TTC_UNROLL
    for (int i = 0; i < 3; ++i)
      batches[i] = bounds[i];
    runs = getRuns(p, bounds + 3);
    convPart.lines = bounds[4];
    convPart.pixels = bounds[5];
    tiles = ceilDiv(runs.total, mostRows(p));
  }
  const int64_t blockTiles = getBlockTiles(p, convPart, sizeof(float));
  // With few rows, those that would use the same weights are not parted: panels are.
  int64_t rowSplits = p.rowSplits, panelSplits = p.panelSplits;
  if (p.bounded && p.nr != 1) {
    TTC_NO_UNROLL
    while (rowSplits % 2 == 0 && tiles * mostRows(p) < rowSplits * kRowsForWeights) {
      rowSplits /= 2;
      panelSplits *= 2;
    }
  }
  int64_t split = workgroup / panelSplits;
  Range panelRange = part(panels, panelSplits, workgroup % panelSplits);
  if (p.bounded && panelRange.begin == panelRange.end)
    return;
  Range tileRange = part(tiles, rowSplits, split % rowSplits);
  Range batchRange = part(batches[0] * batches[1] * batches[2], p.batchSplits, split / rowSplits);

  TTC_NO_UNROLL
  for (int64_t batch = batchRange.begin; batch < batchRange.end; ++batch) {
    int64_t i2 = batch % batches[2], upper = batch / batches[2];
    int64_t i1 = upper % batches[1], i0 = upper / batches[1];
    PanelArgs g;
    g.runs = runs;
    g.a = a + i0 * p.aBatch[0] + i1 * p.aBatch[1] + i2 * p.aBatch[2];
    g.outBase = p.outOffset + i0 * p.outBatch[0] + i1 * p.outBatch[1] + i2 * p.outBatch[2];
    g.scratch = scratch;
    g.markers = markers;
    const TB *bBatch = b + i0 * p.bBatch[0] + i1 * p.bBatch[1] + i2 * p.bBatch[2];
    TTC_NO_UNROLL
    for (int64_t block = tileRange.begin; block < tileRange.end; block += blockTiles) {
      g.tileBegin = block;
      g.tileEnd = min(block + blockTiles, tileRange.end);
      TTC_ZONE(markers, "block");
      if (p.aMode != kRowsDirect) {
        TTC_ZONE(markers, "rows");
        findRows(p, convPart, runs, 0.0f, g.a, g.tileBegin, g.tileEnd, scratch);
      }
      TTC_MAIN_CHILD_ZONE(markers, "panels");
      int64_t first = panelRange.begin;
      if (meetsPanels(p))
        first = runOneRow(g, bBatch, first, min(panelRange.end, rest == p.nr ? panels : panels - 1),
                          p, operands, out, epilogue);
      TTC_NO_UNROLL
      for (int64_t panel = first; panel < panelRange.end; ++panel) {
        g.group = panel / groupPanels;
        int64_t inGroup = panel % groupPanels;
        bool whole = inGroup + 1 < groupPanels || rest == p.nr;
        g.col = g.group * p.o + inGroup * p.nr;
        const int64_t panelStep = panelSize<TB>(depth, p.nr);
        const TB *stored = bBatch + panel * panelStep;
        g.next = reinterpret_cast<const char *>(panel + 1 < panels ? stored + panelStep : stored);
        g.nextBytes = p.nr * sizeof(TB);
        if constexpr (sizeof(TB) == sizeof(float) && !hasScales<TB>) {
          if (p.nr == 1) {
            runFewColumns(g, stored, p, operands, out, epilogue);
            break;
          }
        }
        if (p.bMode == kBPacked) {
          runWholeOrRest(g, stored, p, whole, rest, operands, out, epilogue);
          continue;
        }
        auto *packed = reinterpret_cast<float *>(scratch + p.panelAt);
        if constexpr (sizeof(TB) != sizeof(float)) {
          {
            TTC_SUM_ZONE(markers, 0, "convert");
            convertPanel(stored, depth, p.nr, packed);
          }
          runWholeOrRest<float>(g, packed, p, whole, rest, operands, out, epilogue);
        } else { // only an f32 B is packed at run time
          {
            TTC_SUM_ZONE(markers, 0, "pack");
            if (whole)
              packPanel(p, bBatch, g.col, p.nr, packed);
            else
              packPanel(p, bBatch, g.col, rest, packed);
          }
          runWholeOrRest(g, packed, p, whole, rest, operands, out, epilogue);
        }
      }
    }
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_GEMMLOOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_int_gemm: matmul and convolution of bytes as one implicit GEMM. It walks row blocks,
// panels and tiles as ttc_kernel_gemm does (GemmLoops, GemmTile.h); four k are one step.
#include "kernels/GemmRows.h"
#include "kernels/IntKernel.h"

using namespace ttc::kernels;

namespace {

/// Where one tile reads and writes.
struct IntTile {
  // Direct rows: the tile's first row. Else the table's entries of that row, one per run.
  const uint8_t *a;
  const uint8_t *const *table;
  // Added to the table's pointers: the group's first channel.
  int64_t aShift;
  const int8_t *b;
  // The next panel, from the part that this tile prefetches on.
  const char *prefetch;
  int64_t prefetchStep;
  // The first row that is stored.
  uint8_t *out;
  int64_t row, col;
  // As in TileArgs.
  const int64_t *rows;
  int64_t count;
  ProgramMarkers *markers;
};

/// Steps that are summed apart: a few rows have too few accumulators to hide the latency of a dot
/// product. Integers can be summed in any order.
template <int MR, int NV> constexpr int stepUnroll() {
  return MR * NV >= 8 ? 1 : MR * NV >= 4 ? 2 : 4;
}

/// `count` bytes, fewer than four, as the low bytes of a word; nothing beyond is read.
TTC_INLINE int32_t loadRest(const uint8_t *from, int64_t count) {
  int32_t word = from[0];
  if (count > 1)
    word |= from[1] << 8;
  if (count > 2)
    word |= from[2] << 16;
  return word;
}

/// One tile: the product, then the epilogue vector by vector through a small buffer in L1.
template <int MR, int NV>
TTC_INLINE void runTile(const IntTile &t, const IntGemmParams &params, int64_t valid,
                        void *const *operands, int_epilogue_t epilogue) {
  constexpr int KU = stepUnroll<MR, NV>();
  const GemmParams &p = params.loops;
  vi acc[KU][MR][NV], rowSums[MR];
  clear(acc);
  TTC_UNROLL
  for (int r = 0; r < MR; ++r)
    rowSums[r] = (vi)0;

  bool direct = p.aMode == kRowsDirect;
  bool prefetches = p.n * p.od * p.oh * p.ow > 1;
  int64_t whole = params.run / 4, rest = params.run % 4, quads = ceilDiv(params.run, 4);
  // Copied lines are followed by room for a whole word, whose surplus is multiplied by weights of
  // zero.
  if (p.aMode == kRowsCopied && !params.hasBZero) {
    whole = quads;
    rest = 0;
  }
  int64_t step = p.nr * 4;
  const int8_t *b = t.b;
  const char *prefetch = t.prefetch;
  TTC_NO_UNROLL
  for (int64_t tap = 0; tap < params.taps; ++tap, b += quads * step) {
    const uint8_t *a[MR];
    TTC_UNROLL
    for (int r = 0; r < MR; ++r)
      a[r] = direct ? t.a + (p.bounded ? t.rows[r] : r) * p.aRow
                    : t.table[r * params.taps + tap] + t.aShift;
    auto quad = [&](int u, int64_t k, auto loadA) __attribute__((always_inline)) {
      vi bv[NV];
      TTC_UNROLL
      for (int v = 0; v < NV; ++v)
        bv[v] = loadWords(b + k * step + v * VL * 4);
      TTC_UNROLL
      for (int r = 0; r < MR; ++r) {
        int32_t word = loadA(a[r] + k * 4);
        vi av = (vi)word;
        TTC_UNROLL
        for (int v = 0; v < NV; ++v)
          acc[u][r][v] = dot4(params.dot, acc[u][r][v], av, bv[v]);
        if (params.hasBZero)
          rowSums[r] = dot4(params.dot, rowSums[r], av, (vi)0x01010101);
      }
    };
    auto loadWord = [](const uint8_t *from) __attribute__((always_inline)) {
      return *reinterpret_cast<const word_u *>(from);
    };
    int64_t k = 0;
    TTC_NO_UNROLL
    for (; k + KU <= whole; k += KU) {
      if (prefetches) {
        __builtin_prefetch(prefetch, 0, 2);
        prefetch += t.prefetchStep * KU;
      }
      TTC_UNROLL
      for (int u = 0; u < KU; ++u)
        quad(u, k + u, loadWord);
    }
    if (KU > 1) {
      TTC_NO_UNROLL
      for (; k < whole; ++k)
        quad(0, k, loadWord);
    }
    if (rest != 0)
      quad(0, whole, [&](const uint8_t *from) __attribute__((always_inline)) {
        return loadRest(from, rest);
      });
  }

  joinChains(acc);
  alignas(64) int32_t buffer[MR * NV * VL];
  alignas(64) int32_t rowBuffer[MR * VL];
  TTC_UNROLL
  for (int r = 0; r < MR; ++r) {
    TTC_UNROLL
    for (int v = 0; v < NV; ++v)
      *reinterpret_cast<viu *>(buffer + (r * NV + v) * VL) = acc[0][r][v];
    if (params.hasBZero)
      *reinterpret_cast<viu *>(rowBuffer + r * VL) = rowSums[r];
  }
  releaseVectors();
  TTC_SUM_ZONE(t.markers, 1, "store");
  auto finish = [&](int64_t v, int64_t lanes) __attribute__((always_inline)) {
    int64_t col = t.col + v * VL;
    IntColumn column = {t.out + v * VL * params.storedBytes,
                        p.outRow * params.storedBytes,
                        params.storedBytes,
                        t.row,
                        col,
                        lanes};
    vi zero =
        params.hasBZero ? loadWords(static_cast<const int32_t *>(operands[2]) + col, lanes) : (vi)0;
    // What is stored from row `first` of the tile on.
    auto sums = [&](int64_t first) __attribute__((always_inline)) {
      return [&, first](int64_t i) __attribute__((always_inline)) {
        int64_t r = first + i;
        vi value = *reinterpret_cast<const viu *>(buffer + (r * NV + v) * VL);
        if (params.hasBZero)
          value -= *reinterpret_cast<const viu *>(rowBuffer + r * VL) * zero;
        return value;
      };
    };
    if (!p.bounded)
      return finishRows(column, MR, operands, epilogue, sums(0));
    TTC_NO_UNROLL
    for (int64_t done = 0; done < t.count;) {
      int64_t first = t.rows[done], count = countConsecutive(t.rows, done, t.count);
      IntColumn part = column;
      part.out += first * column.outStep;
      part.row += first;
      finishRows(part, count, operands, epilogue, sums(done));
      done += count;
    }
  };
  int64_t vectors = valid / VL, lanes = valid % VL;
  TTC_NO_UNROLL
  for (int64_t v = 0; v < vectors; ++v)
    finish(v, VL);
  if (lanes)
    finish(vectors, lanes);
}

/// Picks the instance for a row count that is constant after inlining.
template <int NV>
TTC_INLINE void runTileOf(int64_t rows, const IntTile &t, const IntGemmParams &params,
                          int64_t valid, void *const *operands, int_epilogue_t epilogue) {
  switch (rows) {
#define TTC_CASE(MR)                                                                               \
  case MR:                                                                                         \
    return runTile<MR, NV>(t, params, valid, operands, epilogue);
    TTC_FOR_ROWS(TTC_CASE)
#undef TTC_CASE
  }
  __builtin_unreachable();
}

/// One panel against the tiles [tileBegin, tileEnd).
struct IntPanel {
  const uint8_t *a;
  const int8_t *b, *next;
  const uint8_t *scratch;
  int64_t group, col, quads;
  int64_t tileBegin, tileEnd;
  Runs runs;
  ProgramMarkers *markers;
};

/// `valid` columns from column `shift` of the panel on, in NV vectors.
template <int NV>
TTC_INLINE void runPanel(const IntPanel &g, const IntGemmParams &params, int64_t shift,
                         int64_t valid, void *const *operands, uint8_t *out,
                         int_epilogue_t epilogue) {
  const GemmParams &p = params.loops;
  int64_t rows = p.n * p.od * p.oh * p.ow, tiles = ceilDiv(rows, p.mr);
  // Tiles of nearly equal height.
  int64_t height = rows / tiles, taller = rows % tiles;
  int64_t blockRow = g.tileBegin * height + min(g.tileBegin, taller);
  int64_t prefetchStep = ceilDiv(p.nr * 4, g.tileEnd - g.tileBegin);
  RunRow next{};
  if (p.bounded)
    next = getRunRow(g.runs, g.tileBegin * mostRows(p));
  TTC_NO_UNROLL
  for (int64_t tile = g.tileBegin; tile < g.tileEnd; ++tile) {
    IntTile t;
    int64_t row = tile * height + min(tile, taller), tableRow = row - blockRow;
    bool isTall = taller != 0 && tile < taller;
    int64_t rowsOf[kMostTileRows];
    if (p.bounded) {
      // As for f32 (GemmLoops.h).
      row = 0;
      nextTile(p, g.runs, next, tile, rowsOf, t);
      isTall = t.count > halfRows(p);
      tableRow = (tile - g.tileBegin) * mostRows(p);
    }
    t.row = row;
    t.a = g.a + g.group * p.c + row * p.aRow;
    t.table =
        reinterpret_cast<const uint8_t *const *>(g.scratch + p.tableAt) + tableRow * params.taps;
    t.aShift = g.group * p.c;
    t.b = g.b + shift * 4;
    t.prefetch =
        reinterpret_cast<const char *>(g.next) + (tile - g.tileBegin) * prefetchStep * g.quads;
    t.prefetchStep = prefetchStep;
    t.col = g.col + shift;
    t.markers = g.markers;
    t.out = out + (t.row * p.outRow + t.col) * params.storedBytes;
    if (isTall)
      runTileOf<NV>(p.bounded ? mostRows(p) : height + 1, t, params, valid, operands, epilogue);
    else
      runTileOf<NV>(p.bounded ? halfRows(p) : height, t, params, valid, operands, epilogue);
  }
}

/// All columns of a panel, at most three vectors at a time.
TTC_INLINE void runColumns(const IntPanel &g, const IntGemmParams &params, int64_t valid,
                           void *const *operands, uint8_t *out, int_epilogue_t epilogue) {
  int64_t vectors = ceilDiv(valid, VL);
  if (vectors == 1)
    return runPanel<1>(g, params, 0, valid, operands, out, epilogue);
  if (vectors == 2)
    return runPanel<2>(g, params, 0, valid, operands, out, epilogue);
  if (vectors == 3 && VL == 16)
    return runPanel<3>(g, params, 0, valid, operands, out, epilogue);
  for (int64_t shift = 0; shift < valid; shift += VL)
    runPanel<1>(g, params, shift, min<int64_t>(VL, valid - shift), operands, out, epilogue);
}

} // namespace

TTC_KERNEL void ttc_kernel_int_gemm(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                    const int64_t *words, int_epilogue_t epilogue,
                                    ProgramMarkers *markers) {
  const IntGemmParams &params = *reinterpret_cast<const IntGemmParams *>(words);
  const GemmParams &p = params.loops;
  const auto *b = static_cast<const int8_t *>(operands[1]);
  int64_t after = params.hasBZero ? 3 : 2;
  auto zero = static_cast<uint8_t>(params.hasZero ? *static_cast<const uint8_t *>(operands[after])
                                                  : params.aZero);
  after += params.hasZero + p.numValid;
  auto *out = static_cast<uint8_t *>(operands[after]);

  int64_t tiles = ceilDiv(p.n * p.od * p.oh * p.ow, p.mr);
  int64_t groupPanels = ceilDiv(p.o, p.nr), panels = p.groups * groupPanels;
  int64_t last = p.o - (groupPanels - 1) * p.nr;
  IntPanel g;
  g.a = static_cast<const uint8_t *>(operands[0]);
  g.scratch = scratch;
  g.markers = markers;
  g.runs = {};
  ConvPart convPart{imageSizes(p, operands), p.od * p.oh, p.ow, /*hasShortBlocks=*/false};
  if (p.bounded) {
    const auto *bounds = static_cast<const int64_t *>(operands[after + 1]);
    g.runs = getRuns(p, bounds);
    convPart.lines = bounds[1];
    convPart.pixels = bounds[2];
    tiles = ceilDiv(g.runs.total, mostRows(p));
  }
  const int64_t blockTiles = getBlockTiles(p, convPart, sizeof(uint8_t));
  g.quads = params.taps * ceilDiv(params.run, 4);
  int64_t panelBytes = g.quads * p.nr * 4;

  Range panelRange = part(panels, p.panelSplits, workgroup % p.panelSplits);
  Range tileRange = part(tiles, p.rowSplits, workgroup / p.panelSplits);
  TTC_NO_UNROLL
  for (int64_t block = tileRange.begin; block < tileRange.end; block += blockTiles) {
    g.tileBegin = block;
    g.tileEnd = min(block + blockTiles, tileRange.end);
    TTC_ZONE(markers, "block");
    if (p.aMode != kRowsDirect) {
      TTC_ZONE(markers, "rows");
      findRows(p, convPart, g.runs, zero, g.a, g.tileBegin, g.tileEnd, scratch);
    }
    TTC_MAIN_CHILD_ZONE(markers, "panels");
    TTC_NO_UNROLL
    for (int64_t panel = panelRange.begin; panel < panelRange.end; ++panel) {
      g.group = panel / groupPanels;
      int64_t inGroup = panel % groupPanels;
      g.col = g.group * p.o + inGroup * p.nr;
      g.b = b + panel * panelBytes;
      g.next = panel + 1 < panels ? g.b + panelBytes : g.b;
      if (inGroup + 1 < groupPanels || last == p.nr)
        runColumns(g, params, p.nr, operands, out, epilogue);
      else
        runColumns(g, params, last, operands, out, epilogue);
    }
  }
}

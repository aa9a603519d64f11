// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The register tile: MR rows x NV vectors of accumulators over the whole depth.
#ifndef TTC_KERNELS_GEMMTILE_H
#define TTC_KERNELS_GEMMTILE_H

#include "kernels/Budgets.h"
#include "kernels/Exp.h"
#include "kernels/GemmRows.h"
#include "kernels/Narrow.h"

namespace ttc::kernels {

/// Where one tile reads and writes. `TB`: how B is stored.
template <typename TB> struct TileArgs {
  // Direct rows: the tile's first row, from the group's first channel on if no shuffle orders them.
  // Else the table's entries of that row, one per tap.
  const float *a;
  const float *const *table;
  // The group's first channel.
  int64_t channel;
  const TB *b;
  // From one panel to the next, in elements, where a tile has several.
  int64_t panelStep;
  // The scales of the tile's columns in its first panel, if TB has scales.
  const float *scales;
  // The next panel, from the part that this tile prefetches on.
  const char *prefetch;
  int64_t prefetchStep;
  float *out;
  // The epilogue's row of the first row that is stored and its step, and the column.
  int64_t row, rowStep, col;
  // With GemmParams::bounded, `a`, `out` and `row` are those of row 0; the tile's rows, and how
  // many are stored.
  const int64_t *rows;
  int64_t count;
  // With GemmParams::blockDepth: the first k of this part and how many there are, and the sums of
  // earlier parts.
  int64_t k, depth;
  float *partial;
  ProgramMarkers *markers;
};

/// Applies the epilogue to a buffer of `rows` x `vectors` vectors, of which `valid` columns exist,
/// and stores the result.
TTC_CALLED void ttc_kernel_store_tile(const float *buffer, int64_t rows, int64_t vectors,
                                      int64_t valid, float *out, int64_t outRow, int64_t row,
                                      int64_t rowStep, int64_t col, void *const *operands,
                                      epilogue_t epilogue) {
  int64_t whole = valid / VL, rest = valid % VL;
  TTC_NO_UNROLL
  for (int64_t r = 0; r < rows; ++r) {
    TTC_UNROLL
    for (int64_t v = 0; v < whole; ++v) {
      vf value = load(buffer + (r * vectors + v) * VL);
      value = epilogue(value, row + r * rowStep, col + v * VL, VL, operands);
      store(out + r * outRow + v * VL, value);
    }
    if (rest) {
      vf value = load(buffer + (r * vectors + whole) * VL);
      value = epilogue(value, row + r * rowStep, col + whole * VL, rest, operands);
      storeLanes(out + r * outRow + whole * VL, value, rest);
    }
  }
}

/// The number of k that are summed apart: a few rows have too few accumulators to hide the latency
/// of a multiply-add (4 cycles x 2 a cycle). This decides the order of the sums, so it must not
/// depend on how many vectors of a panel are used: the columns of the last panel are summed as all
/// others. `WIDE` says that a whole panel has two vectors or more.
template <int MR, bool WIDE> constexpr int depthUnroll() {
  constexpr int accumulators = WIDE ? 2 * MR : MR;
  // Eight are just enough, if no operand is ever late. AVX2 has no registers for more.
  constexpr int enough = VL == 16 ? 9 : 8;
  return accumulators >= enough ? 1 : accumulators >= 4 ? 2 : 4;
}

/// The panels that a deep one-row product reads at once (meetsPanels()). Each is a separate stream
/// for the CPU's prefetchers, which stop at the end of a page of 4 KiB: with one stream, the memory
/// idles there (35 instead of 39 GB/s on one core). More streams, or software prefetching, gain
/// nothing. The sums of all panels, and of that many k, must fit the registers.
inline constexpr int kPanelsOfRow = VL == 8 ? 3 : 2;
inline constexpr int kDepthUnrollOfRow = VL == 8 ? 2 : 4;

/// Whether a one-row product reads several panels at once. Weights that stay in L2 are read faster
/// as one stream (a GRU of 64 units takes a sixth less time). Only the depth distinguishes them,
/// because parts of the columns must have the bits of the whole. Constant once inlined.
TTC_INLINE bool meetsPanels(const GemmParams &p) {
  return p.n * p.od * p.oh * p.ow == 1 && p.c >= kDeepRow && p.groups == 1 && p.shuffle == 0 &&
         p.aMode == kRowsDirect && p.bMode == kBPacked &&
         (p.nr == 2 * VL || (p.nr == 3 * VL && VL == 16));
}

/// VL elements of a row of a panel, times their `scales`, if they have any.
template <typename TB> TTC_INLINE vf loadWeights(const TB *from, const float *scales) {
  if constexpr (hasScales<TB>)
    return load(from) * load(scales);
  else
    return load(from);
}
/// The same place in another panel.
template <typename TB> TTC_INLINE const float *moveScales(const float *scales, int64_t elements) {
  return hasScales<TB>
             ? reinterpret_cast<const float *>(reinterpret_cast<const TB *>(scales) + elements)
             : nullptr;
}

/// Adds the product of MR rows of `depth` consecutive (or `step` apart) values with rows of B: NV
/// vectors, the same number of each of P panels.
template <int P, int MR, int NV, int KU, typename TB>
TTC_INLINE void multiply(vf (&acc)[KU][MR][NV], const float *const (&a)[MR], int64_t step,
                         const TB *b, int64_t nr, int64_t panelStep, int64_t depth, bool prefetches,
                         const char *prefetch, int64_t prefetchStep,
                         const float *scales = nullptr) {
  constexpr int each = NV / P;
  auto add = [&](vf(&sums)[MR][NV], int64_t u, int64_t at) __attribute__((always_inline)) {
    vf bv[NV];
    TTC_UNROLL
    for (int v = 0; v < NV; ++v)
      bv[v] = loadWeights(b + v / each * panelStep + u * nr + v % each * VL,
                          moveScales<TB>(scales, v / each * panelStep) + v % each * VL);
    TTC_UNROLL
    for (int r = 0; r < MR; ++r) {
      vf av = (vf)a[r][at * step];
      TTC_UNROLL
      for (int v = 0; v < NV; ++v)
        sums[r][v] += av * bv[v];
    }
  };
  int64_t k = 0;
  // k is not unrolled further: with more than 12 accumulators that spilled (175 against 227 GF/s).
  TTC_NO_UNROLL
  for (; k + KU <= depth; k += KU) {
    if (prefetches) {
      __builtin_prefetch(prefetch, 0, 2);
      prefetch += prefetchStep * KU;
    }
    TTC_UNROLL
    for (int u = 0; u < KU; ++u)
      add(acc[u], u, k + u);
    b += KU * nr;
  }
  if (KU > 1) {
    TTC_NO_UNROLL
    for (; k < depth; ++k, b += nr)
      add(acc[0], 0, k);
  }
}

/// The same where A's channels are read through a channel shuffle, from its channel `first` on.
/// `a` points at each row's channel 0. The next channel is one group further, or after the last
/// group one element further in the first one.
template <int MR, int NV, int KU, typename TB>
TTC_INLINE void multiplyShuffled(vf (&acc)[KU][MR][NV], const float *const (&a)[MR],
                                 const GemmParams &p, int64_t first, const TB *b, int64_t depth,
                                 bool prefetches, const char *prefetch, int64_t prefetchStep,
                                 const float *scales) {
  const int64_t ofGroup = p.c * p.groups / p.shuffle;
  int64_t group = first % p.shuffle, at = group * ofGroup + first / p.shuffle;
  auto add = [&](vf(&sums)[MR][NV]) __attribute__((always_inline)) {
    vf bv[NV];
    TTC_UNROLL
    for (int v = 0; v < NV; ++v)
      bv[v] = loadWeights(b + v * VL, scales + v * VL);
    TTC_UNROLL
    for (int r = 0; r < MR; ++r) {
      vf av = (vf)a[r][at];
      TTC_UNROLL
      for (int v = 0; v < NV; ++v)
        sums[r][v] += av * bv[v];
    }
    b += p.nr;
    bool isLast = ++group == p.shuffle;
    at += isLast ? ofGroup + 1 - p.c * p.groups : ofGroup;
    group = isLast ? 0 : group;
  };
  // The sums have the order of multiply(): a shuffle that is read has the bits of one that is made.
  int64_t k = 0;
  TTC_NO_UNROLL
  for (; k + KU <= depth; k += KU) {
    if (prefetches) {
      __builtin_prefetch(prefetch, 0, 2);
      prefetch += prefetchStep * KU;
    }
    TTC_UNROLL
    for (int u = 0; u < KU; ++u)
      add(acc[u]);
  }
  if (KU > 1) {
    TTC_NO_UNROLL
    for (; k < depth; ++k)
      add(acc[0]);
  }
}

/// Adds the products of the rows [BEGIN, END) of a bounded tile. `first` is where its first row is.
template <int P, int BEGIN, int END, int MR, int NV, int KU, typename TB>
TTC_INLINE void multiplyApart(vf (&acc)[KU][MR][NV], const float *first, const TileArgs<TB> &t,
                              const GemmParams &p, bool prefetches) {
  const float *a[END - BEGIN];
  vf part[KU][END - BEGIN][NV];
  TTC_UNROLL
  for (int r = BEGIN; r < END; ++r) {
    a[r - BEGIN] = first + (t.rows[r] - t.rows[0]) * p.aRow;
    TTC_UNROLL
    for (int i = 0; i < KU * NV; ++i)
      part[i / NV][r - BEGIN][i % NV] = acc[i / NV][r][i % NV];
  }
  multiply<P>(part, a, p.aC, t.b, p.nr, t.panelStep, t.depth, prefetches, t.prefetch,
              t.prefetchStep, t.scales);
  TTC_UNROLL
  for (int r = BEGIN; r < END; ++r) {
    TTC_UNROLL
    for (int i = 0; i < KU * NV; ++i)
      acc[i / NV][r][i % NV] = part[i / NV][r - BEGIN][i % NV];
  }
}

/// Stores a tile's sums: MR rows of NV vectors, those of P panels one after the other.
template <int MR, int NV, int P, typename TB>
TTC_INLINE void storeTile(const float *buffer, const TileArgs<TB> &t, const GemmParams &p,
                          int64_t valid, void *const *operands, epilogue_t epilogue) {
  TTC_SUM_ZONE(t.markers, 1, "store");
  // Several panels belong to one row, so their vectors are consecutive in the buffer.
  static_assert(P == 1 || MR == 1);
  if (p.bounded) {
    TTC_NO_UNROLL
    for (int64_t done = 0; done < t.count;) {
      int64_t first = t.rows[done], count = countConsecutive(t.rows, done, t.count);
      ttc_kernel_store_tile(buffer + done * NV * VL, count, NV, valid, t.out + first * p.outRow,
                            p.outRow, t.row + first * t.rowStep, t.rowStep, t.col, operands,
                            epilogue);
      done += count;
    }
    return;
  }
  TTC_UNROLL
  for (int panel = 0; panel < P; ++panel)
    ttc_kernel_store_tile(buffer + panel * (NV / P) * VL, MR, NV / P, valid, t.out + panel * p.nr,
                          p.outRow, t.row, t.rowStep, t.col + panel * p.nr, operands, epilogue);
}

/// MR rows and N panels of one column: few columns would leave most lanes of a vector empty, so the
/// vectors run along the depth, which is a multiple of them in each tap, and are summed at the end.
template <int MR, int N, typename TB>
TTC_INLINE void runDots(const TileArgs<TB> &t, const GemmParams &p, void *const *operands,
                        epilogue_t epilogue) {
  vf acc[MR][N];
  TTC_UNROLL
  for (int i = 0; i < MR * N; ++i)
    acc[i / N][i % N] = (vf)0.0f;
  bool direct = p.aMode == kRowsDirect;
  int64_t taps = direct ? 1 : p.kernel[0] * p.kernel[1] * p.kernel[2];
  TTC_NO_UNROLL
  for (int64_t tap = 0; tap < taps; ++tap) {
    const float *a[MR];
    TTC_UNROLL
    for (int r = 0; r < MR; ++r)
      a[r] = direct ? t.a + (p.bounded ? t.rows[r] : r) * p.aRow : t.table[r * taps + tap];
    const TB *b = t.b + tap * p.c;
    TTC_NO_UNROLL
    for (int64_t k = 0; k < p.c; k += VL) {
      vf bv[N];
      TTC_UNROLL
      for (int n = 0; n < N; ++n)
        bv[n] = load(b + n * t.panelStep + k);
      TTC_UNROLL
      for (int r = 0; r < MR; ++r) {
        vf av = load(a[r] + k);
        TTC_UNROLL
        for (int n = 0; n < N; ++n)
          acc[r][n] += av * bv[n];
      }
    }
  }
  alignas(64) float buffer[MR * VL];
  TTC_UNROLL
  for (int r = 0; r < MR; ++r) {
    vf sums = (vf)0.0f;
    TTC_UNROLL
    for (int n = 0; n < N; ++n)
      sums[n] = sumOfLanes(acc[r][n])[0];
    store(buffer + r * VL, sums);
  }
  storeTile<MR, 1, 1>(buffer, t, p, N, operands, epilogue);
}

/// One tile: multiply, then the epilogue vector by vector through a small buffer in L1, so that
/// the epilogue exists once in the code and cannot make the accumulators spill. Where it has many
/// constants, storing is a function of its own (see ttc_kernel_store_tile). NV vectors of P panels
/// together.
template <int MR, int NV, int KU, int P, typename TB>
TTC_INLINE void runTile(const TileArgs<TB> &t, const GemmParams &p, int64_t valid,
                        void *const *operands, epilogue_t epilogue) {
  vf acc[KU][MR][NV];
  clear(acc);
  if (p.blockDepth != 0 && t.k != 0) {
    TTC_UNROLL
    for (int r = 0; r < MR; ++r) {
      TTC_UNROLL
      for (int v = 0; v < NV; ++v)
        acc[0][r][v] = load(t.partial + (r * NV + v) * VL);
    }
  }

  // Constant once inlined. One row streams B as fast as memory gives it without help.
  bool prefetches = p.bMode == kBPacked && p.n * p.od * p.oh * p.ow > 1;
  const float *a[MR];
  if (p.aMode == kRowsDirect) {
    const float *first = t.a + (p.shuffle != 0 ? 0 : t.k * p.aC);
    // Addresses of consecutive rows are one register and offsets. Others need a register each, of
    // which there are no 14 (a tile of 14 rows and 1,024 k took 1.5 times as long): halves of them.
    const bool mayFollow = MR > 8 && p.bounded && p.shuffle == 0;
    // Ascending, unless the last one fills the tile.
    const bool areApart = mayFollow && (t.count != MR || t.rows[MR - 1] != t.rows[0] + MR - 1);
    if (mayFollow)
      first += t.rows[0] * p.aRow;
    TTC_UNROLL
    for (int r = 0; r < MR; ++r)
      a[r] = first + (p.bounded && !mayFollow ? t.rows[r] : r) * p.aRow;
    if (areApart) {
      if constexpr (MR > 8) {
        multiplyApart<P, 0, (MR + 1) / 2>(acc, first, t, p, prefetches);
        multiplyApart<P, (MR + 1) / 2, MR>(acc, first, t, p, false);
      }
    } else if (P == 1 && p.shuffle != 0)
      multiplyShuffled(acc, a, p, t.channel + t.k, t.b, t.depth, prefetches, t.prefetch,
                       t.prefetchStep, t.scales);
    else
      multiply<P>(acc, a, p.aC, t.b, p.nr, t.panelStep, t.depth, prefetches, t.prefetch,
                  t.prefetchStep, t.scales);
  } else {
    bool copied = p.aMode == kRowsCopied;
    int64_t taps = copied ? p.kernel[1] : p.kernel[0] * p.kernel[1] * p.kernel[2];
    int64_t depth = copied ? p.kernel[2] * p.c : p.c;
    TTC_NO_UNROLL
    for (int64_t tap = 0; tap < taps; ++tap) {
      TTC_UNROLL
      for (int r = 0; r < MR; ++r)
        a[r] = t.table[r * taps + tap] + (p.shuffle != 0 ? 0 : t.channel);
      if (P == 1 && p.shuffle != 0)
        multiplyShuffled(acc, a, p, t.channel, t.b + tap * depth * p.nr, depth, prefetches,
                         t.prefetch + tap * depth * t.prefetchStep, t.prefetchStep, t.scales);
      else
        multiply<P>(acc, a, 1, t.b + tap * depth * p.nr, p.nr, t.panelStep, depth, prefetches,
                    t.prefetch + tap * depth * t.prefetchStep, t.prefetchStep, t.scales);
    }
  }

  joinChains(acc);
  if (p.blockDepth != 0 && t.k + t.depth < p.c) {
    storeRows(t.partial, NV * VL, acc[0]);
    return;
  }
  alignas(64) float buffer[MR * NV * VL];
  storeRows(buffer, NV * VL, acc[0]);
  storeTile<MR, NV, P>(buffer, t, p, valid, operands, epilogue);
}

/// The sums of `depth` products of MR rows, `row` elements apart, with NV vectors of one panel.
/// Rows after `last` are that one again. WIDE: see depthUnroll(). The order of the sums is that of
/// a tile of OF rows. The same for each of `taps`, whose rows are `tapStep` elements apart,
/// together.
template <int MR, int NV, bool WIDE, int OF = MR, typename TB>
TTC_INLINE void multiplyPanel(vf (&sums)[MR][NV], const float *first, int64_t row, int64_t step,
                              const TB *panel, int64_t nr, int64_t depth, bool prefetches = false,
                              const char *prefetch = nullptr, int64_t prefetchStep = 0,
                              int64_t last = kMostTileRows, int64_t taps = 1, int64_t tapStep = 0) {
  constexpr int KU = depthUnroll<OF, WIDE>();
  vf acc[KU][MR][NV];
  clear(acc);
  TTC_NO_UNROLL
  for (int64_t tap = 0; tap < taps; ++tap) {
    const float *a[MR];
    TTC_UNROLL
    for (int r = 0; r < MR; ++r)
      a[r] = first + tap * tapStep + min<int64_t>(r, last) * row;
    multiply<1>(acc, a, step, panel + tap * depth * nr, nr, 0, depth, prefetches,
                prefetch + tap * depth * prefetchStep, prefetchStep);
  }
  joinChains(acc);
  TTC_UNROLL
  for (int r = 0; r < MR; ++r) {
    TTC_UNROLL
    for (int v = 0; v < NV; ++v)
      sums[r][v] = acc[0][r][v];
  }
}

/// One panel's part of a tile.
template <int MR, int NV, bool WIDE, typename TB>
TTC_INLINE void runTileOfPanel(const TileArgs<TB> &t, const GemmParams &p, int64_t valid,
                               void *const *operands, epilogue_t epilogue) {
  // A row has the same bits whatever rows are beside it: half a tile sums in the order of a whole
  // one.
  if (p.bounded && MR != mostRows(p)) {
    if (mostRows(p) == 2 * MR)
      return runTile<MR, NV, depthUnroll<2 * MR, WIDE>(), 1>(t, p, valid, operands, epilogue);
    return runTile<MR, NV, depthUnroll<2 * MR - 1, WIDE>(), 1>(t, p, valid, operands, epilogue);
  }
  // All panels are summed in the same order.
  if constexpr (MR == 1 && WIDE && kDepthUnrollOfRow != depthUnroll<MR, WIDE>())
    if (meetsPanels(p))
      return runTile<MR, NV, kDepthUnrollOfRow, 1>(t, p, valid, operands, epilogue);
  runTile<MR, NV, depthUnroll<MR, WIDE>(), 1>(t, p, valid, operands, epilogue);
}

/// Picks the instance for a row count that is constant after inlining. With DOTS, of NV columns.
template <int NV, bool WIDE, bool DOTS, typename TB>
TTC_INLINE void runTileOf(int64_t rows, const TileArgs<TB> &t, const GemmParams &p, int64_t valid,
                          void *const *operands, epilogue_t epilogue) {
  if constexpr (DOTS) {
    switch (rows) {
#define TTC_CASE(MR)                                                                               \
  case MR:                                                                                         \
    return runDots<MR, NV>(t, p, operands, epilogue);
      TTC_CASE(1)
      TTC_CASE(2)
      TTC_CASE(3)
      TTC_CASE(4)
      TTC_CASE(5)
      TTC_CASE(6)
      TTC_CASE(7)
      TTC_CASE(8)
#undef TTC_CASE
    }
    __builtin_unreachable();
  }
  switch (rows) {
#define TTC_CASE(MR)                                                                               \
  case MR:                                                                                         \
    return runTileOfPanel<MR, NV, WIDE>(t, p, valid, operands, epilogue);
    TTC_FOR_ROWS(TTC_CASE)
#undef TTC_CASE
  }
  __builtin_unreachable();
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_GEMMTILE_H

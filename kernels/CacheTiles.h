// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops of attention over a cache: tiles of rows are multiplied with a block of keys, or
// its values.
#ifndef TTC_KERNELS_CACHETILES_H
#define TTC_KERNELS_CACHETILES_H

#include "kernels/KvCache.h"

namespace ttc::kernels {

/// Rows whose accumulators are in registers.
constexpr int kMostRows = VL == 16 ? 12 : 6;

/// Vectors that are multiplied with all rows of a tile at once: those of a whole block, or of half
/// of it if that leaves registers for more rows, so that fewer elements are converted. Converting
/// integers needs one more register.
template <int ROWS, typename E> constexpr int vectorsAtOnce() {
  constexpr int whole = kCacheBlock / VL;
  return VL == 16 || ROWS <= (isScaled<E> ? 2 : 3) ? whole : whole / 2;
}

/// Steps that are unrolled, each with its own accumulators, so that few rows do not wait for
/// themselves.
template <int ROWS, typename E> constexpr int stepsAtOnce() {
  constexpr int chains = ROWS * vectorsAtOnce<ROWS, E>();
  constexpr int most = VL == 16 ? 16 : isScaled<E> ? 12 : 8;
  return chains * 4 <= 12 ? 4 : chains * 2 <= most ? 2 : 1;
}

/// Adds the vectors of `row`, each times one factor of each row.
template <int ROWS, int VECTORS, typename E>
TTC_INLINE void multiplyAdd(vf (&sums)[ROWS][VECTORS], const float *factors, int64_t step,
                            const E *row) {
  if constexpr (ROWS * VECTORS == 12 && VL == 8 && VECTORS == 4) {
    // Three factors and a vector take all registers that the accumulators leave: no vector is
    // loaded before the previous one has been multiplied with all rows.
    vf factor[ROWS];
    TTC_UNROLL
    for (int r = 0; r < ROWS; ++r)
      factor[r] = (vf)factors[r * step];
    TTC_UNROLL
    for (int v = 0; v < VECTORS; ++v) {
      const vf vector = load(row + v * VL);
      TTC_UNROLL
      for (int r = 0; r < ROWS; ++r)
        sums[r][v] += factor[r] * vector;
      asm volatile("" : : : "memory");
    }
    return;
  }
  vf vectors[VECTORS];
  TTC_UNROLL
  for (int v = 0; v < VECTORS; ++v)
    vectors[v] = load(row + v * VL);
  TTC_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    TTC_UNROLL
    for (int v = 0; v < VECTORS; ++v)
      sums[r][v] += (vf)factors[r * step] * vectors[v];
  }
}

/// Prefetches 32 elements; `step` is the number of their row, whose neighbour may share its line.
template <typename E> TTC_INLINE void prefetchRow(const E *row, int step) {
  constexpr int64_t bytes = kCacheBlock * static_cast<int64_t>(sizeof(E));
  if (bytes < 64 && step % 2 == 1)
    return;
  TTC_UNROLL
  for (int64_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(reinterpret_cast<const uint8_t *>(row) + line);
}

/// Sums of `elements` products of ROWS queries, `queryRow` from each other, with the positions that
/// vectorsAtOnce() hold. `ahead`: to the elements that are prefetched.
template <int ROWS, bool PREFETCH, int VECTORS, typename E>
TTC_INLINE void multiplyKeys(const float *queries, int64_t queryRow, int64_t elements,
                             const E *keys, int64_t ahead, vf (&result)[ROWS][VECTORS]) {
  constexpr int STEPS = stepsAtOnce<ROWS, E>();
  vf sums[STEPS][ROWS][VECTORS];
  clear(sums);
  TTC_NO_UNROLL
  for (int64_t d = 0; d < elements; d += STEPS) {
    TTC_UNROLL
    for (int s = 0; s < STEPS; ++s) {
      const E *row = keys + (d + s) * kCacheBlock;
      if constexpr (PREFETCH)
        prefetchRow(row + ahead, s);
      multiplyAdd(sums[s], queries + d + s, queryRow, row);
    }
  }
  joinChains(sums);
  TTC_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    TTC_UNROLL
    for (int v = 0; v < VECTORS; ++v) {
      result[r][v] = sums[0][r][v];
    }
  }
}

/// The scores of ROWS queries with the positions of a block that vectorsAtOnce() hold, from `first`
/// on.
template <int ROWS, bool PREFETCH, typename E>
TTC_INLINE void scoreBlock(const CacheParams &p, const float *queries, const E *block,
                           int64_t first, float *scores) {
  constexpr int VECTORS = vectorsAtOnce<ROWS, E>();
  const int64_t ahead = 2 * keyBlock<E>(p);
  vf sums[ROWS][VECTORS];
  scores += first;
  if constexpr (!isScaled<E>) {
    multiplyKeys<ROWS, PREFETCH>(queries, p.depth, p.depth, block + first, ahead, sums);
    storeRows(scores, p.scoreRow, sums);
    return;
  }
  // 32 elements share a scale, which is that of a position: so it multiplies their sum.
  TTC_NO_UNROLL
  for (int64_t element = 0; element < p.depth; element += kCacheBlock) {
    const f16 *scales = keyScales(p, block, element) + first;
    if constexpr (PREFETCH)
      __builtin_prefetch(reinterpret_cast<const E *>(scales) + ahead);
    multiplyKeys<ROWS, PREFETCH>(queries + element, p.depth, kCacheBlock,
                                 block + element * kCacheBlock + first, ahead, sums);
    TTC_UNROLL
    for (int v = 0; v < VECTORS; ++v) {
      const vf scale = load(scales + v * VL);
      TTC_UNROLL
      for (int r = 0; r < ROWS; ++r) {
        float *to = scores + r * p.scoreRow + v * VL;
        const vf before = element == 0 ? (vf)0.0f : load(to);
        store(to, before + sums[r][v] * scale);
      }
    }
  }
}

/// Adds `count` values, each weighted, to columns of ROWS results: those that vectorsAtOnce() hold.
template <int ROWS, bool PREFETCH, typename E>
TTC_INLINE void addValues(const float *weights, int64_t weightRow, const E *values, int64_t count,
                          float *results, int64_t depth) {
  constexpr int STEPS = stepsAtOnce<ROWS, E>(), VECTORS = vectorsAtOnce<ROWS, E>();
  vf sums[STEPS][ROWS][VECTORS];
  TTC_UNROLL
  for (int s = 0; s < STEPS; ++s) {
    TTC_UNROLL
    for (int r = 0; r < ROWS; ++r) {
      TTC_UNROLL
      for (int v = 0; v < VECTORS; ++v)
        sums[s][r][v] = s == 0 ? load(results + r * depth + v * VL) : (vf)0.0f;
    }
  }
  auto step = [&](int64_t at, int s) __attribute__((always_inline)) {
    const E *row = values + at * kCacheBlock;
    if constexpr (PREFETCH)
      prefetchRow(row + kValueBlock<E>, s);
    multiplyAdd(sums[s], weights + at, weightRow, row);
  };
  int64_t at = 0;
  TTC_NO_UNROLL
  for (; at + STEPS <= count; at += STEPS) {
    TTC_UNROLL
    for (int s = 0; s < STEPS; ++s)
      step(at + s, s);
  }
  TTC_NO_UNROLL
  for (; at < count; ++at)
    step(at, 0);
  joinChains(sums);
  storeRows(results, depth, sums[0]);
}

/// Calls `run` for tiles of rows of nearly equal height, with the height as a constant.
template <typename Run> TTC_INLINE void forTiles(int64_t rows, Run run) {
  const int64_t tiles = ceilDiv(rows, kMostRows), height = rows / tiles, taller = rows % tiles;
  auto runTile = [&](int64_t row, int64_t rowsOfTile) __attribute__((always_inline)) {
    switch (rowsOfTile) {
#define TTC_CASE(ROWS)                                                                             \
  case ROWS:                                                                                       \
    if constexpr (ROWS <= kMostRows)                                                               \
      run.template operator()<ROWS>(row);                                                          \
    return;
      TTC_FOR_ROWS(TTC_CASE)
#undef TTC_CASE
    }
    __builtin_unreachable();
  };
  TTC_NO_UNROLL
  for (int64_t tile = 0; tile < taller; ++tile)
    runTile(tile * (height + 1), height + 1);
  TTC_NO_UNROLL
  for (int64_t tile = taller; tile < tiles; ++tile)
    runTile(tile * height + taller, height);
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_CACHETILES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over a cache of keys and values. Its cost goes by the positions that are in use.
//
// The query heads of a group meet each block of keys together: a vector of 16 positions is loaded
// (and converted) once and multiplied with one element of each query. A chunk of scores becomes exp
// relative to the largest score so far, then meets the values. What came before a larger score is
// scaled down (online softmax).
//
// One row (ttc_kernel_decode_attention): a workgroup has a part of the positions of one group, and
// whoever has the last block writes the new key and value there. Its results are partial; they are
// combined by ttc_kernel_combine_attention in the order of the parts, however many cores there are.
// Several rows: ttc_kernel_update_cache writes keys and values, and
// ttc_kernel_prefill_attention then meets tiles of rows with the cache.
#include "kernels/Exp.h"
#include "kernels/KvCache.h"

using namespace ttc::kernels;

namespace {

/// Rows whose accumulators are in registers.
constexpr int kMostRows = VL == 16 ? 12 : 6;

/// Vectors that meet all rows of a tile at once: those of a whole block, or of half of it, where
/// there are registers for more rows then, so that fewer elements are converted.
template <int ROWS> constexpr int vectorsAtOnce() {
  constexpr int whole = kCacheBlock / VL;
  return VL == 16 || ROWS <= 3 ? whole : whole / 2;
}

/// Steps that are unrolled, each with its own accumulators, so that few rows do not wait for
/// themselves.
template <int ROWS> constexpr int stepsAtOnce() {
  constexpr int chains = ROWS * vectorsAtOnce<ROWS>();
  return chains * 4 <= 12 ? 4 : chains * 2 <= (VL == 16 ? 16 : 8) ? 2 : 1;
}

/// Adds the vectors of `row`, each times one factor of each row.
template <int ROWS, int VECTORS, typename E>
TTC_INLINE void multiplyAdd(vf (&sums)[ROWS][VECTORS], const float *factors, int64_t step,
                            const E *row) {
  if constexpr (ROWS * VECTORS == 12 && VL == 8 && VECTORS == 4) {
    // Three factors and a vector take all registers that the accumulators leave: no vector is
    // loaded before the one in front of it has met all rows.
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

/// What a walk over positions needs: `rows` queries in scratch, `results`, maximum and sum of each.
struct Walk {
  const float *queries;
  float *scores, *results, *most, *sums;
};

/// The scores of ROWS queries with the positions of a block that vectorsAtOnce() hold.
template <int ROWS, bool PREFETCH, typename E>
TTC_INLINE void scoreBlock(const float *queries, int64_t depth, const E *keys, float *scores,
                           int64_t scoreRow) {
  constexpr int STEPS = stepsAtOnce<ROWS>(), VECTORS = vectorsAtOnce<ROWS>();
  vf sums[STEPS][ROWS][VECTORS];
  TTC_UNROLL
  for (int s = 0; s < STEPS; ++s) {
    TTC_UNROLL
    for (int r = 0; r < ROWS; ++r) {
      TTC_UNROLL
      for (int v = 0; v < VECTORS; ++v)
        sums[s][r][v] = (vf)0.0f;
    }
  }
  TTC_NO_UNROLL
  for (int64_t d = 0; d < depth; d += STEPS) {
    TTC_UNROLL
    for (int s = 0; s < STEPS; ++s) {
      const E *row = keys + (d + s) * kCacheBlock;
      if constexpr (PREFETCH) {
        TTC_UNROLL
        for (int64_t line = 0; line < kCacheBlock * static_cast<int64_t>(sizeof(E)); line += 64)
          __builtin_prefetch(reinterpret_cast<const uint8_t *>(row + 2 * depth * kCacheBlock) +
                             line);
      }
      multiplyAdd(sums[s], queries + d + s, depth, row);
    }
  }
  TTC_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    TTC_UNROLL
    for (int v = 0; v < VECTORS; ++v) {
      TTC_UNROLL
      for (int s = 1; s < STEPS; ++s)
        sums[0][r][v] += sums[s][r][v];
      store(scores + r * scoreRow + v * VL, sums[0][r][v]);
    }
  }
}

/// Adds `count` values, each weighted, to columns of ROWS results: those that vectorsAtOnce() hold.
template <int ROWS, bool PREFETCH, typename E>
TTC_INLINE void addValues(const float *weights, int64_t scoreRow, const E *values, int64_t count,
                          float *results, int64_t depth) {
  constexpr int STEPS = stepsAtOnce<ROWS>(), VECTORS = vectorsAtOnce<ROWS>();
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
    if constexpr (PREFETCH) {
      TTC_UNROLL
      for (int64_t line = 0; line < kCacheBlock * static_cast<int64_t>(sizeof(E)); line += 64)
        __builtin_prefetch(reinterpret_cast<const uint8_t *>(row + 32 * kCacheBlock) + line);
    }
    multiplyAdd(sums[s], weights + at, scoreRow, row);
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
  TTC_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    TTC_UNROLL
    for (int v = 0; v < VECTORS; ++v) {
      TTC_UNROLL
      for (int s = 1; s < STEPS; ++s)
        sums[0][r][v] += sums[s][r][v];
      store(results + r * depth + v * VL, sums[0][r][v]);
    }
  }
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

TTC_INLINE vi laneNumbers() {
  vi numbers;
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    numbers[i] = i;
  return numbers;
}

/// Scores of one row become their exp; what the row has so far is scaled to the new maximum. Only
/// the first `valid` scores count; all `vectors` are defined then.
TTC_INLINE void exponentiate(float *scores, int64_t vectors, int64_t valid, float *results,
                             int64_t depth, float &most, float &sum) {
  vf largest[2] = {(vf)most, (vf)most};
  TTC_NO_UNROLL
  for (int64_t v = 0; v < vectors; v += 2) {
    TTC_UNROLL
    for (int64_t i = 0; i < 2; ++i) {
      vf score = load(scores + (v + i) * VL);
      if ((v + i + 1) * VL > valid) {
        const auto remaining = static_cast<int32_t>(max<int64_t>(valid - (v + i) * VL, 0));
        score = laneNumbers() < (vi)remaining ? score : (vf)-__builtin_inff();
        store(scores + (v + i) * VL, score);
      }
      largest[i] = largerOf(largest[i], score);
    }
  }
  const vf highest = maxOfLanes(largerOf(largest[0], largest[1]));
  vf total[2] = {(vf)0.0f, (vf)0.0f};
  TTC_NO_UNROLL
  for (int64_t v = 0; v < vectors; v += 2) {
    TTC_UNROLL
    for (int64_t i = 0; i < 2; ++i) {
      vf value = expOfNegative(load(scores + (v + i) * VL) - highest);
      store(scores + (v + i) * VL, value);
      total[i] += value;
    }
  }
  // The first chunk scales nothing: exp(-infinity) is 0, as its results are.
  const vf scale = expOfNegative((vf)most - highest);
  TTC_NO_UNROLL
  for (int64_t i = 0; i < depth; i += VL)
    store(results + i, load(results + i) * scale);
  most = highest[0];
  sum = sum * scale[0] + sumOfLanes(total[0] + total[1])[0];
}

/// `rows` queries meet positions [begin, end) of a group. Row r meets only those before limit(r);
/// the first one has a position that it meets before the end of the first chunk.
template <bool PREFETCH, typename E, typename Limit>
TTC_INLINE void walkPositions(const CacheParams &p, const Walk &walk, int64_t rows, int64_t group,
                              int64_t begin, int64_t end, const E *keys, const E *values,
                              Limit limit) {
  TTC_NO_UNROLL
  for (int64_t first = begin; first < end; first += p.chunkBlocks * kCacheBlock) {
    const int64_t last = min(first + p.chunkBlocks * kCacheBlock, end);
    const int64_t blocks = blocksOf(last - first);
    TTC_NO_UNROLL
    for (int64_t block = 0; block < blocks; ++block) {
      const E *from = keys + keyAt(p, group, first / kCacheBlock + block);
      forTiles(rows, [&]<int ROWS>(int64_t row) __attribute__((always_inline)) {
        TTC_UNROLL
        for (int64_t at = 0; at < kCacheBlock; at += vectorsAtOnce<ROWS>() * VL)
          scoreBlock<ROWS, PREFETCH>(walk.queries + row * p.depth, p.depth, from + at,
                                     walk.scores + row * p.scoreRow + block * kCacheBlock + at,
                                     p.scoreRow);
      });
    }
    TTC_NO_UNROLL
    for (int64_t row = 0; row < rows; ++row)
      exponentiate(walk.scores + row * p.scoreRow, blocks * (kCacheBlock / VL), limit(row) - first,
                   walk.results + row * p.depth, p.depth, walk.most[row], walk.sums[row]);
    TTC_NO_UNROLL
    for (int64_t column = 0; column < p.depth; column += kCacheBlock) {
      const E *from = values + valueAt(p, group, column, first);
      forTiles(rows, [&]<int ROWS>(int64_t row) __attribute__((always_inline)) {
        TTC_UNROLL
        for (int64_t at = 0; at < kCacheBlock; at += vectorsAtOnce<ROWS>() * VL)
          addValues<ROWS, PREFETCH>(walk.scores + row * p.scoreRow, p.scoreRow, from + at,
                                    last - first, walk.results + row * p.depth + column + at,
                                    p.depth);
      });
    }
  }
}

/// The walk's memory in scratch, and nothing seen yet.
TTC_INLINE Walk beginWalk(const CacheParams &p, uint8_t *scratch, int64_t rows) {
  auto *results = reinterpret_cast<float *>(scratch + p.resultsAt);
  auto *most = reinterpret_cast<float *>(scratch + p.statsAt);
  TTC_NO_UNROLL
  for (int64_t i = 0; i < rows * p.depth; i += VL)
    store(results + i, (vf)0.0f);
  TTC_NO_UNROLL
  for (int64_t row = 0; row < rows; ++row) {
    most[row] = -__builtin_inff();
    most[rows + row] = 0.0f;
  }
  return {reinterpret_cast<const float *>(scratch + p.queriesAt),
          reinterpret_cast<float *>(scratch + p.scoresAt), results, most, most + rows};
}

TTC_INLINE vf scaleOf(const CacheParams &p) {
  return (vf) __builtin_bit_cast(float, static_cast<int32_t>(p.scale));
}

/// `elements` is a multiple of 16.
TTC_INLINE void fillZeros(float *to, int64_t elements) {
  TTC_NO_UNROLL
  for (int64_t i = 0; i < elements; i += VL)
    store(to + i, (vf)0.0f);
}

/// One result divided by the sum of its weights.
TTC_INLINE void storeNormalized(const float *from, float sum, int64_t depth, float *to) {
  const vf inverse = (vf)1.0f / (vf)sum;
  TTC_NO_UNROLL
  for (int64_t i = 0; i < depth; i += VL)
    store(to + i, load(from + i) * inverse);
}

template <typename E>
TTC_INLINE void decode(const CacheParams &p, void *const *operands, uint8_t *scratch,
                       int64_t workgroup) {
  void *const *results = operands + 4 + p.hasTable + p.hasCount;
  auto *out = static_cast<float *>(results[0]);
  auto *keys = static_cast<E *>(results[1]), *values = static_cast<E *>(results[2]);
  const int64_t group = workgroup / p.splits, split = workgroup % p.splits;
  const int64_t rows = p.heads / p.groups;
  const Span span = readSpan(p, operands);
  const int64_t blocks = blocksOf(span.end()), whole = p.context / kCacheBlock;
  const Range own = part(blocks, p.splits, split), rest = part(whole - blocks, p.splits, split);
  auto *queries = reinterpret_cast<float *>(scratch + p.queriesAt);
  copyBlocks(p, operands, group, own.begin, own.end, keys, values);
  copyBlocks(p, operands, group, blocks + rest.begin, blocks + rest.end, keys, values);
  const Walk walk = beginWalk(p, scratch, rows);
  const bool isEmpty = own.begin == own.end;
  if (!isEmpty) {
    if (own.end == blocks)
      writeRow(p, operands, span, group, /*row=*/0, keys, values, queries);
    TTC_NO_UNROLL
    for (int64_t row = 0; row < rows; ++row)
      rotate(p, operands, headOf(p, operands, 0, group * rows + row), span.position, scaleOf(p),
             queries + row * p.depth);
    const int64_t end = min(own.end * kCacheBlock, span.end());
    walkPositions</*PREFETCH=*/true>(p, walk, rows, group, own.begin * kCacheBlock, end, keys,
                                     values,
                                     [&](int64_t) __attribute__((always_inline)) { return end; });
  }
  TTC_NO_UNROLL
  for (int64_t row = 0; row < rows; ++row) {
    const float *from = walk.results + row * p.depth;
    const int64_t head = group * rows + row;
    if (p.splits == 1) {
      if (isEmpty)
        fillZeros(out + head * p.depth, p.depth);
      else
        storeNormalized(from, walk.sums[row], p.depth, out + head * p.depth);
      continue;
    }
    float *to = out + (split * p.heads + head) * p.partialRow;
    TTC_NO_UNROLL
    for (int64_t i = 0; i < p.depth; i += VL)
      store(to + i, load(from + i));
    fillZeros(to + p.depth, p.partialRow - p.depth);
    to[p.depth] = walk.most[row];
    to[p.depth + 1] = walk.sums[row];
  }
}

template <typename E>
TTC_INLINE void updateCache(const CacheParams &p, void *const *operands, uint8_t *scratch,
                            int64_t workgroup) {
  void *const *results = operands + 4 + p.hasTable + p.hasCount;
  auto *keys = static_cast<E *>(results[0]), *values = static_cast<E *>(results[1]);
  const bool copies = results[0] != operands[1] || results[1] != operands[2];
  auto *key = reinterpret_cast<float *>(scratch + p.queriesAt);
  const Span span = readSpan(p, operands);
  const int64_t first = copies ? 0 : span.position / kCacheBlock;
  const int64_t last = copies ? p.context / kCacheBlock : blocksOf(span.end());
  TTC_NO_UNROLL
  for (int64_t block = first; block < last; ++block) {
    TTC_NO_UNROLL
    for (int64_t group = 0; group < p.groups; ++group) {
      // Blocks are dealt: neighbours are written by different workgroups.
      if ((block * p.groups + group) % p.workgroups != workgroup)
        continue;
      copyBlocks(p, operands, group, block, block + 1, keys, values);
      const int64_t begin = max(block * kCacheBlock, span.position);
      const int64_t end = min((block + 1) * kCacheBlock, span.end());
      TTC_NO_UNROLL
      for (int64_t position = begin; position < end; ++position)
        writeRow(p, operands, span, group, position - span.position, keys, values, key);
    }
  }
}

template <typename E>
TTC_INLINE void prefill(const CacheParams &p, void *const *operands, uint8_t *scratch,
                        int64_t workgroup, ProgramMarkers *markers) {
  const auto *keys = static_cast<const E *>(operands[1]);
  const auto *values = static_cast<const E *>(operands[2]);
  auto *out = static_cast<float *>(operands[4 + p.hasTable + p.hasCount]);
  auto *queries = reinterpret_cast<float *>(scratch + p.queriesAt);
  const int64_t heads = p.heads / p.groups, rows = heads * p.tileRows;
  const Span span = readSpan(p, operands);
  const int64_t units = ceilDiv(p.rows, p.tileRows) * p.groups;
  // Later rows meet more positions, so tiles are dealt.
  TTC_NO_UNROLL
  for (int64_t unit = workgroup; unit < units; unit += p.workgroups) {
    TTC_MAIN_CHILD_ZONE(markers, "tile");
    const int64_t group = unit % p.groups, row = unit / p.groups * p.tileRows;
    const int64_t valid = min(p.tileRows, max<int64_t>(span.rows - row, 0));
    const Walk walk = beginWalk(p, scratch, rows);
    TTC_NO_UNROLL
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t of = i / heads;
      if (of < valid)
        rotate(p, operands, headOf(p, operands, row + of, group * heads + i % heads),
               span.position + row + of, scaleOf(p), queries + i * p.depth);
      else
        fillZeros(queries + i * p.depth, p.depth);
    }
    const int64_t end = valid ? span.position + row + valid : 0;
    walkPositions</*PREFETCH=*/false>(p, walk, rows, group, /*begin=*/0, end, keys, values,
                                      [&](int64_t i) __attribute__((always_inline)) {
                                        return min(span.position + row + i / heads + 1, end);
                                      });
    TTC_NO_UNROLL
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t of = row + i / heads;
      float *to = out + (of * p.heads + group * heads + i % heads) * p.depth;
      if (of < span.rows)
        storeNormalized(walk.results + i * p.depth, walk.sums[i], p.depth, to);
      else if (of < p.rows)
        fillZeros(to, p.depth);
    }
  }
}

} // namespace

TTC_KERNEL void ttc_kernel_decode_attention(void *const *operands, uint8_t *scratch,
                                            int64_t workgroup, const int64_t *params, epilogue_t,
                                            ProgramMarkers *) {
  const auto &p = *reinterpret_cast<const CacheParams *>(params);
  if (p.element == kF16)
    decode<f16>(p, operands, scratch, workgroup);
  else
    decode<float>(p, operands, scratch, workgroup);
}

TTC_KERNEL void ttc_kernel_update_cache(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                        const int64_t *params, epilogue_t, ProgramMarkers *) {
  const auto &p = *reinterpret_cast<const CacheParams *>(params);
  if (p.element == kF16)
    updateCache<f16>(p, operands, scratch, workgroup);
  else
    updateCache<float>(p, operands, scratch, workgroup);
}

TTC_KERNEL void ttc_kernel_prefill_attention(void *const *operands, uint8_t *scratch,
                                             int64_t workgroup, const int64_t *params, epilogue_t,
                                             ProgramMarkers *markers) {
  const auto &p = *reinterpret_cast<const CacheParams *>(params);
  if (p.element == kF16)
    prefill<f16>(p, operands, scratch, workgroup, markers);
  else
    prefill<float>(p, operands, scratch, workgroup, markers);
}

TTC_KERNEL void ttc_kernel_combine_attention(void *const *operands, uint8_t *, int64_t workgroup,
                                             const int64_t *params, epilogue_t, ProgramMarkers *) {
  const auto &p = *reinterpret_cast<const CombineParams *>(params);
  const auto *partials = static_cast<const float *>(operands[0]);
  auto *out = static_cast<float *>(operands[1]);
  const int64_t step = p.heads * p.partialRow;
  const Range heads = part(p.heads, p.workgroups, workgroup);
  TTC_NO_UNROLL
  for (int64_t head = heads.begin; head < heads.end; ++head) {
    const float *first = partials + head * p.partialRow, *stats = first + p.depth;
    float *to = out + head * p.depth;
    float most = stats[0], sum = 0.0f;
    TTC_NO_UNROLL
    for (int64_t split = 1; split < p.splits; ++split)
      most = max(most, stats[split * step]);
    fillZeros(to, p.depth);
    TTC_NO_UNROLL
    for (int64_t split = 0; split < p.splits; ++split) {
      // A part without positions.
      if (stats[split * step + 1] == 0.0f)
        continue;
      const vf weight = expOfNegative((vf)(stats[split * step] - most));
      sum += stats[split * step + 1] * weight[0];
      TTC_NO_UNROLL
      for (int64_t i = 0; i < p.depth; i += VL)
        store(to + i, load(to + i) + load(first + split * step + i) * weight);
    }
    if (sum == 0.0f) // no position at all
      continue;
    storeNormalized(to, sum, p.depth, to);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over a cache of keys and values. Its cost is proportional to the number of positions in
// use, or of the window if there is one.
//
// The query heads of a group share each block of keys: a vector of 16 positions is loaded (and
// converted) once and multiplied with one element of each query. A chunk of scores becomes exp
// relative to the largest score so far, then is multiplied with the values. A larger score scales
// down earlier results (online softmax).
//
// One row, or rows of different sequences (ttc_kernel_decode_attention): a workgroup has a part of
// the positions of one group, and the one that has the last block writes the new key and value
// there. Its results are partial; ttc_kernel_combine_attention combines them in the order of the
// parts, on any number of cores. Several rows: ttc_kernel_update_cache writes keys and values, and
// ttc_kernel_prefill_attention then multiplies tiles of rows with the cache.
#include "kernels/CacheTiles.h"
#include "kernels/Tanh.h"

using namespace ttc::kernels;

namespace {

/// What a walk over positions needs: `rows` queries in scratch, `results`, maximum and sum of each.
struct Walk {
  const float *queries;
  float *scores, *results, *most, *sums;
  float *scaled; ///< weights of a block, times the scales of its values
};

/// The number with these bits.
TTC_INLINE vf numberOf(int64_t bits) {
  return (vf) __builtin_bit_cast(float, static_cast<int32_t>(bits));
}

/// Scores of one row become their exp; what the row has so far is scaled to the new maximum. Only
/// the `valid` scores count; all `vectors` are defined then.
TTC_INLINE void exponentiate(const CacheParams &p, float *scores, int64_t vectors, Range valid,
                             float *results, float &most, float &sum) {
  // A row of a tile whose window begins in a later chunk, or ended in an earlier one.
  if (p.window && max<int64_t>(valid.begin, 0) >= min(valid.end, vectors * VL)) {
    TTC_NO_UNROLL
    for (int64_t v = 0; v < vectors; ++v)
      store(scores + v * VL, (vf)0.0f);
    return;
  }
  vf largest[2] = {(vf)most, (vf)most};
  TTC_NO_UNROLL
  for (int64_t v = 0; v < vectors; v += 2) {
    TTC_UNROLL
    for (int64_t i = 0; i < 2; ++i) {
      vf score = load(scores + (v + i) * VL);
      if (p.softCap) {
        const vf cap = numberOf(p.softCap);
        score = divide(tanhOf(score * ((vf)1.0f / cap))) * cap;
        store(scores + (v + i) * VL, score);
      }
      if (p.window && (v + i) * VL < valid.begin) {
        const auto skipped = static_cast<int32_t>(min<int64_t>(valid.begin - (v + i) * VL, VL));
        score = laneNumbers() < (vi)skipped ? (vf)-__builtin_inff() : score;
        store(scores + (v + i) * VL, score);
      }
      if ((v + i + 1) * VL > valid.end) {
        const auto remaining = static_cast<int32_t>(max<int64_t>(valid.end - (v + i) * VL, 0));
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
  for (int64_t i = 0; i < p.depth; i += VL)
    store(results + i, load(results + i) * scale);
  most = highest[0];
  sum = sum * scale[0] + sumOfLanes(total[0] + total[1])[0];
}

/// Multiplies the weights of `count` positions, from `first` of a chunk on, with their values: 32
/// columns. The first `skipped` of these positions are left out.
template <bool PREFETCH, typename E>
TTC_INLINE void weigh(const CacheParams &p, const Walk &walk, int64_t rows, int64_t first,
                      int64_t count, int64_t skipped, const E *values, int64_t column) {
  const float *weights = walk.scores + first;
  int64_t weightRow = p.scoreRow;
  if constexpr (isScaled<E>) {
    weights = walk.scaled;
    weightRow = kCacheBlock;
    const f16 *scales = valueScales(values);
    if constexpr (PREFETCH)
      __builtin_prefetch(reinterpret_cast<const E *>(scales) + kValueBlock<E>);
    TTC_NO_UNROLL
    for (int64_t row = 0; row < rows; ++row) {
      TTC_UNROLL
      for (int64_t i = 0; i < kCacheBlock; i += VL)
        store(walk.scaled + row * kCacheBlock + i,
              load(walk.scores + row * p.scoreRow + first + i) * load(scales + i));
    }
  }
  forTiles(rows, [&]<int ROWS>(int64_t row) __attribute__((always_inline)) {
    TTC_UNROLL
    for (int64_t at = 0; at < kCacheBlock; at += vectorsAtOnce<ROWS, E>() * VL)
      addValues<ROWS, PREFETCH>(weights + row * weightRow + skipped, weightRow,
                                values + skipped * kCacheBlock + at, count - skipped,
                                walk.results + row * p.depth + column + at, p.depth);
  });
}

/// Multiplies `rows` queries with positions [begin, end) of a group, row r only with those of
/// attended(r). Without a window, `begin` is that of a block, and each row has a position in the
/// first chunk.
template <bool PREFETCH, typename E, typename Attended>
TTC_INLINE void walkPositions(const CacheParams &p, const Walk &walk, int64_t rows, int64_t group,
                              int64_t begin, int64_t end, const E *keys, const E *values,
                              Attended attended) {
  const int64_t firstChunk = p.window ? begin / kCacheBlock * kCacheBlock : begin;
  TTC_NO_UNROLL
  for (int64_t first = firstChunk; first < end; first += p.chunkBlocks * kCacheBlock) {
    const int64_t last = min(first + p.chunkBlocks * kCacheBlock, end);
    const int64_t blocks = blocksOf(last - first);
    const int64_t skipped = p.window ? max<int64_t>(begin - first, 0) : 0;
    TTC_NO_UNROLL
    for (int64_t block = 0; block < blocks; ++block) {
      const E *from = keys + keyAt<E>(p, group, first / kCacheBlock + block);
      forTiles(rows, [&]<int ROWS>(int64_t row) __attribute__((always_inline)) {
        TTC_UNROLL
        for (int64_t at = 0; at < kCacheBlock; at += vectorsAtOnce<ROWS, E>() * VL)
          scoreBlock<ROWS, PREFETCH>(p, walk.queries + row * p.depth, from, at,
                                     walk.scores + row * p.scoreRow + block * kCacheBlock);
      });
    }
    TTC_NO_UNROLL
    for (int64_t row = 0; row < rows; ++row) {
      const Range valid = attended(row);
      exponentiate(p, walk.scores + row * p.scoreRow, blocks * (kCacheBlock / VL),
                   {valid.begin - first, valid.end - first}, walk.results + row * p.depth,
                   walk.most[row], walk.sums[row]);
    }
    // Without scales, blocks of values are one after the other.
    const int64_t step = isScaled<E> ? kCacheBlock : last - first;
    TTC_NO_UNROLL
    for (int64_t column = 0; column < p.depth; column += kCacheBlock) {
      const E *from = values + valueAt<E>(p, group, column, first / kCacheBlock);
      TTC_NO_UNROLL
      for (int64_t at = 0; at < last - first; at += step)
        weigh<PREFETCH>(p, walk, rows, at, min(step, last - first - at), at ? 0 : skipped,
                        from + at / kCacheBlock * kValueBlock<E>, column);
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
          reinterpret_cast<float *>(scratch + p.scoresAt),
          results,
          most,
          most + rows,
          reinterpret_cast<float *>(scratch + p.scaledAt)};
}

/// What heads see in any case, before any position: row r of the walk belongs to head
/// r modulo the heads of the group.
TTC_INLINE void seeSinks(const CacheParams &p, void *const *operands, const Walk &walk,
                         int64_t group, int64_t rows) {
  if (!p.hasSinks)
    return;
  const int64_t heads = p.heads / p.groups;
  const auto *sinks = static_cast<const float *>(resultsOf(p, operands)[-1]) + group * heads;
  TTC_NO_UNROLL
  for (int64_t row = 0; row < rows; ++row) {
    walk.most[row] = sinks[row % heads];
    walk.sums[row] = 1.0f;
  }
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

/// One part of the positions of a group, for row `row` and its sequence.
template <typename E>
TTC_INLINE void decodePart(const CacheParams &p, void *const *operands, uint8_t *scratch,
                           int64_t row, int64_t group, int64_t split) {
  void *const *results = resultsOf(p, operands);
  auto *out = static_cast<float *>(results[0]);
  const int64_t heads = p.heads / p.groups;
  const Span span = readRow(p, operands, row);
  const Caches<E> caches(p, operands, results + 1, span.sequence);
  const Range attended = attendedBy(p, span.position);
  const int64_t blocks = blocksOf(span.end()), whole = p.context / kCacheBlock;
  // Those before the window are only copied.
  const int64_t before = p.window ? min(attended.begin / kCacheBlock, blocks) : 0;
  const Range within = part(blocks - before, p.splits, split);
  const Range own = {before + within.begin, before + within.end};
  const Range rest = part(whole - blocks, p.splits, split);
  auto *queries = reinterpret_cast<float *>(scratch + p.queriesAt);
  if (span.rows) {
    if (p.window) {
      const Range early = part(before, p.splits, split);
      copyBlocks(p, group, early.begin, early.end, caches);
    }
    copyBlocks(p, group, own.begin, own.end, caches);
    copyBlocks(p, group, blocks + rest.begin, blocks + rest.end, caches);
  }
  const Walk walk = beginWalk(p, scratch, heads);
  const bool isEmpty = own.begin == own.end;
  if (!isEmpty) {
    if (own.end == blocks)
      writeRow(p, operands, group, row, span.position, caches, queries);
    TTC_NO_UNROLL
    for (int64_t head = 0; head < heads; ++head)
      rotate(p, operands, headOf(p, operands, row, group * heads + head), span.position,
             numberOf(p.scale), queries + head * p.depth);
    // One part of the positions has it.
    if (p.hasSinks && own.end == blocks)
      seeSinks(p, operands, walk, group, heads);
    const int64_t end = min(own.end * kCacheBlock, span.end());
    walkPositions</*PREFETCH=*/true>(
        p, walk, heads, group,
        p.window ? max(own.begin * kCacheBlock, attended.begin) : own.begin * kCacheBlock, end,
        static_cast<const E *>(caches.keys), static_cast<const E *>(caches.values),
        [&](int64_t) __attribute__((always_inline)) { return Range{attended.begin, end}; });
  }
  TTC_NO_UNROLL
  for (int64_t i = 0; i < heads; ++i) {
    const float *from = walk.results + i * p.depth;
    const int64_t head = row * p.heads + group * heads + i;
    if (p.splits == 1) {
      if (isEmpty)
        fillZeros(out + head * p.depth, p.depth);
      else
        storeNormalized(from, walk.sums[i], p.depth, out + head * p.depth);
      continue;
    }
    float *to = out + (split * p.rows * p.heads + head) * p.partialRow;
    TTC_NO_UNROLL
    for (int64_t i = 0; i < p.depth; i += VL)
      store(to + i, load(from + i));
    fillZeros(to + p.depth, p.partialRow - p.depth);
    to[p.depth] = walk.most[i];
    to[p.depth + 1] = walk.sums[i];
  }
}

/// A workgroup has the same part of the positions of each of its rows, so that shares are equal
/// whatever the positions are.
template <typename E>
TTC_INLINE void decode(const CacheParams &p, void *const *operands, uint8_t *scratch,
                       int64_t workgroup) {
  const int64_t parts = p.groups * p.splits, step = p.workgroups / parts;
  const int64_t group = workgroup % parts / p.splits, split = workgroup % p.splits;
  TTC_NO_UNROLL
  for (int64_t row = workgroup / parts; row < p.rows; row += step)
    decodePart<E>(p, operands, scratch, row, group, split);
  // The sequences that no row has.
  void *const *results = resultsOf(p, operands) + 1;
  if (results[0] == operands[1] && results[1] == operands[2])
    return;
  const Range own = part(p.context / kCacheBlock, p.splits, split);
  TTC_NO_UNROLL
  for (int64_t sequence = workgroup / parts; sequence < p.sequences; sequence += step)
    if (!hasRow(p, operands, sequence))
      copyBlocks(p, group, own.begin, own.end, Caches<E>(p, operands, results, sequence));
}

template <typename E>
TTC_INLINE void updateCache(const CacheParams &p, void *const *operands, uint8_t *scratch,
                            int64_t workgroup) {
  void *const *results = resultsOf(p, operands);
  const bool copies = results[0] != operands[1] || results[1] != operands[2];
  auto *key = reinterpret_cast<float *>(scratch + p.queriesAt);
  const Span span = readSpan(p, operands);
  const int64_t whole = p.context / kCacheBlock;
  const int64_t first = copies ? 0 : span.position / kCacheBlock;
  const int64_t last = copies ? whole : blocksOf(span.end());
  TTC_NO_UNROLL
  for (int64_t sequence = copies ? 0 : span.sequence;
       sequence < (copies ? p.sequences : span.sequence + 1); ++sequence) {
    const Caches<E> caches(p, operands, results, sequence);
    TTC_NO_UNROLL
    for (int64_t block = first; block < last; ++block) {
      TTC_NO_UNROLL
      for (int64_t group = 0; group < p.groups; ++group) {
        // Blocks are dealt: neighbours are written by different workgroups.
        if (((sequence * whole + block) * p.groups + group) % p.workgroups != workgroup)
          continue;
        copyBlocks(p, group, block, block + 1, caches);
        if (sequence != span.sequence)
          continue;
        const int64_t begin = max(block * kCacheBlock, span.position);
        const int64_t end = min((block + 1) * kCacheBlock, span.end());
        TTC_NO_UNROLL
        for (int64_t position = begin; position < end; ++position)
          writeRow(p, operands, group, position - span.position, position, caches, key);
      }
    }
  }
}

template <typename E>
TTC_INLINE void prefill(const CacheParams &p, void *const *operands, uint8_t *scratch,
                        int64_t workgroup, ProgramMarkers *markers) {
  auto *out = static_cast<float *>(resultsOf(p, operands)[0]);
  auto *queries = reinterpret_cast<float *>(scratch + p.queriesAt);
  const int64_t heads = p.heads / p.groups, rows = heads * p.tileRows;
  const Span span = readSpan(p, operands);
  const int64_t offset = span.sequence * sequenceSize<E>(p);
  const auto *keys = static_cast<const E *>(operands[1]) + offset;
  const auto *values = static_cast<const E *>(operands[2]) + offset;
  const int64_t units = ceilDiv(p.rows, p.tileRows) * p.groups;
  // Later rows attend to more positions, so tiles are dealt out in turn.
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
               span.position + row + of, numberOf(p.scale), queries + i * p.depth);
      else
        fillZeros(queries + i * p.depth, p.depth);
    }
    seeSinks(p, operands, walk, group, rows);
    const int64_t end = valid ? span.position + row + valid : 0;
    const int64_t begin = attendedBy(p, span.position + row).begin;
    walkPositions</*PREFETCH=*/false>(p, walk, rows, group, begin, end, keys, values,
                                      [&](int64_t i) __attribute__((always_inline)) {
                                        Range attended =
                                            attendedBy(p, span.position + row + i / heads);
                                        attended.end = min(attended.end, end);
                                        return attended;
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

/// Calls `run` for the type of the caches' elements.
template <typename Run> TTC_INLINE void forElement(const CacheParams &p, Run run) {
  if (p.element == kI8)
    run.template operator()<int8_t>();
  else if (p.element == kF16)
    run.template operator()<f16>();
  else
    run.template operator()<float>();
}

} // namespace

TTC_KERNEL void ttc_kernel_decode_attention(void *const *operands, uint8_t *scratch,
                                            int64_t workgroup, const int64_t *params, epilogue_t,
                                            ProgramMarkers *) {
  const auto &p = *reinterpret_cast<const CacheParams *>(params);
  forElement(p, [&]<typename E>()
                    __attribute__((always_inline)) { decode<E>(p, operands, scratch, workgroup); });
}

TTC_KERNEL void ttc_kernel_update_cache(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                        const int64_t *params, epilogue_t, ProgramMarkers *) {
  const auto &p = *reinterpret_cast<const CacheParams *>(params);
  forElement(p, [&]<typename E>() __attribute__((always_inline)) {
    updateCache<E>(p, operands, scratch, workgroup);
  });
}

TTC_KERNEL void ttc_kernel_prefill_attention(void *const *operands, uint8_t *scratch,
                                             int64_t workgroup, const int64_t *params, epilogue_t,
                                             ProgramMarkers *markers) {
  const auto &p = *reinterpret_cast<const CacheParams *>(params);
  forElement(p, [&]<typename E>() __attribute__((always_inline)) {
    prefill<E>(p, operands, scratch, workgroup, markers);
  });
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

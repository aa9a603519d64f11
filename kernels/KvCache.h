// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches of keys and values: where elements are, and how rows of qkv get there.
#ifndef TTC_KERNELS_KVCACHE_H
#define TTC_KERNELS_KVCACHE_H

#include "kernels/Narrow.h"

namespace ttc::kernels {

/// The rows of a call that count: row m of them is at position + m, which is within the cache.
struct Span {
  int64_t position, rows;
  __attribute__((always_inline)) static Span none() { return {0, 0}; }
  __attribute__((always_inline)) int64_t end() const { return position + rows; }
};

/// Whatever the position's bytes are, no row is outside of the cache.
TTC_INLINE Span readSpan(const CacheParams &p, void *const *operands) {
  const int64_t position = *static_cast<const int32_t *>(operands[3]);
  int64_t rows = p.rows;
  if (p.hasCount)
    rows = min<int64_t>(rows, *static_cast<const int32_t *>(operands[4 + p.hasTable]));
  if (position < 0 || position >= p.context || rows <= 0)
    return Span::none();
  return {position, min(rows, p.context - position)};
}

/// The blocks that hold the first `positions` positions.
TTC_INLINE int64_t blocksOf(int64_t positions) { return ceilDiv(positions, kCacheBlock); }

TTC_INLINE int64_t keyAt(const CacheParams &p, int64_t group, int64_t block) {
  return (group * (p.context / kCacheBlock) + block) * p.depth * kCacheBlock;
}

/// `column` is the first of 32 elements of a head.
TTC_INLINE int64_t valueAt(const CacheParams &p, int64_t group, int64_t column, int64_t position) {
  return (group * p.depth + column) * p.context + position * kCacheBlock;
}

/// Where head `head` of row `row` is: the heads of queries come first, then those of keys and of
/// values.
TTC_INLINE const float *headOf(const CacheParams &p, void *const *operands, int64_t row,
                               int64_t head) {
  return static_cast<const float *>(operands[0]) +
         (row * (p.heads + 2 * p.groups) + head) * p.depth;
}

TTC_INLINE vf evenLanes(vf a, vf b) {
#if VL == 16
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#else
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
#endif
}
TTC_INLINE vf oddLanes(vf a, vf b) {
#if VL == 16
  return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#else
  return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}
/// Lanes of a and b in turns: those of the first halves, or of the second.
TTC_INLINE vf firstInTurns(vf a, vf b) {
#if VL == 16
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#else
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#endif
}
TTC_INLINE vf lastInTurns(vf a, vf b) {
#if VL == 16
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
#else
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

/// A head rotated by the angles of `position`, which is within the table, and scaled.
TTC_INLINE void rotate(const CacheParams &p, void *const *operands, const float *from,
                       int64_t position, vf scale, float *to) {
  if (p.rope == kRopeNone) {
    TTC_NO_UNROLL
    for (int64_t i = 0; i < p.depth; i += VL)
      store(to + i, load(from + i) * scale);
    return;
  }
  const float *cosines = static_cast<const float *>(operands[4]) + position * p.depth;
  const int64_t half = p.depth / 2;
  TTC_NO_UNROLL
  for (int64_t i = 0; i < half; i += VL) {
    const bool pairs = p.rope == kRopePairs;
    const vf first = load(from + (pairs ? 2 * i : i));
    const vf second = load(from + (pairs ? 2 * i + VL : half + i));
    const vf a = pairs ? evenLanes(first, second) : first;
    const vf b = pairs ? oddLanes(first, second) : second;
    const vf cosine = load(cosines + i), sine = load(cosines + half + i);
    const vf x = (a * cosine - b * sine) * scale, y = (b * cosine + a * sine) * scale;
    store(to + (pairs ? 2 * i : i), pairs ? firstInTurns(x, y) : x);
    store(to + (pairs ? 2 * i + VL : half + i), pairs ? lastInTurns(x, y) : y);
  }
}

/// Key and value of a row, rotated, at its place in the caches. `key` has room for a head.
template <typename E>
TTC_INLINE void writeRow(const CacheParams &p, void *const *operands, const Span &span,
                         int64_t group, int64_t row, E *keys, E *values, float *key) {
  const int64_t position = span.position + row;
  rotate(p, operands, headOf(p, operands, row, p.heads + group), position, (vf)1.0f, key);
  E *block = keys + keyAt(p, group, position / kCacheBlock) + position % kCacheBlock;
  TTC_NO_UNROLL
  for (int64_t i = 0; i < p.depth; i += VL) {
    E narrow[VL];
    store(narrow, load(key + i));
    TTC_UNROLL
    for (int64_t lane = 0; lane < VL; ++lane)
      block[(i + lane) * kCacheBlock] = narrow[lane];
  }
  const float *value = headOf(p, operands, row, p.heads + p.groups + group);
  TTC_NO_UNROLL
  for (int64_t column = 0; column < p.depth; column += kCacheBlock) {
    E *to = values + valueAt(p, group, column, position);
    TTC_UNROLL
    for (int64_t i = 0; i < kCacheBlock; i += VL)
      store(to + i, load(value + column + i));
  }
}

/// `elements` is a multiple of 32.
template <typename E> TTC_INLINE void copyElements(const E *from, E *to, int64_t elements) {
  typedef uint8_t bytes __attribute__((ext_vector_type(32), aligned(2)));
  const auto *source = reinterpret_cast<const bytes *>(from);
  auto *target = reinterpret_cast<bytes *>(to);
  const int64_t count = elements * static_cast<int64_t>(sizeof(E)) / 32;
  TTC_NO_UNROLL
  for (int64_t i = 0; i < count; ++i)
    target[i] = source[i];
}

/// Blocks [begin, end) of one group as they were, where a result is not stored over its operand.
template <typename E>
TTC_INLINE void copyBlocks(const CacheParams &p, void *const *operands, int64_t group,
                           int64_t begin, int64_t end, E *keys, E *values) {
  const auto *oldKeys = static_cast<const E *>(operands[1]);
  const auto *oldValues = static_cast<const E *>(operands[2]);
  if (begin >= end)
    return;
  if (keys != oldKeys)
    copyElements(oldKeys + keyAt(p, group, begin), keys + keyAt(p, group, begin),
                 (end - begin) * p.depth * kCacheBlock);
  if (values == oldValues)
    return;
  TTC_NO_UNROLL
  for (int64_t column = 0; column < p.depth; column += kCacheBlock) {
    const int64_t at = valueAt(p, group, column, begin * kCacheBlock);
    copyElements(oldValues + at, values + at, (end - begin) * kCacheBlock * kCacheBlock);
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_KVCACHE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches of keys and values: where elements are, and how rows of qkv get there.
#ifndef TTC_KERNELS_KVCACHE_H
#define TTC_KERNELS_KVCACHE_H

#include "kernels/Exp.h"
#include "kernels/Narrow.h"

namespace ttc::kernels {

/// To, which is constant if From is.
template <typename From, typename To> struct SameConstOf {
  typedef To type;
};
template <typename From, typename To> struct SameConstOf<const From, To> {
  typedef const To type;
};
template <typename From, typename To> using SameConst = typename SameConstOf<From, To>::type;

/// Whether elements are integers, 32 of which share a scale.
template <typename E> inline constexpr bool isScaled = sizeof(E) == 1;

/// From 32 positions of a group's keys to the next 32.
template <typename E> TTC_INLINE int64_t keyBlock(const CacheParams &p) {
  return p.depth * kCacheBlock + (isScaled<E> ? p.depth * static_cast<int64_t>(sizeof(f16)) : 0);
}
/// From 32 positions of 32 elements of a group's values to the next 32.
template <typename E>
inline constexpr int64_t kValueBlock =
    kCacheBlock * kCacheBlock + (isScaled<E> ? kCacheBlock * sizeof(f16) : 0);

template <typename E> TTC_INLINE int64_t keyAt(const CacheParams &p, int64_t group, int64_t block) {
  return (group * (p.context / kCacheBlock) + block) * keyBlock<E>(p);
}
/// `column` is the first of 32 elements of a head.
template <typename E>
TTC_INLINE int64_t valueAt(const CacheParams &p, int64_t group, int64_t column, int64_t block) {
  const int64_t columns = (group * p.depth + column) / kCacheBlock;
  return (columns * (p.context / kCacheBlock) + block) * kValueBlock<E>;
}
/// The elements of a sequence's keys, and of its values.
template <typename E> TTC_INLINE int64_t sequenceSize(const CacheParams &p) {
  return keyAt<E>(p, p.groups, 0);
}

/// The scales of 32 positions: of elements from `element` on of a block of keys, or of a block of
/// values.
template <typename E> TTC_INLINE auto keyScales(const CacheParams &p, E *block, int64_t element) {
  return reinterpret_cast<SameConst<E, f16> *>(block + p.depth * kCacheBlock) + element;
}
template <typename E> TTC_INLINE auto valueScales(E *block) {
  return reinterpret_cast<SameConst<E, f16> *>(block + kCacheBlock * kCacheBlock);
}

//===--- sequences ------------------------------------------------------------------------------===

/// The rows of a call that count: row m of them is at position + m, which is within the cache of
/// the sequence.
struct Span {
  int64_t sequence, position, rows;
  __attribute__((always_inline)) static Span none() { return {0, 0, 0}; }
  __attribute__((always_inline)) int64_t end() const { return position + rows; }
};

TTC_INLINE void *const *resultsOf(const CacheParams &p, void *const *operands) {
  return operands + 4 + p.hasTable + p.hasCount + p.hasSequences + p.hasSinks;
}

/// The rows that the count leaves.
TTC_INLINE int64_t countRows(const CacheParams &p, void *const *operands) {
  if (!p.hasCount)
    return p.rows;
  return min<int64_t>(p.rows, *static_cast<const int32_t *>(operands[4 + p.hasTable]));
}

/// The sequence of a row, which may be none.
TTC_INLINE int64_t sequenceOf(const CacheParams &p, void *const *operands, int64_t row) {
  return p.hasSequences ? static_cast<const int32_t *>(operands[4 + p.hasTable + p.hasCount])[row]
                        : 0;
}

/// `rows` rows of a sequence. Whatever the bytes of operands are, no row is outside of the cache.
TTC_INLINE Span spanOf(const CacheParams &p, void *const *operands, int64_t sequence,
                       int64_t rows) {
  if (sequence < 0 || sequence >= p.sequences || rows <= 0)
    return Span::none();
  const int64_t position = static_cast<const int32_t *>(operands[3])[sequence];
  if (position < 0 || position >= p.context)
    return Span::none();
  return {sequence, position, min(rows, p.context - position)};
}

/// All rows, which belong to one sequence.
TTC_INLINE Span readSpan(const CacheParams &p, void *const *operands) {
  return spanOf(p, operands, sequenceOf(p, operands, 0), countRows(p, operands));
}

/// Row `row` alone, where each has its own sequence: the first row that has one.
TTC_INLINE Span readRow(const CacheParams &p, void *const *operands, int64_t row) {
  const int64_t sequence = sequenceOf(p, operands, row);
  TTC_NO_UNROLL
  for (int64_t before = 0; before < row; ++before)
    if (sequenceOf(p, operands, before) == sequence)
      return Span::none();
  return spanOf(p, operands, sequence, row < countRows(p, operands) ? 1 : 0);
}

/// Whether readRow() finds a row of `sequence`.
TTC_INLINE bool hasRow(const CacheParams &p, void *const *operands, int64_t sequence) {
  const int64_t rows = countRows(p, operands);
  if (spanOf(p, operands, sequence, rows).rows == 0)
    return false;
  TTC_NO_UNROLL
  for (int64_t row = 0; row < rows; ++row)
    if (sequenceOf(p, operands, row) == sequence)
      return true;
  return false;
}

/// The positions that a row at `position` attends to.
TTC_INLINE Range attendedBy(const CacheParams &p, int64_t position) {
  return {p.window ? max<int64_t>(position + 1 - p.window, 0) : 0, position + 1};
}

/// The blocks that hold the first `positions` positions.
TTC_INLINE int64_t blocksOf(int64_t positions) { return ceilDiv(positions, kCacheBlock); }

/// The caches of a sequence: where they are stored, and what they were.
template <typename E> struct Caches {
  E *keys, *values;
  const E *oldKeys, *oldValues;

  /// `results`: the keys and the values.
  __attribute__((always_inline)) Caches(const CacheParams &p, void *const *operands,
                                        void *const *results, int64_t sequence) {
    const int64_t offset = sequence * sequenceSize<E>(p);
    keys = static_cast<E *>(results[0]) + offset;
    values = static_cast<E *>(results[1]) + offset;
    oldKeys = static_cast<const E *>(operands[1]) + offset;
    oldValues = static_cast<const E *>(operands[2]) + offset;
  }
};

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

//===--- elements -------------------------------------------------------------------------------===

/// 32 numbers as they are stored: rounded, or as integers with a scale. The bytes depend on these
/// numbers alone.
template <typename E> struct Stored {
  E elements[kCacheBlock];
  f16 scale;
};

template <typename E> TTC_INLINE Stored<E> toStored(const float *from) {
  Stored<E> stored;
  if constexpr (!isScaled<E>) {
    TTC_UNROLL
    for (int64_t i = 0; i < kCacheBlock; i += VL)
      store(stored.elements + i, load(from + i));
    return stored;
  } else {
    // Numbers that are not finite make the scale NaN, and so everything that is multiplied by it.
    vf largest = (vf)0.0f, zero = (vf)0.0f;
    TTC_UNROLL
    for (int64_t i = 0; i < kCacheBlock; i += VL) {
      const vf value = load(from + i);
      largest = largerOf(largest, largerOf(value, -value));
      zero += value * (vf)0.0f;
    }
    const float scale = (maxOfLanes(largest)[0] + sumOfLanes(zero)[0]) / 127.0f;
    stored.scale = static_cast<f16>(scale);
    // Zeros, and numbers so small that their scale is 0, are stored as 0.
    const float divisor = stored.scale == 0 ? 1.0f : static_cast<float>(stored.scale);
    TTC_UNROLL
    for (int64_t i = 0; i < kCacheBlock; i += VL) {
      const vf magic = (vf)12582912.0f; // 1.5 * 2^23: rounds to an integer, to nearest, even
      const vf most = (vf)127.0f, quotient = load(from + i) / (vf)divisor;
      const vf above = quotient > -most ? quotient : -most;
      typedef int8_t narrow __attribute__((ext_vector_type(VL), aligned(1)));
      *reinterpret_cast<narrow *>(stored.elements + i) = __builtin_convertvector(
          __builtin_convertvector((above < most ? above : most) + magic - magic, vi), narrow);
    }
    return stored;
  }
}

/// Key and value of a row, rotated, at a position of a sequence. `key` has room for a head.
template <typename E>
TTC_INLINE void writeRow(const CacheParams &p, void *const *operands, int64_t group, int64_t row,
                         int64_t position, const Caches<E> &caches, float *key) {
  const int64_t block = position / kCacheBlock, at = position % kCacheBlock;
  rotate(p, operands, headOf(p, operands, row, p.heads + group), position, (vf)1.0f, key);
  E *keys = caches.keys + keyAt<E>(p, group, block);
  TTC_NO_UNROLL
  for (int64_t element = 0; element < p.depth; element += kCacheBlock) {
    const Stored<E> stored = toStored<E>(key + element);
    TTC_UNROLL
    for (int64_t i = 0; i < kCacheBlock; ++i)
      keys[(element + i) * kCacheBlock + at] = stored.elements[i];
    if constexpr (isScaled<E>)
      keyScales(p, keys, element)[at] = stored.scale;
  }
  const float *value = headOf(p, operands, row, p.heads + p.groups + group);
  TTC_NO_UNROLL
  for (int64_t column = 0; column < p.depth; column += kCacheBlock) {
    E *values = caches.values + valueAt<E>(p, group, column, block);
    const Stored<E> stored = toStored<E>(value + column);
    TTC_UNROLL
    for (int64_t i = 0; i < kCacheBlock; ++i)
      values[at * kCacheBlock + i] = stored.elements[i];
    if constexpr (isScaled<E>)
      valueScales(values)[at] = stored.scale;
  }
}

/// `elements` take a multiple of 32 bytes.
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
TTC_INLINE void copyBlocks(const CacheParams &p, int64_t group, int64_t begin, int64_t end,
                           const Caches<E> &caches) {
  if (begin >= end)
    return;
  if (caches.keys != caches.oldKeys) {
    const int64_t at = keyAt<E>(p, group, begin);
    copyElements(caches.oldKeys + at, caches.keys + at, (end - begin) * keyBlock<E>(p));
  }
  if (caches.values == caches.oldValues)
    return;
  TTC_NO_UNROLL
  for (int64_t column = 0; column < p.depth; column += kCacheBlock) {
    const int64_t at = valueAt<E>(p, group, column, begin);
    copyElements(caches.oldValues + at, caches.values + at, (end - begin) * kValueBlock<E>);
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_KVCACHE_H

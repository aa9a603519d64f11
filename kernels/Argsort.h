// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of the first elements in order. An element and its place are one unsigned word, the
// element's bits above the place: comparing words is a total order, which makes the sort stable,
// and any algorithm gives the same result.
#ifndef TTC_KERNELS_ARGSORT_H
#define TTC_KERNELS_ARGSORT_H

#include "kernels/Elements.h"

namespace ttc::kernels {

/// A word holds an element of up to 32 bits and its place.
template <int kBytes> struct SortWord {
  using Bits = uint32_t;
  using Word = uint64_t;
};
template <> struct SortWord<8> {
  using Bits = uint64_t;
  using Word = unsigned __int128;
};
constexpr int kPlaceBits = 32;

template <typename Bits> TTC_INLINE Bits floatOrder(Bits bits, Bits infinity) {
  constexpr Bits kSign = Bits(1) << (sizeof(Bits) * 8 - 1);
  // Zeros are equal, and all NaN are larger than infinity.
  if ((bits & ~kSign) > infinity)
    return ~Bits(0);
  if (bits == kSign)
    bits = 0;
  return bits & kSign ? ~bits : bits | kSign;
}

/// Unsigned bits in the order of the elements.
template <typename T> TTC_INLINE typename SortWord<sizeof(T)>::Bits orderOf(T value) {
  using Bits = typename SortWord<sizeof(T)>::Bits;
  if constexpr (sizeof(T) == 8 && kIsFloat<T>)
    return floatOrder<Bits>(__builtin_bit_cast(Bits, value), Bits(0x7ff) << 52);
  else if constexpr (kIsFloat<T>)
    return floatOrder<Bits>(__builtin_bit_cast(Bits, widen(value)), 0x7f800000);
  else if constexpr (T(-1) < T(0))
    return static_cast<Bits>(value) ^ (Bits(1) << (sizeof(Bits) * 8 - 1));
  else
    return value;
}

/// Lets the word at `at` sink in the heap of `count` words whose largest is first.
template <typename Word> TTC_INLINE void sinkInHeap(Word *heap, int64_t count, int64_t at) {
  Word word = heap[at];
  while (2 * at + 1 < count) {
    int64_t child = 2 * at + 1;
    child += child + 1 < count && heap[child + 1] > heap[child];
    if (heap[child] <= word)
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = word;
}

template <typename Word> TTC_INLINE void makeHeap(Word *heap, int64_t count) {
  for (int64_t at = count / 2; at-- > 0;)
    sinkInHeap(heap, count, at);
}

template <typename T>
TTC_INLINE void argsortTyped(const ArgsortParams &p, void *const *operands, uint8_t *scratch,
                             int64_t workgroup) {
  using Bits = typename SortWord<sizeof(T)>::Bits;
  using Word = typename SortWord<sizeof(T)>::Word;
  const T *x = static_cast<const T *>(operands[0]);
  int64_t *y = static_cast<int64_t *>(operands[1]);
  Range rows = part(p.outer * p.inner, p.splits, workgroup);
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    const T *from = x + row / p.inner * p.size * p.inner + row % p.inner;
    int64_t *to = y + row / p.inner * p.count * p.inner + row % p.inner;
    // A row of the result is the heap where a word is as long as a place, and words are neighbours.
    Word *heap = reinterpret_cast<Word *>(scratch);
    if constexpr (sizeof(Word) == sizeof(int64_t))
      heap = p.inner == 1 ? reinterpret_cast<Word *>(to) : heap;
    // The heap holds the first `count` words so far.
    for (int64_t i = 0; i < p.size; ++i) {
      Bits bits = orderOf(from[i * p.inner]);
      Word word = (Word(p.largest ? static_cast<Bits>(~bits) : bits) << kPlaceBits) | uint32_t(i);
      if (i < p.count) {
        heap[i] = word;
        if (i + 1 == p.count)
          makeHeap(heap, p.count);
      } else if (word < heap[0]) {
        heap[0] = word;
        sinkInHeap(heap, p.count, 0);
      }
    }
    for (int64_t i = p.count; i-- > 0;) {
      int64_t place = static_cast<uint32_t>(heap[0]);
      heap[0] = heap[i];
      sinkInHeap(heap, i, 0);
      to[i * p.inner] = place;
    }
  }
}

TTC_INLINE void argsort(void *const *operands, uint8_t *scratch, int64_t workgroup,
                        const int64_t *params) {
  const ArgsortParams &p = *reinterpret_cast<const ArgsortParams *>(params);
  withElement(
      p.element, TTC_RUN(tag) {
        argsortTyped<typename decltype(tag)::Type>(p, operands, scratch, workgroup);
      });
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_ARGSORT_H

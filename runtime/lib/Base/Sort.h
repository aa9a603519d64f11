// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting by the C library: std::sort would be more than a kilobyte of code for each type. Many
// numbers are sorted and searched by functions of their own.

#ifndef TTRT_LIB_BASE_SORT_H
#define TTRT_LIB_BASE_SORT_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <type_traits>
#include <vector>

namespace ttrt {

/// qsort_r(), which takes no null pointer, not even for no items.
[[gnu::noinline]] inline void sortBytes(void *items, size_t count, size_t size,
                                        int (*compare)(const void *, const void *, void *),
                                        void *context) {
  if (count)
    qsort_r(items, count, size, compare, context);
}

/// Sorts `count` items by less(a, b). Items that are equal may end in any order. Thread-safe.
template <typename T, typename Less = std::less<>>
void sortItems(T *items, size_t count, Less less = {}) {
  static_assert(std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>);
  sortBytes(
      items, count, sizeof(T),
      [](const void *a, const void *b, void *context) {
        const T &left = *static_cast<const T *>(a), &right = *static_cast<const T *>(b);
        Less &isLess = *static_cast<Less *>(context);
        return isLess(left, right) ? -1 : static_cast<int>(isLess(right, left));
      },
      &less);
}

template <typename T, typename Less = std::less<>>
void sortItems(std::vector<T> &items, Less less = {}) {
  sortItems(items.data(), items.size(), less);
}

/// An item to be sorted by a number.
struct Numbered {
  uint64_t number;
  uint32_t item;
};
/// Sorts by number; equal numbers stay in their order. A radix sort: for many items it takes a
/// tenth of the time of sortItems().
void sortByNumber(Numbered *items, size_t count);

/// How many items of `sorted` are at most `value`. `near` is a guess, and becomes the result: it
/// and its neighbours are tried first, so going through addresses in order needs no search.
size_t countUpTo(const std::vector<uint64_t> &sorted, uint64_t value, size_t &near);

} // namespace ttrt

#endif // TTRT_LIB_BASE_SORT_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of small numbers that finds the greatest one below another.

#ifndef TTRT_LIB_BASE_NUMBERSET_H
#define TTRT_LIB_BASE_NUMBERSET_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ttrt {

/// Numbers less than a limit, as bits: a bit of each level says whether a word of the level below
/// it is not 0. So each operation looks at one or two words per level, and 2^24 numbers take four
/// levels. Not thread-safe. Throws std::bad_alloc when it is made, only.
class NumberSet {
public:
  static constexpr size_t kNone = ~size_t(0);

  explicit NumberSet(size_t limit) {
    do {
      limit = limit / 64 + 1; // words: the limit itself has a bit, too
      levels.emplace_back(limit);
    } while (limit > 1);
  }

  void add(size_t number) {
    for (std::vector<uint64_t> &level : levels) {
      level[number / 64] |= bit(number);
      number /= 64;
    }
  }
  void remove(size_t number) {
    for (std::vector<uint64_t> &level : levels) {
      if (level[number / 64] &= ~bit(number))
        return;
      number /= 64;
    }
  }
  /// The greatest number of the set that is less than `end`, which is at most the limit; or kNone.
  size_t lastBelow(size_t end) const {
    for (size_t i = 0; i < levels.size(); ++i) {
      const uint64_t word = end % 64 ? levels[i][end / 64] & (bit(end) - 1) : 0;
      end /= 64;
      if (!word)
        continue;
      size_t last = end * 64 + highest(word);
      while (i-- > 0)
        last = last * 64 + highest(levels[i][last]);
      return last;
    }
    return kNone;
  }

private:
  static uint64_t bit(size_t number) { return uint64_t(1) << number % 64; }
  static size_t highest(uint64_t word) { return 63 - static_cast<size_t>(std::countl_zero(word)); }

  std::vector<std::vector<uint64_t>> levels;
};

} // namespace ttrt

#endif // TTRT_LIB_BASE_NUMBERSET_H

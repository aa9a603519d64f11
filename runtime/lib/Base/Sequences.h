// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of words, each stored once.

#ifndef TTRT_LIB_BASE_SEQUENCES_H
#define TTRT_LIB_BASE_SEQUENCES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ttrt {

/// Numbers different sequences in the order in which they were added. A hash table, whose hashes no
/// file can foresee. Not thread-safe. Throws std::bad_alloc only.
class Sequences {
public:
  using Words = std::vector<uint64_t>;
  static constexpr size_t kNone = ~size_t(0);

  /// The number of a sequence; kNone if it was not added.
  size_t find(const Words &words) const;
  /// The number of a sequence, which is added if it is new.
  size_t add(const Words &words);
  size_t size() const { return begins.size(); }

private:
  uint64_t hashOf(const Words &words) const;
  bool isAt(size_t number, const Words &words) const;
  /// The slot that has the sequence, or is free for it.
  uint32_t slotOf(uint64_t hash, const Words &words) const;
  void grow();

  Words all;
  Words hashes, begins;        ///< per sequence; the latter in `all`
  std::vector<uint32_t> slots; ///< numbers, by hash; a power of two, at least half of them free
};

} // namespace ttrt

#endif // TTRT_LIB_BASE_SEQUENCES_H

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

  /// The number of a sequence; kNone if it was not added. `near` is a guess, and becomes the result
  /// if there is one: the sequence after it is tried first.
  size_t find(const Words &words, size_t &near) const;
  /// The number of a sequence, which is added if it is new.
  size_t add(const Words &words);
  size_t size() const { return entries.size(); }

private:
  struct Entry {
    uint64_t hash;
    size_t begin; ///< of its words
  };
  uint64_t hashOf(const Words &words) const;
  bool isAt(size_t number, const Words &words) const;
  /// The slot that has the sequence, or is free for it.
  uint32_t slotOf(uint64_t hash, const Words &words) const;
  void grow();

  Words all;
  std::vector<Entry> entries;
  std::vector<uint32_t> slots; ///< numbers, by hash; a power of two, at least half of them free
};

} // namespace ttrt

#endif // TTRT_LIB_BASE_SEQUENCES_H

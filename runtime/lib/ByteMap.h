// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of every byte of the device that was written: who wrote it last, and who has read it since.

#ifndef TTRT_LIB_BYTEMAP_H
#define TTRT_LIB_BYTEMAP_H

#include <cstdint>
#include <map>
#include <vector>

namespace ttrt {

/// An access of an executed command or step.
struct Touch {
  uint32_t node;   ///< the execution
  uint32_t access; ///< index into the list of its accesses
  bool operator==(const Touch &) const = default;
};

/// A range of bytes with one history.
struct ByteRange {
  uint64_t end;
  Touch writer;
  int64_t inference; ///< of the written data
  uint32_t readers;  ///< list in ByteMap
};

/// Ranges that were never written are not in the map. Ranges are cut where an access begins or ends
/// and become one again when they are overwritten: each access adds at most three, so the work
/// grows with the number of accesses, not with the number of bytes.
class ByteMap {
public:
  static constexpr uint32_t kNoReaders = ~0u;
  struct Reader {
    Touch touch;
    uint32_t next;
  };

  /// Calls function(begin, ByteRange &) for each written range inside [begin, end), in order.
  template <typename Function> void forEach(uint64_t begin, uint64_t end, Function function) {
    cut(begin);
    cut(end);
    for (auto it = ranges.lower_bound(begin); it != ranges.end() && it->first < end; ++it)
      function(it->first, it->second);
  }
  /// The bytes now come from `writer`, and nobody has read them.
  void write(uint64_t begin, uint64_t end, Touch writer, int64_t inference) {
    auto first = ranges.lower_bound(begin), last = first;
    while (last != ranges.end() && last->first < end)
      ++last;
    auto hint = ranges.erase(first, last);
    ranges.emplace_hint(hint, begin, ByteRange{end, writer, inference, kNoReaders});
  }
  /// Lists are shared between ranges that were one; so they are never changed, only replaced.
  uint32_t addReader(Touch reader, uint32_t next) {
    readers.push_back({reader, next});
    return static_cast<uint32_t>(readers.size() - 1);
  }
  const Reader &reader(uint32_t index) const { return readers[index]; }
  const std::map<uint64_t, ByteRange> &all() const { return ranges; }

private:
  /// Makes `address` a boundary, if it lies in a range.
  void cut(uint64_t address) {
    auto next = ranges.lower_bound(address);
    if (next == ranges.begin())
      return;
    auto found = std::prev(next);
    if (found->second.end <= address)
      return;
    ByteRange rest = found->second;
    found->second.end = address;
    ranges.emplace_hint(next, address, rest);
  }

  std::map<uint64_t, ByteRange> ranges; ///< begin -> the rest
  std::vector<Reader> readers;
};

} // namespace ttrt

#endif // TTRT_LIB_BYTEMAP_H

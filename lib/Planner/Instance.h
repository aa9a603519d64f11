// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planning problem prepared for the search.
#ifndef TTC_LIB_PLANNER_INSTANCE_H
#define TTC_LIB_PLANNER_INSTANCE_H

#include "ttc/Planner/Planner.h"

namespace ttc::planner {

inline int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The buffers that the search places (without fixed and empty ones) and their overlaps in time.
/// Time is partitioned into sections: the moments whose sets of live buffers are maximal, that is,
/// contained in no other moment's set. Two buffers overlap in time exactly if they share a section.
struct Instance {
  struct Item {
    size_t buffer; ///< in the problem
    int64_t size, alignment;
    int64_t lower, upper;
    int32_t firstSection, endSection;
    int64_t most = 0; ///< the most bytes alive at one time during its lifetime
    /// The preceding item with equal lifetime, size and alignment, which is placed first; -1: none.
    int32_t twin = -1;
  };

  explicit Instance(std::span<const Buffer> buffers);

  size_t size() const { return items.size(); }

  /// Whether `neighbours` and `members` exist: they are omitted if the overlaps are so numerous
  /// that examining all items is as fast.
  bool hasPairs() const { return !neighbours.empty(); }

  /// The lowest offset of at least `from` at which the item is aligned and overlaps no fixed
  /// buffer.
  int64_t fit(size_t item, int64_t from) const {
    const Item &it = items[item];
    int64_t offset = it.alignment == 1 ? from : alignUp(from, it.alignment);
    for (const Range &range : obstacles[item]) // by begin
      if (range.begin < offset + it.size && offset < range.end)
        offset = alignUp(range.end, it.alignment);
    return offset;
  }

  /// The highest offset of at most `from` at which the item is aligned and overlaps no fixed
  /// buffer; negative if there is none.
  int64_t fitBelow(size_t item, int64_t from) const {
    const Item &it = items[item];
    auto alignDown = [&](int64_t offset) {
      return offset < 0 ? offset : offset - offset % it.alignment;
    };
    int64_t offset = alignDown(from);
    for (size_t i = 0; i < obstacles[item].size();) {
      const Range &range = obstacles[item][i++];
      if (range.begin < offset + it.size && offset < range.end) {
        offset = alignDown(range.begin - it.size);
        i = 0;
      }
    }
    return offset;
  }

  std::vector<Item> items; ///< by first section
  /// For each item: the others that overlap it in time.
  std::vector<std::vector<int32_t>> neighbours;
  /// For each section: its items, and their bytes.
  std::vector<std::vector<int32_t>> members;
  std::vector<int64_t> totals;

private:
  struct Range {
    int64_t begin, end;
  };
  void findSections();
  void countBytes();
  void findPairs();
  void findObstacles(std::span<const Buffer> buffers);

  /// For each item: the fixed buffers that overlap it in time.
  std::vector<std::vector<Range>> obstacles;
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_INSTANCE_H

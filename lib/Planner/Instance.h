// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planning problem prepared for the search.
#ifndef TTC_LIB_PLANNER_INSTANCE_H
#define TTC_LIB_PLANNER_INSTANCE_H

#include "ttc/Planner/Planner.h"

namespace ttc::planner {

inline int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The buffers that the search places (fixed ones and empty ones are not among them), and when they
/// meet. Time is cut into sections: the moments at which a set of buffers is alive that no other
/// moment's set holds. Two buffers meet in time exactly where they share a section.
struct Instance {
  struct Item {
    size_t buffer; ///< in the problem
    int64_t size, alignment;
    int64_t lower, upper;
    int32_t firstSection, endSection;
    int64_t most = 0; ///< bytes alive at one time during its life
    /// The item before with equal lifetime, size and alignment, which is placed first; -1: none.
    int32_t twin = -1;
  };

  explicit Instance(std::span<const Buffer> buffers);

  size_t size() const { return items.size(); }

  /// Whether `neighbours` and `members` are there: they are left out where so many items meet that
  /// looking through all is as fast.
  bool hasPairs() const { return !neighbours.empty(); }

  /// The lowest offset from `from` on at which the item is aligned and meets no fixed buffer.
  int64_t fit(size_t item, int64_t from) const {
    const Item &it = items[item];
    int64_t offset = it.alignment == 1 ? from : alignUp(from, it.alignment);
    for (const Range &range : obstacles[item]) // by begin
      if (range.begin < offset + it.size && offset < range.end)
        offset = alignUp(range.end, it.alignment);
    return offset;
  }

  /// The highest offset up to `from` at which it is aligned and meets no fixed buffer; below 0 if
  /// there is none.
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
  /// Of each item: the others that it meets in time.
  std::vector<std::vector<int32_t>> neighbours;
  /// Of each section: its items, and their bytes.
  std::vector<std::vector<int32_t>> members;
  std::vector<int64_t> totals;

private:
  struct Range {
    int64_t begin, end;
  };
  void cutSections();
  void countBytes();
  void findPairs();
  void findObstacles(std::span<const Buffer> buffers);

  /// Of each item: the fixed buffers that it meets in time.
  std::vector<std::vector<Range>> obstacles;
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_INSTANCE_H

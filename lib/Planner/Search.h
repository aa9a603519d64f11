// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depth-first search for a plan whose arena has at most a given size.
#ifndef TTC_LIB_PLANNER_SEARCH_H
#define TTC_LIB_PLANNER_SEARCH_H

#include "Instance.h"

namespace ttc::planner {

enum class Outcome { Found, Impossible, GaveUp };

/// Considers only plans in which items are placed in the order of their offsets, each at the lowest
/// offset that is free above the items placed before (those of equal offset in the order of their
/// ranks): any other plan can be brought into this form without growing its arena.
/// docs/planner.md describes which branches are pruned and why no solution is lost.
class Search {
public:
  using Clock = std::chrono::steady_clock;

  explicit Search(const Instance &instance);

  /// Searches for a plan of at most `capacity` bytes; tries at most `nodes` placements. Among items
  /// with equal offsets, the one of lower rank is placed first.
  Outcome run(int64_t capacity, std::span<const int32_t> ranks, int64_t nodes,
              std::optional<Clock::time_point> until);

  /// The offset of each item in the plan found.
  const std::vector<int64_t> &getOffsets() const { return offset; }
  /// The number of nodes of the last run.
  int64_t getNodes() const { return nodes; }
  /// How often each item was in a section that could not hold its items, over all runs.
  std::vector<double> &getConflicts() { return conflicts; }

private:
  struct Candidate {
    int64_t offset;
    int32_t rank, item;
    bool operator<(const Candidate &other) const {
      return offset != other.offset ? offset < other.offset : rank < other.rank;
    }
  };
  /// The last item placed: items that follow are not ordered before it.
  struct Last {
    int64_t offset;
    int32_t rank;
  };
  /// A range of `lists`: items that are not placed yet, by first section.
  struct Range {
    size_t begin, end;
  };
  /// The state to restore when a placement is undone.
  struct Mark {
    size_t floors, sections;
  };

  bool search(Range rest, Last last);
  bool branch(Range rest, Last last);
  bool searchParts(Range rest, int32_t without, Last last);
  bool liftPassed(Range rest, Last last);
  bool isOpen(Range rest, int64_t floor);
  bool isPassed(int32_t item, Last last) const {
    return floors[item] < last.offset || (floors[item] == last.offset && ranks[item] < last.rank);
  }
  void raise(int32_t item, int64_t floor);
  void updateSections();
  void markDirty(int32_t item);
  void place(int32_t item, int64_t at);
  void unplace(int32_t item);
  Mark mark() const { return {floorChanges.size(), sectionChanges.size()}; }
  void undo(Mark mark);

  const Instance &instance;
  int64_t capacity = 0;
  std::span<const int32_t> ranks;
  int64_t nodes = 0, limit = 0;
  std::optional<Clock::time_point> deadline;
  bool gaveUp = false;

  std::vector<char> placed;
  std::vector<int64_t> offset;
  /// For each item that is not placed: the lowest offset above what is placed below it.
  std::vector<int64_t> floors;
  /// For each section: the lowest floor and the bytes of its items that are not placed.
  std::vector<int64_t> sectionFloors, sectionBytes;
  std::vector<std::pair<int32_t, int64_t>> floorChanges, sectionChanges;
  /// Sections whose floor is stale.
  std::vector<int32_t> dirty;
  std::vector<char> isDirty;
  /// Stacks, one level per depth of the search.
  std::vector<int32_t> lists;
  std::vector<Candidate> candidates;
  std::vector<Range> parts;
  std::vector<double> conflicts;
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_SEARCH_H

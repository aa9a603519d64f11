// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Greedy placement: one item at a time, without backtracking.
#ifndef TTC_LIB_PLANNER_FIRSTFIT_H
#define TTC_LIB_PLANNER_FIRSTFIT_H

#include "Instance.h"

namespace ttc::planner {

/// Places items in a given order, each at the lowest offset that is free for its whole lifetime.
class FirstFit {
public:
  explicit FirstFit(const Instance &instance)
      : instance(instance), placed(instance.size()), offset(instance.size()) {}

  /// Returns the arena size; `getOffsets` returns the offsets.
  int64_t run(std::span<const int32_t> order);

  const std::vector<int64_t> &getOffsets() const { return offset; }
  /// The number of other items examined, over all runs.
  int64_t getWork() const { return work; }

private:
  struct Taken {
    int64_t begin, end;
    int32_t item;
    bool operator<(const Taken &other) const { return begin < other.begin; }
  };
  int64_t fitAmongNeighbours(int32_t item);
  int64_t fitAmongAll(int32_t item);

  const Instance &instance;
  std::vector<char> placed;
  std::vector<int64_t> offset;
  /// Sorted by offset: the placed neighbours of an item; without neighbour lists, all placed items.
  std::vector<Taken> taken;
  int64_t work = 0;
};

/// Places items in the order of their offsets: the next one is always the item with the lowest
/// possible offset, ties broken by rank. Requires neighbour lists.
class LowestFirst {
public:
  explicit LowestFirst(const Instance &instance)
      : instance(instance), placed(instance.size()), offset(instance.size()) {}

  int64_t run(std::span<const int32_t> ranks);

  const std::vector<int64_t> &getOffsets() const { return offset; }

private:
  const Instance &instance;
  std::vector<char> placed;
  std::vector<int64_t> offset; ///< of items that are not placed: the lowest possible one
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_FIRSTFIT_H

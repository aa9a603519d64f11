// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement of one buffer after the other.
#ifndef TTC_LIB_PLANNER_FIRSTFIT_H
#define TTC_LIB_PLANNER_FIRSTFIT_H

#include "Instance.h"

namespace ttc::planner {

/// Places items in a given order, each at the lowest offset that is free for its whole life.
class FirstFit {
public:
  explicit FirstFit(const Instance &instance)
      : instance(instance), placed(instance.size()), offset(instance.size()) {}

  /// The height; the offsets are then those of `getOffsets`.
  int64_t run(std::span<const int32_t> order);

  const std::vector<int64_t> &getOffsets() const { return offset; }
  /// Other items looked at, over all runs.
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
  /// By offset: the neighbours of an item that are placed; or, without lists of neighbours, all
  /// that is.
  std::vector<Taken> taken;
  int64_t work = 0;
};

/// Places items in the order of their offsets: next is always the one that can lie lowest, and of
/// equal ones that of lowest rank. Needs the lists of neighbours.
class Skyline {
public:
  explicit Skyline(const Instance &instance)
      : instance(instance), placed(instance.size()), offset(instance.size()) {}

  int64_t run(std::span<const int32_t> ranks);

  const std::vector<int64_t> &getOffsets() const { return offset; }

private:
  const Instance &instance;
  std::vector<char> placed;
  std::vector<int64_t> offset; ///< lowest possible one, of what is not placed
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_FIRSTFIT_H

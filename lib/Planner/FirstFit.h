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

private:
  const Instance &instance;
  std::vector<char> placed;
  std::vector<int64_t> offset;
  std::vector<std::pair<int64_t, int64_t>> taken;
};

/// Several orders, and from the best of them on, orders in which what came to lie above `goal`
/// moves forward, until nothing does or for `rounds` rounds. Returns the height and sets the
/// offsets.
int64_t placeGreedily(const Instance &instance, int64_t goal, int rounds,
                      std::vector<int64_t> &offsets);

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_FIRSTFIT_H

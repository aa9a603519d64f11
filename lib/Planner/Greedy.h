// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Greedy plans: first-fit in many orders, and iterative repair of the best ones.
#ifndef TTC_LIB_PLANNER_GREEDY_H
#define TTC_LIB_PLANNER_GREEDY_H

#include "FirstFit.h"
#include "Random.h"
#include <chrono>

namespace ttc::planner {

/// Tries several initial orders, then repairs orders iteratively: items that were placed above a
/// goal move forward, and first-fit runs again (docs/planner.md). Keeps the best plan.
class Greedy {
public:
  using Clock = std::chrono::steady_clock;

  Greedy(const Instance &instance, int64_t goal, std::optional<Clock::time_point> until);

  /// The part that suffices for most problems. Ends when the goal is met, at the time limit, or
  /// after a fixed amount of work.
  void begin();
  /// Repairs one more order: each initial one in turn, then perturbations of the best. Ends when
  /// all repairs together have tried `most` placements.
  void goOn(int64_t most);

  int64_t getArenaSize() const { return arenaSize; }
  const std::vector<int64_t> &getOffsets() const { return offsets; }
  /// Placements tried by goOn().
  int64_t getPlacements() const { return placements; }

private:
  /// Items above the goal move forward; with `Halfway`, those above the middle between the goal and
  /// the best arena size so far.
  enum class Aim { Goal, Halfway };
  using Order = std::vector<int32_t>;

  template <typename Score> Order orderBy(Score score) const;
  int64_t tryOrder(const Order &order);
  void addLowestFirst(const Order &order);
  void tryStarts();
  /// Starts from the order, perturbed at random by `strength`.
  void repair(Order order, Aim aim, double strength = 0);
  bool isDone() const;
  void keep(int64_t found, const std::vector<int64_t> &at, const Order &order);

  const Instance &instance;
  const int64_t goal;
  const std::optional<Clock::time_point> until;
  FirstFit firstFit;
  std::vector<Order> starts;
  int64_t arenaSize, placements = 0, mostPlacements, mostWork;
  std::vector<int64_t> offsets;
  Order bestOrder; ///< of these offsets
  int64_t numRepairs = 0;
  Random random;
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_GREEDY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans by placing one buffer after the other in many orders.
#ifndef TTC_LIB_PLANNER_GREEDY_H
#define TTC_LIB_PLANNER_GREEDY_H

#include "FirstFit.h"
#include "Noise.h"
#include <chrono>

namespace ttc::planner {

/// Some orders to start with, and chases: orders in which, again and again, what came to lie above
/// a goal moves forward (docs/planner.md). The best plan is kept.
class Greedy {
public:
  using Clock = std::chrono::steady_clock;

  Greedy(const Instance &instance, int64_t goal, std::optional<Clock::time_point> until);

  /// What most problems need; ends when the goal is met, the time is up or it gets to be much work.
  void begin();
  /// One more chase: from each start, then from near the best order so far. Ends when all chases
  /// together have tried so many placements.
  void goOn(int64_t most);

  int64_t getHeight() const { return height; }
  const std::vector<int64_t> &getOffsets() const { return offsets; }
  /// Tried by goOn().
  int64_t getPlacements() const { return placements; }

private:
  /// What is above the goal moves forward; with `Halfway` what is above a height halfway between
  /// the goal and the best one so far.
  enum class Aim { Goal, Halfway };
  using Order = std::vector<int32_t>;

  template <typename Score> Order orderBy(Score score) const;
  int64_t tryOrder(const Order &order);
  void addSkyline(const Order &order);
  void tryStarts();
  /// Begins with the order, blurred by noise.
  void chase(Order order, Aim aim, double strength = 0);
  bool isDone() const;
  void keep(int64_t found, const std::vector<int64_t> &at, const Order &order);

  const Instance &instance;
  const int64_t goal;
  const std::optional<Clock::time_point> until;
  FirstFit firstFit;
  std::vector<Order> starts;
  int64_t height, placements = 0, mostPlacements, mostWork;
  std::vector<int64_t> offsets;
  Order bestOrder; ///< of these offsets
  int64_t chases = 0;
  Noise noise;
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_GREEDY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Greedy.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace ttc::planner {

using Item = Instance::Item;

static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
/// Other items examined before begin() ends: a second or two.
static constexpr int64_t kMostWork = 500'000'000;
/// Tuned on networks of 1,000 to 20,000 buffers; neighbouring values work as well.
static constexpr int kRounds = 32;
static constexpr double kPerturbation = 0.05;

static double lengthOf(const Item &i) { return static_cast<double>(i.upper - i.lower); }
static double sizeOf(const Item &i) { return static_cast<double>(i.size); }
static double areaOf(const Item &i) { return sizeOf(i) * lengthOf(i); }
static double timeOf(const Item &i) { return -static_cast<double>(i.lower); }
static double mostOf(const Item &i) { return static_cast<double>(i.most); }

Greedy::Greedy(const Instance &instance, int64_t goal, std::optional<Clock::time_point> until)
    : instance(instance), goal(goal), until(until), firstFit(instance), arenaSize(kNoLimit),
      mostPlacements(kNoLimit), mostWork(kMostWork) {}

/// Whether to stop; never before there is a plan.
bool Greedy::isDone() const {
  return arenaSize <= goal || (arenaSize != kNoLimit &&
                               (placements >= mostPlacements || firstFit.getWork() >= mostWork ||
                                (until && Clock::now() >= *until)));
}

template <typename Score> Greedy::Order Greedy::orderBy(Score score) const {
  Order order(instance.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::pair(-score(instance.items[a]), a) < std::pair(-score(instance.items[b]), b);
  });
  return order;
}

void Greedy::keep(int64_t found, const std::vector<int64_t> &at, const Order &order) {
  if (found >= arenaSize)
    return;
  arenaSize = found;
  offsets = at;
  bestOrder = order;
}

/// Returns the arena size.
int64_t Greedy::tryOrder(const Order &order) {
  const int64_t found = firstFit.run(order);
  placements += static_cast<int64_t>(order.size());
  keep(found, firstFit.getOffsets(), order);
  return found;
}

void Greedy::addLowestFirst(const Order &order) {
  if (!instance.hasPairs() || isDone())
    return;
  Order ranks(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    ranks[order[i]] = static_cast<int32_t>(i);
  LowestFirst lowestFirst(instance);
  const int64_t found = lowestFirst.run(ranks);
  const std::vector<int64_t> &at = lowestFirst.getOffsets();
  // In this order first-fit places each item at the same offset or lower.
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end(), [&](int32_t a, int32_t b) {
    return std::pair(at[a], ranks[a]) < std::pair(at[b], ranks[b]);
  });
  keep(found, at, sorted);
  starts.push_back(std::move(sorted));
}

void Greedy::repair(Order order, Aim aim, double strength) {
  std::vector<double> position(instance.size());
  for (size_t i = 0; i < order.size(); ++i)
    position[order[i]] = static_cast<double>(i);
  auto sort = [&] {
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return std::pair(position[a], a) < std::pair(position[b], b);
    });
  };
  for (double &p : position)
    p *= random.nextFactor(strength);
  sort();
  int64_t best = tryOrder(order);
  for (int round = 0; round < kRounds && !isDone(); ++round) {
    const int64_t above = aim == Aim::Goal ? goal : goal + (best - goal) / 2;
    for (size_t i = 0; i < order.size(); ++i)
      if (firstFit.getOffsets()[i] + instance.items[i].size > above)
        position[i] *= 0.5;
    sort();
    best = std::min(best, tryOrder(order));
  }
}

void Greedy::begin() {
  tryStarts();
  placements = 0;
  mostWork = kNoLimit;
}

void Greedy::tryStarts() {
  // Each order suits another kind of network: by area if a few large tensors live long, by size if
  // all lifetimes are short, by length if many small tensors live long, by time for chains.
  for (double (*score)(const Item &) : {areaOf, sizeOf, lengthOf, timeOf}) {
    if (isDone())
      return;
    starts.push_back(orderBy(score));
    tryOrder(starts.back());
  }
  repair(bestOrder, Aim::Goal);
  if (isDone())
    return;
  // Items alive at the peak first: the best initial order for a repair.
  starts.insert(starts.begin(), orderBy(mostOf));
  for (double (*score)(const Item &) : {mostOf, lengthOf, areaOf})
    addLowestFirst(orderBy(score));
  repair(starts[0], Aim::Halfway);
}

void Greedy::goOn(int64_t most) {
  mostPlacements = most;
  const auto count = static_cast<int64_t>(starts.size());
  const Aim aim = numRepairs / count % 2 == 0 ? Aim::Halfway : Aim::Goal;
  if (numRepairs < 2 * count)
    repair(starts[numRepairs % count], aim);
  else
    repair(bestOrder, aim, kPerturbation);
  ++numRepairs;
}

} // namespace ttc::planner

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Planner/Planner.h"
#include "Greedy.h"
#include "Random.h"
#include "Search.h"
#include "Sequencer.h"
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace ttc::planner {
namespace {

/// The orders in which the search breaks ties, best first: lexicographic by three keys. T: the most
/// bytes alive during the item's lifetime, W: length of the lifetime, A: size times length,
/// S: sections, Z: size.
enum Key { T, W, A, S, Z };
constexpr std::array<std::array<Key, 3>, 9> kOrders = {{{T, W, A},
                                                        {T, A, W},
                                                        {A, W, T},
                                                        {W, A, T},
                                                        {T, Z, W},
                                                        {W, T, A},
                                                        {T, S, A},
                                                        {S, T, A},
                                                        {S, A, T}}};

/// The n-th number, from 1 on, of 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...: restart lengths that
/// are optimal up to a constant factor if nothing is known (Luby, Sinclair, Zuckerman 1993).
int64_t luby(int64_t n) {
  for (;;) {
    int64_t power = 1;
    while (2 * power - 1 < n)
      power *= 2;
    if (2 * power - 1 == n)
      return power;
    n -= power - 1;
  }
}

/// Restarts the search, each time in another order, with items that caused conflicts first.
class Restarts {
public:
  explicit Restarts(const Instance &instance)
      : instance(instance), search(instance), sequencer(instance) {
    for (size_t i = 0; i < instance.size(); ++i) {
      const Instance::Item &item = instance.items[i];
      const auto length = static_cast<double>(item.upper - item.lower);
      const auto size = static_cast<double>(item.size);
      keys.push_back({static_cast<double>(item.most), length, size * length,
                      static_cast<double>(item.endSection - item.firstSection), size});
    }
  }

  /// Both searches recurse once per decision and examine all overlapping pairs: for more items than
  /// this, trying further orders is a better use of the time.
  static bool isWorthwhile(const Instance &instance) {
    return instance.hasPairs() && instance.size() <= Sequencer::kMostItems;
  }

  /// Each search gets half of the nodes: problems that are easy for one are often hard for the
  /// other.
  Outcome next(int64_t capacity, int64_t nodes, std::optional<Search::Clock::time_point> until) {
    isSequencing = sections < placements;
    return isSequencing ? sequence(capacity, nodes, until) : place(capacity, nodes, until);
  }

  const std::vector<int64_t> &getOffsets() const {
    return isSequencing ? sequencer.getOffsets() : search.getOffsets();
  }
  /// Placements tried, plus sections propagated.
  int64_t getNodes() const { return placements + sections; }

private:
  // Tuned on the problems of benchmarks/planner; neighbouring values work as well.
  static constexpr double kPerturbation = 0.3, kConflictWeight = 20, kForget = 0.95;

  Outcome place(int64_t capacity, int64_t nodes, std::optional<Search::Clock::time_point> until) {
    const auto &order = kOrders[placings % kOrders.size()];
    const int64_t round = placings / static_cast<int64_t>(kOrders.size());
    ++placings;
    std::vector<double> &conflicts = search.getConflicts();
    double most = 1;
    for (double conflict : conflicts)
      most = std::max(most, conflict);
    std::vector<std::array<double, 3>> scores(instance.size());
    for (size_t i = 0; i < instance.size(); ++i)
      for (size_t k = 0; k < 3; ++k)
        scores[i][k] = keys[i][order[k]] * (round == 0 ? 1 : nextFactor()) *
                       (1 + kConflictWeight * conflicts[i] / most);
    for (double &conflict : conflicts)
      conflict *= kForget;
    std::vector<int32_t> byScore(instance.size()), ranks(instance.size());
    std::iota(byScore.begin(), byScore.end(), 0);
    std::sort(byScore.begin(), byScore.end(), [&](int32_t a, int32_t b) {
      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    for (size_t i = 0; i < byScore.size(); ++i)
      ranks[byScore[i]] = static_cast<int32_t>(i);
    const int64_t length = static_cast<int64_t>(2 * instance.size() + 100) * luby(round + 1);
    const Outcome outcome = search.run(capacity, ranks, std::min(nodes, length), until);
    placements += search.getNodes();
    return outcome;
  }

  Outcome sequence(int64_t capacity, int64_t nodes,
                   std::optional<Search::Clock::time_point> until) {
    constexpr std::array<Sequencer::Rule, 4> rules = {
        {{true, false}, {false, false}, {false, true}, {true, true}}};
    const int64_t run = sequencings++, round = run / static_cast<int64_t>(rules.size());
    std::vector<double> preference;
    for (const auto &key : keys)
      preference.push_back(key[run % 2 == 0 ? W : A] * (run < 2 ? 1 : nextFactor()));
    const Outcome outcome =
        sequencer.run(capacity, rules[run % rules.size()], preference,
                      2 * static_cast<int64_t>(instance.size()) * luby(round + 1), nodes, until);
    sections += sequencer.getWork();
    return outcome;
  }

  double nextFactor() { return random.nextFactor(kPerturbation); }

  const Instance &instance;
  Search search;
  Sequencer sequencer;
  std::vector<std::array<double, 5>> keys;
  Random random;
  int64_t placings = 0, sequencings = 0, placements = 0, sections = 0;
  bool isSequencing = false;
};

Plan assemble(std::span<const Buffer> buffers, const Instance &instance,
              std::span<const int64_t> offsets) {
  Plan plan;
  plan.offsets.assign(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i)
    plan.offsets[i] = buffers[i].offset.value_or(0);
  for (size_t i = 0; i < instance.size(); ++i)
    plan.offsets[instance.items[i].buffer] = offsets[i];
  for (size_t i = 0; i < buffers.size(); ++i)
    plan.arenaSize = std::max(plan.arenaSize, plan.offsets[i] + buffers[i].size);
  return plan;
}

/// For problems without neighbour lists: places buffers in the order of their starts, each at the
/// lowest offset that is free among those still alive.
Plan placeByTime(std::span<const Buffer> buffers) {
  Plan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(!buffers[a].offset, buffers[a].lower, a) <
           std::tuple(!buffers[b].offset, buffers[b].lower, b);
  });
  std::multimap<int64_t, size_t> taken; // by offset
  for (size_t i : order) {
    const Buffer &buffer = buffers[i];
    int64_t at = buffer.offset.value_or(0);
    if (!buffer.offset) {
      for (auto it = taken.begin(); it != taken.end();)
        it = !buffers[it->second].offset && buffers[it->second].upper <= buffer.lower
                 ? taken.erase(it)
                 : std::next(it);
      for (auto [begin, other] : taken) {
        const Buffer &o = buffers[other];
        if (begin >= at + buffer.size)
          break;
        if (o.lower < buffer.upper && buffer.lower < o.upper && begin + o.size > at)
          at = alignUp(begin + o.size, buffer.alignment);
      }
    }
    plan.offsets[i] = at;
    plan.arenaSize = std::max(plan.arenaSize, at + buffer.size);
    if (buffer.size > 0)
      taken.emplace(at, i);
  }
  return plan;
}

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
/// Larger problems in which nearly all buffers overlap in time are placed only once.
constexpr size_t kMostWithoutPairs = 50'000;

using Until = std::optional<Search::Clock::time_point>;

/// Searches for one arena size at a time, until the goal is met or proved impossible. With many
/// items it alternates with greedy repair, which gets about as much time.
void search(std::span<const Buffer> buffers, const Instance &instance, Greedy &greedy,
            const SearchLimits &limits, int64_t goal, Until until, Solution &solution) {
  constexpr size_t kFew = 400;
  constexpr int64_t kPlacementsPerNode = 8;
  // Smaller arena sizes are proved impossible.
  int64_t bound = solution.lowerBound;
  Restarts restarts(instance);
  for (bool halfway = false; solution.plan.arenaSize > std::max(goal, bound);) {
    solution.nodes = restarts.getNodes() + greedy.getPlacements();
    const int64_t left = limits.nodes.value_or(kNoLimit) - solution.nodes;
    if (left <= 0 || (until && Search::Clock::now() >= *until))
      break;
    if (instance.size() > kFew &&
        greedy.getPlacements() <= kPlacementsPerNode * restarts.getNodes()) {
      greedy.goOn(greedy.getPlacements() + left);
      if (greedy.getArenaSize() < solution.plan.arenaSize)
        solution.plan = assemble(buffers, instance, greedy.getOffsets());
      continue;
    }
    // The bound itself, in turn with an arena size that is easier to reach.
    int64_t target = std::max(goal, bound);
    if (halfway && !limits.capacity)
      target += (solution.plan.arenaSize - target) / 2;
    halfway = !halfway;
    if (target >= solution.plan.arenaSize)
      continue;
    const Outcome outcome = restarts.next(target, left, until);
    if (outcome == Outcome::Found)
      solution.plan = assemble(buffers, instance, restarts.getOffsets());
    else if (outcome == Outcome::Impossible)
      bound = target + 1;
    if (limits.capacity && bound > goal)
      break; // proved: no plan fits the capacity
  }
  solution.nodes = restarts.getNodes() + greedy.getPlacements();
  solution.isOptimal = solution.plan.arenaSize <= bound;
}

/// Greedy repair alone, until the goal is met.
void goOn(std::span<const Buffer> buffers, const Instance &instance, Greedy &greedy, int64_t goal,
          int64_t nodes, Until until, Solution &solution) {
  while (greedy.getArenaSize() > goal && greedy.getPlacements() < nodes &&
         !(until && Search::Clock::now() >= *until))
    greedy.goOn(nodes);
  solution.plan = assemble(buffers, instance, greedy.getOffsets());
  solution.nodes = greedy.getPlacements();
  solution.isOptimal = solution.plan.arenaSize == solution.lowerBound;
}

} // namespace

int64_t lowerBound(std::span<const Buffer> buffers) {
  // Lifetimes are half-open: a buffer that ends at a time does not overlap one that starts then.
  std::map<int64_t, int64_t> change;
  int64_t bound = 0;
  for (const Buffer &buffer : buffers) {
    change[buffer.lower] += buffer.size;
    change[buffer.upper] -= buffer.size;
    if (buffer.offset)
      bound = std::max(bound, *buffer.offset + buffer.size);
  }
  int64_t live = 0;
  for (auto [time, bytes] : change) {
    live += bytes;
    bound = std::max(bound, live);
  }
  return bound;
}

Plan plan(std::span<const Buffer> buffers) {
  return solve(buffers, {.capacity = std::nullopt, .nodes = 0, .time = std::nullopt}).plan;
}

Solution solve(std::span<const Buffer> buffers, const SearchLimits &limits) {
  std::optional<Search::Clock::time_point> until;
  if (limits.time)
    until = Search::Clock::now() + *limits.time;
  Solution solution;
  solution.lowerBound = lowerBound(buffers);
  const int64_t goal = std::max(solution.lowerBound, limits.capacity.value_or(0));
  const Instance instance(buffers);
  if (!instance.hasPairs() && instance.size() > kMostWithoutPairs) {
    solution.plan = placeByTime(buffers);
    solution.isOptimal = solution.plan.arenaSize == solution.lowerBound;
    return solution;
  }
  Greedy greedy(instance, goal, until);
  greedy.begin();
  solution.plan = assemble(buffers, instance, greedy.getOffsets());
  if (Restarts::isWorthwhile(instance))
    search(buffers, instance, greedy, limits, goal, until, solution);
  else
    goOn(buffers, instance, greedy, goal, limits.nodes.value_or(kNoLimit), until, solution);
  return solution;
}

} // namespace ttc::planner

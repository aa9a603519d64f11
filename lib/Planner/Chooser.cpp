// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Planner/Chooser.h"

#include <algorithm>
#include <numeric>

namespace ttc::planner {

namespace {

class Chooser {
public:
  Chooser(std::span<const Candidate> candidates, std::span<const Buffer> required, int64_t capacity,
          const ChooseLimits &limits)
      : candidates(candidates), required(required), capacity(capacity), limits(limits),
        best(candidates.size()) {
    findColumns();
  }

  Choice run() {
    if (!isPlannable(std::vector<bool>(candidates.size())))
      return {std::vector<bool>(candidates.size()), 0, true};
    // Candidates of positive value that fit beside the required buffers. If possible, all of them.
    for (size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].value > 0 && hasRoom(i))
        useful.push_back(i);
    if (std::vector<bool> all = takeInOrder(useful); countOf(all) == useful.size() && accept(all))
      return {best, bestValue, true};
    for (auto order : {byDensity(true), byDensity(false), byValue()}) {
      std::vector<bool> set = takeInOrder(order);
      makePlannable(set);
      accept(set);
    }
    improve();
    bool complete = search();
    return {best, bestValue, complete};
  }

private:
  //===--- room -----------------------------------------------------------------------------===//

  /// The bytes alive grow only where a buffer begins: one column for each such time.
  void findColumns() {
    std::vector<int64_t> times;
    for (const Candidate &candidate : candidates)
      times.push_back(candidate.buffer.lower);
    for (const Buffer &buffer : required)
      times.push_back(buffer.lower);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    auto column = [&](int64_t time) {
      return static_cast<size_t>(std::lower_bound(times.begin(), times.end(), time) -
                                 times.begin());
    };
    room.assign(times.size(), capacity);
    for (const Buffer &buffer : required)
      for (size_t c = column(buffer.lower), end = column(buffer.upper); c < end; ++c)
        room[c] -= buffer.size;
    for (const Candidate &candidate : candidates)
      columns.emplace_back(column(candidate.buffer.lower), column(candidate.buffer.upper));
  }

  bool hasRoom(size_t i) const {
    return std::all_of(room.begin() + columns[i].first, room.begin() + columns[i].second,
                       [&](int64_t free) { return free >= candidates[i].buffer.size; });
  }
  void take(std::vector<bool> &set, size_t i) {
    set[i] = true;
    for (size_t c = columns[i].first; c < columns[i].second; ++c)
      room[c] -= candidates[i].buffer.size;
  }
  void drop(std::vector<bool> &set, size_t i) {
    set[i] = false;
    for (size_t c = columns[i].first; c < columns[i].second; ++c)
      room[c] += candidates[i].buffer.size;
  }
  /// Sets `room` to what is free beside a set, until this object is destroyed.
  struct With {
    With(Chooser &chooser, const std::vector<bool> &set) : chooser(chooser), before(chooser.room) {
      std::vector<bool> taken(set.size());
      for (size_t i = 0; i < set.size(); ++i)
        if (set[i])
          chooser.take(taken, i);
    }
    ~With() { chooser.room = before; }
    Chooser &chooser;
    std::vector<int64_t> before;
  };

  //===--- values ---------------------------------------------------------------------------===//

  static size_t countOf(const std::vector<bool> &set) {
    return static_cast<size_t>(std::count(set.begin(), set.end(), true));
  }
  int64_t valueOf(const std::vector<bool> &set) const {
    int64_t value = 0;
    for (size_t i = 0; i < set.size(); ++i)
      value += set[i] ? candidates[i].value : 0;
    return value;
  }
  double area(size_t i) const {
    return static_cast<double>(candidates[i].buffer.size) *
           static_cast<double>(columns[i].second - columns[i].first);
  }
  /// By value per byte, or per byte and column, highest first.
  std::vector<size_t> byDensity(bool time) const {
    std::vector<size_t> order = useful;
    auto density = [&](size_t i) {
      return static_cast<double>(candidates[i].value) /
             (time ? area(i) : static_cast<double>(candidates[i].buffer.size));
    };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-density(a), a) < std::pair(-density(b), b);
    });
    return order;
  }
  std::vector<size_t> byValue() const {
    std::vector<size_t> order = useful;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-candidates[a].value, a) < std::pair(-candidates[b].value, b);
    });
    return order;
  }

  //===--- sets -----------------------------------------------------------------------------===//

  Plan planOf(const std::vector<bool> &set) const {
    std::vector<Buffer> buffers(required.begin(), required.end());
    for (size_t i = 0; i < set.size(); ++i)
      if (set[i])
        buffers.push_back(candidates[i].buffer);
    return solve(buffers, {.capacity = capacity, .nodes = limits.planNodes}).plan;
  }
  bool isPlannable(const std::vector<bool> &set) const { return planOf(set).arenaSize <= capacity; }

  /// Keeps a set if it is the best so far.
  bool accept(const std::vector<bool> &set) {
    int64_t value = valueOf(set);
    if (value <= bestValue || !isPlannable(set))
      return false;
    best = set;
    bestValue = value;
    return true;
  }

  std::vector<bool> takeInOrder(const std::vector<size_t> &order) {
    std::vector<bool> set(candidates.size());
    With nothing(*this, set);
    refill(set, order);
    return set;
  }
  void refill(std::vector<bool> &set, const std::vector<size_t> &order) {
    for (size_t i : order)
      if (!set[i] && hasRoom(i))
        take(set, i);
  }

  /// Sums that fit do not guarantee a plan that fits: drops the least valuable candidate that ends
  /// above the capacity, until a plan fits.
  void makePlannable(std::vector<bool> &set) {
    for (;;) {
      Plan plan = planOf(set);
      if (plan.arenaSize <= capacity)
        return;
      size_t next = required.size(), least = set.size();
      for (size_t i = 0; i < set.size(); ++i)
        if (set[i] && plan.offsets[next++] + candidates[i].buffer.size > capacity &&
            (least == set.size() || candidates[i].value < candidates[least].value))
          least = i;
      if (least == set.size()) // a required buffer ends above: any candidate may be the cause
        for (size_t i = 0; i < set.size(); ++i)
          if (set[i] && (least == set.size() || candidates[i].value < candidates[least].value))
            least = i;
      set[least] = false;
    }
  }

  /// Local search: adds a candidate in exchange for the least valuable ones that overlap it, then
  /// fills the freed room, as long as the value grows.
  void improve() {
    const std::vector<size_t> order = byDensity(true);
    for (bool better = true; better;) {
      better = false;
      for (size_t i : byValue()) {
        if (best[i])
          continue;
        if (--limits.nodes < 0)
          return;
        std::vector<bool> set = best;
        With beside(*this, set);
        for (size_t c = columns[i].first; c < columns[i].second; ++c)
          while (room[c] < candidates[i].buffer.size) {
            size_t cheapest = set.size();
            for (size_t j : order)
              if (set[j] && columns[j].first <= c && c < columns[j].second &&
                  (cheapest == set.size() || candidates[j].value < candidates[cheapest].value))
                cheapest = j;
            drop(set, cheapest);
          }
        take(set, i);
        refill(set, order);
        better |= accept(set);
      }
    }
  }

  /// Branch and bound over the candidates in the order of density. True if the search is
  /// exhaustive.
  bool search() {
    order = byDensity(true);
    freeArea = 0;
    for (int64_t free : room)
      freeArea += static_cast<double>(std::max<int64_t>(free, 0));
    std::vector<bool> set(candidates.size());
    return visit(0, set, 0);
  }
  bool visit(size_t at, std::vector<bool> &set, int64_t value) {
    if (--limits.nodes < 0)
      return false;
    if (at == order.size()) {
      accept(set);
      return true;
    }
    if (bound(at, value) <= static_cast<double>(bestValue))
      return true;
    const size_t i = order[at];
    bool complete = true;
    if (hasRoom(i)) {
      take(set, i);
      freeArea -= area(i);
      complete = visit(at + 1, set, value + candidates[i].value);
      freeArea += area(i);
      drop(set, i);
    }
    return visit(at + 1, set, value) && complete;
  }
  /// An upper bound on the value: as if candidates were divisible.
  double bound(size_t at, int64_t value) const {
    double most = static_cast<double>(value), left = freeArea;
    for (; at < order.size(); ++at) {
      const size_t i = order[at];
      const double part = std::min(1.0, left / area(i));
      most += part * static_cast<double>(candidates[i].value);
      if (part < 1)
        break;
      left -= area(i);
    }
    return most;
  }

  std::span<const Candidate> candidates;
  std::span<const Buffer> required;
  int64_t capacity;
  ChooseLimits limits;
  std::vector<int64_t> room;                      ///< bytes that are free in each column
  std::vector<std::pair<size_t, size_t>> columns; ///< [first, end) of each candidate
  std::vector<size_t> useful, order;
  double freeArea = 0;
  std::vector<bool> best;
  int64_t bestValue = 0;
};

} // namespace

Choice choose(std::span<const Candidate> candidates, std::span<const Buffer> required,
              int64_t capacity, const ChooseLimits &limits) {
  return Chooser(candidates, required, capacity, limits).run();
}

} // namespace ttc::planner

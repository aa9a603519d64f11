// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Sequencer.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace ttc::planner {

static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min() / 4;
/// The weight that the failures of earlier runs keep.
static constexpr double kForget = 0.9;
static constexpr int64_t kHighest = std::numeric_limits<int64_t>::max() / 4;

Sequencer::Sequencer(const Instance &instance)
    : instance(instance), failures(instance.totals.size()), byLow(instance.members),
      byHigh(instance.members) {}

Outcome Sequencer::run(int64_t bytes, Rule by, std::span<const double> prefer,
                       int64_t mostDecisions, int64_t mostWork,
                       std::optional<Clock::time_point> until) {
  const size_t count = instance.size(), sections = instance.totals.size();
  capacity = bytes;
  rule = by;
  preference = prefer;
  decisions = work = 0;
  decisionLimit = mostDecisions;
  workLimit = mostWork;
  deadline = until;
  gaveUp = false;
  offset.assign(count, 0);
  low.assign(count, 0);
  high.assign(count, capacity);
  relations.assign(count * count, Open);
  changes.clear();
  queue.clear();
  isQueued.assign(sections, 0);
  isStale.assign(sections, 1);
  choices.resize(sections);
  position.resize(count);
  for (double &failure : failures)
    failure *= kForget;
  touch(0, static_cast<int32_t>(sections));
  bool open = true;
  for (size_t i = 0; open && i < count; ++i) {
    const auto item = static_cast<int32_t>(i);
    open = raise(item, instance.fit(i, 0)) && lower(item, capacity);
    if (open && instance.items[i].twin >= 0)
      open = putBelow(instance.items[i].twin, item);
  }
  if (open && propagate() && search())
    return Outcome::Found;
  return gaveUp ? Outcome::GaveUp : Outcome::Impossible;
}

//===--- state ------------------------------------------------------------------------===//

void Sequencer::touch(int32_t begin, int32_t end) {
  for (int32_t s = begin; s < end; ++s) {
    isStale[s] = 1;
    if (!isQueued[s]) {
      isQueued[s] = 1;
      queue.push_back(s);
    }
  }
}

bool Sequencer::raise(int32_t item, int64_t to) {
  if (to <= low[item])
    return true;
  to = instance.fit(item, to);
  changes.push_back({Change::Lowest, item, 0, low[item]});
  low[item] = to;
  touch(instance.items[item].firstSection, instance.items[item].endSection);
  return to + size(item) <= high[item];
}

bool Sequencer::lower(int32_t item, int64_t to) {
  if (to - size(item) < 0)
    return false;
  to = instance.fitBelow(item, to - size(item)) + size(item);
  if (to >= high[item])
    return true;
  changes.push_back({Change::Highest, item, 0, high[item]});
  high[item] = to;
  touch(instance.items[item].firstSection, instance.items[item].endSection);
  return low[item] + size(item) <= to;
}

bool Sequencer::putBelow(int32_t item, int32_t other) {
  char &known = relation(item, other);
  if (known != Open)
    return known == Below;
  changes.push_back({Change::Pair, item, other, 0});
  known = Below;
  relation(other, item) = Above;
  const Instance::Item &a = instance.items[item], &b = instance.items[other];
  touch(std::max(a.firstSection, b.firstSection), std::min(a.endSection, b.endSection));
  return raise(other, low[item] + size(item)) && lower(item, high[other] - size(other));
}

void Sequencer::undo(size_t mark) {
  for (int32_t s : queue)
    isQueued[s] = 0;
  queue.clear();
  while (changes.size() > mark) {
    const Change &change = changes.back();
    const Instance::Item &item = instance.items[change.item];
    if (change.kind == Change::Lowest)
      low[change.item] = change.old;
    else if (change.kind == Change::Highest)
      high[change.item] = change.old;
    else
      relation(change.item, change.other) = relation(change.other, change.item) = Open;
    std::fill(isStale.begin() + item.firstSection, isStale.begin() + item.endSection, 1);
    changes.pop_back();
  }
}

/// Insertion sort by lowest offset: the list is nearly sorted from the last time. Ties are broken
/// by number, so that the order does not depend on earlier attempts.
void Sequencer::sortByLow(int32_t section) {
  std::vector<int32_t> &list = byLow[section];
  for (size_t i = 1; i < list.size(); ++i) {
    const int32_t item = list[i];
    size_t at = i;
    for (; at > 0 && std::pair(low[list[at - 1]], list[at - 1]) > std::pair(low[item], item); --at)
      list[at] = list[at - 1];
    list[at] = item;
  }
}

void Sequencer::sortByHigh(int32_t section) {
  std::vector<int32_t> &list = byHigh[section];
  for (size_t i = 1; i < list.size(); ++i) {
    const int32_t item = list[i];
    size_t at = i;
    for (; at > 0 && std::pair(high[list[at - 1]], list[at - 1]) > std::pair(high[item], item);
         --at)
      list[at] = list[at - 1];
    list[at] = item;
  }
}

//===--- inference --------------------------------------------------------------------===//

bool Sequencer::propagate() {
  for (size_t next = 0; next < queue.size(); ++next) {
    const int32_t s = queue[next];
    isQueued[s] = 0;
    if (work >= workLimit || (deadline && work % 256 == 0 && Clock::now() > *deadline))
      gaveUp = true;
    if (gaveUp || !propagateSection(s)) {
      failures[s] += !gaveUp;
      for (; next < queue.size(); ++next)
        isQueued[queue[next]] = 0;
      queue.clear();
      return false;
    }
  }
  queue.clear();
  return true;
}

bool Sequencer::propagateSection(int32_t section) {
  ++work;
  const size_t count = instance.members[section].size();
  if (count < 2)
    return true;
  for (auto *scratch : {&sums, &ends, &sizes, &bounds})
    scratch->resize(count);
  hits.resize(count);
  return findEdgesBelow(section) && findEdgesAbove(section) && orderPairs(section);
}

/// Edge finding: if a set of items that end by T and one more item cannot all end by T, that item
/// is above the set, and hence above the lowest end that the set can have.
bool Sequencer::findEdgesBelow(int32_t section) {
  sortByLow(section);
  sortByHigh(section);
  const std::vector<int32_t> &items = byLow[section], &set = byHigh[section];
  const size_t count = items.size();
  for (size_t i = 0; i < count; ++i) {
    position[items[i]] = static_cast<int32_t>(i);
    sizes[i] = 0; // of those in the set
    hits[i] = -1;
  }
  for (size_t last = 0; last < count; ++last) {
    sizes[position[set[last]]] = size(set[last]);
    const int64_t until = high[set[last]];
    if (last + 1 < count && high[set[last + 1]] == until)
      continue;
    int64_t sum = 0;
    for (size_t i = count; i-- > 0;)
      sums[i] = sum += sizes[i];
    int64_t end = kLowest;
    for (size_t i = 0; i < count; ++i) {
      if (sizes[i] != 0)
        end = std::max(end, low[items[i]] + sums[i]);
      ends[i] = end;
    }
    if (end > until)
      return false;
    for (size_t i = 0; i < count; ++i)
      if (sizes[i] == 0 && std::max(ends[i], low[items[i]] + sums[i]) + size(items[i]) > until) {
        hits[i] = static_cast<int32_t>(last); // a larger set implies what a smaller one does
        bounds[i] = end;
      }
  }
  // The lists keep their order here, although their keys change.
  for (size_t i = 0; i < count; ++i) {
    if (hits[i] < 0)
      continue;
    if (!raise(items[i], bounds[i]))
      return false;
    for (int32_t other = 0; other <= hits[i]; ++other)
      if (!putBelow(set[other], items[i]))
        return false;
  }
  return true;
}

/// The mirror image of findEdgesBelow().
bool Sequencer::findEdgesAbove(int32_t section) {
  sortByLow(section);
  sortByHigh(section);
  const std::vector<int32_t> &items = byHigh[section], &set = byLow[section];
  const size_t count = items.size();
  for (size_t i = 0; i < count; ++i) {
    position[items[i]] = static_cast<int32_t>(i);
    sizes[i] = 0;
    hits[i] = -1;
  }
  for (size_t last = count; last-- > 0;) {
    sizes[position[set[last]]] = size(set[last]);
    const int64_t from = low[set[last]];
    if (last > 0 && low[set[last - 1]] == from)
      continue;
    int64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
      sums[i] = sum += sizes[i];
    int64_t begin = kHighest;
    for (size_t i = count; i-- > 0;) {
      if (sizes[i] != 0)
        begin = std::min(begin, high[items[i]] - sums[i]);
      ends[i] = begin;
    }
    if (begin < from)
      return false;
    for (size_t i = 0; i < count; ++i)
      if (sizes[i] == 0 && std::min(ends[i], high[items[i]] - sums[i]) - size(items[i]) < from) {
        hits[i] = static_cast<int32_t>(last);
        bounds[i] = begin;
      }
  }
  for (size_t i = 0; i < count; ++i) {
    if (hits[i] < 0)
      continue;
    if (!lower(items[i], bounds[i]))
      return false;
    for (size_t other = static_cast<size_t>(hits[i]); other < count; ++other)
      if (!putBelow(items[i], set[other]))
        return false;
  }
  return true;
}

/// Two items that fit in only one order get that order. An item is above all items known to be
/// below it, whatever their order; likewise from above.
bool Sequencer::orderPairs(int32_t section) {
  const std::vector<int32_t> &members = instance.members[section];
  for (size_t i = 0; i < members.size(); ++i)
    for (size_t j = i + 1; j < members.size(); ++j) {
      const int32_t a = members[i], b = members[j];
      if (relation(a, b) != Open)
        continue;
      const int64_t both = size(a) + size(b);
      if (low[a] + both > high[b] && !putBelow(b, a))
        return false;
      if (low[b] + both > high[a] && !putBelow(a, b))
        return false;
    }
  sortByLow(section);
  sortByHigh(section);
  const std::vector<int32_t> &upwards = byLow[section], &downwards = byHigh[section];
  for (size_t i = 0; i < members.size(); ++i) {
    const char *known = &relation(members[i], 0);
    int64_t top = kLowest, bottom = kHighest;
    for (int32_t other : upwards)
      if (known[other] == Above)
        top = std::max(top, low[other]) + size(other);
    for (size_t j = downwards.size(); j-- > 0;)
      if (known[downwards[j]] == Below)
        bottom = std::min(bottom, high[downwards[j]]) - size(downwards[j]);
    ends[i] = top;
    bounds[i] = bottom;
  }
  for (size_t i = 0; i < members.size(); ++i)
    if (!raise(members[i], ends[i]) || (bounds[i] != kHighest && !lower(members[i], bounds[i])))
      return false;
  return true;
}

//===--- search -----------------------------------------------------------------------===//

/// Whether all items fit if they are placed in the order of their lowest offsets. Once every
/// relation is known, they do.
bool Sequencer::isDone() {
  order.resize(instance.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::tuple(low[a], high[a], a) < std::tuple(low[b], high[b], b);
  });
  tops.assign(instance.totals.size(), 0);
  for (int32_t i : order) {
    const Instance::Item &item = instance.items[i];
    const auto begin = tops.begin() + item.firstSection, end = tops.begin() + item.endSection;
    offset[i] = instance.fit(i, std::max(low[i], *std::max_element(begin, end)));
    if (offset[i] + item.size > capacity)
      return false;
    std::fill(begin, end, offset[i] + item.size);
  }
  return true;
}

/// Collects the open items of the section, and those that may be the lowest or the highest of them.
void Sequencer::collectChoice(int32_t section, Choice &choice) {
  const std::vector<int32_t> &members = instance.members[section];
  choice.open.clear();
  choice.lowest.clear();
  choice.highest.clear();
  int64_t sum = 0, bottom = kHighest, top = 0;
  for (int32_t item : members) {
    const char *known = &relation(item, 0);
    if (std::any_of(members.begin(), members.end(),
                    [&](int32_t other) { return other != item && known[other] == Open; })) {
      choice.open.push_back(item);
      sum += size(item);
      bottom = std::min(bottom, low[item]);
      top = std::max(top, high[item]);
    }
  }
  choice.slack = top - bottom - sum;
  for (int32_t item : choice.open) {
    const char *known = &relation(item, 0);
    bool isLowest = low[item] + sum <= top, isHighest = high[item] - sum >= bottom;
    for (int32_t other : choice.open) {
      isLowest &= known[other] != Above;
      isHighest &= known[other] != Below;
    }
    if (isLowest)
      choice.lowest.push_back(item);
    if (isHighest)
      choice.highest.push_back(item);
  }
}

const Sequencer::Choice *Sequencer::choose(int32_t &section, bool &above) {
  const Choice *best = nullptr;
  double bestScore = 0;
  for (size_t s = 0; s < choices.size(); ++s) {
    Choice &choice = choices[s];
    if (isStale[s])
      collectChoice(static_cast<int32_t>(s), choice);
    isStale[s] = 0;
    if (choice.open.empty())
      continue;
    const double slack = static_cast<double>(choice.slack) / static_cast<double>(capacity);
    for (bool fromAbove : {false, true}) {
      if (fromAbove && !rule.fromAbove)
        continue;
      const auto ways =
          static_cast<double>(fromAbove ? choice.highest.size() : choice.lowest.size());
      const double score =
          (rule.slackFirst ? (slack + 1e-3) * ways : ways + slack) / (1 + failures[s]);
      if (!best || score < bestScore) {
        best = &choice;
        bestScore = score;
        section = static_cast<int32_t>(s);
        above = fromAbove;
      }
    }
  }
  return best;
}

bool Sequencer::search() {
  constexpr int64_t kDeepest = 10'000; // a few hundred bytes of stack each
  if (decisions >= decisionLimit || depth >= kDeepest)
    gaveUp = true;
  if (gaveUp)
    return false;
  ++decisions;
  if (isDone())
    return true;
  int32_t section = 0;
  bool above = false;
  const Choice *choice = choose(section, above);
  if (!choice)
    return false;
  const std::vector<int32_t> open = choice->open;
  std::vector<int32_t> ways = above ? choice->highest : choice->lowest;
  std::sort(ways.begin(), ways.end(), [&](int32_t a, int32_t b) {
    const int64_t reachA = above ? -high[a] : low[a], reachB = above ? -high[b] : low[b];
    return std::tuple(reachA, -preference[a], a) < std::tuple(reachB, -preference[b], b);
  });
  if (ways.empty())
    failures[section] += 1;
  for (int32_t way : ways) {
    const size_t mark = changes.size();
    bool fits = true;
    for (int32_t other : open)
      if (fits && other != way)
        fits = above ? putBelow(other, way) : putBelow(way, other);
    if (!fits)
      failures[section] += 1;
    if (fits && propagate()) {
      ++depth;
      const bool found = search();
      --depth;
      if (found)
        return true;
    }
    undo(mark);
    if (gaveUp)
      return false;
  }
  return false;
}

} // namespace ttc::planner

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Search.h"
#include <algorithm>
#include <limits>

namespace ttc::planner {

static constexpr int64_t kNone = std::numeric_limits<int64_t>::max() / 4;

Search::Search(const Instance &instance)
    : instance(instance), offset(instance.size()), conflicts(instance.size()) {}

Outcome Search::run(int64_t bytes, std::span<const int32_t> order, int64_t budget,
                    std::optional<Clock::time_point> until) {
  const size_t count = instance.size(), sections = instance.totals.size();
  capacity = bytes;
  ranks = order;
  nodes = 0;
  limit = budget;
  deadline = until;
  gaveUp = false;
  placed.assign(count, 0);
  floors.resize(count);
  lists.clear();
  candidates.clear();
  parts.clear();
  for (size_t i = 0; i < count; ++i) {
    floors[i] = instance.fit(i, 0);
    lists.push_back(static_cast<int32_t>(i));
  }
  sectionBytes = instance.totals;
  sectionFloors.assign(sections, 0);
  isDirty.assign(sections, 1);
  dirty.resize(sections);
  for (size_t s = 0; s < sections; ++s)
    dirty[s] = static_cast<int32_t>(s);
  updateSections();
  floorChanges.clear();
  sectionChanges.clear();

  const Range all = {0, count};
  if (isOpen(all, 0) && searchParts(all, -1, {0, -1}))
    return Outcome::Found;
  return gaveUp ? Outcome::GaveUp : Outcome::Impossible;
}

//===--- state ------------------------------------------------------------------------===//

void Search::markDirty(int32_t item) {
  const Instance::Item &it = instance.items[item];
  for (int32_t s = it.firstSection; s < it.endSection; ++s)
    if (!isDirty[s]) {
      isDirty[s] = 1;
      dirty.push_back(s);
    }
}

void Search::raise(int32_t item, int64_t floor) {
  floor = instance.fit(item, floor);
  if (floor <= floors[item])
    return;
  floorChanges.emplace_back(item, floors[item]);
  floors[item] = floor;
  markDirty(item);
}

/// Updates the floors of dirty sections.
void Search::updateSections() {
  for (int32_t s : dirty) {
    int64_t lowest = kNone;
    for (int32_t item : instance.members[s])
      if (!placed[item])
        lowest = std::min(lowest, floors[item]);
    if (sectionFloors[s] != lowest) {
      sectionChanges.emplace_back(s, sectionFloors[s]);
      sectionFloors[s] = lowest;
    }
    isDirty[s] = 0;
  }
  dirty.clear();
}

void Search::place(int32_t item, int64_t at) {
  offset[item] = at;
  placed[item] = 1;
  const Instance::Item &it = instance.items[item];
  for (int32_t s = it.firstSection; s < it.endSection; ++s)
    sectionBytes[s] -= it.size;
  markDirty(item);
}

void Search::unplace(int32_t item) {
  placed[item] = 0;
  const Instance::Item &it = instance.items[item];
  for (int32_t s = it.firstSection; s < it.endSection; ++s)
    sectionBytes[s] += it.size;
}

void Search::undo(Mark mark) {
  for (int32_t s : dirty)
    isDirty[s] = 0;
  dirty.clear();
  while (floorChanges.size() > mark.floors) {
    floors[floorChanges.back().first] = floorChanges.back().second;
    floorChanges.pop_back();
  }
  while (sectionChanges.size() > mark.sections) {
    sectionFloors[sectionChanges.back().first] = sectionChanges.back().second;
    sectionChanges.pop_back();
  }
}

//===--- inference --------------------------------------------------------------------===//

/// Whether the remaining items still fit above the floor of each section.
bool Search::isOpen(Range rest, int64_t floor) {
  if (rest.begin == rest.end)
    return true;
  const int32_t begin = instance.items[lists[rest.begin]].firstSection;
  int32_t end = begin;
  for (size_t i = rest.begin; i < rest.end; ++i)
    end = std::max(end, instance.items[lists[i]].endSection);
  for (int32_t s = begin; s < end; ++s) {
    if (sectionBytes[s] == 0 || std::max(sectionFloors[s], floor) + sectionBytes[s] <= capacity)
      continue;
    for (int32_t item : instance.members[s])
      if (!placed[item])
        conflicts[item] += 1;
    return false;
  }
  return true;
}

/// An item that could have been placed before the last one, and was not, is above an item that is
/// still to be placed: its floor rises to the lowest end of those that overlap it in time.
bool Search::liftPassed(Range rest, Last last) {
  for (size_t i = rest.begin; i < rest.end; ++i) {
    const int32_t item = lists[i];
    if (!isPassed(item, last))
      continue;
    int64_t lowest = kNone;
    for (int32_t other : instance.neighbours[item])
      if (!placed[other])
        lowest =
            std::min(lowest, std::max(floors[other], last.offset) + instance.items[other].size);
    if (lowest == kNone)
      return false; // no remaining item can be below it
    raise(item, lowest);
    if (floors[item] + instance.items[item].size > capacity) {
      conflicts[item] += 1;
      return false;
    }
  }
  updateSections();
  return true;
}

//===--- search -----------------------------------------------------------------------===//

bool Search::search(Range rest, Last last) {
  ++nodes;
  if (nodes > limit || (deadline && nodes % 256 == 0 && Clock::now() > *deadline))
    gaveUp = true;
  if (gaveUp)
    return false;
  const Mark before = mark();
  const size_t level = candidates.size();
  bool found = last.rank < 0 || (liftPassed(rest, last) && isOpen(rest, last.offset));
  found = found && branch(rest, last);
  candidates.resize(level);
  if (!found)
    undo(before);
  return found;
}

/// Tries each item that can be placed next, and searches the rest.
bool Search::branch(Range rest, Last last) {
  // An item placed at or above the lowest possible end would leave a gap that the item with this
  // end fits into.
  int64_t lowestTop = kNone;
  for (size_t i = rest.begin; i < rest.end; ++i)
    lowestTop = std::min(lowestTop,
                         std::max(floors[lists[i]], last.offset) + instance.items[lists[i]].size);
  const size_t begin = candidates.size();
  for (size_t i = rest.begin; i < rest.end; ++i) {
    const int32_t item = lists[i], twin = instance.items[item].twin;
    if (floors[item] < lowestTop && !isPassed(item, last) && (twin < 0 || placed[twin]))
      candidates.push_back({floors[item], ranks[item], item});
  }
  const size_t end = candidates.size();
  std::sort(candidates.begin() + begin, candidates.end());
  for (size_t next = begin; next < end; ++next) {
    const Candidate candidate = candidates[next];
    const Mark before = mark();
    const int64_t top = candidate.offset + instance.items[candidate.item].size;
    place(candidate.item, candidate.offset);
    for (int32_t other : instance.neighbours[candidate.item])
      if (!placed[other] && floors[other] < top)
        raise(other, top);
    // If the placement raised no floor, it constrains no other item: another choice cannot succeed
    // where this one failed.
    const bool constrainsOthers = floorChanges.size() != before.floors;
    updateSections();
    if (isOpen(rest, candidate.offset) &&
        searchParts(rest, candidate.item, {candidate.offset, candidate.rank}))
      return true;
    undo(before);
    unplace(candidate.item);
    if (gaveUp || !constrainsOthers)
      return false;
  }
  return false;
}

/// Splits the remaining items into parts that share no section. Each part is searched on its own;
/// if one has no solution, the whole has none.
bool Search::searchParts(Range rest, int32_t without, Last last) {
  const size_t listLevel = lists.size(), partLevel = parts.size();
  int32_t end = -1;
  for (size_t i = rest.begin; i < rest.end; ++i) { // by first section
    const int32_t item = lists[i];
    if (item == without)
      continue;
    if (instance.items[item].firstSection >= end)
      parts.push_back({lists.size(), lists.size()});
    lists.push_back(item);
    parts.back().end = lists.size();
    end = std::max(end, instance.items[item].endSection);
  }
  // Smallest first: they fail at the lowest cost.
  const size_t partEnd = parts.size();
  std::sort(parts.begin() + partLevel, parts.end(), [](Range a, Range b) {
    return std::pair(a.end - a.begin, a.begin) < std::pair(b.end - b.begin, b.begin);
  });
  const Mark before = mark();
  bool found = true;
  for (size_t next = partLevel; found && next < partEnd; ++next) {
    found = search(parts[next], last);
    if (found)
      continue;
    for (size_t done = partLevel; done < next; ++done)
      for (size_t i = parts[done].begin; i < parts[done].end; ++i)
        unplace(lists[i]);
    undo(before);
  }
  lists.resize(listLevel);
  parts.resize(partLevel);
  return found;
}

} // namespace ttc::planner

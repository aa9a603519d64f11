// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Instance.h"
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace ttc::planner {

Instance::Instance(std::span<const Buffer> buffers) {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].offset && buffers[i].size > 0) {
      const Buffer &b = buffers[i];
      items.push_back({i, b.size, b.alignment, b.lower, b.upper, 0, 0});
    }
  findSections();
  countBytes();
  findPairs();
  findObstacles(buffers);
}

/// A section ends where a buffer ends after another one has begun: only there the set of live
/// buffers is maximal.
void Instance::findSections() {
  std::vector<int64_t> begins, ends;
  for (const Item &item : items) {
    begins.push_back(item.lower);
    ends.push_back(item.upper);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  std::map<int64_t, int32_t> sectionOfBegin; // of each time at which buffers begin
  int32_t section = -1;
  bool ended = true; // since the last begin
  size_t end = 0;
  for (int64_t begin : begins) {
    for (; end < ends.size() && ends[end] <= begin; ++end)
      ended = true;
    section += ended;
    ended = false;
    sectionOfBegin[begin] = section;
  }
  for (Item &item : items) {
    item.firstSection = sectionOfBegin[item.lower];
    // The last section that begins while the item is alive.
    item.endSection = std::prev(sectionOfBegin.lower_bound(item.upper))->second + 1;
  }
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) {
    return std::tuple(a.firstSection, a.endSection, a.size, a.alignment, a.buffer) <
           std::tuple(b.firstSection, b.endSection, b.size, b.alignment, b.buffer);
  });
  totals.resize(section + 1);
}

void Instance::countBytes() {
  std::vector<int64_t> change(totals.size() + 1);
  for (const Item &item : items) {
    change[item.firstSection] += item.size;
    change[item.endSection] -= item.size;
  }
  int64_t bytes = 0;
  for (size_t s = 0; s < totals.size(); ++s)
    totals[s] = bytes += change[s];
  // The largest total of any 2^k sections.
  std::vector<std::vector<int64_t>> most = {totals};
  for (size_t width = 1; 2 * width <= totals.size(); width *= 2) {
    const std::vector<int64_t> &half = most.back();
    std::vector<int64_t> whole(half.size() - width);
    for (size_t s = 0; s < whole.size(); ++s)
      whole[s] = std::max(half[s], half[s + width]);
    most.push_back(std::move(whole));
  }
  for (Item &item : items) {
    const auto sections = static_cast<size_t>(item.endSection - item.firstSection);
    const size_t k = std::bit_width(sections) - 1;
    item.most = std::max(most[k][item.firstSection], most[k][item.endSection - (size_t(1) << k)]);
  }
}

void Instance::findPairs() {
  constexpr int64_t kMostPairs = 10'000'000;
  // Items are sorted by first section: those that overlap item i and start later follow it
  // directly.
  auto endOf = [&](size_t i) {
    return std::partition_point(
               items.begin() + static_cast<ptrdiff_t>(i), items.end(),
               [&](const Item &other) { return other.firstSection < items[i].endSection; }) -
           items.begin();
  };
  int64_t pairs = 0;
  for (size_t i = 0; i < items.size(); ++i)
    pairs += endOf(i) - static_cast<ptrdiff_t>(i) - 1;
  if (pairs <= kMostPairs) {
    members.resize(totals.size());
    neighbours.resize(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      for (int32_t s = items[i].firstSection; s < items[i].endSection; ++s)
        members[s].push_back(static_cast<int32_t>(i));
      for (size_t j = i + 1; j < static_cast<size_t>(endOf(i)); ++j) {
        neighbours[i].push_back(static_cast<int32_t>(j));
        neighbours[j].push_back(static_cast<int32_t>(i));
      }
    }
  }
  for (size_t i = 1; i < items.size(); ++i) {
    const Item &before = items[i - 1], &item = items[i];
    if (std::tuple(before.firstSection, before.endSection, before.size, before.alignment) ==
        std::tuple(item.firstSection, item.endSection, item.size, item.alignment))
      items[i].twin = static_cast<int32_t>(i - 1);
  }
}

void Instance::findObstacles(std::span<const Buffer> buffers) {
  std::vector<const Buffer *> fixed;
  for (const Buffer &buffer : buffers)
    if (buffer.offset && buffer.size > 0)
      fixed.push_back(&buffer);
  obstacles.resize(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    for (const Buffer *other : fixed)
      if (other->lower < items[i].upper && items[i].lower < other->upper)
        obstacles[i].push_back({*other->offset, *other->offset + other->size});
    std::sort(obstacles[i].begin(), obstacles[i].end(),
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    // Twins are interchangeable only if neither overlaps a fixed buffer.
    if (int32_t twin = items[i].twin;
        twin >= 0 && (!obstacles[i].empty() || !obstacles[twin].empty()))
      items[i].twin = -1;
  }
}

} // namespace ttc::planner

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Instance.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace ttc::planner {

bool Instance::isTooLarge(std::span<const Buffer> buffers) {
  constexpr int64_t kMostPairs = 100'000'000;
  std::vector<int64_t> begins, ends;
  for (const Buffer &buffer : buffers) {
    begins.push_back(buffer.lower);
    ends.push_back(buffer.upper);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  int64_t pairs = 0;
  size_t end = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    while (ends[end] <= begins[i])
      ++end;
    pairs += static_cast<int64_t>(i - end);
  }
  return pairs > kMostPairs;
}

Instance::Instance(std::span<const Buffer> buffers) {
  // A section ends where a buffer ends after another one has begun: only there is the set of live
  // buffers not part of a later one.
  std::vector<int64_t> begins;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].offset && buffers[i].size > 0) {
      const Buffer &b = buffers[i];
      items.push_back({i, b.size, b.alignment, b.lower, b.upper, 0, 0});
      begins.push_back(b.lower);
    }
  std::map<int64_t, int32_t> sectionOfBegin; // of each time at which buffers begin
  std::sort(begins.begin(), begins.end());
  std::vector<int64_t> ends;
  for (const Item &item : items)
    ends.push_back(item.upper);
  std::sort(ends.begin(), ends.end());
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

  members.resize(section + 1);
  totals.resize(section + 1);
  for (size_t i = 0; i < items.size(); ++i) {
    Item &item = items[i];
    for (int32_t s = item.firstSection; s < item.endSection; ++s) {
      members[s].push_back(static_cast<int32_t>(i));
      totals[s] += item.size;
    }
    if (i > 0) {
      const Item &before = items[i - 1];
      if (std::tuple(before.firstSection, before.endSection, before.size, before.alignment) ==
          std::tuple(item.firstSection, item.endSection, item.size, item.alignment))
        item.twin = static_cast<int32_t>(i - 1);
    }
  }
  neighbours.resize(items.size());
  for (size_t i = 0; i < items.size(); ++i)
    for (size_t j = i + 1; j < items.size() && items[j].firstSection < items[i].endSection; ++j) {
      neighbours[i].push_back(static_cast<int32_t>(j));
      neighbours[j].push_back(static_cast<int32_t>(i));
    }
  obstacles.resize(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    for (const Buffer &fixed : buffers)
      if (fixed.offset && fixed.size > 0 && fixed.lower < items[i].upper &&
          items[i].lower < fixed.upper)
        obstacles[i].push_back({*fixed.offset, *fixed.offset + fixed.size});
    std::sort(obstacles[i].begin(), obstacles[i].end(),
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    // Twins that fixed buffers treat alike only because neither meets one.
    if (int32_t twin = items[i].twin;
        twin >= 0 && (!obstacles[i].empty() || !obstacles[twin].empty()))
      items[i].twin = -1;
  }
}

} // namespace ttc::planner

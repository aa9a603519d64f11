// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FirstFit.h"
#include <algorithm>
#include <queue>
#include <tuple>

namespace ttc::planner {

int64_t FirstFit::fitAmongNeighbours(int32_t item) {
  taken.clear();
  for (int32_t other : instance.neighbours[item])
    if (placed[other])
      taken.push_back({offset[other], offset[other] + instance.items[other].size, other});
  std::sort(taken.begin(), taken.end());
  work += static_cast<int64_t>(instance.neighbours[item].size());
  const int64_t size = instance.items[item].size;
  int64_t at = instance.fit(item, 0);
  for (const Taken &other : taken) {
    if (other.begin >= at + size)
      break;
    if (other.end > at)
      at = instance.fit(item, other.end);
  }
  return at;
}

int64_t FirstFit::fitAmongAll(int32_t item) {
  const Instance::Item &it = instance.items[item];
  int64_t at = instance.fit(item, 0);
  size_t next = 0;
  for (; next < taken.size() && taken[next].begin < at + it.size; ++next) {
    const Instance::Item &other = instance.items[taken[next].item];
    if (taken[next].end > at && other.firstSection < it.endSection &&
        it.firstSection < other.endSection)
      at = instance.fit(item, taken[next].end);
  }
  work += static_cast<int64_t>(next);
  const Taken added = {at, at + it.size, item};
  taken.insert(std::upper_bound(taken.begin(), taken.end(), added), added);
  return at;
}

int64_t FirstFit::run(std::span<const int32_t> order) {
  std::fill(placed.begin(), placed.end(), 0);
  taken.clear();
  int64_t arenaSize = 0;
  for (int32_t item : order) {
    offset[item] = instance.hasPairs() ? fitAmongNeighbours(item) : fitAmongAll(item);
    placed[item] = 1;
    arenaSize = std::max(arenaSize, offset[item] + instance.items[item].size);
  }
  return arenaSize;
}

int64_t LowestFirst::run(std::span<const int32_t> ranks) {
  using Entry = std::tuple<int64_t, int32_t, int32_t>; // offset, rank, item
  std::vector<Entry> entries;
  for (size_t i = 0; i < instance.size(); ++i) {
    placed[i] = 0;
    offset[i] = instance.fit(i, 0);
    entries.emplace_back(offset[i], ranks[i], static_cast<int32_t>(i));
  }
  std::priority_queue queue(std::greater<>(), std::move(entries));
  int64_t arenaSize = 0;
  while (!queue.empty()) {
    const auto [at, rank, item] = queue.top();
    queue.pop();
    if (offset[item] > at) { // stale: the item was raised since
      queue.emplace(offset[item], rank, item);
      continue;
    }
    placed[item] = 1;
    const int64_t top = at + instance.items[item].size;
    arenaSize = std::max(arenaSize, top);
    for (int32_t other : instance.neighbours[item])
      if (!placed[other] && offset[other] < top)
        offset[other] = instance.fit(other, top);
  }
  return arenaSize;
}

} // namespace ttc::planner

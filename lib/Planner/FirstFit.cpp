// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FirstFit.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace ttc::planner {

int64_t FirstFit::run(std::span<const int32_t> order) {
  std::fill(placed.begin(), placed.end(), 0);
  int64_t height = 0;
  for (int32_t item : order) {
    taken.clear();
    for (int32_t other : instance.neighbours[item])
      if (placed[other])
        taken.emplace_back(offset[other], offset[other] + instance.items[other].size);
    std::sort(taken.begin(), taken.end());
    const int64_t size = instance.items[item].size;
    int64_t at = instance.fit(item, 0);
    for (auto [begin, end] : taken) {
      if (begin >= at + size)
        break;
      if (end > at)
        at = instance.fit(item, end);
    }
    offset[item] = at;
    placed[item] = 1;
    height = std::max(height, at + size);
  }
  return height;
}

int64_t placeGreedily(const Instance &instance, int64_t goal, int rounds,
                      std::vector<int64_t> &offsets) {
  // Each order is good at another kind of network: by area where a few large tensors live long,
  // by size where all live short, by length where many small ones live long, by time for chains.
  using Item = Instance::Item;
  double (*const scores[])(const Item &) = {
      [](const Item &i) {
        return static_cast<double>(i.size) * static_cast<double>(i.upper - i.lower);
      },
      [](const Item &i) { return static_cast<double>(i.size); },
      [](const Item &i) { return static_cast<double>(i.upper - i.lower); },
      [](const Item &i) { return -static_cast<double>(i.lower); },
  };

  FirstFit firstFit(instance);
  int64_t best = std::numeric_limits<int64_t>::max();
  std::vector<int32_t> order(instance.size()), bestOrder;
  auto tryOrder = [&] {
    const int64_t height = firstFit.run(order);
    if (height < best) {
      best = height;
      offsets = firstFit.getOffsets();
      bestOrder = order;
    }
  };
  for (auto score : scores) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return std::pair(-score(instance.items[a]), a) < std::pair(-score(instance.items[b]), b);
    });
    tryOrder();
    if (best <= goal)
      return best;
  }

  order = bestOrder;
  std::vector<double> position(instance.size());
  for (size_t i = 0; i < order.size(); ++i)
    position[order[i]] = static_cast<double>(i);
  firstFit.run(order);
  for (int round = 0; round < rounds && best > goal; ++round) {
    for (size_t i = 0; i < instance.size(); ++i)
      if (firstFit.getOffsets()[i] + instance.items[i].size > goal)
        position[i] *= 0.5;
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return std::pair(position[a], a) < std::pair(position[b], b);
    });
    tryOrder();
  }
  return best;
}

} // namespace ttc::planner

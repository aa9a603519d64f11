// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Planner/Planner.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace ttc::planner {
namespace {

int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool shareTime(const Buffer &a, const Buffer &b) { return a.lower < b.upper && b.lower < a.upper; }

/// Places buffers one after the other, each at the lowest offset that is free for its whole life.
class FirstFit {
public:
  explicit FirstFit(std::span<const Buffer> buffers) : buffers(buffers) {
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].offset)
        fixed.push_back(i);
  }

  Plan run(std::span<const size_t> order) {
    Plan plan;
    plan.offsets.assign(buffers.size(), 0);
    placed.clear();
    for (size_t i : fixed)
      place(plan, i, *buffers[i].offset);
    for (size_t i : order)
      place(plan, i, findGap(plan, i));
    return plan;
  }

private:
  int64_t findGap(const Plan &plan, size_t index) {
    const Buffer &buffer = buffers[index];
    int64_t offset = 0;
    for (size_t other : placed) { // by offset
      if (plan.offsets[other] >= offset + buffer.size)
        break;
      if (!shareTime(buffer, buffers[other]))
        continue;
      int64_t end = plan.offsets[other] + buffers[other].size;
      if (end > offset)
        offset = alignUp(end, buffer.alignment);
    }
    return offset;
  }

  void place(Plan &plan, size_t index, int64_t offset) {
    plan.offsets[index] = offset;
    plan.height = std::max(plan.height, offset + buffers[index].size);
    auto above = [&](int64_t value, size_t other) { return value < plan.offsets[other]; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset, above), index);
  }

  std::span<const Buffer> buffers;
  std::vector<size_t> fixed;
  std::vector<size_t> placed; ///< sorted by offset
};

} // namespace

int64_t lowerBound(std::span<const Buffer> buffers) {
  // A buffer that ends at a time does not meet one that starts there: the map adds both up.
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
  // Each order is good at another kind of network: by area where a few large tensors live long,
  // by size where all live short, by time for chains.
  using Key = std::pair<double, double>;
  auto length = [](const Buffer &b) { return static_cast<double>(b.upper - b.lower); };
  auto size = [](const Buffer &b) { return static_cast<double>(b.size); };
  Key (*const keys[])(double size, double length, double lower) = {
      [](double size, double length, double) { return Key(-size * length, -size); },
      [](double size, double length, double) { return Key(-size, -length); },
      [](double size, double length, double) { return Key(-length, -size); },
      [](double size, double, double lower) { return Key(lower, -size); },
  };

  int64_t bound = lowerBound(buffers);
  FirstFit firstFit(buffers);
  std::optional<Plan> best;
  std::vector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].offset)
      order.push_back(i);
  for (auto key : keys) {
    auto keyOf = [&](size_t i) {
      const Buffer &b = buffers[i];
      return key(size(b), length(b), static_cast<double>(b.lower));
    };
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return std::pair(keyOf(a), a) < std::pair(keyOf(b), b); });
    Plan candidate = firstFit.run(order);
    if (!best || candidate.height < best->height)
      best = std::move(candidate);
    if (best->height == bound)
      break;
  }
  return *best;
}

} // namespace ttc::planner

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planning problems for tests: reproducible, of several shapes.
#ifndef TTC_TEST_UNIT_PLANNER_PROBLEMS_H
#define TTC_TEST_UNIT_PLANNER_PROBLEMS_H

#include "ttc/Planner/Planner.h"
#include <random>
#include <span>

namespace ttc::planner::test {

/// A network: a chain of tensors, some of which live on to a later layer.
inline std::vector<Buffer> network(unsigned seed, int layers) {
  std::mt19937 random(seed);
  auto below = [&](int bound) { return static_cast<int64_t>(random() % bound); };
  std::vector<Buffer> buffers;
  for (int i = 0; i < layers; ++i) {
    int64_t length = below(8) == 0 ? 2 + below(20) : 2;
    buffers.push_back({i, i + length, 64 * (1 + below(1000)), 64, std::nullopt});
  }
  return buffers;
}

/// Networks whose plans have no simple order: buffers live for `lives[i]` steps each, any i of
/// them; sizes are without order.
inline std::vector<Buffer> crowd(unsigned seed, int layers, std::span<const int> lives) {
  std::mt19937 random(seed);
  std::vector<Buffer> buffers;
  for (int i = 0; i < layers; ++i) {
    const int64_t length = lives[random() % lives.size()];
    buffers.push_back({i, i + length, 1 + static_cast<int64_t>(random() % 65536), 1, std::nullopt});
  }
  return buffers;
}

/// A U-net: a third of all lives until the mirrored place, so that nearly all overlap.
inline std::vector<Buffer> mirrored(unsigned seed, int layers) {
  std::mt19937 random(seed);
  std::vector<Buffer> buffers;
  for (int i = 0; i < layers; ++i) {
    const bool isLong = i < layers / 2 && random() % 3 == 0;
    const int64_t end = isLong ? layers - i : i + 1 + static_cast<int64_t>(random() % 6);
    const int64_t size = int64_t(64) << random() % 11;
    buffers.push_back({i, end, size, 64, std::nullopt});
  }
  return buffers;
}

/// No structure at all; odd sizes and several alignments.
inline std::vector<Buffer> noise(unsigned seed, int count) {
  std::mt19937 random(seed);
  auto below = [&](int bound) { return static_cast<int64_t>(random() % bound); };
  std::vector<Buffer> buffers;
  for (int i = 0; i < count; ++i) {
    int64_t lower = below(100);
    buffers.push_back(
        {lower, lower + 1 + below(30), below(5000), int64_t(1) << below(8), std::nullopt});
  }
  return buffers;
}

} // namespace ttc::planner::test

#endif // TTC_TEST_UNIT_PLANNER_PROBLEMS_H

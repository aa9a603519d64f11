// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planning problems for tests: reproducible, of several shapes.
#ifndef TTC_TEST_UNIT_PLANNER_PROBLEMS_H
#define TTC_TEST_UNIT_PLANNER_PROBLEMS_H

#include "ttc/Planner/Planner.h"
#include <random>

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

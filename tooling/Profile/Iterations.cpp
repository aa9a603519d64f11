// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Analysis.h"

#include <algorithm>

namespace ttrun::report {

/// Fewer blocks do not tell how much they differ.
static constexpr size_t kEnoughBlocks = 8;

void DeviceTimes::chooseIterations() {
  size_t number = 0;
  for (const Iteration &iteration : repetitions)
    number += iteration.dispatched;
  const size_t others = repetitions.size() - number;
  dispatched = number > others || (number && number == others && repetitions[0].dispatched);
  for (const Iteration &iteration : repetitions)
    if (iteration.complete && iteration.dispatched == dispatched) {
      iterations.push_back(iteration.duration);
      waits.push_back(iteration.waiting / iteration.duration);
    }
}

std::vector<double> DeviceTimes::waitsOfBlocks() const {
  const size_t blocks = std::min<size_t>(iterations.size(), 16);
  std::vector<double> shares;
  for (size_t i = 0; i < blocks; ++i) {
    double all = 0, waited = 0;
    for (size_t k = i * iterations.size() / blocks; k < (i + 1) * iterations.size() / blocks; ++k) {
      all += iterations[k];
      waited += iterations[k] * waits[k];
    }
    if (all > 0)
      shares.push_back(waited / all);
  }
  return shares;
}

namespace {
/// Successive iterations of one kind.
struct Block {
  bool dispatched;
  std::vector<double> durations;
};
} // namespace

/// What neighbouring blocks differ in is not what a clock rate that changes slowly makes.
static std::vector<double> savingsOfPairs(const std::vector<Iteration> &repetitions) {
  std::vector<Block> blocks;
  for (const Iteration &iteration : repetitions) {
    if (!iteration.complete)
      continue;
    if (blocks.empty() || blocks.back().dispatched != iteration.dispatched)
      blocks.push_back({iteration.dispatched, {}});
    blocks.back().durations.push_back(iteration.duration);
  }
  std::vector<double> savings;
  for (size_t i = 0; i + 1 < blocks.size(); i += 2) {
    const double first = spreadOf(blocks[i].durations).median;
    const double second = spreadOf(blocks[i + 1].durations).median;
    savings.push_back(blocks[i].dispatched ? 1 - second / first : 1 - first / second);
  }
  return savings;
}

TraceSaving DeviceTimes::traceSaving() const {
  using Kind = TraceSaving::Kind;
  auto from = [](Kind kind, const std::vector<double> &shares) {
    const Spread spread = spreadOf(shares);
    return TraceSaving{kind, spread.median, 1.96 * spread.error(), shares.size()};
  };
  if (const std::vector<double> pairs = savingsOfPairs(repetitions); pairs.size() >= kEnoughBlocks)
    return from(Kind::Measured, pairs);
  std::vector<double> gaps;
  for (const Iteration &iteration : repetitions)
    if (iteration.complete && iteration.dispatched)
      gaps.push_back(iteration.gaps / iteration.duration);
  return dispatched && gaps.size() >= kEnoughBlocks ? from(Kind::AtMost, gaps) : TraceSaving{};
}

} // namespace ttrun::report

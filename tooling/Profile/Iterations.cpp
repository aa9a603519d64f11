// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Analysis.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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
      causesOfIterations.push_back(iteration.causes);
    }
}

std::vector<CauseTimes> DeviceTimes::causesOfBlocks() const {
  const size_t blocks = std::min<size_t>(iterations.size(), 16);
  std::vector<CauseTimes> shares;
  for (size_t i = 0; i < blocks; ++i) {
    double all = 0;
    CauseTimes sums{};
    for (size_t k = i * iterations.size() / blocks; k < (i + 1) * iterations.size() / blocks; ++k) {
      all += iterations[k];
      for (size_t cause = 0; cause < kCauses; ++cause)
        sums[cause] += causesOfIterations[k][cause];
    }
    if (!(all > 0))
      continue;
    for (double &sum : sums)
      sum /= all;
    shares.push_back(sums);
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

TraceSaving savingFrom(TraceSaving::Kind kind, const std::vector<double> &shares) {
  const Spread spread = spreadOf(shares);
  return {kind, spread.median, 1.96 * spread.error(), shares.size()};
}

std::string textOf(const TraceSaving &saving) {
  using Kind = TraceSaving::Kind;
  if (saving.kind == Kind::Unknown)
    return "";
  const bool isMeasured = saving.kind == Kind::Measured;
  const bool isClear = std::abs(saving.share) > saving.error;
  const bool isLoss = isMeasured && saving.share < 0;
  const std::string interval = fmt::format(
      "{:.1f} % (+- {:.1f}; {} {})", 100 * (isLoss && isClear ? -saving.share : saving.share),
      100 * saving.error, saving.blocks, isMeasured ? "pairs of blocks" : "iterations");
  if (!isClear)
    return "; unclear whether a trace saves time: " + interval;
  if (isLoss)
    return "; a trace loses " + interval;
  return isMeasured ? "; a trace saves " + interval
                    : "; a trace saves at most the time between commands, " + interval;
}

TraceSaving DeviceTimes::traceSaving() const {
  using Kind = TraceSaving::Kind;
  if (const std::vector<double> pairs = savingsOfPairs(repetitions); pairs.size() >= kEnoughBlocks)
    return savingFrom(Kind::Measured, pairs);
  std::vector<double> gaps;
  for (const Iteration &iteration : repetitions)
    if (iteration.complete && iteration.dispatched)
      gaps.push_back(iteration.gaps / iteration.duration);
  return dispatched && gaps.size() >= kEnoughBlocks ? savingFrom(Kind::AtMost, gaps)
                                                    : TraceSaving{};
}

} // namespace ttrun::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StageCuts.h"
#include <algorithm>
#include <cassert>
#include <deque>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::ttc;

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

/// Cuts whose stages cost at most `bound`: by stages, the fewest bytes of all cuts before a
/// position.
class BoundedCuts {
public:
  BoundedCuts(const StageProblem &problem, unsigned stages, int64_t bound)
      : problem(problem), bound(bound), size(problem.costs.size()) {
    least.assign(stages + 1, std::vector<int64_t>(size + 1, kNone));
    begins.assign(stages + 1, std::vector<size_t>(size + 1, 0));
    least[0][0] = 0;
    for (unsigned stage = 0; stage < stages; ++stage)
      addStage(stage);
  }

  bool exist() const { return least.back()[size] != kNone; }

  SmallVector<size_t> get() const {
    SmallVector<size_t> cuts{size};
    for (size_t stage = least.size() - 1; stage > 0; --stage)
      cuts.push_back(begins[stage][cuts.back()]);
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

private:
  /// A window of the positions at which the stage can begin moves with the one at which it ends.
  void addStage(unsigned stage) {
    std::deque<std::pair<int64_t, size_t>> window; // ascending bytes
    size_t begin = 0;
    int64_t cost = 0;
    for (size_t end = 1; end <= size; ++end) {
      const size_t last = end - 1;
      if (const int64_t before = least[stage][last];
          before != kNone && (last == 0 || problem.bytes[last] >= 0)) {
        const int64_t bytes = before + (last == 0 ? 0 : problem.bytes[last]);
        while (!window.empty() && window.back().first >= bytes)
          window.pop_back();
        window.emplace_back(bytes, last);
      }
      cost += problem.costs[last];
      const auto [first, final] = problem.range[last];
      if (stage < first || stage > final) {
        begin = end;
        cost = 0;
      }
      for (; begin < end && cost > bound; ++begin)
        cost -= problem.costs[begin];
      while (!window.empty() && window.front().second < begin)
        window.pop_front();
      if (!window.empty()) {
        least[stage + 1][end] = window.front().first;
        begins[stage + 1][end] = window.front().second;
      }
    }
  }

  const StageProblem &problem;
  int64_t bound;
  size_t size;
  std::vector<std::vector<int64_t>> least;
  std::vector<std::vector<size_t>> begins;
};

} // namespace

std::optional<SmallVector<size_t>> mlir::ttc::chooseCuts(const StageProblem &problem,
                                                         unsigned stages) {
  assert(problem.bytes.size() == problem.costs.size() &&
         problem.range.size() == problem.costs.size());
  int64_t high = std::accumulate(problem.costs.begin(), problem.costs.end(), int64_t(0)), low = 0;
  if (problem.costs.empty() || !BoundedCuts(problem, stages, high).exist())
    return std::nullopt;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (BoundedCuts(problem, stages, middle).exist())
      high = middle;
    else
      low = middle + 1;
  }
  return BoundedCuts(problem, stages, high + high / 20).get();
}

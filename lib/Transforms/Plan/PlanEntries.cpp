// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PlanEntries.h"
#include "ttrt/format/bundle_format.h"

using namespace mlir;
using namespace mlir::ttc;
namespace planner = ::ttc::planner;

/// Planner nodes to search for a plan at the lower bound: a few seconds at most. Nodes are counted,
/// and time is not limited, so that equal models get equal plans.
static constexpr int64_t kPlannerNodes = 300'000;

static planner::Plan solve(ArrayRef<planner::Buffer> problem, std::optional<int64_t> capacity) {
  return planner::solve(problem, {.capacity = capacity, .nodes = kPlannerNodes}).plan;
}

planner::Plan mlir::ttc::planEntries(ArrayRef<planner::Buffer> problem, ArrayRef<unsigned> entries,
                                     ArrayRef<planner::Buffer> fixed,
                                     std::optional<int64_t> capacity, bool share) {
  planner::Plan all;
  if (problem.empty())
    return all;
  if (share) {
    std::vector<planner::Buffer> together(problem);
    together.insert(together.end(), fixed.begin(), fixed.end());
    all = solve(together, capacity);
    all.offsets.resize(problem.size());
    return all;
  }
  all.offsets.resize(problem.size());
  for (unsigned entry = 0, end = *llvm::max_element(entries) + 1; entry < end; ++entry) {
    std::vector<planner::Buffer> part;
    for (auto [buffer, itsEntry] : llvm::zip_equal(problem, entries))
      if (itsEntry == entry)
        part.push_back(buffer);
    if (part.empty())
      continue;
    int64_t begin = INT64_MAX, last = 0;
    for (const planner::Buffer &buffer : part) {
      begin = std::min(begin, buffer.lower);
      last = std::max(last, buffer.upper);
    }
    part.insert(part.end(), fixed.begin(), fixed.end());
    if (all.arenaSize > 0) // the bytes of other entry points
      part.push_back({begin, last, all.arenaSize, ttrt::kBufferAlignment, 0});
    planner::Plan plan = solve(part, capacity);
    size_t next = 0;
    for (auto [offset, itsEntry] : llvm::zip_equal(all.offsets, entries))
      if (itsEntry == entry)
        offset = plan.offsets[next++];
    all.arenaSize = plan.arenaSize;
  }
  return all;
}

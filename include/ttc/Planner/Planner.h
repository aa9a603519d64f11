// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static memory planning: assigns offsets to buffers with known lifetimes. Independent of MLIR.
#ifndef TTC_PLANNER_PLANNER_H
#define TTC_PLANNER_PLANNER_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ttc::planner {

/// A buffer that is alive in the half-open interval [lower, upper) of time.
struct Buffer {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t size = 0;
  int64_t alignment = 1;
  /// The offset that the buffer must have, if it is fixed.
  std::optional<int64_t> offset = std::nullopt;
};

struct Plan {
  /// One for each buffer, in order.
  std::vector<int64_t> offsets;
  /// The end of the highest buffer: the bytes that an arena for all buffers needs.
  int64_t arenaSize = 0;
};

/// The largest number of bytes alive at one time, or the end of the highest fixed buffer: no plan
/// has a smaller arena.
int64_t lowerBound(std::span<const Buffer> buffers);

/// The best of several first-fit placements. Equal input gives an equal plan. Buffers with
/// fixed offsets are placed as given, even where they overlap each other; `validate` reports that.
Plan plan(std::span<const Buffer> buffers);

/// When `solve` accepts a plan, and when it gives up.
struct SearchLimits {
  /// The search ends at a plan whose arena is no larger; without it, only at the lower bound.
  std::optional<int64_t> capacity = std::nullopt;
  /// The most placements that the search tries in total; without it there is no limit. If only
  /// this limit is given, equal input gives equal plans on every machine.
  std::optional<int64_t> nodes = std::nullopt;
  std::optional<std::chrono::steady_clock::duration> time = std::nullopt;
};

struct Solution {
  Plan plan;
  int64_t lowerBound = 0;
  /// Placements that the search tried; 0 if first-fit sufficed.
  int64_t nodes = 0;
  /// The plan is proved optimal: no plan has a smaller arena.
  bool isOptimal = false;
};

/// Runs first-fit and, if its plan exceeds the lower bound (or the capacity), a search that ends
/// when the goal is met, when the search space is exhausted, or at a limit: see docs/planner.md.
/// Without a limit of nodes or time it may not terminate. Always returns the best plan found.
Solution solve(std::span<const Buffer> buffers, const SearchLimits &limits);

} // namespace ttc::planner

#endif // TTC_PLANNER_PLANNER_H

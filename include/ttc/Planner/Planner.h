// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static memory planning: buffers with lifetimes in, offsets out. Knows no MLIR.
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
  /// Where the buffer must lie, if that is given.
  std::optional<int64_t> offset = std::nullopt;
};

struct Plan {
  /// One for each buffer, in order.
  std::vector<int64_t> offsets;
  /// The first byte above all buffers.
  int64_t height = 0;
};

/// The largest sum of bytes alive at one time, or the end of the highest fixed buffer: no
/// plan is lower.
int64_t lowerBound(std::span<const Buffer> buffers);

/// The best of several first-fit placements. Equal input gives an equal plan. Buffers with
/// fixed offsets are taken as given, even where they overlap each other: `validate` says so.
Plan plan(std::span<const Buffer> buffers);

/// When `solve` is content, and when it gives up.
struct SearchLimits {
  /// A plan that is not higher is good enough; nothing means that only the lower bound is.
  std::optional<int64_t> capacity = std::nullopt;
  /// Placements that the search tries in all; nothing means no limit. A limit by nodes alone
  /// gives equal plans for equal input, on any machine.
  std::optional<int64_t> nodes = std::nullopt;
  std::optional<std::chrono::steady_clock::duration> time = std::nullopt;
};

struct Solution {
  Plan plan;
  int64_t lowerBound = 0;
  /// Placements that the search tried; 0 where first-fit was enough.
  int64_t nodes = 0;
  /// The search looked at everything: no plan is lower than this one.
  bool isOptimal = false;
};

/// First-fit, and where that is above the lower bound (or the capacity) a search that goes on until
/// it is met, until nothing is left to search, or until a limit: docs/planner.md. Without a limit
/// of nodes or time it may take for ever. The best plan found is returned in any case.
Solution solve(std::span<const Buffer> buffers, const SearchLimits &limits);

} // namespace ttc::planner

#endif // TTC_PLANNER_PLANNER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static memory planning: buffers with lifetimes in, offsets out. Knows no MLIR.
#ifndef TTC_PLANNER_PLANNER_H
#define TTC_PLANNER_PLANNER_H

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

} // namespace ttc::planner

#endif // TTC_PLANNER_PLANNER_H

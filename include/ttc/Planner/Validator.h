// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks plans. Shares no code with the planner, so that a bug in one is found by the other.
#ifndef TTC_PLANNER_VALIDATOR_H
#define TTC_PLANNER_VALIDATOR_H

#include "ttc/Planner/Planner.h"
#include <string>

namespace ttc::planner {

enum class FaultKind {
  Count,      ///< not one offset for each buffer
  BadBuffer,  ///< a buffer with a negative size, an alignment below 1 or an empty lifetime
  Negative,   ///< an offset below 0
  Misaligned, ///< an offset that is not a multiple of the alignment
  Moved,      ///< a fixed buffer at another offset
  Overlap,    ///< two buffers that share time and bytes
  Capacity,   ///< a buffer that ends above the capacity
  ArenaSize,  ///< the plan's arena size is not the end of its highest buffer
};

struct Fault {
  FaultKind kind;
  /// Indices of the buffers; `second` only for overlaps.
  size_t first = 0, second = 0;
  std::string message;
};

/// Returns every fault of the plan; empty if the plan is valid. Without a capacity there is no
/// limit.
std::vector<Fault> validate(std::span<const Buffer> buffers, const Plan &plan,
                            std::optional<int64_t> capacity = std::nullopt);

} // namespace ttc::planner

#endif // TTC_PLANNER_VALIDATOR_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of L1. --ttc-place-tensors checks with it whether a choice fits, and --ttc-preallocate
// takes the addresses from it.
#ifndef TTC_LIB_TRANSFORMS_PLANL1_H
#define TTC_LIB_TRANSFORMS_PLANL1_H

#include "ttc/Analysis/Lifetimes.h"
#include "ttc/Planner/Planner.h"

namespace mlir::ttc {

/// The slots of entry points that want a schedule, of at least `queues` queues, other than the
/// default one: such schedules access slots at other times.
DenseSet<StringAttr> getSlotsUsedAhead(ModuleOp module, int64_t queues);

/// The scratch of each point of the timeline as buffers that are fixed at the bottom.
std::vector<::ttc::planner::Buffer> getScratchBuffers(ArrayRef<TimelinePoint> timeline);

/// One plan for all cores. The scratch of each command is at the bottom while the command runs.
struct L1Plan {
  SmallVector<BufferOp> buffers;               ///< the buffers in L1 that are accessed
  std::vector<::ttc::planner::Buffer> problem; ///< for each buffer
  SmallVector<bool> always;                    ///< for each buffer: is it alive all the time?
  ::ttc::planner::Plan plan;
};

/// With shards, scratch keeps its bytes all the time, and so do chains of commands on shards
/// (extendForChains()), if there is room. Slots that a schedule writes ahead are alive all the
/// time, so that nothing delays the write, if there is room; otherwise their bytes are reused after
/// the last read, like those of all other buffers. Slots of rings are always alive.
L1Plan planL1(ModuleOp module, TargetAttr target, ArrayRef<TimelinePoint> timeline, bool share);

/// An analysis that passes the plan from --ttc-place-tensors on to --ttc-preallocate, so that L1 is
/// planned once. A pass between the two that changes the module invalidates it.
class PlannedL1 {
public:
  explicit PlannedL1(Operation * /*module*/) {}

  void set(L1Plan plan, bool share) { planned = {std::move(plan), share}; }
  /// Null if there is no plan for this value of `share`.
  const L1Plan *get(bool share) const {
    return planned && planned->second == share ? &planned->first : nullptr;
  }

private:
  std::optional<std::pair<L1Plan, bool>> planned;
};

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_PLANL1_H

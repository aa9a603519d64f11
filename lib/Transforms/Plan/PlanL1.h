// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes of buffers, and the plan of L1: asked by --ttc-place-tensors whether a choice fits, and
// by
// --ttc-preallocate for the addresses.
#ifndef TTC_LIB_TRANSFORMS_PLANL1_H
#define TTC_LIB_TRANSFORMS_PLANL1_H

#include "dialects/Ttc/TtcOps.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Planner/Planner.h"

namespace mlir::ttc {

/// Placements that the planner searches for a plan at the lower bound: a few seconds at most, and
/// counted, not timed, so that equal models get equal plans.
inline constexpr int64_t kPlannerNodes = 300'000;

/// A buffer lives from its first write to its last access. What nothing writes (or what is read
/// first, which --ttc-verify-plan refuses) lives from its first access.
struct Lifetime {
  int64_t begin, end;
  unsigned entry; ///< whose schedule touches it first
};

/// In the order of the first access.
llvm::MapVector<StringAttr, Lifetime> getLifetimes(ArrayRef<TimelinePoint> timeline);

/// Lets buffers that a chain of commands on shards has used live until the next barrier, so that no
/// other one of the chain takes their bytes, which would need a barrier of its own.
void lengthenForChains(ArrayRef<TimelinePoint> timeline,
                       llvm::MapVector<StringAttr, Lifetime> &lifetimes);

/// The slots of entry points that want schedules in which they are used at other times than in the
/// default one. `queues`: with at least so many.
DenseSet<StringAttr> getSlotsUsedAhead(ModuleOp module, int64_t queues);

/// Plans buffers that belong to entry points (by number). These never run at the same time, so what
/// they do not keep shares bytes; or, unless `share`, each has its bytes above those of the one
/// before. `fixed` is planned with them, but not part of the plan. With a capacity every plan that
/// keeps to it is good enough.
::ttc::planner::Plan planEntries(ArrayRef<::ttc::planner::Buffer> problem,
                                 ArrayRef<unsigned> entries, ArrayRef<::ttc::planner::Buffer> fixed,
                                 std::optional<int64_t> capacity, bool share);

/// What the scratch of each point takes, fixed at the bottom.
std::vector<::ttc::planner::Buffer> getScratchBuffers(ArrayRef<TimelinePoint> timeline);

/// One plan for all cores, in which each command's scratch is at the bottom while it runs.
struct L1Plan {
  SmallVector<BufferOp> buffers;               ///< in L1, and touched by something
  std::vector<::ttc::planner::Buffer> problem; ///< of each
  SmallVector<bool> always;                    ///< alive all the time?
  ::ttc::planner::Plan plan;
};

/// Where there are shards, scratch has its bytes for itself all the time, and chains of commands on
/// shards have theirs (lengthenForChains()), if there is room for that. Slots that some schedule
/// writes ahead are alive all the time, so that nothing delays the write, if there is room for
/// that; else their bytes are used again, like those of all other buffers, when the last reader is
/// done. Slots of rings are always alive.
L1Plan planL1(ModuleOp module, TargetAttr target, ArrayRef<TimelinePoint> timeline, bool share);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_PLANL1_H

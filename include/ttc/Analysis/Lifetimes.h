// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When buffers are alive.
#ifndef TTC_ANALYSIS_LIFETIMES_H
#define TTC_ANALYSIS_LIFETIMES_H

#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "ttc/Analysis/Buffers.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ttc {

/// Points of the timeline, from the first access to a buffer up to, not including, the point after
/// the last one. If that is in a loop that the first one is not in, up to the end of the loop.
/// (--ttc-verify-plan rejects a buffer whose first access is a read.)
struct Lifetime {
  int64_t begin = 0, end = 0;
  unsigned entry = 0; ///< the entry point whose schedule accesses the buffer first
};

/// In the order of the first accesses.
using Lifetimes = llvm::MapVector<StringAttr, Lifetime>;

Lifetimes getLifetimes(ArrayRef<TimelinePoint> timeline);

/// Points of the timeline that belong to one entry point.
struct EntryPoints {
  EntryOp entry;
  int64_t begin = 0, end = 0;
};

/// Those of all entry points of the module, in order. `timeline` is the module's.
SmallVector<EntryPoints> getEntryPoints(ModuleOp module, ArrayRef<TimelinePoint> timeline);

/// The entry point whose points contain `time`.
const EntryPoints &findEntryPoint(ArrayRef<EntryPoints> entries, int64_t time);

/// The entry point of each slot.
DenseMap<StringAttr, EntryPoints> getSlotOwners(ArrayRef<EntryPoints> entries);

/// Sets the lifetimes of the module's buffers that have one, in points of its timeline. Those of a
/// stage's constants and of slots in DRAM are their entry point's.
void restateLifetimes(ModuleOp module);

/// Extends the lifetimes of buffers that a chain of commands on shards uses to the next barrier.
/// Otherwise another buffer of the chain could reuse their bytes, which would require a barrier of
/// its own.
void extendForChains(ArrayRef<TimelinePoint> timeline, Lifetimes &lifetimes);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_LIFETIMES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to look at when a module does not fit its target.
#ifndef TTC_LIB_TRANSFORMS_MEMORYPEAK_H
#define TTC_LIB_TRANSFORMS_MEMORYPEAK_H

#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "ttc/Analysis/Buffers.h"

namespace mlir::ttc {

/// Attaches a note for each of the largest buffers that are alive where most bytes of a memory are,
/// largest first, at the op that made it; then one for the rest. Buffers need lifetimes, but no
/// addresses; one without a lifetime is always alive. Scratch of the timeline counts, too.
void attachPeak(InFlightDiagnostic &error, ModuleOp module, MemorySpace memory, TargetAttr target,
                ArrayRef<TimelinePoint> timeline = {});

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_MEMORYPEAK_H

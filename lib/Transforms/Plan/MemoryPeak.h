// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes for a module that does not fit its target.
#ifndef TTC_LIB_TRANSFORMS_MEMORYPEAK_H
#define TTC_LIB_TRANSFORMS_MEMORYPEAK_H

#include "mlir/IR/BuiltinOps.h"
#include "ttc/Analysis/Buffers.h"

namespace mlir::ttc {

/// Attaches notes that list the buffers alive at the peak of a memory, largest first, each at the
/// op that made it, and one note for the remaining ones. Buffers need lifetimes but no addresses; a
/// buffer without a lifetime is always alive. The scratch of the timeline is included.
void attachPeak(InFlightDiagnostic &error, ModuleOp module, MemorySpace memory, TargetAttr target,
                ArrayRef<TimelinePoint> timeline = {});

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_MEMORYPEAK_H

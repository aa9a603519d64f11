// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buffer a tensor of a trace lies in, and when which buffer is accessed.
#ifndef TTC_ANALYSIS_BUFFERS_H
#define TTC_ANALYSIS_BUFFERS_H

#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// The value whose bytes `value` shows: itself, or what it is a view of.
Value getViewRoot(Value value);

/// The buffer of a value inside a trace on tensors: what its root, an argument or a result of
/// device work, is bound to (TraceOp::getBufferAttrName()). Null if it is not bound.
FlatSymbolRefAttr getBoundBuffer(Value value);

/// One command or one step of the default schedules, in their order.
struct TimelinePoint {
  /// A step, a command, or device work on tensors of a bound trace.
  Operation *op;
  SmallVector<BufferAccess> accesses;
};

/// The default schedules of all entry points, in order: prologue, body, epilogue; in place of a
/// step that executes a trace each of its commands (or each op of device work, as long as it is
/// not encoded). Schedules must refer to traces that exist.
std::vector<TimelinePoint> getTimeline(ModuleOp module);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_BUFFERS_H

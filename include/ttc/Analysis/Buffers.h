// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buffer a tensor of a trace lies in, and when which buffer is accessed.
#ifndef TTC_ANALYSIS_BUFFERS_H
#define TTC_ANALYSIS_BUFFERS_H

#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// The value whose bytes `value` shows: itself, or what it is a view of.
Value getViewRoot(Value value);

/// Where a value inside a trace on tensors lies: in the bytes of another one (perhaps itself).
struct ValueStorage {
  /// An argument of the trace, a result of device work, or of an op that joins parts (concat).
  Value root;
  /// The value's elements among the root's.
  StridedRange rows;

  bool isWhole() const { return rows.isContiguous() && rows.offset == 0 && rows.count == whole(); }
  /// The root's elements.
  int64_t whole() const;
};

/// Follows views, and parts to what they are parts of. Nothing where no rows say where the value
/// lies, or where it is a part of two values; `--ttc-elide-copies` makes neither.
std::optional<ValueStorage> getStorage(Value value);

/// The op in the trace that makes the value, or a view of it, a part of its result: the value's
/// bytes are there. Null if there is none.
OpOperand *findJoin(Value value);

/// The buffer and the bytes in it where a value inside a trace on tensors begins: what its root is
/// bound to (TraceOp::getBufferAttrName()). Null if it is not bound.
BufferRef getBoundPlace(Value value);
FlatSymbolRefAttr getBoundBuffer(Value value);

/// Fails, with an error, unless all operands and results of device work in traces on tensors are
/// bound to buffers; --ttc-bind-buffers binds them.
LogicalResult verifyBound(ModuleOp module);

/// What a planned buffer takes of its memory: all of it, or in L1 of each core, at the target's
/// alignment.
int64_t getPlannedSize(BufferOp buffer, TargetAttr target);

/// One command or one step of the default schedules, in their order.
struct TimelinePoint {
  /// A step, a command, or device work on tensors of a bound trace.
  Operation *op;
  SmallVector<BufferAccess> accesses;
  unsigned entry = 0;  ///< number of the entry point
  int64_t scratch = 0; ///< bytes at the bottom of each core's L1 that it needs for itself
};

/// The default schedules of all entry points, in order: prologue, body, epilogue; in place of a
/// step that executes a trace each of its commands (or each op of device work, as long as it is
/// not encoded). Schedules must refer to traces that exist.
std::vector<TimelinePoint> getTimeline(ModuleOp module);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_BUFFERS_H

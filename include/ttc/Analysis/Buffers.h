// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of a trace are stored, and when buffers are accessed.
#ifndef TTC_ANALYSIS_BUFFERS_H
#define TTC_ANALYSIS_BUFFERS_H

#include "dialects/Ttc/Traces/BufferOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// The value whose bytes `value` denotes: itself, or the source of the view.
Value getViewRoot(Value value);

/// The storage of a value in a trace on tensors: a part of the bytes of another value, or all of
/// its own.
struct ValueStorage {
  /// An argument of the trace, or a result of device work or of an op that joins parts (concat).
  Value root;
  /// The value's elements among the root's.
  StridedRange rows;

  bool isWhole() const { return rows.isContiguous() && rows.offset == 0 && rows.count == whole(); }
  /// The root's elements.
  int64_t whole() const;
};

/// Follows views, and parts to the values that they are parts of. Returns nothing if no strided
/// range describes the storage, or if the value is a part of two values; `--ttc-elide-copies` makes
/// neither. This looks at all uses of the value: passes that ask about many values have Storages.
std::optional<ValueStorage> getStorage(Value value);

/// The use that makes the value, or a view of it, a part of the result of its op, in which the
/// value is stored. Null if there is none.
OpOperand *findJoin(Value value);

/// The buffer that the root of a value is bound to (TraceOp::getBufferAttrName()), and the offset
/// of the value in it. Null if it is not bound.
BufferRef getBoundPlace(Value value);
FlatSymbolRefAttr getBoundBuffer(Value value);

/// Answers about storage that are remembered, so that the uses of each value are looked at once.
/// Meanwhile no op may be erased, and no value may become or cease to be a part of another one.
class Storages {
public:
  /// As the functions above.
  std::optional<ValueStorage> get(Value value);
  BufferRef getBoundPlace(Value value);
  FlatSymbolRefAttr getBoundBuffer(Value value);

private:
  DenseMap<Value, std::optional<ValueStorage>> known;
};

/// Fails, with an error, unless all operands and results of device work in traces on tensors are
/// bound to buffers, in which operands are until they are used; --ttc-bind-buffers binds them.
LogicalResult verifyBound(ModuleOp module);

/// The bytes that a buffer occupies in its memory, in L1 of each core, rounded up to the target's
/// alignment.
int64_t getPlannedSize(BufferOp buffer, TargetAttr target);

/// One command or one step of the default schedules, in their order.
struct TimelinePoint {
  /// A step, a command, or device work on tensors of a bound trace.
  Operation *op;
  SmallVector<BufferAccess> accesses;
  unsigned entry = 0;  ///< number of the entry point
  int64_t scratch = 0; ///< bytes of scratch that it needs at the bottom of each core's L1
};

/// The default schedules of all entry points, in order: prologue, body, epilogue. A step that
/// executes a trace is replaced by the commands of the trace, or by its ops of device work if it is
/// not encoded. Schedules must refer to existing traces.
std::vector<TimelinePoint> getTimeline(ModuleOp module);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_BUFFERS_H

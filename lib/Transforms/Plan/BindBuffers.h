// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From values inside traces to buffers that have no address yet.
#ifndef TTC_LIB_TRANSFORMS_BINDBUFFERS_H
#define TTC_LIB_TRANSFORMS_BINDBUFFERS_H

#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// Gives the root of each value in a trace on tensors a buffer, and notes it on the op
/// (TraceOp::getBufferAttrName()): the one that the trace's own result is bound to, that of an
/// operand which dies where the root is made and may be written over, or a new one. What has a
/// buffer keeps it. Returns how many results are written over an operand.
FailureOr<int64_t> bindBuffers(ModuleOp module, SymbolTable &symbols);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_BINDBUFFERS_H

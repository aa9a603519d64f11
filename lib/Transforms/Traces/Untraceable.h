// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_UNTRACEABLE_H
#define TTC_LIB_TRANSFORMS_UNTRACEABLE_H

#include "dialects/Ttc/Traces/TraceOps.h"

namespace mlir::ttc {

/// Reports an op of a traced region that neither a trace can hold nor the host can do before, after
/// or between traces, and suggests a rewrite.
inline void reportUntraceable(Operation *op) {
  InFlightDiagnostic error =
      op->emitError(
          "expected work that a trace can hold or that can be moved out of ttc.traced, found ")
      << op->getName();
  auto &note = error.attachNote();
  if (isa<EventOpInterface>(op))
    note << "an event orders the work around it, and inside a trace the host cannot order "
            "anything: end the ttc.traced region before it and begin another one after it";
  else if (op->getNumRegions() != 0)
    note << "a trace has no control flow: unroll or outline it as a ttc.program that "
            "ttc.dispatch runs, or move it before or after the ttc.traced region";
  else if (isa<TtcDialect>(op->getDialect()) && isMemoryEffectFree(op))
    note << "it belongs to no program: --ttc-outline-programs makes programs of tensor ops, "
            "which ttc.dispatch (or ttc.host_dispatch) then runs";
  else
    note << "its effects are unknown: write its work as a ttc.program that "
            "ttc.host_dispatch runs, or move it before or after the ttc.traced region";
}

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_UNTRACEABLE_H

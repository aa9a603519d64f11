// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Signature.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_VERIFYHOISTED
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

struct VerifyHoisted : mlir::ttc::impl::VerifyHoistedBase<VerifyHoisted> {
  void runOnOperation() override {
    bool good = true;
    getOperation().walk([&](TracedOp traced) {
      good = false;
      traced.emitError("expected no ttc.traced region after hoisting, found one").attachNote()
          << "--ttc-hoist-io makes traces of it";
    });
    for (auto trace : getOperation().getOps<TraceOp>())
      good &= verify(trace);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        good &= succeeded(verifySignature(function)) && verify(function);
    if (!good)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static bool verify(TraceOp trace) {
    bool good = true;
    for (Operation &op : trace.getBody().front().without_terminator()) {
      if (isa<DeviceWorkOpInterface, ViewLikeOpInterface, CommandOpInterface>(op))
        continue;
      good = false;
      InFlightDiagnostic error = op.emitError("expected device work in ttc.trace @")
                                 << trace.getSymName() << ", found " << op.getName();
      if (auto host = dyn_cast<HostWorkOpInterface>(op))
        error << ", " << host.getHostWork();
      error.attachNote() << "write the region as ttc.traced and let --ttc-hoist-io form the trace, "
                            "or pass the value to the trace as an argument";
    }
    return good;
  }

  static bool verify(func::FuncOp function) {
    bool good = true;
    for (Block &block : function.getBody())
      for (Operation &op : block.without_terminator()) {
        if (isa<HostWorkOpInterface, ViewLikeOpInterface, TracedOp>(op) ||
            matchPattern(&op, m_Constant()))
          continue;
        good = false;
        InFlightDiagnostic error =
            op.emitError("expected work that the host enqueues in function @")
            << function.getSymName() << ", found " << op.getName();
        if (isa<DeviceWorkOpInterface>(op))
          error.attachNote() << "put it into a ttc.traced region";
        else
          error.attachNote() << "write it as a ttc.program that ttc.host_dispatch runs";
      }
    return good;
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcOps.h"
#include "ttc/Analysis/GemmPlan.h"
#include "ttc/Codegen/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_PLANGEMMS
#include "ttc/Codegen/Passes.h.inc"

namespace {

struct PlanGemms : impl::PlanGemmsBase<PlanGemms> {
  void runOnOperation() override {
    auto result = getOperation().walk([](KernelGemmOp op) -> WalkResult {
      GemmPlanAttr plan = planGemm(op);
      if (!plan)
        return op.emitOpError(
            "expected operands and a result in layouts that its views can follow, with at most "
            "three batch dimensions that cannot be merged");
      op.setPlanAttr(plan);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ttc

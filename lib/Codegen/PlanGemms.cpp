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
      auto isEmpty = [](Type type) { return cast<RankedTensorType>(type).getNumElements() == 0; };
      if (llvm::any_of(op->getOperandTypes(), isEmpty) || isEmpty(op.getType()))
        return WalkResult::advance(); // --ttc-lower-programs rejects empty tensors
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

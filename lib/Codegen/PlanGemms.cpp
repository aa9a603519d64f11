// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/GemmPlan.h"
#include "ttc/Analysis/Tuning.h"
#include "ttc/Codegen/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_PLANGEMMS
#include "ttc/Codegen/Passes.h.inc"

namespace {

struct PlanGemms : impl::PlanGemmsBase<PlanGemms> {
  void runOnOperation() override {
    auto result = getOperation().walk([&](KernelGemmOp op) -> WalkResult {
      auto isEmpty = [](Type type) { return cast<RankedTensorType>(type).getNumElements() == 0; };
      if (llvm::any_of(op->getOperandTypes(), isEmpty) || isEmpty(op.getType()))
        return WalkResult::advance(); // --ttc-lower-programs rejects empty tensors
      GemmPlanAttr plan = planGemm(op);
      if (!plan)
        return op.emitOpError(
            "expected operands and a result in layouts that its views can follow, with at most "
            "three batch dimensions that cannot be merged");
      op.setPlanAttr(plan);
      return followTuning(op);
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation()->removeAttr(kTuningAttrName);
  }

private:
  /// Takes the plan of the op's entry, if there is one, and verifies it as any other.
  LogicalResult followTuning(KernelGemmOp op) {
    Attribute entry = findTuning(op);
    if (!entry)
      return success();
    auto plan = dyn_cast<GemmPlanAttr>(entry);
    if (!plan)
      return emitTuningError(op) << "expected a #ttc.gemm_plan, found " << entry;
    op.setPlanAttr(plan);
    std::string wrong;
    {
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
        wrong = diagnostic.str();
        return success();
      });
      if (succeeded(op.verify()))
        wrong.clear();
    }
    if (!wrong.empty())
      return emitTuningError(op) << wrong;
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    if (target && op.getScratchBytes() > target.getL1Bytes())
      return emitTuningError(op) << "expected a plan with scratch of at most "
                                 << target.getL1Bytes() << " bytes, the target's L1, found "
                                 << op.getScratchBytes();
    return success();
  }
};

} // namespace
} // namespace mlir::ttc

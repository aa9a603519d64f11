// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "mlir/IR/Dominance.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Support/PassCounter.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_MARKPARALLELLOOPS
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct MarkParallelLoopsPass : mlir::ttc::impl::MarkParallelLoopsBase<MarkParallelLoopsPass> {
  PassCounter numLoops{*this, "loops", "Loops marked"};

  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    bool isInPlace = llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
      return static_cast<bool>(function.getArgAttr(i, ProgramOp::getInPlaceAttrName()));
    });
    if (function.isExternal())
      return;
    MLIRContext *context = &getContext();
    LLVM::AccessGroupAttr group = isInPlace ? LLVM::AccessGroupAttr::get(context) : nullptr;
    DominanceInfo dominance(function);
    function.walk([&](Operation *op) {
      if (auto access = dyn_cast<LLVM::AccessGroupOpInterface>(op); access && isInPlace)
        access.setAccessGroups(ArrayAttr::get(context, {group}));
      auto annotation = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
          op->removeDiscardableAttr(kLoopAnnotationAttrName));
      // Loops are known by the branch back to their header.
      bool goesBack = llvm::any_of(op->getSuccessors(), [&](Block *header) {
        return dominance.dominates(header, op->getBlock());
      });
      if (!goesBack)
        return;
      numLoops += isInPlace;
      if (isInPlace)
        annotation = withGroup(annotation, group);
      if (annotation)
        TypeSwitch<Operation *>(op).Case<LLVM::BrOp, LLVM::CondBrOp>(
            [&](auto branch) { branch.setLoopAnnotationAttr(annotation); });
    });
  }

  /// What is known of a loop, null if nothing is, and that its iterations are independent.
  static LLVM::LoopAnnotationAttr withGroup(LLVM::LoopAnnotationAttr known,
                                            LLVM::AccessGroupAttr group) {
    LLVM::LoopVectorizeAttr vectorize = known ? known.getVectorize() : nullptr;
    LLVM::LoopUnrollAttr unroll = known ? known.getUnroll() : nullptr;
    return LLVM::LoopAnnotationAttr::get(group.getContext(), {}, vectorize, {}, unroll, {}, {}, {},
                                         {}, {}, {}, {}, {}, {}, {}, {group});
  }
};
} // namespace

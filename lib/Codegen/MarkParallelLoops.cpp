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
struct MarkParallelLoopsPass : ttc::impl::MarkParallelLoopsBase<MarkParallelLoopsPass> {
  PassCounter numLoops{*this, "loops", "Loops marked"};

  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    bool isInPlace = llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
      return static_cast<bool>(function.getArgAttr(i, ProgramOp::getInPlaceAttrName()));
    });
    if (!isInPlace || function.isExternal())
      return;
    MLIRContext *context = &getContext();
    auto group = LLVM::AccessGroupAttr::get(context);
    auto annotation = LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                                                    {}, {}, {}, {}, {group});
    DominanceInfo dominance(function);
    function.walk([&](Operation *op) {
      if (auto access = dyn_cast<LLVM::AccessGroupOpInterface>(op))
        access.setAccessGroups(ArrayAttr::get(context, {group}));
      // Loops are known by the branch back to their header.
      bool goesBack = llvm::any_of(op->getSuccessors(), [&](Block *header) {
        return dominance.dominates(header, op->getBlock());
      });
      if (!goesBack)
        return;
      ++numLoops;
      TypeSwitch<Operation *>(op).Case<LLVM::BrOp, LLVM::CondBrOp>(
          [&](auto branch) { branch.setLoopAnnotationAttr(annotation); });
    });
  }
};
} // namespace

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
    // Partial sums are a group of their own: the loop over vectors of elements adds to them in each
    // iteration. The loops over their lanes, which have an annotation, are parallel in all they
    // access.
    SmallVector<LLVM::AccessGroupAttr> groups;
    if (isInPlace)
      groups = {LLVM::AccessGroupAttr::get(context), LLVM::AccessGroupAttr::get(context)};
    DominanceInfo dominance(function);
    function.walk([&](Operation *op) {
      if (auto access = dyn_cast<LLVM::AccessGroupOpInterface>(op); access && isInPlace)
        access.setAccessGroups(ArrayAttr::get(context, {groups[isPartialSum(op)]}));
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
        annotation = withGroups(annotation, annotation ? ArrayRef(groups) : groups[0]);
      if (annotation)
        TypeSwitch<Operation *>(op).Case<LLVM::BrOp, LLVM::CondBrOp>(
            [&](auto branch) { branch.setLoopAnnotationAttr(annotation); });
    });
  }

  /// Whether a load or store is of memory of the function's own.
  static bool isPartialSum(Operation *access) {
    Value pointer;
    if (auto load = dyn_cast<LLVM::LoadOp>(access))
      pointer = load.getAddr();
    else if (auto store = dyn_cast<LLVM::StoreOp>(access))
      pointer = store.getAddr();
    while (pointer) {
      auto step = pointer.getDefiningOp<LLVM::GEPOp>();
      if (!step)
        return pointer.getDefiningOp<LLVM::AllocaOp>() != nullptr;
      pointer = step.getBase();
    }
    return false;
  }

  /// What is known of a loop, null if nothing is, and that its iterations are independent.
  static LLVM::LoopAnnotationAttr withGroups(LLVM::LoopAnnotationAttr known,
                                             ArrayRef<LLVM::AccessGroupAttr> groups) {
    LLVM::LoopVectorizeAttr vectorize = known ? known.getVectorize() : nullptr;
    LLVM::LoopUnrollAttr unroll = known ? known.getUnroll() : nullptr;
    return LLVM::LoopAnnotationAttr::get(groups[0].getContext(), {}, vectorize, {}, unroll, {}, {},
                                         {}, {}, {}, {}, {}, {}, {}, {}, groups);
  }
};
} // namespace

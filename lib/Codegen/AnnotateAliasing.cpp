// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ttc/Codegen/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_ANNOTATEALIASING
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct AnnotateAliasingPass : mlir::ttc::impl::AnnotateAliasingBase<AnnotateAliasingPass> {
  void runOnOperation() override {
    func::FuncOp body = getOperation();
    FailureOr<int64_t> scratch =
        getPassedInteger(body, kScratchBytesAttrName, "--ttc-plan-scratch", /*least=*/0);
    if (failed(scratch))
      return signalPassFailure();
    StringRef inPlaceName = ProgramOp::getInPlaceAttrName();
    llvm::SmallDenseSet<int64_t> shared;
    for (unsigned i = 0; i < body.getNumArguments(); ++i) {
      auto inPlace = body.getArgAttrOfType<DenseI64ArrayAttr>(i, inPlaceName);
      if (!inPlace)
        continue;
      if (*scratch > 0) {
        body.removeArgAttr(i, inPlaceName);
        continue;
      }
      shared.insert(i);
      for (int64_t other : inPlace.asArrayRef()) {
        if (other < 0 || other >= body.getNumArguments() || other == i ||
            !isa<MemRefType>(body.getArgumentTypes()[other])) {
          body.emitOpError("expects '")
              << inPlaceName << "' of argument " << i
              << " to name other arguments that are memrefs, found " << other;
          return signalPassFailure();
        }
        shared.insert(other);
      }
    }
    for (auto [i, type] : llvm::enumerate(body.getArgumentTypes()))
      if (isa<MemRefType>(type) && !shared.contains(i))
        body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), UnitAttr::get(&getContext()));
  }
};
} // namespace

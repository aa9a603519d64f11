// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Support/PassCounter.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_INLINEEPILOGUES
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct InlineEpiloguesPass : mlir::ttc::impl::InlineEpiloguesBase<InlineEpiloguesPass> {
  PassCounter numCalled{*this, "called", "Epilogues that are called"};

  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    auto maxConstants = function->getAttrOfType<IntegerAttr>(kEpilogueAttrName);
    if (!maxConstants)
      return;
    function->removeAttr(kEpilogueAttrName);
    DenseSet<Attribute> constants;
    function.walk([&](LLVM::ConstantOp constant) {
      if (isa<VectorType>(constant.getType()))
        constants.insert(constant.getValue());
    });
    bool isInlined = static_cast<int64_t>(constants.size()) <= maxConstants.getInt();
    numCalled += !isInlined;
    function.setLinkage(LLVM::Linkage::Internal);
    Builder b(function);
    function.setPassthroughAttr(
        b.getArrayAttr({b.getStringAttr(isInlined ? "alwaysinline" : "noinline")}));
  }
};
} // namespace

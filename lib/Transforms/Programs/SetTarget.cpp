// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_SETTARGET
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

struct SetTarget : mlir::ttc::impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kTargetAttrName))
      return;
    FailureOr<TargetAttr> found =
        getTarget(&getContext(), target, targetCpu, [&] { return emitError(module.getLoc()); });
    if (failed(found))
      return signalPassFailure();
    module->setAttr(kTargetAttrName, *found);
  }
};

} // namespace

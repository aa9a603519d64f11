// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/Tuning.h"
#include "ttc/Support/Target.h"
#include "ttc/Support/TuningFile.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_READTUNING
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

struct ReadTuning : mlir::ttc::impl::ReadTuningBase<ReadTuning> {
  using ReadTuningBase::ReadTuningBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto entries = readTuningFile(tuning, getCpuTarget(module.getOperation()), &getContext(),
                                  [&] { return emitError(module.getLoc()); });
    if (failed(entries))
      return signalPassFailure();
    setTuning(module, tuning, *entries);
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ttc/Conversion/Passes.h"
#include "ttc/Import/StablehloImport.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_CONVERTSTABLEHLOTOTTC
#include "ttc/Conversion/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct ConvertStablehloToTtc : mlir::ttc::impl::ConvertStablehloToTtcBase<ConvertStablehloToTtc> {
  void runOnOperation() override {
    if (failed(importStablehlo(getOperation())))
      signalPassFailure();
  }
};
} // namespace

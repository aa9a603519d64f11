// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TRANSFORMS_PASSES_H
#define TTC_TRANSFORMS_PASSES_H

#include "dialects/Ttc/TtcDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "ttc/Support/PassCounter.h"
#include "ttc/Transforms/Options.h"

namespace mlir::ttc {

#define GEN_PASS_DECL
#include "ttc/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ttc/Transforms/Passes.h.inc"

} // namespace mlir::ttc

#endif // TTC_TRANSFORMS_PASSES_H

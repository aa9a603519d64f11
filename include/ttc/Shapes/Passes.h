// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_SHAPES_PASSES_H
#define TTC_SHAPES_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "ttc/Support/PassCounter.h"

namespace mlir::ttc {

#define GEN_PASS_DECL
#include "ttc/Shapes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ttc/Shapes/Passes.h.inc"

} // namespace mlir::ttc

#endif // TTC_SHAPES_PASSES_H

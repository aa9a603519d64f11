// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_CODEGEN_PASSES_H
#define TTC_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"
#include "ttc/Support/PassCounter.h"

namespace mlir::ttc {

#define GEN_PASS_DECL
#include "ttc/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ttc/Codegen/Passes.h.inc"

} // namespace mlir::ttc

#endif // TTC_CODEGEN_PASSES_H

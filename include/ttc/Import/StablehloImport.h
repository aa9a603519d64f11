// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports modules of StableHLO as ttc ops on tensors.
#ifndef TTC_IMPORT_STABLEHLOIMPORT_H
#define TTC_IMPORT_STABLEHLOIMPORT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::ttc {

/// Whether a function of the module has an op of StableHLO. They are unregistered ops: the module
/// was parsed from MLIR's generic form, in a context that allows unregistered dialects.
bool hasStablehlo(ModuleOp module);

/// Replaces the module's public functions by ones of ttc ops; private functions are inlined where
/// they are called, and removed. Fails with errors at the ops that cannot be imported; the module
/// is then in no state to be used.
LogicalResult importStablehlo(ModuleOp module);

/// The rows of docs/stablehlo.md: one for each op that can be imported.
std::string printStablehloOps();

} // namespace mlir::ttc

#endif // TTC_IMPORT_STABLEHLOIMPORT_H

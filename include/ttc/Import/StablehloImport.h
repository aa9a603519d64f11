// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports modules of StableHLO as ttc ops on tensors.
#ifndef TTC_IMPORT_STABLEHLOIMPORT_H
#define TTC_IMPORT_STABLEHLOIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace mlir::ttc {

/// The most ops that are imported, with loops unrolled and calls inlined: what compiles in a minute
/// or two.
constexpr int64_t kMostStablehloOps = int64_t(1) << 16;

/// Whether a text is a module with ops of StableHLO or CHLO. Only their names are looked for: those
/// dialects need not be loaded, and the text may be none that MLIR reads.
bool isStablehlo(StringRef text);

/// Parses a module of StableHLO in MLIR's generic form, and imports it. Its ops are unregistered:
/// no dialect of them is linked.
OwningOpRef<ModuleOp> parseStablehlo(const std::shared_ptr<llvm::SourceMgr> &sources,
                                     MLIRContext *context, int64_t opLimit = kMostStablehloOps);

/// Replaces the module's public functions by ones of ttc ops; private functions are inlined where
/// they are called, and removed. Fails with errors at the ops that cannot be imported; the module
/// is then in no state to be used.
LogicalResult importStablehlo(ModuleOp module, int64_t opLimit = kMostStablehloOps);

/// Adds --import-stablehlo to ttc-translate.
void registerImportStablehlo();

/// Prints docs/stablehlo-ops.md: the ops that can be imported.
void printStablehloOps(llvm::raw_ostream &os);

} // namespace mlir::ttc

#endif // TTC_IMPORT_STABLEHLOIMPORT_H

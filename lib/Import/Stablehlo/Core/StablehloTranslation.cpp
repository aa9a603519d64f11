// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading modules of StableHLO, and the translation --import-stablehlo.
#include "dialects/Ttc/TtcDialect.h"
#include "ttc/Import/StablehloImport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ttc;

bool mlir::ttc::isStablehlo(StringRef text) {
  // All of a small function can be an op of CHLO.
  return text.contains("stablehlo.") || text.contains("\"chlo.");
}

/// Verifies each function, but not the module: MLIR does not find the functions that are called in
/// the body of an op of an unregistered dialect, because the op could have symbols of its own. The
/// import looks for them in the module, and reports those that are not there.
static LogicalResult verifyFunctions(ModuleOp module) {
  llvm::StringSet<> names;
  for (Operation &op : *module.getBody()) {
    if (failed(verify(&op)))
      return failure();
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (name && !names.insert(name.getValue()).second)
      return op.emitOpError("redefinition of symbol named '") << name.getValue() << "'";
  }
  return success();
}

OwningOpRef<ModuleOp> mlir::ttc::parseStablehlo(const std::shared_ptr<llvm::SourceMgr> &sources,
                                                MLIRContext *context, int64_t opLimit) {
  context->loadDialect<func::FuncDialect, TtcDialect>();
  const bool allowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects();
  llvm::scope_exit restore([&] { context->allowUnregisteredDialects(allowed); });
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(context, /*verifyAfterParse=*/false));
  if (!module) {
    emitError(UnknownLoc::get(context))
        << "StableHLO is read in MLIR's generic form: docs/stablehlo.md says how to print it";
    return nullptr;
  }
  return failed(verifyFunctions(*module)) || failed(importStablehlo(*module, opLimit))
             ? OwningOpRef<ModuleOp>()
             : std::move(module);
}

void mlir::ttc::registerImportStablehlo() {
  TranslateToMLIRRegistration registration(
      "import-stablehlo", "import a module of StableHLO (generic form) as ttc ops on tensors",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, MLIRContext *context)
          -> OwningOpRef<Operation *> { return parseStablehlo(sources, context); },
      [](DialectRegistry &registry) { registry.insert<TtcDialect, func::FuncDialect>(); });
}

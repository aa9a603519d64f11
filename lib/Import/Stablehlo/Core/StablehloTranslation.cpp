// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading modules of StableHLO, and the translation --import-stablehlo.
#include "dialects/Ttc/TtcDialect.h"
#include "ttc/Import/StablehloImport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

using namespace mlir;
using namespace mlir::ttc;

/// Whether an op's name, of which the first characters are at `at`, is where an op begins: first in
/// the line, or after `=` or `{`. In the generic form it is the whole of a string, which begins at
/// `quote` and is followed by operands. Elsewhere, it is an attribute's, or that of a location.
static bool isOpName(StringRef text, size_t line, std::optional<size_t> quote, size_t at) {
  StringRef before = text.slice(line, quote.value_or(at)).rtrim();
  if (!before.empty() && !before.ends_with("=") && !before.ends_with("{"))
    return false;
  if (quote && *quote + 1 != at)
    return false;
  StringRef after = text.substr(at).drop_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; });
  if (quote)
    return after.consume_front("\"") && after.ltrim().starts_with("(");
  return !after.ltrim().starts_with("=");
}

static bool hasOpOf(StringRef dialect, StringRef text) {
  // Strings and comments end with the line.
  size_t line = 0, scanned = 0;
  std::optional<size_t> quote;
  bool isComment = false;
  for (size_t at = text.find(dialect); at != StringRef::npos; at = text.find(dialect, at + 1)) {
    if (size_t newline = text.slice(scanned, at).rfind('\n'); newline != StringRef::npos) {
      line = scanned += newline + 1;
      quote = std::nullopt;
      isComment = false;
    }
    for (; scanned < at; ++scanned) {
      if (quote && text[scanned] == '\\')
        ++scanned;
      else if (text[scanned] == '"' && !isComment)
        quote = quote ? std::nullopt : std::optional(scanned);
      else if (!quote && text.substr(scanned).starts_with("//"))
        isComment = true;
    }
    if (!isComment && isOpName(text, line, quote, at))
      return true;
  }
  return false;
}

bool mlir::ttc::isStablehlo(StringRef text) {
  // All of a small function can be an op of CHLO.
  return hasOpOf("stablehlo.", text) || hasOpOf("chlo.", text);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/ModelDiagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "ttc/Support/Location.h"
#include "ttc/Support/Printable.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::ttc;

/// The whole file that a location stands for (line 0), or nothing.
static std::optional<StringRef> getWholeFile(Location location) {
  auto file = dyn_cast<FileLineColLoc>(location);
  return file && file.getLine() == 0 ? std::optional(file.getFilename().getValue()) : std::nullopt;
}

static bool isInFile(Location location) {
  bool found = false;
  location->walk([&](Location part) {
    found |= isa<FileLineColLoc>(part) && !getWholeFile(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static void print(const Diagnostic &diagnostic, llvm::raw_ostream &output) {
  if (std::optional<StringRef> file = getWholeFile(diagnostic.getLocation()))
    output << printable(*file) << ": ";
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    llvm::WithColor::error(output);
    break;
  case DiagnosticSeverity::Warning:
    llvm::WithColor::warning(output);
    break;
  case DiagnosticSeverity::Note:
    llvm::WithColor::note(output);
    break;
  case DiagnosticSeverity::Remark:
    llvm::WithColor::remark(output);
    break;
  }
  std::string text = diagnostic.str(), nodes = toText(diagnostic.getLocation());
  // The importer's messages name the node themselves, with its op.
  if (!nodes.empty() && !StringRef(text).contains("'" + nodes + "'"))
    output << printable(nodes) << ": ";
  output << printable(text) << '\n';
}

ModelDiagnostics::ModelDiagnostics(MLIRContext *context, llvm::raw_ostream &output)
    : ScopedDiagnosticHandler(context), context(context),
      printedOps(context->shouldPrintOpOnDiagnostic()) {
  context->printOpOnDiagnostic(false);
  setHandler([&output](Diagnostic &diagnostic) {
    if (isInFile(diagnostic.getLocation()))
      return failure();
    print(diagnostic, output);
    for (const Diagnostic &note : diagnostic.getNotes())
      print(note, output);
    return success();
  });
}

ModelDiagnostics::~ModelDiagnostics() { context->printOpOnDiagnostic(printedOps); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's language server with the ttc dialect: completion, hover and diagnostics for .mlir
// files.
#include "ToolMain.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "ttc/Support/CommandLine.h"

int ttcLspServerMain(int argc, char **argv) {
  mlir::ttc::setUpCommandLine();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<mlir::ttc::TtcDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

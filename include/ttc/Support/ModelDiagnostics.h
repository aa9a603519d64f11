// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics for people who have a model, not IR.
#ifndef TTC_SUPPORT_MODELDIAGNOSTICS_H
#define TTC_SUPPORT_MODELDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ttc {

/// While it lives, diagnostics at nodes of a model are printed as
///
///   error: Conv_0: expected ..., found ...
///   note: Conv_0: ...
///
/// and without the module's IR behind them, which for a whole model is thousands of lines. Those at
/// a place in a file are left to the handler before, which shows the line.
class ModelDiagnostics : public ScopedDiagnosticHandler {
public:
  ModelDiagnostics(MLIRContext *context, llvm::raw_ostream &output = llvm::errs());
  ~ModelDiagnostics();

private:
  MLIRContext *context;
  bool printedOps;
};

} // namespace mlir::ttc

#endif // TTC_SUPPORT_MODELDIAGNOSTICS_H

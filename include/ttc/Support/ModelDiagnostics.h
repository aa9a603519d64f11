// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics for users who have a model or a bundle, and no IR.
#ifndef TTC_SUPPORT_MODELDIAGNOSTICS_H
#define TTC_SUPPORT_MODELDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ttc {

/// While an object of this class exists, diagnostics at nodes of a model or at a whole file are
/// printed as
///
///   error: Conv_0: expected ..., found ...
///   note: Conv_0: ...
///   model.onnx: error: expected ..., found ...
///
/// without the IR of the module, which takes thousands of lines for a whole model. Diagnostics at a
/// line of a file are left to the previous handler, which shows the line.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates between ONNX models, ttc IR and bundles. Each library registers its own.
#include "ttc/Bundle/Bundle.h"
#include "ttc/Driver/OnnxToBundle.h"
#include "ttc/Import/OnnxImport.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::ttc::registerImportOnnx();
  mlir::ttc::registerOnnxToBundle();
  mlir::ttc::registerBundleTranslations();
  // MLIR's translation takes one file, a bundle several models.
  llvm::SmallVector<const char *> arguments(argv, argv + argc);
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver strings(memory);
  mlir::ttc::gatherModels(arguments, strings);
  return failed(mlir::mlirTranslateMain(argc, const_cast<char **>(arguments.data()),
                                        "ttc translation tool\n"));
}

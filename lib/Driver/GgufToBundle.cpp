// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ModelToBundle.h"
#include "ttc/Import/GgufImport.h"

using namespace mlir;
using namespace mlir::ttc;

static OwningOpRef<ModuleOp> importModel(const std::shared_ptr<llvm::SourceMgr> &sources,
                                         MLIRContext *context) {
  FailureOr<GgufImportOptions> options = getGgufImportOptionsFromCL();
  if (failed(options))
    return nullptr;
  // Weights stay in the file, which lives as long as they do.
  return importGguf(*sources->getMemoryBuffer(sources->getMainFileID()), sources, context,
                    *options);
}

void mlir::ttc::registerGgufToBundle(FileOpener openFile) {
  registerGgufImportCLOptions();
  registerModelToBundle(kGgufToBundle, "a GGUF decoder as a trace bundle", openFile, importModel);
}

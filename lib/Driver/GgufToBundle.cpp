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
  // A step is hundreds of commands, and its only transfer is a token. Each further schedule would
  // be proved whenever the bundle is opened.
  getCompileOptions().pipeline.setDefaultSchedule("overlap-io-signals");
  // Weights stay in the file, which lives as long as they do.
  return importGguf(*sources->getMemoryBuffer(sources->getMainFileID()), sources, context,
                    *options);
}

void mlir::ttc::registerGgufToBundle(FileOpener openFile) {
  registerGgufImportCLOptions();
  registerModelToBundle(kGgufToBundle, "a GGUF decoder as a trace bundle", openFile, importModel);
}

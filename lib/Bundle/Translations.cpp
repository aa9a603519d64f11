// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ttc/Bundle/Bundle.h"
#include "ttc/Support/ModelDiagnostics.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

void mlir::ttc::registerBundleTranslations() {
  static TranslateFromMLIRRegistration toBundle(
      "ttc-to-bundle", "write a planned module as a trace bundle",
      [](ModuleOp module, raw_ostream &output) { return writeBundle(module, output); },
      // The LLVM dialect parses programs that are lowered but not compiled; the writer refuses
      // them.
      [](DialectRegistry &registry) {
        registry.insert<TtcDialect, func::FuncDialect, LLVM::LLVMDialect>();
      });
  static TranslateToMLIRRegistration fromBundle(
      "bundle-to-ttc", "read a trace bundle as a planned module",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        // Constants stay in the file, which must outlive the source manager.
        ModelDiagnostics diagnostics(context);
        StringRef name = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
        auto file = llvm::MemoryBuffer::getFile(name, /*IsText=*/false,
                                                /*RequiresNullTerminator=*/false);
        if (!file)
          return readBundle(
              llvm::MemoryBuffer::getMemBufferCopy(
                  sources.getMemoryBuffer(sources.getMainFileID())->getBuffer(), name),
              context);
        return readBundle(std::move(*file), context);
      },
      [](DialectRegistry &registry) { registry.insert<TtcDialect>(); });
}

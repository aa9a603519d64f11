// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ttc/Bundle/Bundle.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

void mlir::ttc::registerBundleTranslations() {
  static TranslateFromMLIRRegistration toBundle(
      "ttc-to-bundle", "a planned module as a trace bundle",
      [](ModuleOp module, raw_ostream &output) { return writeBundle(module, output); },
      // LLVM: programs that are lowered and not compiled can be read, and refused.
      [](DialectRegistry &registry) {
        registry.insert<TtcDialect, func::FuncDialect, LLVM::LLVMDialect>();
      });
  static TranslateToMLIRRegistration fromBundle(
      "bundle-to-ttc", "a trace bundle as a planned module",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        // The module's constants stay in the file; the source manager goes before the context.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a GGUF file: a module that the verifier takes, or an error.

#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "ttc/Import/GgufImport.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace mlir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A context keeps the types and attributes of all models.
  static std::unique_ptr<MLIRContext> context;
  static unsigned models = 0;
  if (models++ % 2000 == 0)
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error && !diagnostic.str().empty();
    return success();
  });
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(
      StringRef(reinterpret_cast<const char *>(data), size), "fuzz.gguf", false);
  ttc::GgufImportOptions options;
  options.context = 32;
  options.prefill = {4};
  const OwningOpRef<ModuleOp> module =
      ttc::importGguf(*buffer, /*owner=*/nullptr, context.get(), options);
  if (!module && errors == 0) {
    fprintf(stderr, "refused without a message\n");
    abort();
  }
  if (module && failed(verify(*module))) {
    fprintf(stderr, "imported as a module that is not valid\n");
    abort();
  }
  return 0;
}

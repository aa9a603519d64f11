// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fuzzers of importers share: any bytes become a module that the verifier takes, or an
// error.
#ifndef TTC_FUZZ_IMPORT_H
#define TTC_FUZZ_IMPORT_H

#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

/// `import(buffer, context)` returns the module, or null.
template <typename Import>
int fuzzImport(const uint8_t *data, size_t size, llvm::StringRef name, Import import) {
  using namespace mlir;
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
      StringRef(reinterpret_cast<const char *>(data), size), name, false);
  const OwningOpRef<ModuleOp> module = import(*buffer, context.get());
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

#endif // TTC_FUZZ_IMPORT_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as the JSON description of a target: a target, or an error.

#include "MemoryFile.h"

#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "ttc/Support/Target.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;

/// A name that ends with .json for a file in memory.
static std::string makeName(const std::string &file) {
  static char folder[] = "/tmp/fuzz-target-XXXXXX";
  if (!mkdtemp(folder))
    abort();
  static std::string name = std::string(folder) + "/target.json";
  if (symlink(file.c_str(), name.c_str()) != 0)
    abort();
  atexit([] {
    unlink(name.c_str());
    rmdir(folder);
  });
  return name;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ttrt::fuzz::MemoryFile file;
  static const std::string name = makeName(file.path());
  static MLIRContext *context = [] {
    auto *context = new MLIRContext(MLIRContext::Threading::DISABLED);
    context->loadDialect<ttc::TtcDialect>();
    return context;
  }();
  file.write(data, size);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    errors += !diagnostic.str().empty();
    return success();
  });
  FailureOr<ttc::TargetAttr> target =
      ttc::getTarget(context, name, "x86-64", [&] { return emitError(UnknownLoc::get(context)); });
  // What is taken can be printed, and its sizes added up.
  if (succeeded(target) == (errors != 0))
    abort();
  if (succeeded(target) && (ttc::getDramBytes(*target) <= 0 || ttc::getCores(*target) <= 0))
    abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/PassCounter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ttc;

PassCounter::~PassCounter() {
  // Passes that were only created to ask for their names have counted nothing.
  if (value == 0)
    return;
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("mlir-pass-statistics");
  if (option == options.end() || !option->second->getNumOccurrences())
    return;
  llvm::errs() << llvm::formatv("{0,-24} (S) {1,12} {2} - {3}\n", pass, value.load(), name,
                                description);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/CommandLine.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir::ttc;

void mlir::ttc::setUpCommandLine() {
  // Only libLLVM registers options before main(), by static objects; MLIR and ttc register theirs
  // later.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "help-hidden" && name != "version" &&
        option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &output) {
    output << "ttc " TTC_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
}

void mlir::ttc::printLocationsByDefault() {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("mlir-print-debuginfo");
  assert(option && "expected the options of the assembly printer");
  if (!option->getNumOccurrences())
    option->addOccurrence(0, "mlir-print-debuginfo", "true");
}

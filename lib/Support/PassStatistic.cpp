// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/PassStatistic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::ttc;

PassStatistic::~PassStatistic() {
  // Most passes end without having run: those that are made to ask for their name.
  if (value == 0)
    return;
  auto &options = llvm::cl::getRegisteredOptions();
  auto asked = options.find("mlir-pass-statistics");
  if (asked == options.end() || !asked->second->getNumOccurrences())
    return;
  // Of a pass that is being destroyed; its name is still there, because statistics are members of
  // the class that gives it.
  llvm::errs() << llvm::format("%-24s", owner->getArgument().str().c_str()) << " (S) "
               << llvm::format("%12lld", static_cast<long long>(value.load())) << " " << name
               << " - " << description << "\n";
}

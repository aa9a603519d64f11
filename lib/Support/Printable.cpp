// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Printable.h"
#include "ttrt/format/utf8.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

std::string mlir::ttc::printable(StringRef text) {
  return ttrt::printable({text.data(), text.size()}, /*keepsLines=*/true);
}

void mlir::ttc::printError(const Twine &message) {
  llvm::errs() << "error: " << printable(message.str()) << "\n";
}

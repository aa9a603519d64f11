// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of strangers in messages: names in models and of files.
#ifndef TTC_SUPPORT_PRINTABLE_H
#define TTC_SUPPORT_PRINTABLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace mlir::ttc {

/// The text with \xNN in place of what a terminal acts on. Line feeds stay.
std::string printable(StringRef text);

/// Prints the message of an error that is in no model, such as one in the command line.
void printError(const Twine &message);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_PRINTABLE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_SUPPORT_NESTING_H
#define TTC_SUPPORT_NESTING_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::ttc {

/// Returns "FILE:LINE: expected at most 256 open brackets, found more" for text in MLIR's syntax
/// that nests deeper than any IR of ttc does; otherwise, and for bytecode, an empty string. MLIR's
/// parser and its walks recurse into each bracket without a limit: some ten thousand overflow the
/// stack.
std::string checkNesting(StringRef ir, StringRef file);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_NESTING_H

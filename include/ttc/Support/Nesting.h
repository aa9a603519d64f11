// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_SUPPORT_NESTING_H
#define TTC_SUPPORT_NESTING_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::ttc {

/// "FILE:LINE: expected at most 256 open brackets, found more" if text in MLIR's syntax nests
/// deeper than any IR of ttc does; empty if it does not, or is bytecode. MLIR's parser and its
/// walks recurse into each bracket and have no limit of their own: some ten thousand overflow the
/// stack.
std::string checkNesting(StringRef ir, StringRef file);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_NESTING_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_IMPORT_LFSPOINTER_H
#define TTC_LIB_IMPORT_LFSPOINTER_H

#include "llvm/ADT/StringRef.h"

namespace mlir::ttc {

/// What a checkout without Git LFS has in the place of a large file: three lines of text.
inline bool isLfsPointer(llvm::StringRef bytes) {
  return bytes.starts_with("version https://git-lfs.github.com/spec/");
}

/// For messages that say what was found.
inline constexpr llvm::StringLiteral kLfsPointer =
    "a pointer of Git LFS to the file: 'git lfs pull' fetches it";

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_LFSPOINTER_H

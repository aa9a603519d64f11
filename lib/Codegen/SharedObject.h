// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_CODEGEN_SHAREDOBJECT_H
#define TTC_LIB_CODEGEN_SHAREDOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace mlir::ttc {

/// Links ELF objects into one shared object without undefined symbols, with the lld that is
/// linked into the compiler.
llvm::Expected<llvm::SmallVector<char, 0>>
linkSharedObject(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_SHAREDOBJECT_H

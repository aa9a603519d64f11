// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of symbol uses that several families of ops share.
#ifndef TTC_DIALECTS_TTC_SYMBOLS_H
#define TTC_DIALECTS_TTC_SYMBOLS_H

#include "dialects/Ttc/TtcOps.h"

namespace mlir::ttc {

/// The op of type OpTy that `symbol` names, as `op` sees it; null, with a diagnostic, where
/// there is none.
template <typename OpTy>
OpTy lookupSymbol(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr symbol) {
  auto found = symbols.lookupNearestSymbolFrom<OpTy>(op, symbol);
  if (!found)
    op->emitOpError("expects ") << symbol << " to be a " << OpTy::getOperationName()
                                << ", found none";
  return found;
}

/// That `buffer` names a buffer of at least `bytes` bytes.
LogicalResult verifyBuffer(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr buffer,
                           int64_t bytes);

/// That `program` names a program, with the given types.
LogicalResult verifyProgramCall(Operation *op, SymbolTableCollection &symbols,
                                FlatSymbolRefAttr program, TypeRange inputs, TypeRange outputs);

/// That `program` names a program and that its operands fit the buffers, from the offset (in bytes,
/// of inputs, then outputs) on.
LogicalResult verifyProgramBuffers(
    Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr program, ArrayAttr inputs,
    ArrayAttr outputs, function_ref<int64_t(unsigned)> getOffset = [](unsigned) { return 0; });

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_SYMBOLS_H

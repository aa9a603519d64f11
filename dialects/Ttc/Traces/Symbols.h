// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of symbol uses that several families of ops share.
#ifndef TTC_DIALECTS_TTC_TRACES_SYMBOLS_H
#define TTC_DIALECTS_TTC_TRACES_SYMBOLS_H

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

/// The names of the buffers; `offsets` is set where one is not 0.
ArrayAttr splitBufferRefs(Builder &builder, ArrayRef<BufferRef> places, DenseI64ArrayAttr &offsets);

/// That there is an offset of 0 or more for each of the buffers, where there are any.
LogicalResult verifyOffsets(Operation *op, ArrayAttr buffers,
                            std::optional<ArrayRef<int64_t>> offsets);

/// Of operand `index` (inputs, then outputs) of an op whose operands may have offsets.
int64_t getOffsetOf(unsigned index, ArrayAttr inputs, std::optional<ArrayRef<int64_t>> inputOffsets,
                    std::optional<ArrayRef<int64_t>> outputOffsets);

/// Of the program; 0 where it is not known yet.
int64_t getScratchBytesOf(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr program);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TRACES_SYMBOLS_H

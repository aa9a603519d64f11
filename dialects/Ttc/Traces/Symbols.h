// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of symbol uses that several families of ops share.
#ifndef TTC_DIALECTS_TTC_TRACES_SYMBOLS_H
#define TTC_DIALECTS_TTC_TRACES_SYMBOLS_H

#include "dialects/Ttc/TtcOpBase.h"

namespace mlir::ttc {

class ScheduleOp;

/// A diagnostic on `where`, an op inside of `op`, about a constraint of `op`.
inline InFlightDiagnostic emitOpErrorOn(Operation *where, Operation *op) {
  return where->emitError() << "'" << op->getName() << "' op ";
}

/// The op of type OpTy that `symbol` names, looked up from `op`. Null if there is none; then the
/// diagnostic cites `constraint`, as "(C1)".
template <typename OpTy>
OpTy lookupSymbol(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr symbol,
                  StringRef constraint) {
  auto found = symbols.lookupNearestSymbolFrom<OpTy>(op, symbol);
  if (!found)
    op->emitOpError() << constraint << " expected " << symbol << " to be a "
                      << OpTy::getOperationName() << ", found none";
  return found;
}

/// Verifies that each wait of a schedule has a record before it (C4).
LogicalResult verifyWaits(ScheduleOp schedule, SymbolTableCollection &symbols);

/// Verifies that `buffer` names a buffer of at least `bytes` bytes.
LogicalResult verifyBuffer(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr buffer,
                           int64_t bytes, StringRef constraint);

/// Verifies that `program` names a program (`symbolConstraint`) with the given types
/// (`typeConstraint`).
LogicalResult verifyProgramCall(Operation *op, SymbolTableCollection &symbols,
                                FlatSymbolRefAttr program, TypeRange inputs, TypeRange outputs,
                                StringRef symbolConstraint = "(C1)",
                                StringRef typeConstraint = "(C2)");

/// Verifies that no host function computes the program, which exists: it runs on the device.
LogicalResult verifyHasCode(Operation *op, SymbolTableCollection &symbols,
                            FlatSymbolRefAttr program, StringRef constraint);

/// Verifies that `program` names a program (C1) and that its operands fit in the buffers from the
/// given offsets on (C2). Offsets are in bytes; operands are counted inputs first, then outputs.
LogicalResult verifyProgramBuffers(
    Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr program, ArrayAttr inputs,
    ArrayAttr outputs, function_ref<int64_t(unsigned)> getOffset = [](unsigned) { return 0; });

/// The names of the buffers. Sets `offsets` if any offset is not 0.
ArrayAttr splitBufferRefs(Builder &builder, ArrayRef<BufferRef> refs, DenseI64ArrayAttr &offsets);

/// Verifies that `offsets`, if present, has one offset of 0 or more for each buffer (C3).
LogicalResult verifyOffsets(Operation *op, ArrayAttr buffers,
                            std::optional<ArrayRef<int64_t>> offsets);

/// Builds an op that takes `callee`, buffers with offsets in bytes, and `rest`.
template <typename OpTy, typename... Rest>
void buildWithPlaces(OpBuilder &builder, OperationState &state, FlatSymbolRefAttr callee,
                     ArrayRef<BufferRef> inputs, ArrayRef<BufferRef> outputs, Rest... rest) {
  DenseI64ArrayAttr inputOffsets, outputOffsets;
  ArrayAttr inputBuffers = splitBufferRefs(builder, inputs, inputOffsets);
  ArrayAttr outputBuffers = splitBufferRefs(builder, outputs, outputOffsets);
  OpTy::build(builder, state, callee, inputBuffers, outputBuffers, inputOffsets, outputOffsets,
              rest...);
}

/// Verifies the symbols of a command or a step that runs a program on the device.
template <typename OpTy> LogicalResult verifyDispatch(OpTy op, SymbolTableCollection &symbols) {
  return success(succeeded(verifyOffsets(op, op.getInputs(), op.getInputOffsets())) &&
                 succeeded(verifyOffsets(op, op.getOutputs(), op.getOutputOffsets())) &&
                 succeeded(verifyProgramBuffers(
                     op, symbols, op.getProgramAttr(), op.getInputs(), op.getOutputs(),
                     [&](unsigned index) { return op.getOffset(index); })) &&
                 succeeded(verifyHasCode(op, symbols, op.getProgramAttr(), "(C4)")));
}

/// The offset in bytes of operand `index` (inputs, then outputs).
int64_t getOffsetOf(unsigned index, ArrayAttr inputs, std::optional<ArrayRef<int64_t>> inputOffsets,
                    std::optional<ArrayRef<int64_t>> outputOffsets);

/// The scratch bytes of the program; 0 if they are not known yet.
int64_t getScratchBytesOf(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr program);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TRACES_SYMBOLS_H

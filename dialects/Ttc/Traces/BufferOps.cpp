// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers, the binary, and the verification of their uses.
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "ttrt/format/profile_log.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- buffer -----------------------------------------------------------------------===//

void BufferOp::build(OpBuilder &builder, OperationState &state, StringRef name, BufferKind kind,
                     Type type, MemorySpace memory, ElementsAttr value) {
  build(builder, state, builder.getStringAttr(name),
        BufferKindAttr::get(builder.getContext(), kind), TypeAttr::get(type), value,
        /*live_begin=*/IntegerAttr(), /*live_end=*/IntegerAttr(),
        MemorySpaceAttr::get(builder.getContext(), memory), /*address=*/IntegerAttr(),
        /*size=*/IntegerAttr(), /*shards=*/IntegerAttr(), /*sym_visibility=*/StringAttr());
}

int64_t BufferOp::getTensorBytes() { return mlir::ttc::getTensorBytes(getTensorType()); }

bool BufferOp::isInterleavedInL1() {
  return getMemory() == MemorySpace::L1 && getKind() != BufferKind::Scratch && !getShards();
}

static TargetAttr getTargetOf(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module ? module->getAttrOfType<TargetAttr>(kTargetAttrName) : TargetAttr();
}

std::optional<int64_t> BufferOp::getNumParts() {
  if (!isInterleavedInL1())
    return getMemory() == MemorySpace::L1 ? getShards().value_or(1) : 1;
  if (TargetAttr target = getTargetOf(*this))
    return target.getGridRows() * target.getGridCols();
  return std::nullopt;
}

std::optional<int64_t> BufferOp::getExtent() {
  std::optional<int64_t> parts = getNumParts();
  if (!getSize() || !parts)
    return std::nullopt;
  if (isInterleavedInL1() || *parts == 1)
    return *parts * *getSize();
  if (TargetAttr target = getTargetOf(*this))
    return (*parts - 1) * target.getL1Bytes() + *getSize();
  return std::nullopt;
}

LogicalResult BufferOp::verify() {
  bool isConstant = getKind() == BufferKind::Constant;
  if (isConstant != getValue().has_value())
    return emitOpError(isConstant
                           ? "(C1) expected a constant to have a value, found none"
                           : "(C1) expected only a constant to have a value, found one for a ")
           << (isConstant ? StringRef() : stringifyBufferKind(getKind()));
  if (getValue() && getValue()->getType() != getType())
    return emitOpError("(C1) expected a value of type ")
           << getType() << ", found " << getValue()->getType();
  if (IntegerAttr begin = getLiveBeginAttr(), end = getLiveEndAttr();
      begin && (begin.getInt() < 0 || end.getInt() <= begin.getInt()))
    return emitOpError(
               "(C2) expected a lifetime that begins at 0 or later and ends after it begins, "
               "found [")
           << begin.getInt() << ", " << end.getInt() << ")";
  if (IntegerAttr address = getAddressAttr(); address && address.getInt() < 0)
    return emitOpError("(C3) expected an address of at least 0, found ") << address.getInt();
  if (IntegerAttr shards = getShardsAttr();
      shards && (shards.getInt() < 1 ||
                 !(getKind() == BufferKind::Activation
                       ? getMemory() != MemorySpace::Host
                       : getKind() == BufferKind::Slot && getMemory() == MemorySpace::Dram)))
    return emitOpError("(C5) expected at least 1 shard, of an activation in l1 or dram, or a slot "
                       "in dram, found ")
           << shards.getInt() << " of a " << stringifyBufferKind(getKind()) << " in "
           << stringifyMemorySpace(getMemory());
  if (IntegerAttr size = getSizeAttr()) {
    std::optional<int64_t> parts = getNumParts();
    if (parts && size.getInt() * *parts < getTensorBytes()) {
      InFlightDiagnostic error = emitOpError("(C3) expected at least the ");
      error << getTensorBytes() << " bytes of " << getType();
      if (*parts > 1)
        error << " on " << *parts << " cores together";
      return error << ", found a size of " << size.getInt();
    }
  }
  std::optional<MemorySpace> expected;
  switch (getKind()) {
  case BufferKind::Host:
    expected = MemorySpace::Host;
    break;
  case BufferKind::Constant:
  case BufferKind::State:
    expected = MemorySpace::Dram;
    break;
  case BufferKind::Scratch:
    expected = MemorySpace::L1;
    break;
  case BufferKind::Slot:
  case BufferKind::Activation:
    break;
  }
  if (expected && getMemory() != *expected)
    return emitOpError("(C4) expected a ")
           << stringifyBufferKind(getKind()) << " buffer in " << stringifyMemorySpace(*expected)
           << ", found " << stringifyMemorySpace(getMemory());
  return success();
}

//===--- binary -----------------------------------------------------------------------===//

void BinaryOp::build(OpBuilder &builder, OperationState &state, StringRef name, ElementsAttr code) {
  build(builder, state, builder.getStringAttr(name), code, StringAttr(), ArrayAttr());
}

LogicalResult BinaryOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getCode().getType());
  if (!type || type.getRank() != 1 || !type.getElementType().isSignlessInteger(8))
    return emitOpError("(C1) expected a one-dimensional tensor of i8, found ")
           << getCode().getType();
  if (!getZoneNamesAttr())
    return success();
  return verifyZoneNames(getZoneNamesAttr().getValue(),
                         [&] { return emitOpError("(C2) expected "); });
}

LogicalResult BinaryOp::verifyZoneNames(ArrayRef<Attribute> names,
                                        function_ref<InFlightDiagnostic()> emitError) {
  StringRef last;
  DenseMap<uint32_t, StringRef> byHash;
  for (Attribute attr : names) {
    StringRef name = cast<StringAttr>(attr).getValue();
    if (name <= last)
      return emitError() << "sorted zone names that are not empty, found " << attr << " after '"
                         << last << "'";
    last = name;
    uint32_t hash = ttrt::profile::nameHash(name.data(), name.size());
    if (hash == 0)
      return emitError() << "zone names with a hash other than 0, found " << attr;
    auto [known, isNew] = byHash.try_emplace(hash, name);
    if (!isNew)
      return emitError() << "zone names with different hashes, found '" << known->second
                         << "' and '" << name << "' with the same one; rename a zone";
  }
  return success();
}

//===--- uses of symbols --------------------------------------------------------------===//

LogicalResult mlir::ttc::verifyBuffer(Operation *op, SymbolTableCollection &symbols,
                                      FlatSymbolRefAttr symbol, int64_t bytes,
                                      StringRef constraint) {
  auto buffer = lookupSymbol<BufferOp>(op, symbols, symbol, constraint);
  if (!buffer)
    return failure();
  int64_t size = buffer.getExtent().value_or(buffer.getTensorBytes());
  if (size < bytes)
    return op->emitOpError() << constraint << " expected " << symbol << " to hold at least "
                             << bytes << " bytes, found " << size;
  return success();
}

/// Whether a value of this type may be operand `index` of the program. Compares sharded layouts if
/// the operand has `ttc.shard`. All other layouts are compatible.
static bool fitsProgram(ProgramOp program, unsigned index, Type type) {
  RankedTensorType expected = program.getWholeType(index);
  auto found = cast<RankedTensorType>(type);
  ShardAttr shard = program.getShard(index);
  if (shard && getShardedLayout(found) != shard.getLayout())
    return false;
  return found.getShape() == expected.getShape() &&
         found.getElementType() == expected.getElementType();
}

LogicalResult mlir::ttc::verifyProgramCall(Operation *op, SymbolTableCollection &symbols,
                                           FlatSymbolRefAttr symbol, TypeRange inputs,
                                           TypeRange outputs, StringRef symbolConstraint,
                                           StringRef typeConstraint) {
  auto program = lookupSymbol<ProgramOp>(op, symbols, symbol, symbolConstraint);
  if (!program)
    return failure();
  unsigned numInputs = program.getNumArguments(), numOutputs = program.getNumResults();
  auto fits = [&](TypeRange types, unsigned first, unsigned count) {
    return types.size() == count && llvm::all_of(llvm::enumerate(types), [&](auto type) {
             return fitsProgram(program, first + type.index(), type.value());
           });
  };
  auto expected = [&](unsigned first, unsigned count) {
    SmallVector<Type> types;
    for (unsigned i = first; i < first + count; ++i)
      types.push_back(program.getWholeType(i));
    return types;
  };
  if (!fits(inputs, 0, numInputs))
    return op->emitOpError() << typeConstraint << " expected operands of " << symbol
                             << "'s input types (" << expected(0, numInputs) << "), found ("
                             << inputs << ")";
  if (!fits(outputs, numInputs, numOutputs))
    return op->emitOpError() << typeConstraint << " expected results of " << symbol
                             << "'s result types (" << expected(numInputs, numOutputs)
                             << "), found (" << outputs << ")";
  return success();
}

LogicalResult mlir::ttc::verifyHasCode(Operation *op, SymbolTableCollection &symbols,
                                       FlatSymbolRefAttr symbol, StringRef constraint) {
  auto program = symbols.lookupNearestSymbolFrom<ProgramOp>(op, symbol);
  if (HostFunctionAttr function = program.getHostFunctionAttr())
    return op->emitOpError() << constraint << " expected a program with code, found " << symbol
                             << ", which the host function " << function.getName()
                             << " computes: ttc.host_dispatch runs it";
  return success();
}

LogicalResult mlir::ttc::verifyProgramBuffers(Operation *op, SymbolTableCollection &symbols,
                                              FlatSymbolRefAttr symbol, ArrayAttr inputs,
                                              ArrayAttr outputs,
                                              function_ref<int64_t(unsigned)> getOffset) {
  auto program = lookupSymbol<ProgramOp>(op, symbols, symbol, "(C1)");
  if (!program)
    return failure();
  unsigned next = 0;
  auto verifyList = [&](StringRef what, ArrayAttr buffers, ArrayRef<Type> types) {
    if (buffers.size() != types.size())
      return LogicalResult(op->emitOpError("(C2) expected ")
                           << types.size() << " buffers for the " << what << " of " << symbol
                           << ", found " << buffers.size());
    for (auto buffer : buffers.getAsRange<FlatSymbolRefAttr>()) {
      if (failed(verifyBuffer(op, symbols, buffer, getOffset(next) + program.getSpan(next).bytes,
                              "(C2)")))
        return failure();
      ++next;
    }
    return success();
  };
  return success(succeeded(verifyList("inputs", inputs, program.getArgumentTypes())) &&
                 succeeded(verifyList("results", outputs, program.getResultTypes())));
}

ArrayAttr mlir::ttc::splitBufferRefs(Builder &builder, ArrayRef<BufferRef> refs,
                                     DenseI64ArrayAttr &offsets) {
  SmallVector<Attribute> buffers;
  SmallVector<int64_t> bytes;
  for (const BufferRef &ref : refs) {
    buffers.push_back(ref.buffer);
    bytes.push_back(ref.offset);
  }
  if (llvm::any_of(bytes, [](int64_t offset) { return offset != 0; }))
    offsets = builder.getDenseI64ArrayAttr(bytes);
  return builder.getArrayAttr(buffers);
}

LogicalResult mlir::ttc::verifyOffsets(Operation *op, ArrayAttr buffers,
                                       std::optional<ArrayRef<int64_t>> offsets) {
  if (!offsets || (offsets->size() == buffers.size() &&
                   llvm::all_of(*offsets, [](int64_t offset) { return offset >= 0; })))
    return success();
  return op->emitOpError("(C3) expected one offset of 0 or more for each of ")
         << buffers.size() << " buffers, found [" << *offsets << "]";
}

int64_t mlir::ttc::getOffsetOf(unsigned index, ArrayAttr inputs,
                               std::optional<ArrayRef<int64_t>> inputOffsets,
                               std::optional<ArrayRef<int64_t>> outputOffsets) {
  bool isInput = index < inputs.size();
  std::optional<ArrayRef<int64_t>> offsets = isInput ? inputOffsets : outputOffsets;
  return offsets ? (*offsets)[isInput ? index : index - inputs.size()] : 0;
}

int64_t mlir::ttc::getScratchBytesOf(Operation *op, SymbolTableCollection &symbols,
                                     FlatSymbolRefAttr program) {
  auto found = symbols.lookupNearestSymbolFrom<ProgramOp>(op, program);
  return found && found.getScratchBytesAttr() ? found.getScratchBytesAttr().getInt() : 0;
}

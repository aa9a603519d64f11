// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops: marks among ops on tensors, and among commands.
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/IR/Matchers.h"
#include "ttrt/format/commands.h"

using namespace mlir;
using namespace mlir::ttc;
using ttrt::Opcode;

//===--- marks ------------------------------------------------------------------------===//

/// No run takes as long.
static constexpr int64_t kMostIterations = int64_t(1) << 40;

bool LoopBeginOp::begins(Operation *op) { return isa<LoopBeginOp, CmdRepeatOp>(op); }
bool LoopBeginOp::ends(Operation *op) { return isa<LoopEndOp, CmdEndRepeatOp>(op); }

Operation *LoopBeginOp::findEnd(Operation *begin) {
  int64_t open = 0;
  for (Operation *op = begin; op; op = op->getNextNode()) {
    open += begins(op) - ends(op);
    if (open == 0)
      return op;
  }
  return nullptr;
}

Operation *LoopBeginOp::findBegin(Operation *end) {
  int64_t open = 0;
  for (Operation *op = end; op; op = op->getPrevNode()) {
    open += ends(op) - begins(op);
    if (open == 0)
      return op;
  }
  return nullptr;
}

/// Verifies that the loop has an end, and that loops within it are not too deep.
static LogicalResult verifyEnd(Operation *begin, Operation *end, StringRef constraint,
                               StringRef name) {
  if (!end)
    return begin->emitOpError() << constraint << " expected a " << name
                                << " that ends the loop, found none";
  int64_t depth = 0, most = 0;
  for (Operation *op = begin; op != end; op = op->getNextNode()) {
    depth += LoopBeginOp::begins(op) - LoopBeginOp::ends(op);
    most = std::max(most, depth);
  }
  if (most > static_cast<int64_t>(ttrt::kMaxRepeatDepth))
    return begin->emitOpError() << constraint << " expected loops within at most "
                                << ttrt::kMaxRepeatDepth - 1 << " others, found " << most - 1;
  return success();
}

static LogicalResult verifyIterations(Operation *op, int64_t iterations) {
  if (iterations < 1 || iterations > kMostIterations)
    return op->emitOpError("(C3) expected 1 to ")
           << kMostIterations << " iterations, found " << iterations;
  return success();
}

//===--- loop_begin -------------------------------------------------------------------===//

LogicalResult LoopBeginOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                            ValueRange operands, DictionaryAttr, OpaqueProperties,
                                            RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult LoopBeginOp::verify() {
  if (getInputs().empty())
    return emitOpError("(C1) expected at least one operand, found none");
  for (Type type : getInputs().getTypes())
    if (cast<ShapedType>(type).getNumElements() == 0)
      return emitOpError("(C1) expected operands of at least one element, found ") << type;
    else if (cast<RankedTensorType>(type).getEncoding())
      return emitOpError("(C1) expected operands without a layout, found ") << type;
  if (getInputs().getTypes() != getValues().getTypes())
    return emitOpError("(C2) expected results of the operands' types (")
           << getInputs().getTypes() << "), found (" << getValues().getTypes() << ")";
  if (failed(verifyIterations(*this, getIterations())))
    return failure();
  auto flag = cast<ShapedType>(getInputs().front().getType());
  if (getIsWhile() && (flag.getNumElements() != 1 || getTensorBytes(flag) != 1))
    return emitOpError("(C4) expected a flag of one element of one byte, found ") << flag;
  if (getFailsAtLimit() && !getIsWhile())
    return emitOpError("(C5) expected 'while' with 'fails_at_limit', found 'times'");
  return verifyEnd(*this, getEnd(), "(C6)", "ttc.loop_end");
}

void LoopBeginOp::encode(OpBuilder &builder, ArrayRef<BufferRef>, ArrayRef<BufferRef> outputs) {
  SmallVector<Attribute> carried;
  SmallVector<int64_t> bytes;
  for (auto [place, value] : llvm::zip_equal(outputs, getValues())) {
    carried.push_back(place.buffer);
    bytes.push_back(getTensorBytes(cast<ShapedType>(value.getType())));
  }
  CmdRepeatOp::create(builder, getLoc(), builder.getArrayAttr(carried),
                      builder.getDenseI64ArrayAttr(bytes),
                      getIsWhile() ? outputs.front().buffer : FlatSymbolRefAttr(),
                      getIterationsAttr(), getFailsAtLimitAttr());
}

void LoopBeginOp::getInPlaceOperands(unsigned, SymbolTableCollection &,
                                     SmallVectorImpl<unsigned> &) {}

/// The commands name ranges of DRAM.
bool LoopBeginOp::staysInDram() { return true; }

//===--- loop_end ---------------------------------------------------------------------===//

LogicalResult LoopEndOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                          ValueRange operands, DictionaryAttr, OpaqueProperties,
                                          RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LoopBeginOp LoopEndOp::getBegin() {
  return dyn_cast_if_present<LoopBeginOp>(LoopBeginOp::findBegin(*this));
}

LogicalResult LoopEndOp::verify() {
  LoopBeginOp begin = getBegin();
  if (!begin)
    return emitOpError("(C1) expected a ttc.loop_begin before it that begins the loop, found none");
  if (getNext().getTypes() != begin.getInputs().getTypes())
    return emitOpError("(C2) expected operands of the types with which the loop begins (")
           << begin.getInputs().getTypes() << "), found (" << getNext().getTypes() << ")";
  if (getNext().getTypes() != getValues().getTypes())
    return emitOpError("(C2) expected results of the operands' types (")
           << getNext().getTypes() << "), found (" << getValues().getTypes() << ")";
  return success();
}

void LoopEndOp::encode(OpBuilder &builder, ArrayRef<BufferRef>, ArrayRef<BufferRef>) {
  CmdEndRepeatOp::create(builder, getLoc());
}

void LoopEndOp::getInPlaceOperands(unsigned, SymbolTableCollection &, SmallVectorImpl<unsigned> &) {
}

bool LoopEndOp::staysInDram() { return true; }

//===--- fail_if ----------------------------------------------------------------------===//

LogicalResult FailIfOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands, DictionaryAttr, OpaqueProperties,
                                         RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(operands.front().getType());
  return success();
}

LogicalResult FailIfOp::verify() {
  auto flag = cast<RankedTensorType>(getFlag().getType());
  if (flag.getNumElements() != 1 || getTensorBytes(flag) != 1 || flag.getEncoding())
    return emitOpError("(C1) expected a flag of one element of one byte without a layout, found ")
           << flag;
  if (getCopy().getType() != flag)
    return emitOpError("(C2) expected a result of the flag's type ")
           << flag << ", found " << getCopy().getType();
  return success();
}

LogicalResult FailIfOp::canonicalize(FailIfOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getFlag(), m_Zero()))
    return failure();
  rewriter.replaceOp(op, op.getFlag());
  return success();
}

/// A loop that begins if the flag is set, and then does not end: its one iteration sets it again.
void FailIfOp::encode(OpBuilder &builder, ArrayRef<BufferRef> inputs, ArrayRef<BufferRef> outputs) {
  const FlatSymbolRefAttr flag = outputs[0].buffer;
  auto copy = [&] {
    CmdCopyOp::create(builder, getLoc(), inputs[0].buffer, flag, builder.getI64IntegerAttr(1));
  };
  copy();
  CmdRepeatOp::create(builder, getLoc(), builder.getArrayAttr({flag}),
                      builder.getDenseI64ArrayAttr({1}), flag, builder.getI64IntegerAttr(1),
                      builder.getUnitAttr());
  copy();
  CmdEndRepeatOp::create(builder, getLoc());
}

void FailIfOp::getInPlaceOperands(unsigned, SymbolTableCollection &, SmallVectorImpl<unsigned> &) {}

/// Loops carry ranges of DRAM.
bool FailIfOp::staysInDram() { return true; }

//===--- fill -------------------------------------------------------------------------===//

LogicalResult FillOp::verify() {
  auto type = cast<ShapedType>(getOutput().getType());
  if (type.getNumElements() == 0 || getShardedLayout(type))
    return emitOpError("(C1) expected a tensor of at least one element and without shards, found ")
           << type;
  return success();
}

void FillOp::encode(OpBuilder &builder, ArrayRef<BufferRef>, ArrayRef<BufferRef> outputs) {
  int64_t bytes = getTensorBytes(cast<ShapedType>(getOutput().getType()));
  CmdFillOp::create(builder, getLoc(), outputs[0].buffer, getPatternAttr(),
                    builder.getI64IntegerAttr(bytes));
}

void FillOp::getInPlaceOperands(unsigned, SymbolTableCollection &, SmallVectorImpl<unsigned> &) {}

//===--- cmd.repeat -------------------------------------------------------------------===//

LogicalResult CmdRepeatOp::verify() {
  if (getCarried().size() != getBytes().size())
    return emitOpError("(C1) expected as many sizes as buffers (")
           << getCarried().size() << "), found " << getBytes().size();
  DenseSet<Attribute> seen;
  for (Attribute buffer : getCarried())
    if (!seen.insert(buffer).second)
      return emitOpError("(C1) expected different buffers, found ") << buffer << " twice";
  for (int64_t bytes : getBytes())
    if (bytes < 1)
      return emitOpError("(C1) expected at least 1 byte of a buffer, found ") << bytes;
  if (getFlagAttr() && !seen.contains(getFlagAttr()))
    return emitOpError("(C2) expected the flag to be carried, found ") << getFlagAttr();
  if (failed(verifyIterations(*this, getIterations())))
    return failure();
  if (getFailsAtLimit() && !getFlagAttr())
    return emitOpError("(C4) expected 'while' with 'fails_at_limit', found 'times'");
  Operation *end = LoopBeginOp::findEnd(*this);
  if (failed(verifyEnd(*this, end, "(C5)", "ttc.cmd.end_repeat")))
    return failure();
  if (getOperation()->getNextNode() == end)
    return emitOpError("(C5) expected at least one command in the loop, found none");
  for (Operation *op = getOperation()->getNextNode(); op != end; op = op->getNextNode())
    if (!isa<CmdDispatchOp, CmdCopyOp, CmdFillOp, CmdBarrierOp, CmdRepeatOp, CmdEndRepeatOp>(op))
      return emitOpErrorOn(op, *this)
             << "(C6) expected dispatches, copies, fills, barriers and loops in a loop, found "
             << op->getName();
  return success();
}

LogicalResult CmdRepeatOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto [buffer, bytes] : llvm::zip_equal(getCarried(), getBytes()))
    if (failed(verifyBuffer(*this, symbols, cast<FlatSymbolRefAttr>(buffer), bytes, "(C1)")))
      return failure();
  return success();
}

void CmdRepeatOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  appendAccesses(getCarried(), /*write=*/false, accesses);
  appendAccesses(getCarried(), /*write=*/true, accesses);
}

int64_t CmdRepeatOp::getEncodedBytes() {
  return sizeof(ttrt::RepeatCommand) + getCarried().size() * sizeof(ttrt::CarriedRange);
}

template <typename Command> static void append(std::vector<char> &stream, const Command &command) {
  const char *bytes = reinterpret_cast<const char *>(&command);
  stream.insert(stream.end(), bytes, bytes + sizeof(Command));
}

static ttrt::CommandHeader makeHeader(Opcode opcode, uint64_t size) {
  return {opcode, 0, static_cast<uint32_t>(size)};
}

Opcode CmdRepeatOp::getOpcode() { return Opcode::Repeat; }

bool CmdRepeatOp::isSequential(SymbolTableCollection &symbols) {
  Operation *end = LoopBeginOp::findEnd(*this);
  for (Operation *op = getOperation()->getNextNode(); op != end; op = op->getNextNode())
    if (cast<CommandOpInterface>(op).getWorkgroups(symbols) > 1)
      return false;
  return true;
}

void CmdRepeatOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  uint64_t bytes = 0;
  uint32_t commands = 0, options = getFailsAtLimit() ? ttrt::kFailsAtLimit : 0;
  Operation *end = LoopBeginOp::findEnd(*this);
  for (Operation *op = getOperation()->getNextNode(); op != end; op = op->getNextNode()) {
    bytes += cast<CommandOpInterface>(op).getEncodedBytes();
    ++commands;
  }
  SymbolTableCollection symbols;
  if (isSequential(symbols))
    options |= ttrt::kSequential;
  append(stream,
         ttrt::RepeatCommand{
             makeHeader(Opcode::Repeat, getEncodedBytes()), static_cast<uint64_t>(getIterations()),
             getFlagAttr() ? numbers.getAddress(getFlagAttr()) : ttrt::kNoFlag, bytes, commands,
             static_cast<uint32_t>(getCarried().size()), options, 0});
  for (auto [buffer, size] : llvm::zip_equal(getCarried(), getBytes()))
    append(stream, ttrt::CarriedRange{numbers.getAddress(cast<FlatSymbolRefAttr>(buffer)),
                                      static_cast<uint64_t>(size)});
}

LogicalResult CmdRepeatOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                                       BundleSymbols &symbols) {
  ttrt::RepeatCommand command;
  if (bytes.size() < sizeof(command))
    return failure();
  memcpy(&command, bytes.data(), sizeof(command));
  bytes = bytes.drop_front(sizeof(command));
  if (bytes.size() != command.operandCount * sizeof(ttrt::CarriedRange) ||
      command.iterations > static_cast<uint64_t>(INT64_MAX))
    return failure();
  SmallVector<Attribute> carried;
  SmallVector<int64_t> sizes;
  for (; !bytes.empty(); bytes = bytes.drop_front(sizeof(ttrt::CarriedRange))) {
    ttrt::CarriedRange operand;
    memcpy(&operand, bytes.data(), sizeof(operand));
    carried.push_back(symbols.getBuffer(operand.address));
    sizes.push_back(operand.bytes);
    if (!carried.back())
      return failure();
  }
  FlatSymbolRefAttr flag;
  if (command.flag != ttrt::kNoFlag && !(flag = symbols.getBuffer(command.flag)))
    return failure();
  const bool fails = command.options & ttrt::kFailsAtLimit;
  create(builder, location, builder.getArrayAttr(carried), builder.getDenseI64ArrayAttr(sizes),
         flag, builder.getI64IntegerAttr(command.iterations),
         fails ? builder.getUnitAttr() : UnitAttr());
  return success();
}

//===--- cmd.end_repeat ---------------------------------------------------------------===//

LogicalResult CmdEndRepeatOp::verify() {
  if (!isa_and_present<CmdRepeatOp>(LoopBeginOp::findBegin(*this)))
    return emitOpError("(C1) expected a ttc.cmd.repeat before it that begins the loop, found none");
  return success();
}

/// What the loop carries, which is used after it.
void CmdEndRepeatOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  if (auto begin = dyn_cast_if_present<CmdRepeatOp>(LoopBeginOp::findBegin(*this)))
    begin.getAccesses(accesses);
}

int64_t CmdEndRepeatOp::getEncodedBytes() { return sizeof(ttrt::CommandHeader); }
Opcode CmdEndRepeatOp::getOpcode() { return Opcode::EndRepeat; }

void CmdEndRepeatOp::writeCommand(const BundleNumbers &, std::vector<char> &stream) {
  append(stream, makeHeader(Opcode::EndRepeat, getEncodedBytes()));
}

LogicalResult CmdEndRepeatOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char>,
                                          BundleSymbols &) {
  create(builder, location);
  return success();
}

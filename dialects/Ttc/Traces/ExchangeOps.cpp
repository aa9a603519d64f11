// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "ttrt/format/collectives.h"
#include "ttrt/format/commands.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;
namespace collectives = ttrt::collectives;

//===--- collective -------------------------------------------------------------------===//

static collectives::Shape getShape(CollectiveOp op) {
  return {static_cast<fb::CollectiveKind>(op.getKind()),
          static_cast<fb::CollectiveAlgorithm>(op.getAlgorithm()),
          static_cast<uint32_t>(op.getGroupSize()),
          op.getBytes(),
          op.getRows(),
          static_cast<uint32_t>(op.getRoot()),
          nullptr};
}

LogicalResult CollectiveOp::verify() {
  DenseSet<int64_t> seen;
  for (Attribute attr : getGroups()) {
    ArrayRef<int64_t> group = cast<DenseI64ArrayAttr>(attr);
    if (group.empty() || static_cast<int64_t>(group.size()) != getGroupSize())
      return emitOpError("(C1) expected groups of equal size, at least 1, found ")
             << group.size() << " beside " << getGroupSize();
    for (int64_t device : group)
      if (device < 0 || device >= ttrt::kMaxDevices || !seen.insert(device).second)
        return emitOpError("(C1) expected each device at most once, below ")
               << ttrt::kMaxDevices << ", found " << device;
  }
  if (getGroups().empty())
    return emitOpError("(C1) expected at least one group, found none");
  const int64_t size = getGroupSize();
  if (!collectives::isDefined(static_cast<fb::CollectiveKind>(getKind()),
                              static_cast<fb::CollectiveAlgorithm>(getAlgorithm()), size))
    return emitOpError("(C2) expected an algorithm for ")
           << stringifyCollectiveKind(getKind()) << " of " << size << " devices, found "
           << stringifyCollectiveAlgorithm(getAlgorithm());
  Type element = getElementType();
  if (!element.isIntOrFloat())
    return emitOpError("(C6) expected elements that are numbers, found ") << element;
  const int64_t bits = element.getIntOrFloatBitWidth();
  const bool isDivided =
      getKind() == CollectiveKind::AllToAll || getKind() == CollectiveKind::ReduceScatter;
  const int64_t parts = getRows() * (isDivided ? size : 1) * std::max<int64_t>(bits / 8, 1);
  if (getBytes() % parts != 0)
    return emitOpError("(C3) expected bytes that divide into ")
           << getRows() << " rows of " << (isDivided ? size : 1) << " parts of " << element
           << ", found " << getBytes();
  if (static_cast<int64_t>(getRoot()) >= size)
    return emitOpError("(C4) expected 'root' below ") << size << ", found " << getRoot();
  if (getSources().has_value() != (getKind() == CollectiveKind::Permute) ||
      (getSources() && static_cast<int64_t>(getSources()->size()) != size))
    return emitOpError("(C5) expected sources of a permutation, one for each of ")
           << size << " devices, and of nothing else, found "
           << (getSources() ? getSources()->size() : 0);
  DenseSet<int64_t> sources;
  for (int64_t source : getSources().value_or(ArrayRef<int64_t>()))
    if (source != -1 && (source < 0 || source >= size || !sources.insert(source).second))
      return emitOpError("(C5) expected distinct sources below ")
             << size << ", or -1, found " << source;
  const bool sums =
      getKind() == CollectiveKind::AllReduce || getKind() == CollectiveKind::ReduceScatter;
  if (sums && (bits < 8 || isa<Float8E4M3FNType, Float8E5M2Type>(element)))
    return emitOpError("(C6) expected a sum of f32, f64, f16, bf16 or integers, found ") << element;
  return success();
}

int64_t CollectiveOp::getResultBytes() { return collectives::outputBytes(getShape(*this)); }
int64_t CollectiveOp::getScratchBytes() { return collectives::scratchBytes(getShape(*this)); }

//===--- exchange ---------------------------------------------------------------------===//

LogicalResult ExchangeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto collective = lookupSymbol<CollectiveOp>(*this, symbols, getCollectiveAttr(), "(C1)");
  if (!collective)
    return failure();
  SmallVector<int64_t> expected = {static_cast<int64_t>(collective.getBytes()),
                                   collective.getResultBytes()};
  if (int64_t scratch = collective.getScratchBytes())
    expected.push_back(scratch);
  SmallVector<int64_t> found = {getTensorBytes(cast<ShapedType>(getInput().getType()))};
  for (Type type : getOutputs().getTypes())
    found.push_back(getTensorBytes(cast<ShapedType>(type)));
  if (found != expected)
    return emitOpError("(C2) expected an operand and results of ")
           << expected << " bytes, as " << getCollectiveAttr() << " says, found " << found;
  if (found.size() > 2 &&
      !cast<ShapedType>(getOutputs()[1].getType()).getElementType().isUnsignedInteger(8))
    return emitOpError("(C2) expected scratch of ui8, found ") << getOutputs()[1].getType();
  return success();
}

void ExchangeOp::encode(OpBuilder &builder, ArrayRef<BufferRef> inputs,
                        ArrayRef<BufferRef> outputs) {
  CmdExchangeOp::create(builder, getLoc(), getCollectiveAttr(), inputs, outputs);
}

/// Other devices read the operand while the result is written.
void ExchangeOp::getInPlaceOperands(unsigned, SymbolTableCollection &,
                                    SmallVectorImpl<unsigned> &) {}

bool ExchangeOp::staysInDram() { return true; }

//===--- send, receive ----------------------------------------------------------------===//

/// The permutation of an op of one side, in which some devices receive nothing.
static CollectiveOp lookupPermutation(Operation *op, SymbolTableCollection &symbols,
                                      FlatSymbolRefAttr name) {
  auto collective = lookupSymbol<CollectiveOp>(op, symbols, name, "(C1)");
  if (collective &&
      !llvm::is_contained(collective.getSources().value_or(ArrayRef<int64_t>()), -1)) {
    op->emitOpError("(C1) expected ")
        << name << " to be a permutation in which some devices receive nothing, found "
        << stringifyCollectiveKind(collective.getKind());
    return {};
  }
  return collective;
}

/// The tensor of an op of one side has the bytes of its permutation.
static LogicalResult verifySide(Operation *op, SymbolTableCollection &symbols,
                                FlatSymbolRefAttr name, Type type, StringRef what) {
  CollectiveOp collective = lookupPermutation(op, symbols, name);
  if (!collective)
    return failure();
  const int64_t found = getTensorBytes(cast<ShapedType>(type));
  if (found != static_cast<int64_t>(collective.getBytes()))
    return op->emitOpError("(C2) expected ") << what << " of " << collective.getBytes()
                                             << " bytes, as " << name << " says, found " << found;
  return success();
}

LogicalResult SendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySide(*this, symbols, getCollectiveAttr(), getInput().getType(), "an operand");
}

void SendOp::encode(OpBuilder &builder, ArrayRef<BufferRef> inputs, ArrayRef<BufferRef>) {
  CmdSendOp::create(builder, getLoc(), getCollectiveAttr(), inputs[0].buffer,
                    builder.getI64IntegerAttr(inputs[0].offset));
}

void SendOp::getInPlaceOperands(unsigned, SymbolTableCollection &, SmallVectorImpl<unsigned> &) {}
bool SendOp::staysInDram() { return true; }

LogicalResult ReceiveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySide(*this, symbols, getCollectiveAttr(), getOutput().getType(), "a result");
}

void ReceiveOp::encode(OpBuilder &builder, ArrayRef<BufferRef>, ArrayRef<BufferRef> outputs) {
  CmdReceiveOp::create(builder, getLoc(), getCollectiveAttr(), outputs[0].buffer,
                       builder.getI64IntegerAttr(outputs[0].offset));
}

void ReceiveOp::getInPlaceOperands(unsigned, SymbolTableCollection &, SmallVectorImpl<unsigned> &) {
}
bool ReceiveOp::staysInDram() { return true; }

//===--- commands of one side ---------------------------------------------------------===//

/// The buffer of a command of one side is in DRAM and has room for the collective's bytes.
static LogicalResult verifyPlace(Operation *op, SymbolTableCollection &symbols,
                                 CollectiveOp collective, FlatSymbolRefAttr name, int64_t offset) {
  if (!collective)
    return failure();
  if (offset < 0)
    return op->emitOpError("(C2) expected an offset of at least 0, found ") << offset;
  if (failed(verifyBuffer(op, symbols, name, offset + collective.getBytes(), "(C2)")))
    return failure();
  auto buffer = symbols.lookupNearestSymbolFrom<BufferOp>(op, name);
  if (buffer.getMemory() != MemorySpace::Dram)
    return op->emitOpError("(C3) expected ")
           << name << " to be in dram, found it in " << stringifyMemorySpace(buffer.getMemory());
  return success();
}

LogicalResult CmdSendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyPlace(*this, symbols, lookupPermutation(*this, symbols, getCollectiveAttr()),
                     getBufferAttr(), getOffset());
}
void CmdSendOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getBufferAttr(), /*write=*/false});
}
int64_t CmdSendOp::getEncodedBytes() { return ttrt::dispatchSize(1); }

LogicalResult CmdReceiveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyPlace(*this, symbols, lookupPermutation(*this, symbols, getCollectiveAttr()),
                     getBufferAttr(), getOffset());
}
void CmdReceiveOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getBufferAttr(), /*write=*/true});
}
int64_t CmdReceiveOp::getEncodedBytes() { return ttrt::dispatchSize(1); }

//===--- offer ------------------------------------------------------------------------===//

LogicalResult CmdOfferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto collective = lookupSymbol<CollectiveOp>(*this, symbols, getCollectiveAttr(), "(C1)");
  if (failed(verifyPlace(*this, symbols, collective, getBufferAttr(), getOffset())))
    return failure();
  for (Operation *op = (*this)->getNextNode(); op; op = op->getNextNode()) {
    auto exchange = dyn_cast<CmdExchangeOp>(op);
    if (exchange && exchange.getCollectiveAttr() == getCollectiveAttr()) {
      if (exchange.getInputs()[0] == getBufferAttr() &&
          exchange.getOffset(0) == static_cast<int64_t>(getOffset()))
        return success();
      return emitOpError("(C4) expected the next exchange of ")
             << getCollectiveAttr() << " to have the same input, found " << exchange.getInputs();
    }
    auto accessed = dyn_cast<BufferAccessOpInterface>(op);
    if (!accessed)
      continue;
    SmallVector<BufferAccess> accesses;
    accessed.getAccesses(accesses);
    for (const BufferAccess &access : accesses)
      if (access.write && access.buffer == getBufferAttr())
        return emitOpError("(C4) expected that nothing writes ")
               << getBufferAttr() << " before the exchange, found " << op->getName();
  }
  return emitOpError("(C4) expected an exchange of ")
         << getCollectiveAttr() << " after it in the trace, found none";
}
void CmdOfferOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getBufferAttr(), /*write=*/false});
}
int64_t CmdOfferOp::getEncodedBytes() { return ttrt::dispatchSize(1); }

//===--- command ----------------------------------------------------------------------===//

void CmdExchangeOp::build(OpBuilder &builder, OperationState &state, FlatSymbolRefAttr collective,
                          ArrayRef<BufferRef> inputs, ArrayRef<BufferRef> outputs) {
  buildWithPlaces<CmdExchangeOp>(builder, state, collective, inputs, outputs);
}

int64_t CmdExchangeOp::getOffset(unsigned index) {
  return getOffsetOf(index, getInputs(), getInputOffsets(), getOutputOffsets());
}

/// The bytes of operand `index`: the input, the output, the scratch.
static int64_t getOperandBytes(CollectiveOp collective, unsigned index) {
  return index == 0   ? collective.getBytes()
         : index == 1 ? collective.getResultBytes()
                      : collective.getScratchBytes();
}

LogicalResult CmdExchangeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto collective = lookupSymbol<CollectiveOp>(*this, symbols, getCollectiveAttr(), "(C1)");
  if (!collective)
    return failure();
  const size_t outputs = collective.getScratchBytes() ? 2 : 1;
  if (getInputs().size() != 1 || getOutputs().size() != outputs)
    return emitOpError("(C2) expected 1 input and ")
           << outputs << " outputs, found " << getInputs().size() << " and " << getOutputs().size();
  if (failed(verifyOffsets(*this, getInputs(), getInputOffsets())) ||
      failed(verifyOffsets(*this, getOutputs(), getOutputOffsets())))
    return failure();
  for (unsigned i = 0; i <= outputs; ++i) {
    auto name = cast<FlatSymbolRefAttr>(i == 0 ? getInputs()[0] : getOutputs()[i - 1]);
    if (failed(verifyBuffer(*this, symbols, name, getOffset(i) + getOperandBytes(collective, i),
                            "(C2)")))
      return failure();
    auto buffer = symbols.lookupNearestSymbolFrom<BufferOp>(*this, name);
    if (buffer.getMemory() != MemorySpace::Dram)
      return emitOpError("(C4) expected ")
             << name << " to be in dram, found it in " << stringifyMemorySpace(buffer.getMemory());
  }
  return success();
}

void CmdExchangeOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  appendAccesses(getInputs(), /*write=*/false, accesses);
  appendAccesses(getOutputs(), /*write=*/true, accesses);
}

ByteSpan CmdExchangeOp::getSpan(unsigned index, SymbolTableCollection &symbols) {
  auto collective = symbols.lookupNearestSymbolFrom<CollectiveOp>(*this, getCollectiveAttr());
  int64_t bytes = getOperandBytes(collective, index);
  return {getOffset(index), bytes, bytes, bytes};
}

int64_t CmdExchangeOp::getEncodedBytes() {
  return ttrt::dispatchSize(getInputs().size() + getOutputs().size());
}
int64_t CmdExchangeOp::getWorkgroups(SymbolTableCollection &) { return 1; }

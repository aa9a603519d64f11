// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traced regions, traces and their commands.
#include "dialects/Ttc/Traces/TraceOps.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/AssemblyFormat.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "ttrt/format/commands.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- traced -----------------------------------------------------------------------===//

static LogicalResult verifyYield(Operation *op, Block &block, TypeRange types) {
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("(C1) expected its region to end with ttc.yield, found ")
           << (block.empty() ? StringRef("no op") : block.back().getName().getStringRef());
  if (yield.getValues().getTypes() != types)
    return emitOpErrorOn(yield, op) << "(C1) expected values of the result types (" << types
                                    << "), found (" << yield.getValues().getTypes() << ")";
  return success();
}

LogicalResult TracedOp::verifyRegions() {
  if (failed(verifyYield(*this, getBody().front(), getResultTypes())))
    return failure();
  WalkResult nested = getBody().walk([&](TracedOp inner) {
    emitOpErrorOn(inner, *this) << "(C2) expected no traced region in another one, found "
                                << inner->getName();
    return WalkResult::interrupt();
  });
  return failure(nested.wasInterrupted());
}

//===--- trace_boundary ---------------------------------------------------------------===//

bool TraceBoundaryOp::separates(Operation *op) {
  return isa<TraceBoundaryOp, EventOpInterface>(op);
}

//===--- trace ------------------------------------------------------------------------===//

void TraceOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Block &block = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    block.addArgument(input, state.location);
}

ParseResult TraceOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  Builder &builder = parser.getBuilder();
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes))
    return failure();
  // A trace of commands has no signature.
  if (succeeded(parser.parseOptionalKeyword("region"))) {
    IntegerAttr address;
    int64_t bytes;
    if (parser.parseKeyword("at") || parser.parseKeyword("dram") || parseAddress(parser, address) ||
        parser.parseKeyword("size") || parser.parseInteger(bytes))
      return failure();
    result.addAttribute(getRegionAddressAttrName(result.name), address);
    result.addAttribute(getRegionSizeAttrName(result.name), builder.getI64IntegerAttr(bytes));
  } else if (function_interface_impl::parseFunctionSignatureWithArguments(
                 parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
                 resultAttrs)) {
    return failure();
  }
  SmallVector<Type> inputTypes =
      llvm::map_to_vector(arguments, [](const OpAsmParser::Argument &a) { return a.type; });
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(inputTypes, resultTypes)));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  call_interface_impl::addArgAndResultAttrs(builder, result, arguments, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void TraceOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getSymName());
  if (IntegerAttr address = getRegionAddressAttr()) {
    printer << " region at dram ";
    printAddress(printer, *this, address);
    printer << " size " << *getRegionSize();
  } else {
    call_interface_impl::printFunctionSignature(printer, getArgumentTypes(), getArgAttrsAttr(),
                                                /*isVariadic=*/false, getResultTypes(),
                                                getResAttrsAttr(), &getBody(),
                                                /*printEmptyResult=*/false);
  }
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getFunctionTypeAttrName(), getArgAttrsAttrName(), getResAttrsAttrName(),
       getRegionAddressAttrName(), getRegionSizeAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

bool TraceOp::isEncoded() {
  Block &block = getBody().front();
  return !block.empty() && isa<CommandOpInterface>(block.back());
}

int64_t TraceOp::getStreamBytes() {
  int64_t bytes = 0;
  for (auto command : getBody().getOps<CommandOpInterface>())
    bytes += command.getEncodedBytes();
  return bytes;
}

LogicalResult TraceOp::verify() {
  if (getRegionAddress().has_value() != getRegionSize().has_value())
    return emitOpError("(C3) expected the stream's address and size together, found only the ")
           << (getRegionAddress() ? "address" : "size");
  if (IntegerAttr address = getRegionAddressAttr(), size = getRegionSizeAttr();
      address && (address.getInt() < 0 || size.getInt() < 0))
    return emitOpError("(C3) expected the stream's address and size to be at least 0, found ")
           << address.getInt() << " and " << size.getInt();
  return success();
}

LogicalResult TraceOp::verifyRegions() {
  if (!isEncoded()) {
    if (getRegionAddress())
      return emitOpError(
          "(C3) expected commands in a trace with an address in the trace region, found ops "
          "on tensors");
    return verifyYield(*this, getBody().front(), getResultTypes());
  }
  if (getFunctionType().getNumInputs() || getFunctionType().getNumResults())
    return emitOpError(
               "(C2) expected a trace of commands to have neither arguments nor results, found ")
           << getFunctionType();
  for (Operation &op : getBody().front())
    if (!isa<CommandOpInterface>(op))
      return emitOpErrorOn(&op, *this)
             << "(C2) expected nothing but commands, found " << op.getName();
  if (IntegerAttr size = getRegionSizeAttr(); size && size.getInt() != getStreamBytes())
    return emitOpError("(C3) expected a size of ")
           << getStreamBytes() << " bytes, the sum of its commands, found " << size.getInt();
  return success();
}

//===--- execute ----------------------------------------------------------------------===//

LogicalResult ExecuteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto trace = lookupSymbol<TraceOp>(*this, symbols, getTraceAttr(), "(C1)");
  if (!trace)
    return failure();
  if (getInputs().getTypes() != TypeRange(trace.getArgumentTypes()))
    return emitOpError("(C2) expected operands of ")
           << getTraceAttr() << "'s input types (" << trace.getArgumentTypes() << "), found ("
           << getInputs().getTypes() << ")";
  if (getOutputs().getTypes() != TypeRange(trace.getResultTypes()))
    return emitOpError("(C2) expected results of ")
           << getTraceAttr() << "'s result types (" << trace.getResultTypes() << "), found ("
           << getOutputs().getTypes() << ")";
  return success();
}
StringRef ExecuteOp::getHostWork() { return "the replay of a trace, enqueued by the host"; }
bool ExecuteOp::readsOnDevice(unsigned) { return true; }
bool ExecuteOp::writesOnDevice() { return true; }
void ExecuteOp::enqueue(OpBuilder &builder, int64_t queue, ArrayRef<Attribute>,
                        ArrayRef<Attribute>) {
  EnqueueExecuteOp::create(builder, getLoc(), getTraceAttr(), builder.getI64IntegerAttr(queue));
}

//===--- commands ---------------------------------------------------------------------===//

void CmdDispatchOp::build(OpBuilder &builder, OperationState &state, FlatSymbolRefAttr program,
                          ArrayRef<BufferRef> inputs, ArrayRef<BufferRef> outputs) {
  buildWithPlaces<CmdDispatchOp>(builder, state, program, inputs, outputs);
}

int64_t CmdDispatchOp::getOffset(unsigned index) {
  return getOffsetOf(index, getInputs(), getInputOffsets(), getOutputOffsets());
}

LogicalResult CmdDispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyDispatch(*this, symbols);
}

void CmdDispatchOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  appendAccesses(getInputs(), /*write=*/false, accesses);
  appendAccesses(getOutputs(), /*write=*/true, accesses);
}

ByteSpan CmdDispatchOp::getSpan(unsigned index, SymbolTableCollection &symbols) {
  auto program = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr());
  ByteSpan span = program.getSpan(index);
  span.offset = getOffset(index);
  return span;
}

int64_t CmdDispatchOp::getScratchBytes(SymbolTableCollection &symbols) {
  return getScratchBytesOf(*this, symbols, getProgramAttr());
}

bool CmdDispatchOp::enqueue(OpBuilder &builder, int64_t queue) {
  EnqueueDispatchOp::create(builder, getLoc(), getProgramAttr(), getInputsAttr(), getOutputsAttr(),
                            getInputOffsetsAttr(), getOutputOffsetsAttr(),
                            builder.getI64IntegerAttr(queue));
  return true;
}

int64_t CmdDispatchOp::getEncodedBytes() {
  return ttrt::dispatchSize(getInputs().size() + getOutputs().size());
}

int64_t CmdDispatchOp::getWorkgroups(SymbolTableCollection &symbols) {
  auto program = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr());
  return program && program.getGridAttr() ? program.getGridAttr().getInt() : 0;
}

LogicalResult CmdCopyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(verifyBuffer(*this, symbols, getSourceAttr(), getBytes(), "(C1)")) &&
                 succeeded(verifyBuffer(*this, symbols, getTargetAttr(), getBytes(), "(C1)")));
}
void CmdCopyOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getSourceAttr(), false});
  accesses.push_back({getTargetAttr(), true});
}
bool CmdCopyOp::enqueue(OpBuilder &builder, int64_t queue) {
  EnqueueCopyOp::create(builder, getLoc(), getSourceAttr(), getTargetAttr(), getBytesAttr(),
                        builder.getI64IntegerAttr(queue));
  return true;
}
int64_t CmdCopyOp::getEncodedBytes() { return sizeof(ttrt::CopyCommand); }
int64_t CmdCopyOp::getWorkgroups(SymbolTableCollection &) { return ttrt::transferGrid(getBytes()); }

LogicalResult CmdFillOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyBuffer(*this, symbols, getTargetAttr(), getBytes(), "(C1)");
}
void CmdFillOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getTargetAttr(), true});
}
int64_t CmdFillOp::getEncodedBytes() { return sizeof(ttrt::FillCommand); }
int64_t CmdFillOp::getWorkgroups(SymbolTableCollection &) { return ttrt::transferGrid(getBytes()); }

void CmdBarrierOp::getAccesses(SmallVectorImpl<BufferAccess> &) {}
int64_t CmdBarrierOp::getEncodedBytes() { return sizeof(ttrt::CommandHeader); }
bool CmdBarrierOp::isBarrier() { return true; }

LogicalResult CmdSignalOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(static_cast<bool>(lookupSymbol<EventOp>(*this, symbols, getEventAttr(), "(C1)")));
}
void CmdSignalOp::getAccesses(SmallVectorImpl<BufferAccess> &) {}
int64_t CmdSignalOp::getEncodedBytes() { return sizeof(ttrt::EventCommand); }
bool CmdSignalOp::isBarrier() { return true; }
bool CmdSignalOp::isWait() { return false; }

LogicalResult CmdWaitOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(static_cast<bool>(lookupSymbol<EventOp>(*this, symbols, getEventAttr(), "(C1)")));
}
void CmdWaitOp::getAccesses(SmallVectorImpl<BufferAccess> &) {}
int64_t CmdWaitOp::getEncodedBytes() { return sizeof(ttrt::EventCommand); }
bool CmdWaitOp::isWait() { return true; }

void CmdEndOp::getAccesses(SmallVectorImpl<BufferAccess> &) {}
int64_t CmdEndOp::getEncodedBytes() { return sizeof(ttrt::CommandHeader); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands as bytes of a stream (ttrt/format/commands.h), and back.
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttrt/format/commands.h"

using namespace mlir;
using namespace mlir::ttc;
using ttrt::Opcode;

template <typename Command> static void append(std::vector<char> &stream, const Command &command) {
  const char *bytes = reinterpret_cast<const char *>(&command);
  stream.insert(stream.end(), bytes, bytes + sizeof(Command));
}

static ttrt::CommandHeader makeHeader(Opcode opcode, uint64_t size) {
  return {opcode, 0, static_cast<uint32_t>(size)};
}

template <typename Command> static bool load(ArrayRef<char> bytes, Command &command) {
  if (bytes.size() < sizeof(command))
    return false;
  memcpy(&command, bytes.data(), sizeof(command));
  return true;
}

//===--- dispatch, copy, fill ---------------------------------------------------------===//

Opcode CmdDispatchOp::getOpcode() { return Opcode::Dispatch; }

void CmdDispatchOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  std::vector<uint64_t> addresses = numbers.getAddresses(getInputs(), getOutputs());
  for (auto [i, address] : llvm::enumerate(addresses))
    address += getOffset(i);
  append(stream,
         ttrt::DispatchCommand{makeHeader(Opcode::Dispatch, ttrt::dispatchSize(addresses.size())),
                               numbers.programs.lookup(getProgramAttr().getAttr()),
                               static_cast<uint32_t>(addresses.size())});
  for (uint64_t address : addresses)
    append(stream, address);
}

LogicalResult CmdDispatchOp::readCommand(OpBuilder &builder, Location location,
                                         ArrayRef<char> bytes, BundleSymbols &symbols) {
  ttrt::DispatchCommand command;
  if (!load(bytes, command) || command.operandCount > ttrt::kMaxOperands ||
      ttrt::dispatchSize(command.operandCount) != bytes.size())
    return failure();
  std::vector<uint64_t> addresses(command.operandCount);
  memcpy(addresses.data(), bytes.data() + sizeof(command), addresses.size() * sizeof(uint64_t));
  SmallVector<BufferRef> inputs, outputs;
  FlatSymbolRefAttr program = symbols.getProgram(command.program);
  if (!program || failed(symbols.getOperands(command.program, addresses, inputs, outputs)))
    return failure();
  create(builder, location, program, inputs, outputs);
  return success();
}

Opcode CmdExchangeOp::getOpcode() { return Opcode::Exchange; }

void CmdExchangeOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  std::vector<uint64_t> addresses = numbers.getAddresses(getInputs(), getOutputs());
  for (auto [i, address] : llvm::enumerate(addresses))
    address += getOffset(i);
  append(stream,
         ttrt::ExchangeCommand{makeHeader(Opcode::Exchange, ttrt::dispatchSize(addresses.size())),
                               numbers.collectives.lookup(getCollectiveAttr().getAttr()),
                               static_cast<uint32_t>(addresses.size())});
  for (uint64_t address : addresses)
    append(stream, address);
}

LogicalResult CmdExchangeOp::readCommand(OpBuilder &builder, Location location,
                                         ArrayRef<char> bytes, BundleSymbols &symbols) {
  ttrt::ExchangeCommand command;
  if (!load(bytes, command) || command.operandCount < 2 || command.operandCount > 3 ||
      ttrt::dispatchSize(command.operandCount) != bytes.size())
    return failure();
  std::vector<uint64_t> addresses(command.operandCount);
  memcpy(addresses.data(), bytes.data() + sizeof(command), addresses.size() * sizeof(uint64_t));
  SmallVector<BufferRef> places;
  FlatSymbolRefAttr collective = symbols.getCollective(command.collective);
  if (!collective || failed(symbols.getPlaces(addresses, places)))
    return failure();
  create(builder, location, collective, ArrayRef(places).take_front(),
         ArrayRef(places).drop_front());
  return success();
}

/// A command with one operand of a collective.
static void appendSide(Opcode opcode, const BundleNumbers &numbers, FlatSymbolRefAttr collective,
                       FlatSymbolRefAttr buffer, int64_t offset, std::vector<char> &stream) {
  append(stream, ttrt::ExchangeCommand{makeHeader(opcode, ttrt::dispatchSize(1)),
                                       numbers.collectives.lookup(collective.getAttr()), 1});
  append(stream, numbers.getAddress(buffer) + offset);
}

template <typename Op>
static LogicalResult readSide(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                              BundleSymbols &symbols) {
  ttrt::ExchangeCommand command;
  if (!load(bytes, command) || command.operandCount != 1 || ttrt::dispatchSize(1) != bytes.size())
    return failure();
  std::vector<uint64_t> addresses(1);
  memcpy(addresses.data(), bytes.data() + sizeof(command), sizeof(uint64_t));
  SmallVector<BufferRef> places;
  FlatSymbolRefAttr collective = symbols.getCollective(command.collective);
  if (!collective || failed(symbols.getPlaces(addresses, places)))
    return failure();
  Op::create(builder, location, collective, places[0].buffer,
             builder.getI64IntegerAttr(places[0].offset));
  return success();
}

Opcode CmdSendOp::getOpcode() { return Opcode::Send; }

void CmdSendOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  appendSide(Opcode::Send, numbers, getCollectiveAttr(), getBufferAttr(), getOffset(), stream);
}

LogicalResult CmdSendOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                                     BundleSymbols &symbols) {
  return readSide<CmdSendOp>(builder, location, bytes, symbols);
}

Opcode CmdReceiveOp::getOpcode() { return Opcode::Receive; }

void CmdReceiveOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  appendSide(Opcode::Receive, numbers, getCollectiveAttr(), getBufferAttr(), getOffset(), stream);
}

LogicalResult CmdReceiveOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                                        BundleSymbols &symbols) {
  return readSide<CmdReceiveOp>(builder, location, bytes, symbols);
}

Opcode CmdOfferOp::getOpcode() { return Opcode::Offer; }

void CmdOfferOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  appendSide(Opcode::Offer, numbers, getCollectiveAttr(), getBufferAttr(), getOffset(), stream);
}

LogicalResult CmdOfferOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                                      BundleSymbols &symbols) {
  return readSide<CmdOfferOp>(builder, location, bytes, symbols);
}

Opcode CmdCopyOp::getOpcode() { return Opcode::Copy; }

void CmdCopyOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  append(stream, ttrt::CopyCommand{makeHeader(Opcode::Copy, sizeof(ttrt::CopyCommand)),
                                   numbers.getAddress(getTargetAttr()),
                                   numbers.getAddress(getSourceAttr()), getBytes()});
}

LogicalResult CmdCopyOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                                     BundleSymbols &symbols) {
  ttrt::CopyCommand command;
  if (!load(bytes, command))
    return failure();
  FlatSymbolRefAttr source = symbols.getBuffer(command.src);
  FlatSymbolRefAttr target = symbols.getBuffer(command.dst);
  if (!source || !target)
    return failure();
  create(builder, location, source, target, builder.getI64IntegerAttr(command.bytes));
  return success();
}

Opcode CmdFillOp::getOpcode() { return Opcode::Fill; }

void CmdFillOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  append(stream, ttrt::FillCommand{makeHeader(Opcode::Fill, sizeof(ttrt::FillCommand)),
                                   numbers.getAddress(getTargetAttr()), getBytes(), getPattern()});
}

LogicalResult CmdFillOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                                     BundleSymbols &symbols) {
  ttrt::FillCommand command;
  if (!load(bytes, command))
    return failure();
  FlatSymbolRefAttr target = symbols.getBuffer(command.dst);
  if (!target)
    return failure();
  create(builder, location, target, builder.getI64IntegerAttr(command.pattern),
         builder.getI64IntegerAttr(command.bytes));
  return success();
}

//===--- order ------------------------------------------------------------------------===//

/// Commands without fields.
template <typename Op> static void appendHeader(std::vector<char> &stream) {
  append(stream, makeHeader(Op::getOpcode(), sizeof(ttrt::CommandHeader)));
}

template <typename Op>
static void appendEvent(Op op, const BundleNumbers &numbers, std::vector<char> &stream) {
  append(stream, ttrt::EventCommand{makeHeader(Op::getOpcode(), sizeof(ttrt::EventCommand)),
                                    numbers.events.lookup(op.getEventAttr().getAttr()), 0});
}

template <typename Op>
static LogicalResult readEvent(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                               BundleSymbols &symbols) {
  ttrt::EventCommand command;
  if (!load(bytes, command))
    return failure();
  FlatSymbolRefAttr event = symbols.getEvent(command.event);
  if (!event)
    return failure();
  Op::create(builder, location, event);
  return success();
}

Opcode CmdBarrierOp::getOpcode() { return Opcode::Barrier; }
void CmdBarrierOp::writeCommand(const BundleNumbers &, std::vector<char> &stream) {
  appendHeader<CmdBarrierOp>(stream);
}
LogicalResult CmdBarrierOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char>,
                                        BundleSymbols &) {
  create(builder, location);
  return success();
}

Opcode CmdSignalOp::getOpcode() { return Opcode::Signal; }
void CmdSignalOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  appendEvent(*this, numbers, stream);
}
LogicalResult CmdSignalOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                                       BundleSymbols &symbols) {
  return readEvent<CmdSignalOp>(builder, location, bytes, symbols);
}

Opcode CmdWaitOp::getOpcode() { return Opcode::Wait; }
void CmdWaitOp::writeCommand(const BundleNumbers &numbers, std::vector<char> &stream) {
  appendEvent(*this, numbers, stream);
}
LogicalResult CmdWaitOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char> bytes,
                                     BundleSymbols &symbols) {
  return readEvent<CmdWaitOp>(builder, location, bytes, symbols);
}

Opcode CmdEndOp::getOpcode() { return Opcode::End; }
void CmdEndOp::writeCommand(const BundleNumbers &, std::vector<char> &stream) {
  appendHeader<CmdEndOp>(stream);
}
LogicalResult CmdEndOp::readCommand(OpBuilder &builder, Location location, ArrayRef<char>,
                                    BundleSymbols &) {
  create(builder, location);
  return success();
}

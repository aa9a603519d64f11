// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StreamEncoder.h"
#include "ttrt/commands.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;
using ttrt::Opcode;

std::vector<uint64_t> BundleNumbers::getAddresses(ArrayAttr inputs, ArrayAttr outputs) const {
  std::vector<uint64_t> result;
  for (ArrayAttr list : {inputs, outputs})
    for (Attribute buffer : list)
      result.push_back(getAddress(buffer));
  return result;
}

template <typename Command> static void append(std::vector<char> &stream, const Command &command) {
  const char *bytes = reinterpret_cast<const char *>(&command);
  stream.insert(stream.end(), bytes, bytes + sizeof(Command));
}

static ttrt::CommandHeader makeHeader(Opcode opcode, uint64_t size) {
  return {opcode, 0, static_cast<uint32_t>(size)};
}

void mlir::ttc::encodeStream(TraceOp trace, const BundleNumbers &numbers,
                             std::vector<char> &stream) {
  auto appendEvent = [&](Opcode opcode, StringAttr event) {
    append(stream, ttrt::EventCommand{makeHeader(opcode, sizeof(ttrt::EventCommand)),
                                      numbers.events.lookup(event), 0});
  };
  // The commands of the IR are the opcodes of the stream, one for one.
  for (Operation &op : trace.getBody().front())
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](CmdDispatchOp command) {
          std::vector<uint64_t> addresses =
              numbers.getAddresses(command.getInputs(), command.getOutputs());
          for (auto [i, address] : llvm::enumerate(addresses))
            address += command.getOffset(i);
          append(stream, ttrt::DispatchCommand{
                             makeHeader(Opcode::Dispatch, ttrt::dispatchSize(addresses.size())),
                             numbers.programs.lookup(command.getProgramAttr().getAttr()),
                             static_cast<uint32_t>(addresses.size())});
          for (uint64_t address : addresses)
            append(stream, address);
        })
        .Case([&](CmdCopyOp command) {
          append(stream, ttrt::CopyCommand{makeHeader(Opcode::Copy, sizeof(ttrt::CopyCommand)),
                                           numbers.getAddress(command.getTargetAttr()),
                                           numbers.getAddress(command.getSourceAttr()),
                                           command.getBytes()});
        })
        .Case([&](CmdFillOp command) {
          append(stream, ttrt::FillCommand{makeHeader(Opcode::Fill, sizeof(ttrt::FillCommand)),
                                           numbers.getAddress(command.getTargetAttr()),
                                           command.getBytes(), command.getPattern()});
        })
        .Case([&](CmdBarrierOp) {
          append(stream, makeHeader(Opcode::Barrier, sizeof(ttrt::CommandHeader)));
        })
        .Case([&](CmdSignalOp command) {
          appendEvent(Opcode::Signal, command.getEventAttr().getAttr());
        })
        .Case(
            [&](CmdWaitOp command) { appendEvent(Opcode::Wait, command.getEventAttr().getAttr()); })
        .Case([&](CmdEndOp) {
          append(stream, makeHeader(Opcode::End, sizeof(ttrt::CommandHeader)));
        });
}

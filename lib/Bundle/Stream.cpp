// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stream.h"
#include "ttrt/format/commands.h"

using namespace mlir;
using namespace mlir::ttc;

void mlir::ttc::writeStream(TraceOp trace, const BundleNumbers &numbers,
                            std::vector<char> &stream) {
  for (auto command : trace.getBody().getOps<CommandSerializationOpInterface>())
    command.writeCommand(numbers, stream);
}

std::optional<EncodedCommand> mlir::ttc::takeCommand(ArrayRef<char> &stream) {
  ttrt::CommandHeader header;
  if (stream.size() < sizeof(header))
    return std::nullopt;
  memcpy(&header, stream.data(), sizeof(header));
  if (header.size < sizeof(header) || header.size > stream.size())
    return std::nullopt;
  EncodedCommand command{header.opcode, stream.take_front(header.size)};
  stream = stream.drop_front(header.size);
  return command;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces as command streams (ttrt/format/commands.h).
#ifndef TTC_LIB_BUNDLE_STREAM_H
#define TTC_LIB_BUNDLE_STREAM_H

#include "dialects/Ttc/Traces/TraceOps.h"

namespace mlir::ttc {

/// Appends the commands of a trace to `stream`.
void writeStream(TraceOp trace, const BundleNumbers &numbers, std::vector<char> &stream);

/// The command at the front of a stream.
struct EncodedCommand {
  ttrt::Opcode opcode;
  ArrayRef<char> bytes; ///< header included
};

/// Removes the first command from `stream`. Returns nothing if its header is damaged.
std::optional<EncodedCommand> takeCommand(ArrayRef<char> &stream);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_STREAM_H

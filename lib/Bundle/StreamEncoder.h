// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands as bytes (ttrt/commands.h).
#ifndef TTC_LIB_BUNDLE_STREAMENCODER_H
#define TTC_LIB_BUNDLE_STREAMENCODER_H

#include "dialects/Ttc/TtcOps.h"

namespace mlir::ttc {

/// What a module's symbols are in a bundle: numbers and addresses.
struct BundleNumbers {
  DenseMap<StringAttr, uint32_t> programs, events, traces, buffers;
  DenseMap<StringAttr, uint64_t> addresses; ///< flat, of buffers

  uint64_t getAddress(Attribute buffer) const {
    return addresses.lookup(cast<FlatSymbolRefAttr>(buffer).getAttr());
  }
  std::vector<uint64_t> getAddresses(ArrayAttr inputs, ArrayAttr outputs) const;
};

/// Appends the commands of a trace to `stream`.
void encodeStream(TraceOp trace, const BundleNumbers &numbers, std::vector<char> &stream);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_STREAMENCODER_H

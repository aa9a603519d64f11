// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is called one way in the IR and another way in a bundle, in both directions.
#ifndef TTC_LIB_BUNDLE_NAMES_H
#define TTC_LIB_BUNDLE_NAMES_H

#include "dialects/Ttc/TtcOps.h"
#include "ttc/Support/Location.h"
#include "ttrt/bundle_format.h"
#include "ttrt/ttc_bundle_generated.h"

namespace mlir::ttc {

/// Nothing if bundles have no such element type.
std::optional<ttrt::fb::DType> toDType(Type elementType);
Type fromDType(ttrt::fb::DType type, MLIRContext *context);

/// "1x64x56x56xf32".
std::string toText(RankedTensorType type);
/// Nothing if the text is no such type.
RankedTensorType fromText(StringRef text, MLIRContext *context);

/// The inverse of toText(Location) (ttc/Support/Location.h), as far as bundles go.
Location toLocation(StringRef text, MLIRContext *context);

/// Flat address of a planned buffer; of one that has shards, that in core 0.
uint64_t getAddress(const ttrt::AddressMap &map, BufferOp buffer);

/// CPU features that code for the target needs: those of the CPU's name and those switched on by
/// the target's list, without those switched off.
std::vector<std::string> getNeededFeatures(TargetAttr target);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_NAMES_H

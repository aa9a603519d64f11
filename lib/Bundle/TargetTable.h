// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The target in a bundle, and the flat addresses that follow from it.
#ifndef TTC_LIB_BUNDLE_TARGETTABLE_H
#define TTC_LIB_BUNDLE_TARGETTABLE_H

#include "dialects/Ttc/Traces/BufferOps.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/ttc_bundle_generated.h"

namespace mlir::ttc {

/// The table of a target, without `host_bytes`.
std::unique_ptr<ttrt::fb::TargetT> writeTarget(TargetAttr target);

/// The inverse of writeTarget(). Fails, with a diagnostic, if the cores do not form a grid.
FailureOr<TargetAttr> readTarget(const ttrt::fb::Target &table, MLIRContext *context,
                                 llvm::function_ref<InFlightDiagnostic()> emitError);

/// The device's address space. `hostBytes`: staging memory of host steps.
ttrt::AddressMap makeAddressMap(TargetAttr target, uint64_t hostBytes);

/// The flat address of a planned buffer; of a sharded one, the address of its shard in core 0.
uint64_t getAddress(const ttrt::AddressMap &map, BufferOp buffer);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_TARGETTABLE_H

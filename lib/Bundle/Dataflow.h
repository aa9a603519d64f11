// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an entry point computes, as digests (ttrt/format/dataflow.h) with which the loader compares
// what each schedule computes.
#ifndef TTC_LIB_BUNDLE_DATAFLOW_H
#define TTC_LIB_BUNDLE_DATAFLOW_H

#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/ttc_bundle_generated.h"

namespace mlir::ttc {

/// What digests depend on apart from the entry point.
struct DataflowContext {
  const BundleNumbers &numbers;
  const ttrt::AddressMap &map;
  uint64_t constantsHash = 0; ///< of the segment
  uint64_t constantsAddress = 0;
  uint64_t shardsHash = 0;    ///< of the segments of constants that differ between devices
  uint64_t shardsAddress = 0; ///< where these constants begin
  ArrayRef<uint64_t> collectiveDigests = {}; ///< by collective
  ArrayRef<uint64_t> hostDigests = {};       ///< of host functions, by program; 0 for one with code
  const ttrt::fb::MeshT *mesh = nullptr;     ///< null: one device
  ArrayRef<ProgramOp> programs = {};         ///< by number
};

/// Follows the data of the entry point's default schedule from buffer to buffer. Buffers are told
/// apart by name, whatever their addresses, so that reuse of memory, barriers, events and other
/// schedules cannot affect the result. `ports` are the entry point's tables. Fails, with a
/// diagnostic, if something is read that was not written.
FailureOr<std::unique_ptr<ttrt::fb::DataflowT>> followDataflow(EntryOp entry,
                                                               const ttrt::fb::EntryPointT &ports,
                                                               const DataflowContext &context,
                                                               SymbolTableCollection &symbols);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_DATAFLOW_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules with every name, address and function resolved. Built at load, immutable afterwards.

#ifndef TTRT_LIB_DEVICE_SCHEDULETABLE_H
#define TTRT_LIB_DEVICE_SCHEDULETABLE_H

#include "Bundle/Bundle.h"
#include "Bundle/Code.h"
#include "Device/HostSteps.h"
#include "Device/Memory.h"
#include "ttrt/format/profile_log.h"
#include "ttrt/format/steps.h"

#include <vector>

namespace ttrt {

/// A step of a schedule. Pointers point into device memory.
struct ResolvedStep {
  fb::StepKind kind;
  uint32_t index = 0; ///< input, output, trace, program, event
  uint32_t queue = 0;
  uint32_t number = profile::kNone; ///< in the device (profile_log.h); kNone: nothing is recorded
  uint8_t *dst = nullptr;           ///< Write: slot; Copy
  const uint8_t *src = nullptr;     ///< Read: slot; Copy
  uint64_t bytes = 0;               ///< Write, Read, Copy
  const uint8_t *stream = nullptr;  ///< Execute; Dispatch: a stream of its own
  ProgramFunction *function = nullptr; ///< HostDispatch
  std::shared_ptr<HostStep> host;      ///< HostDispatch of a host function
  uint64_t grid = 0;
  std::vector<uint64_t> words;          ///< HostDispatch: operands; Dispatch: the stream
  std::vector<uint32_t> signals, waits; ///< Execute: events of the stream's commands, in order
  const char *name = "";                ///< of the input, output, trace, program or event
  const char *source = "";              ///< the op that it came from

  const ActionInfo &info() const { return infoOf(kind); }
  /// A write or a read.
  bool isTransfer() const { return info().accesses == AccessShape::Slot; }
};

/// What the host enqueues for one entry point.
struct ResolvedSchedule {
  const char *name = "";
  uint32_t queues = 1;
  std::vector<ResolvedStep> prologue, body, epilogue;
  /// Steps at which a run may end without computing the rest (SkippableTail.h).
  std::vector<uint32_t> skippableTails;
};

struct ResolvedPort {
  const char *name;
  uint8_t *slot;
  uint64_t bytes;
};

struct ResolvedEntry {
  const char *name = "";
  bool isHere = true; ///< the device executes it
  std::vector<ResolvedPort> inputs, outputs;
  std::vector<ResolvedSchedule> schedules; ///< the bundle's, in its order
  /// One inference in order on the calling thread: the parts of the first schedule for one queue.
  std::vector<const ResolvedStep *> steps;
  std::vector<ResolvedStep> writes, reads; ///< per input and output: that step alone
};

/// `memory` and `code` belong to the device.
ResolvedEntry resolveEntry(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
                           const HostFunctionTable &functions, const fb::EntryPoint &entry);
/// An execute step for a trace.
ResolvedStep resolveExecute(const Bundle &bundle, const DeviceMemory &memory, uint32_t trace);

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_SCHEDULETABLE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules with everything looked up: made when loading, never changed after.

#ifndef TTRT_LIB_PLAN_H
#define TTRT_LIB_PLAN_H

#include "Bundle.h"
#include "Code.h"
#include "Memory.h"

#include <vector>

namespace ttrt {

/// A step of a schedule. The pointers are into the device's memory.
struct PlannedStep {
  fb::StepKind kind;
  uint32_t index = 0; ///< input, output, trace, program, event
  uint32_t queue = 0;
  uint8_t *dst = nullptr;              ///< Write: slot; Copy
  const uint8_t *src = nullptr;        ///< Read: slot; Copy
  uint64_t bytes = 0;                  ///< Write, Read, Copy
  const uint8_t *stream = nullptr;     ///< Execute; Dispatch: a stream of its own
  ProgramFunction *function = nullptr; ///< HostDispatch
  uint64_t grid = 0;
  std::vector<uint64_t> words;          ///< HostDispatch: operands; Dispatch: the stream
  std::vector<uint32_t> signals, waits; ///< Execute: events of the stream's commands, in order
  const char *name = "";                ///< of the input, output, trace, program or event
  const char *source = "";              ///< the op that it came from
};

/// What the host enqueues for one entry point.
struct PlannedSchedule {
  const char *name = "";
  uint32_t queues = 1;
  /// The prologue may follow an epilogue that is still under way (docs/proof.md).
  bool seamless = false;
  std::vector<PlannedStep> prologue, body, epilogue;
  /// Steps, counted from the prologue's first: if the play ends there, what is left need not be
  /// computed (Spare.h). In ascending order.
  std::vector<uint32_t> spareEnds;
};

struct PlannedPort {
  const char *name;
  uint8_t *slot;
  uint64_t bytes;
};

struct PlannedEntry {
  const char *name = "";
  std::vector<PlannedPort> inputs, outputs;
  std::vector<PlannedSchedule> schedules; ///< the bundle's, in its order
  /// One inference in order on the calling thread: the parts of the first schedule for one queue.
  std::vector<const PlannedStep *> steps;
  std::vector<PlannedStep> writes, reads; ///< per input and output: that step alone
};

/// Looks everything up; `memory` and `code` are of the device.
PlannedEntry planEntry(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
                       const fb::EntryPoint &entry);
/// An execute step for a trace.
PlannedStep planExecute(const Bundle &bundle, const DeviceMemory &memory, uint32_t trace);

} // namespace ttrt

#endif // TTRT_LIB_PLAN_H

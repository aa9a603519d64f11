// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_DEVICE_H
#define TTRT_LIB_DEVICE_H

#include "Bundle.h"
#include "Code.h"
#include "Cores.h"
#include "Memory.h"

#include <atomic>
#include <memory>
#include <vector>

namespace ttrt {

/// A step of a schedule with everything looked up.
struct PlannedStep {
  fb::StepKind kind;
  uint32_t index = 0;                  ///< input, output, trace
  uint8_t *dst = nullptr;              ///< Write: slot; Copy
  const uint8_t *src = nullptr;        ///< Read: slot; Copy
  uint64_t bytes = 0;                  ///< Write, Read, Copy
  const uint8_t *stream = nullptr;     ///< Execute; Dispatch: a stream of its own
  ProgramFunction *function = nullptr; ///< HostDispatch
  uint64_t grid = 0;
  std::vector<uint64_t> words; ///< HostDispatch: operands; Dispatch: the stream
};

struct PlannedPort {
  const char *name;
  uint8_t *slot;
  uint64_t bytes;
};

struct PlannedEntry {
  std::vector<PlannedPort> inputs, outputs;
  std::vector<PlannedStep> steps; ///< prologue, body, epilogue of the schedule for one queue
};

/// An address space with a bundle in it, and the threads that execute it.
class Device {
public:
  /// `cores` 0: one per CPU. Throws Error.
  Device(std::shared_ptr<const Bundle> bundle, uint32_t cores, bool pin);

  uint32_t cores() const { return cores_.count(); }
  /// nullptr if there is none.
  const PlannedEntry *entry(uint32_t index) const {
    return index < entries_.size() ? &entries_[index] : nullptr;
  }
  /// Set while a call is under way.
  std::atomic<bool> &busy() { return busy_; }

  /// One inference. The arguments have been checked.
  void run(const PlannedEntry &entry, const ttrt_input *inputs, const ttrt_output *outputs,
           const ttrt_run_options &options) noexcept;

private:
  void planEntry(const fb::EntryPoint &entry);
  PlannedPort planPort(const fb::Port &port) const;
  PlannedStep planStep(const PlannedEntry &entry, const fb::Step &step) const;
  void execute(const PlannedStep &step, const ttrt_run_options &options) noexcept;
  void dispatchFromHost(const PlannedStep &step, const ttrt_run_options &options) noexcept;

  std::shared_ptr<const Bundle> bundle_;
  DeviceMemory memory_;
  Code code_;
  std::vector<PlannedEntry> entries_;
  std::atomic<bool> busy_{false};
  Cores cores_; // last: its threads use everything above
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_H

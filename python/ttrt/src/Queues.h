// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device does beside whole runs: traces that are loaded and released (ttrt/memory.h),
// commands of queues and events (ttrt/queue.h), and states (ttrt/state.h).

#ifndef TTRT_PYTHON_QUEUES_H
#define TTRT_PYTHON_QUEUES_H

#include "Device.h"

namespace ttrt::python {

/// An event of a device, which may be closed before it.
class Event {
public:
  explicit Event(nb::object device);

  void record(uint32_t queue);
  void wait(uint32_t queue);
  /// Whether the last record is complete. Does not wait, and needs no turn: a host function may
  /// ask.
  bool isDone() const;
  void synchronize();
  int traverse(visitproc visit, void *arg);

private:
  nb::object owner_;
  Device *device_;
  std::shared_ptr<ttrt_event *> event_; ///< shared with the device, which destroys it
};

/// (name, commands, bytes) of each trace.
nb::list traces(Device &device);
bool isLoaded(Device &device, uint32_t trace);
void loadTrace(Device &device, uint32_t trace);
void releaseTrace(Device &device, uint32_t trace);
void executeTrace(Device &device, uint32_t trace);

void enqueueWrite(Device &device, uint32_t queue, uint32_t entry, uint32_t input, nb::handle array,
                  bool block);
/// Into `array`, or into a new one if that is None; returns it.
nb::object enqueueRead(Device &device, uint32_t queue, uint32_t entry, uint32_t output,
                       nb::object array, bool block);
void enqueueExecute(Device &device, uint32_t queue, uint32_t trace, bool block);

/// Descriptions of the states.
std::vector<Port> states(Device &device);
nb::object readState(Device &device, uint32_t state);
void writeState(Device &device, uint32_t state, nb::handle array);
void resetStates(Device &device);
void saveStates(Device &device, nb::bytes path);
void restoreStates(Device &device, nb::bytes path);

} // namespace ttrt::python

#endif // TTRT_PYTHON_QUEUES_H

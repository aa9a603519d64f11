// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_DEVICE_DEVICE_H
#define TTRT_LIB_DEVICE_DEVICE_H

#include "Bundle/Bundle.h"
#include "Bundle/Code.h"
#include "Device/Cores.h"
#include "Device/Memory.h"
#include "Device/MeshMembership.h"
#include "Device/Queue.h"
#include "Device/Residency.h"
#include "Device/ScheduleTable.h"
#include "Device/SlotWatch.h"
#include "Observe/MonitorFile.h"
#include "Observe/Profiler.h"

#include <atomic>
#include <memory>
#include <vector>

namespace ttrt {

/// An address space with a bundle in it, and the threads that execute it.
class Device {
public:
  /// Throws Error. ttrt.h documents the options. `joined`: see MeshMembership.
  Device(std::shared_ptr<const Bundle> bundle, const ttrt_device_options &options, bool &joined);
  /// Completes what is in flight, except in a forked child.
  ~Device();

  const Bundle &bundle() const { return *bundle_; }
  std::shared_ptr<const Bundle> shareBundle() const { return bundle_; }
  uint32_t cores() const { return cores_.count(); }
  /// nullptr if there is none.
  const ResolvedEntry *entry(uint32_t index) const {
    return index < entries_.size() ? &entries_[index] : nullptr;
  }
  /// Whether the device executes an entry point that has the trace.
  bool isHere(uint32_t trace) const { return foreign_.empty() || !foreign_[trace]; }
  /// nullptr if there is none.
  const ResolvedStep *execute(uint32_t trace) const {
    return trace < executes_.size() ? &executes_[trace] : nullptr;
  }
  /// Identifies the process that opened the device. A child of it has none of its threads.
  const ForkGuard &process() const { return process_; }
  /// Set while a call is in progress.
  std::atomic<bool> &busy() { return busy_; }

  /// null if nothing is recorded
  Profiler *profiler() const { return recording_.profiler; }
  /// A zone of the calling thread for a call on this device.
  HostZone zone(profile::HostCall call) const {
    return {recording_.profiler, call, recording_.device};
  }

  /// Must be notified before anything is executed.
  SlotWatch &watch() { return watch_; }

  /// One inference on the calling thread. The arguments have been checked, and the queues are
  /// drained. Returns null, or why a host function or a collective failed.
  const char *run(const ResolvedEntry &entry, const ttrt_input *inputs, const ttrt_output *outputs,
                  const ttrt_run_options &options) noexcept;

  // Single traces. No other thread may use the device.

  const DeviceMemory &memory() const { return memory_; }
  const MeshMembership &mesh() const { return mesh_; }
  const Residency &residency() const { return residency_; }
  /// Throws Error.
  void setLoaded(uint32_t trace, bool loaded);
  /// The trace is loaded and has no events in it. Returns null, or why a collective failed.
  const char *replay(const ResolvedStep &step) noexcept;

  // Queues.

  uint32_t queues() const { return queueCount_; }
  Queue &queue(uint32_t index) { return *queues_[index]; }
  /// Set while a call on the queue is in progress.
  std::atomic<bool> &busy(uint32_t queue) { return queueBusy_[queue]; }
  /// Set while a pipeline is open.
  std::atomic<bool> &piped() { return piped_; }
  QueueSite &site() { return site_; }
  /// Event `index` of the bundle.
  Event &event(uint32_t index) { return events_[index]; }
  /// Number of events that the caller can create.
  uint32_t callerEvents() const;
  /// Takes an event for the caller; nullptr if all are in use. Thread-safe.
  Event *takeEvent() noexcept;
  void giveBack(Event &event) noexcept;
  /// Why a queue has stopped, or all are to; nullptr if none has.
  const ttrt_error *failure() const noexcept;
  /// Waits until everything that was enqueued is complete or skipped.
  void drain() noexcept;
  /// Restarts the queues and clears all events. The device is drained, and no other call uses it.
  void reset() noexcept;

  // At any time, by any thread.

  StopRequest &stopRequest() { return stop_; }
  void cancel() noexcept;
  /// `nanoseconds` from now; UINT64_MAX: none.
  void setDeadline(uint64_t nanoseconds) noexcept;

private:
  /// Null unless the work that is under way is to end; the mesh then has failed.
  const char *whyStopped() noexcept;
  const char *dispatchFromHost(const ResolvedStep &step, const ttrt_run_options &options) noexcept;
  uint32_t ringCapacity() const;
  void record(ttrt_profiler *profiler);
  void resolveSkippableTails();
  void resolveParts();

  const ForkGuard process_; ///< that has the threads
  std::shared_ptr<const Bundle> bundle_;
  MeshMembership mesh_; ///< outlives the memory, before whose release ~Device() leaves
  DeviceMemory memory_;
  Residency residency_;
  SlotWatch watch_;
  Code code_;
  std::vector<ResolvedEntry> entries_;
  std::vector<ResolvedStep> executes_; ///< per trace
  std::vector<uint8_t> foreign_;       ///< per trace; empty: all devices execute all
  std::atomic<bool> busy_{false};
  std::atomic<bool> piped_{false};

  const uint32_t queueCount_;
  uint32_t eventCount_; ///< the bundle's, then the caller's
  std::unique_ptr<Event[]> events_;
  std::unique_ptr<std::atomic<bool>[]> taken_; ///< per event
  QueueSite site_;
  std::atomic<bool> queueBusy_[kMaxQueues] = {};

  const uint32_t waitLimitMs_;
  StopRequest stop_;
  std::unique_ptr<MonitorFile> monitor_; ///< null unless the device is monitored

  /// Destroyed after the threads that write markers.
  struct Recording {
    std::unique_ptr<Profiler> own; ///< if the environment asked for it
    Profiler *profiler = nullptr;
    uint32_t device = 0;
    ~Recording() {
      if (profiler)
        profiler->removeDevice(device);
    }
  } recording_;

  Cores cores_;                      ///< of queue 0 and of the caller of run()
  std::unique_ptr<Cores> moreCores_; ///< of queue 1
  // Last: its threads use everything above.
  std::unique_ptr<Queue> queues_[kMaxQueues];
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_DEVICE_H

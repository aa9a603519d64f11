// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's file for ttrun monitor (ttrt/format/monitor.h).

#ifndef TTRT_LIB_OBSERVE_MONITORFILE_H
#define TTRT_LIB_OBSERVE_MONITORFILE_H

#include "ttrt/format/monitor.h"

#include "Bundle/Bundle.h"
#include "Observe/MonitorFolder.h"

#include <memory>
#include <string>

namespace ttrt {

/// A device's monitor file, which exists as long as the object.
class MonitorFile {
public:
  /// Creates the file if TTRT_MONITOR is set, not empty and not 0; else returns null. Failures are
  /// reported on stderr and also give null: they must not keep the device from opening.
  static std::unique_ptr<MonitorFile> make(const Bundle &bundle, uint32_t cores, uint32_t queues);
  ~MonitorFile();
  MonitorFile(const MonitorFile &) = delete;
  MonitorFile &operator=(const MonitorFile &) = delete;

  MonitorLane *lanes() { return record_->lanes; }
  /// Sets the bytes of the trace region that are in use.
  void setTraceBytes(uint64_t bytes) {
    record_->trace.used.store(bytes, std::memory_order_relaxed);
  }

private:
  MonitorFile() : folder_(/*create=*/true) {}
  /// Returns a description of what went wrong; empty on success.
  std::string open(const Bundle &bundle, uint32_t cores, uint32_t queues);

  MonitorFolder folder_;
  std::string name_;
  MonitorRecord *record_ = nullptr;
};

/// Marks a lane as busy for its lifetime, with two plain stores; a null lane costs one comparison.
/// count() tells that the work completed an iteration.
class MonitoredWork {
public:
  explicit MonitoredWork(MonitorLane *lane) : lane(lane) {
    if (lane)
      add(lane->begun, 1);
  }
  ~MonitoredWork() {
    if (lane)
      add(lane->begun, -1);
  }
  /// Counts an iteration.
  void count() {
    if (!lane)
      return;
    add(lane->done, 1);
    lane = nullptr;
  }
  MonitoredWork(const MonitoredWork &) = delete;
  MonitoredWork &operator=(const MonitoredWork &) = delete;

private:
  /// There is one writer, so a load and a store suffice.
  static void add(std::atomic<uint64_t> &counter, int64_t number) {
    counter.store(counter.load(std::memory_order_relaxed) + static_cast<uint64_t>(number),
                  std::memory_order_relaxed);
  }
  MonitorLane *lane;
};

} // namespace ttrt

#endif // TTRT_LIB_OBSERVE_MONITORFILE_H

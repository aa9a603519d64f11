// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's entry for ttrun monitor (ttrt/monitor.h), and where such entries are.

#ifndef TTRT_LIB_MONITORFILE_H
#define TTRT_LIB_MONITORFILE_H

#include "ttrt/monitor.h"

#include "Bundle.h"

#include <memory>
#include <string>

namespace ttrt {

/// The folder of this user's entries.
struct MonitorFolder {
  /// Opens it, or with `create` makes it. It must be a folder of this user's that nobody else may
  /// enter, and no symbolic link; `problem` says what else was found.
  explicit MonitorFolder(bool create);
  ~MonitorFolder();
  MonitorFolder(const MonitorFolder &) = delete;
  MonitorFolder &operator=(const MonitorFolder &) = delete;

  std::string path;
  int descriptor = -1; ///< -1: there is none, or it is not safe
  std::string problem; ///< empty if it is merely not there
};

/// When a process began, as in MonitorRecord::processStart; 0 if there is none of that pid, or it
/// has ended and only its parent has not heard of it.
uint64_t processStart(uint64_t pid);

/// An entry, which is there as long as the object.
class MonitorFile {
public:
  /// Makes one if the environment asks for it (TTRT_MONITOR is set, and neither empty nor 0). A
  /// device must not fail because it cannot be watched: then a line on stderr says why, and the
  /// result is null.
  static std::unique_ptr<MonitorFile> make(const Bundle &bundle, uint32_t cores, uint32_t queues);
  ~MonitorFile();
  MonitorFile(const MonitorFile &) = delete;
  MonitorFile &operator=(const MonitorFile &) = delete;

  MonitorLane *lanes() { return record_->lanes; }
  /// Bytes of the trace region that are in use.
  void setTraceBytes(uint64_t bytes) {
    record_->trace.used.store(bytes, std::memory_order_relaxed);
  }

private:
  MonitorFile() : folder_(/*create=*/true) {}
  /// Returns what went wrong, or nothing.
  std::string open(const Bundle &bundle, uint32_t cores, uint32_t queues);

  MonitorFolder folder_;
  std::string name_;
  MonitorRecord *record_ = nullptr;
};

/// Work on a lane, which may be null: a comparison if nobody asked for it, else two plain stores.
/// It is busy meanwhile; whether that was an iteration is told at the end.
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
  /// An iteration is complete.
  void count() {
    if (!lane)
      return;
    add(lane->done, 1);
    lane = nullptr;
  }
  MonitoredWork(const MonitoredWork &) = delete;
  MonitoredWork &operator=(const MonitoredWork &) = delete;

private:
  /// One writer, so it need not be one operation.
  static void add(std::atomic<uint64_t> &counter, int64_t number) {
    counter.store(counter.load(std::memory_order_relaxed) + static_cast<uint64_t>(number),
                  std::memory_order_relaxed);
  }
  MonitorLane *lane;
};

} // namespace ttrt

#endif // TTRT_LIB_MONITORFILE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans the user's monitor folder (ttrt/format/monitor.h) for devices. Its entries are treated as
// untrusted.

#ifndef TTC_TOOLING_MONITOR_MONITORSCAN_H
#define TTC_TOOLING_MONITOR_MONITORSCAN_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ttrun {

struct WatchedMemory {
  const char *title = ""; ///< "DRAM"
  const char *key = "";   ///< "dram"
  uint64_t total = 0, used = 0;
  bool isTrace = false;
  /// From 0 to 100; 0 if the total is 0.
  double percent() const;
};

struct WatchedDevice {
  std::string file; ///< of the entry, below the folder
  uint64_t pid = 0, number = 0;
  std::string process, bundle;
  uint32_t cores = 0, queues = 0;
  WatchedMemory memories[3];
  uint64_t iterations = 0; ///< inferences, or traces of ttrt_enqueue_execute()
  bool busy = false;       ///< an iteration is running
  double perSecond = -1;   ///< since the previous scan; -1: unknown
};

class MonitorScan {
public:
  /// The running devices, by pid and number. Removes entries of processes that have ended, and
  /// leaves other files alone.
  std::vector<WatchedDevice> scan();
  const std::string &problem() const { return problem_; }
  const std::string &folder() const { return path_; }

private:
  struct Before {
    uint64_t iterations, time;
  };
  std::map<std::string, Before> before_;
  std::string problem_, path_;
};

} // namespace ttrun

#endif // TTC_TOOLING_MONITOR_MONITORSCAN_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that can be watched: entries of the user's folder (ttrt/monitor.h), each looked at as
// if somebody else had written it.

#ifndef TTC_TOOLS_TTRUN_MONITORSCAN_H
#define TTC_TOOLS_TTRUN_MONITORSCAN_H

#include "MonitorFile.h"

#include <map>
#include <string>
#include <vector>

namespace ttrun {

struct WatchedMemory {
  const char *title = ""; ///< "DRAM"
  const char *key = "";   ///< "dram"
  uint64_t total = 0, used = 0;
  bool isTrace = false;
  /// From 0 to 100; of no bytes at all 0.
  double percent() const;
};

struct WatchedDevice {
  std::string file; ///< of the entry, below the folder
  uint64_t pid = 0, number = 0;
  std::string process, bundle;
  uint32_t cores = 0, queues = 0;
  WatchedMemory memories[3];
  uint64_t iterations = 0; ///< inferences; of ttrt_enqueue_execute(), traces
  bool busy = false;       ///< one is under way
  double perSecond = -1;   ///< since the scan before; -1: not known
};

class MonitorScan {
public:
  /// What runs now, by pid and number. Entries of processes that ended are removed; what is not an
  /// entry is left alone.
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

#endif // TTC_TOOLS_TTRUN_MONITORSCAN_H

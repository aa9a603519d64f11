// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the files for ttrun monitor (ttrt/format/monitor.h) are.

#ifndef TTRT_LIB_OBSERVE_MONITORFOLDER_H
#define TTRT_LIB_OBSERVE_MONITORFOLDER_H

#include <cstdint>
#include <string>

namespace ttrt {

/// The folder of this user's monitor files.
struct MonitorFolder {
  /// Opens the folder; `create` creates it if necessary. It must belong to this user, be closed to
  /// others, and not be a symbolic link; otherwise `problem` says what was found.
  explicit MonitorFolder(bool create);
  ~MonitorFolder();
  MonitorFolder(const MonitorFolder &) = delete;
  MonitorFolder &operator=(const MonitorFolder &) = delete;

  std::string path;
  int descriptor = -1; ///< -1: it does not exist or is not safe
  std::string problem; ///< empty if it just does not exist
};

/// Start time of a process (MonitorRecord::processStart); 0 if it does not exist or is a zombie.
uint64_t processStart(uint64_t pid);

} // namespace ttrt

#endif // TTRT_LIB_OBSERVE_MONITORFOLDER_H

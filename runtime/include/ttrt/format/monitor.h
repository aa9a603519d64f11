// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The monitor file: what a running device publishes for other processes of the same user (ttrun
// monitor). If its environment has TTRT_MONITOR=1, a process writes one file with this layout per
// device, to $XDG_RUNTIME_DIR/ttrt or else /tmp/ttrt-<uid>, a folder that only the user may enter.
// The device maps the file; readers use read(2). Numbers change while they are read, each of them
// atomically. The name is <pid>.<start>.<number>.monitor. A file whose process has ended remains
// until a reader removes it.

#ifndef TTRT_FORMAT_MONITOR_H
#define TTRT_FORMAT_MONITOR_H

#include <atomic>
#include <cstdint>

namespace ttrt {

inline constexpr char kMonitorMagic[8] = {'T', 'T', 'R', 'T', 'M', 'O', 'N', '\n'};
/// Readers ignore files of other versions.
inline constexpr uint32_t kMonitorVersion = 1;
inline constexpr char kMonitorSuffix[] = ".monitor";

/// Use of one type of memory, in bytes.
struct MonitorMemory {
  uint64_t total;
  std::atomic<uint64_t>
      used; ///< by buffers of the plan, which are resident while the device is open
};

/// Counters of one executor: lane 0 is the caller of ttrt_run(), lane 1 + q is queue q. Each has
/// one writer.
struct alignas(64) MonitorLane {
  std::atomic<uint64_t> begun; ///< greater than `done` while something executes
  std::atomic<uint64_t> done;  ///< inferences, or traces run by ttrt_enqueue_execute()
};
inline constexpr uint32_t kMonitorLanes = 3;

/// Little-endian; the file has exactly this size. Fields that are not atomic are written before the
/// file gets its name, and never change.
struct MonitorRecord {
  char magic[8];
  uint32_t version;
  uint32_t size; ///< sizeof(MonitorRecord)
  uint64_t pid;
  /// Clock ticks after boot, field 22 of /proc/<pid>/stat: distinguishes processes that had the
  /// same pid.
  uint64_t processStart;
  uint64_t number; ///< of the device in its process
  uint32_t cores;  ///< threads that compute
  uint32_t queues;
  MonitorMemory dram;  ///< below the trace region
  MonitorMemory l1;    ///< of one core
  MonitorMemory trace; ///< the trace region
  char process[64];    ///< zero-terminated: the kernel's name of the process
  char bundle[256];    ///< zero-terminated: the name of the file, without folders
  MonitorLane lanes[kMonitorLanes];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(std::atomic<uint64_t>) == 8);
static_assert(sizeof(MonitorRecord) == 640);

} // namespace ttrt

#endif // TTRT_FORMAT_MONITOR_H

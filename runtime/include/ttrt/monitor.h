// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a running device says about itself, to whoever of the same user wants to know (ttrun
// monitor). With TTRT_MONITOR=1 in its environment a process writes one file per device, of this
// layout, into $XDG_RUNTIME_DIR/ttrt, else /tmp/ttrt-<uid>: a folder that only the user may enter.
// The file is mapped by the device and read by others with read(2); numbers change while they are
// read, each as a whole. The name is <pid>.<start>.<number>.monitor. A file whose process is gone
// stays until a reader removes it.

#ifndef TTRT_MONITOR_H
#define TTRT_MONITOR_H

#include <atomic>
#include <cstdint>

namespace ttrt {

inline constexpr char kMonitorMagic[8] = {'T', 'T', 'R', 'T', 'M', 'O', 'N', '\n'};
/// Readers show exactly this version.
inline constexpr uint32_t kMonitorVersion = 1;
inline constexpr char kMonitorSuffix[] = ".monitor";

/// Bytes of one type of memory.
struct MonitorMemory {
  uint64_t total;
  std::atomic<uint64_t> used; ///< by buffers of the plan: resident as long as the device is open
};

/// Who executes: lane 0 whoever calls ttrt_run(), lane 1 + q queue q. Each has one writer.
struct alignas(64) MonitorLane {
  std::atomic<uint64_t> begun; ///< more than `done`: something is being executed
  std::atomic<uint64_t> done;  ///< inferences; of ttrt_enqueue_execute(), traces
};
inline constexpr uint32_t kMonitorLanes = 3;

/// Little-endian, in a file of exactly this size. What is not atomic is written before the file
/// gets its name, and never changes.
struct MonitorRecord {
  char magic[8];
  uint32_t version;
  uint32_t size; ///< sizeof(MonitorRecord)
  uint64_t pid;
  uint64_t
      processStart; ///< clock ticks after boot, field 22 of /proc/<pid>/stat: tells reused pids
  uint64_t number;  ///< of the device in its process
  uint32_t cores;   ///< threads that compute
  uint32_t queues;
  MonitorMemory dram;  ///< below the trace region
  MonitorMemory l1;    ///< of one core
  MonitorMemory trace; ///< the trace region
  char process[64];    ///< zero-terminated: what the kernel calls the process
  char bundle[256];    ///< zero-terminated: the file's name, without folders
  MonitorLane lanes[kMonitorLanes];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(std::atomic<uint64_t>) == 8);
static_assert(sizeof(MonitorRecord) == 640);

} // namespace ttrt

#endif // TTRT_MONITOR_H

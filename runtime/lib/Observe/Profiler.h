// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording (ttrt/profile.h): the rings of its devices and of the host, and the log that they are
// read into.

#ifndef TTRT_LIB_OBSERVE_PROFILER_H
#define TTRT_LIB_OBSERVE_PROFILER_H

#include "Base/ForkGuard.h"
#include "Observe/Counters.h"
#include "Observe/Markers.h"
#include "ttrt/profile.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

struct ttrt_profiler;

namespace ttrt {

class Bundle;

class Profiler {
public:
  /// Throws Error.
  Profiler(const char *folder, const ttrt_profiler_options &options,
           const CounterSource &source = kPerfEvents);
  /// Reads a last time. Problems are reported on stderr.
  ~Profiler();
  Profiler(const Profiler &) = delete;
  Profiler &operator=(const Profiler &) = delete;

  /// A profiler for a device that has none, if TTRT_PROFILE names a folder; else null. Failures are
  /// reported on stderr and also give null: they must not keep the device from opening.
  static std::unique_ptr<Profiler> fromEnvironment();

  const std::string &folder() const { return folder_; }
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  // Devices. All throw Error or std::bad_alloc.

  struct DeviceInfo {
    const Bundle &bundle;
    uint32_t cores, queues, queue1Cores, meshDevice;
    std::vector<const char *> steps; ///< names of the steps, by number
  };
  /// Returns the number of the device.
  uint32_t addDevice(DeviceInfo info);
  /// A ring for a core, which is valid until the device is removed.
  MarkerRing &addRing(uint32_t device, uint32_t queue, uint32_t core);
  /// Reads the device's rings and frees them.
  void removeDevice(uint32_t device) noexcept;

  /// Moves the markers of all rings to the log. Thread-safe. Throws Error.
  void read();

  // Thread-safe.

  uint32_t zone(const ttrt_zone_source &source);
  void hostMarker(HostMarkerKind kind, uint32_t zone, uint32_t device) noexcept {
    host_.write(kind, zone, device);
  }
  void text(profile::TextKind kind, const char *first, const char *second, uint32_t color) noexcept;

private:
  struct Ring {
    std::unique_ptr<MarkerRing> markers;
    std::unique_ptr<CounterGroup> counters; ///< null: nothing is counted
    uint32_t device, queue, core;
  };
  struct Zone {
    std::string name, file;
    uint32_t line, color;
  };

  void openLog(const char *folder);
  void discardLog();
  void begin();
  void sampleClocks();
  void nameCounters();
  void readInBackground(uint32_t interval);
  // With the mutex held.
  void readLocked();
  void readRing(uint32_t ring);
  void report(uint32_t ring, const Drops &drops, profile::Dropper by);
  void reportFull(const char *of, uint64_t missing, const char *where);
  void append(profile::RecordKind kind,
              std::initializer_list<std::pair<const void *, size_t>> parts);
  void writeLog(const void *data, size_t bytes);
  void requireWritten();

  const ForkGuard process_;
  const uint32_t programs_;
  const ClockKind clock_;
  std::optional<CounterSet> counters_; ///< none: nothing is counted
  std::string folder_;
  int file_ = -1;
  int error_ = 0; ///< errno of the first write that failed
  std::mutex mutex_;
  std::vector<DeviceInfo> devices_;
  std::vector<Ring> rings_; ///< of removed devices: without markers
  std::vector<Zone> zones_;
  HostRing host_;
  std::atomic<uint64_t> dropped_{0};
  // Reads in the background.
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

/// A call of the library as a zone of the calling thread. A null profiler costs one comparison.
class HostZone {
public:
  HostZone(Profiler *profiler, profile::HostCall call, uint32_t device) noexcept
      : profiler(profiler) {
    if (profiler) [[unlikely]] {
      zone = static_cast<uint32_t>(call);
      this->device = device;
      profiler->hostMarker(HostMarkerKind::ZoneBegin, zone, device);
    }
  }
  ~HostZone() {
    if (profiler) [[unlikely]]
      profiler->hostMarker(HostMarkerKind::ZoneEnd, zone, device);
  }
  HostZone(const HostZone &) = delete;
  HostZone &operator=(const HostZone &) = delete;

private:
  Profiler *const profiler;
  uint32_t zone = 0, device = 0;
};

} // namespace ttrt

struct ttrt_profiler {
  std::unique_ptr<ttrt::Profiler> profiler;
};

#endif // TTRT_LIB_OBSERVE_PROFILER_H

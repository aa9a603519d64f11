// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes logs of a profiler, good ones and others.

#ifndef TTC_TEST_UNIT_SUPPORT_LOGBUILDER_H
#define TTC_TEST_UNIT_SUPPORT_LOGBUILDER_H

#include "ttrt/format/profile_log.h"

#include <cstring>
#include <string>
#include <vector>

namespace ttrt {

class LogBuilder {
public:
  explicit LogBuilder(profile::ClockKind clock = profile::ClockKind::Tsc, uint64_t hostNs = 1000) {
    profile::StartRecord start{};
    memcpy(start.magic, profile::kLogMagic, sizeof(start.magic));
    start.version = profile::kLogVersion;
    start.deviceClock = clock;
    start.pid = 7;
    start.hostNs = hostNs;
    start.programs = 1000;
    strcpy(start.process, "test");
    add(profile::RecordKind::Start, bytesOf(start));
  }

  template <typename T> static std::string bytesOf(const T &value) {
    return {reinterpret_cast<const char *>(&value), sizeof(T)};
  }

  LogBuilder &add(profile::RecordKind kind, std::string payload) {
    payload.resize((payload.size() + 7) / 8 * 8);
    bytes += bytesOf(profile::RecordHeader{kind, static_cast<uint32_t>(payload.size())});
    bytes += payload;
    return *this;
  }
  LogBuilder &device(uint32_t number, const std::string &bundle, uint32_t cores = 1,
                     uint64_t hash = 0) {
    return add(profile::RecordKind::Device,
               bytesOf(profile::DeviceRecord{number, cores, 1, 0, 0, hash}) + bundle + '\0');
  }
  LogBuilder &ring(uint32_t number, uint32_t device = 0, uint32_t queue = 0, uint32_t core = 0) {
    return add(profile::RecordKind::Ring,
               bytesOf(profile::RingRecord{number, device, queue, core}));
  }
  /// `count` samples, `ticks` apart, of a clock that has `slope` nanoseconds per tick. `noise` is
  /// added and subtracted in turns.
  LogBuilder &clock(double slope = 1, double noise = 0, size_t count = profile::kClockSamples,
                    uint64_t first = 0, uint64_t ticks = 10000) {
    std::string payload;
    const uint64_t base = 1000 + static_cast<uint64_t>(slope * static_cast<double>(first));
    for (size_t i = 0; i < count; ++i) {
      const double host = 100 + slope * static_cast<double>(i * ticks) + (i % 2 ? noise : -noise);
      payload += bytesOf(
          profile::ClockSample{first + i * ticks, base - 100 + static_cast<uint64_t>(host)});
    }
    return add(profile::RecordKind::Clock, payload);
  }
  LogBuilder &markers(uint32_t ring, const std::vector<profile::Marker> &markers) {
    std::string payload =
        bytesOf(profile::MarkersRecord{ring, static_cast<uint32_t>(markers.size())});
    for (const profile::Marker &marker : markers)
      payload += bytesOf(marker);
    return add(profile::RecordKind::CoreMarkers, payload);
  }
  LogBuilder &host(const std::vector<profile::HostMarker> &markers) {
    std::string payload;
    for (const profile::HostMarker &marker : markers)
      payload += bytesOf(marker);
    return add(profile::RecordKind::HostMarkers, payload);
  }
  LogBuilder &zone(uint32_t number, const std::string &name, const std::string &file = "") {
    return add(profile::RecordKind::Zone,
               bytesOf(profile::ZoneRecord{number, 12, 0xff8800, 0}) + name + '\0' + file + '\0');
  }
  LogBuilder &counter(uint32_t number, const std::string &name, int32_t problem = 0) {
    return add(profile::RecordKind::Counter,
               bytesOf(profile::CounterRecord{number, problem, 0, 2, 0}) + name + '\0');
  }
  LogBuilder &text(uint64_t hostNs, profile::TextKind kind, const std::string &first,
                   const std::string &second = "", uint32_t thread = 1) {
    return add(profile::RecordKind::Text,
               bytesOf(profile::TextRecord{hostNs, kind, thread, 0x00ff00, 0}) + first + '\0' +
                   second + '\0');
  }
  LogBuilder &dropped(uint32_t ring, uint64_t count, uint32_t step = profile::kNone,
                      uint32_t command = profile::kNone,
                      profile::Dropper by = profile::Dropper::Ring) {
    return add(profile::RecordKind::Dropped,
               bytesOf(profile::DroppedRecord{ring, step, command, by, count}));
  }
  LogBuilder &end() { return add(profile::RecordKind::End, ""); }

  std::string bytes;
};

inline profile::Marker marker(uint64_t time, profile::MarkerKind kind, uint32_t id = 0,
                              uint16_t value = 0) {
  return {time, id, value, kind, 0};
}
inline profile::HostMarker hostMarker(uint64_t hostNs, profile::HostMarkerKind kind,
                                      uint32_t zone = 0, uint32_t thread = 1,
                                      uint32_t device = profile::kNone) {
  return {hostNs, thread, zone, device, kind, {}};
}

} // namespace ttrt

#endif // TTC_TEST_UNIT_SUPPORT_LOGBUILDER_H

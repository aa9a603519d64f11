// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Log.h"

#include <algorithm>

namespace ttrun::report {

using namespace ttrt::profile;

bool isSameMachine(const Log &a, const Log &b) {
  // When the host's clock began. The other clock may be set in between.
  auto origin = [](const Log &log) {
    return static_cast<int64_t>(log.start.wallNs - log.start.hostNs);
  };
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t distance =
      static_cast<int64_t>(static_cast<uint64_t>(origin(a)) - static_cast<uint64_t>(origin(b)));
  return distance > -kSecond && distance < kSecond && a.start.deviceClock == b.start.deviceClock;
}

bool areAtTheSameTime(const Log &a, const Log &b) {
  auto end = [](const Log &log) {
    return log.samples.empty() ? log.start.hostNs : log.samples.back().hostNs;
  };
  return a.start.hostNs <= end(b) && b.start.hostNs <= end(a);
}

static bool haveSameCounters(const Log &a, const Log &b) {
  return std::equal(a.counters.begin(), a.counters.end(), b.counters.begin(), b.counters.end(),
                    [](const CounterInfo &x, const CounterInfo &y) {
                      return x.name == y.name && x.isCounted() == y.isCounted();
                    });
}

/// Adds a recording of another process. Numbers of devices, rings, threads and zones count on.
static void addLog(Log &joined, Log &log) {
  const auto devices = static_cast<uint32_t>(joined.devices.size());
  const auto rings = static_cast<uint32_t>(joined.rings.size());
  uint32_t threads = 0;
  for (const HostMarker &marker : joined.hostMarkers)
    threads = std::max(threads, marker.thread + 1);
  for (const Text &text : joined.texts)
    threads = std::max(threads, text.thread + 1);
  const uint32_t zones = joined.zones.empty() ? 0 : joined.zones.rbegin()->first + 1 - kFirstZone;

  for (Device &device : log.devices) {
    device.info.device += devices;
    joined.devices.push_back(std::move(device));
  }
  for (Ring &ring : log.rings) {
    ring.info.ring += rings;
    ring.info.device += devices;
    joined.rings.push_back(std::move(ring));
  }
  for (auto &[number, zone] : log.zones)
    joined.zones.emplace(number + zones, std::move(zone));
  for (HostMarker marker : log.hostMarkers) {
    marker.thread += threads;
    if (marker.device != kNone)
      marker.device += devices;
    if (marker.kind != HostMarkerKind::Dropped && marker.zone >= kFirstZone)
      marker.zone += zones;
    joined.hostMarkers.push_back(marker);
  }
  for (Text &text : log.texts) {
    text.thread += threads;
    joined.texts.push_back(std::move(text));
  }
  for (DroppedRecord drop : log.drops) {
    if (drop.ring != kNone)
      drop.ring += rings;
    joined.drops.push_back(drop);
  }
  joined.samples.insert(joined.samples.end(), log.samples.begin(), log.samples.end());
  joined.hostDropped += log.hostDropped;
  joined.ended = joined.ended && log.ended;
  joined.cutBytes += log.cutBytes;
  joined.start.wallNs = std::min(joined.start.wallNs, log.start.wallNs);
  joined.start.hostNs = std::min(joined.start.hostNs, log.start.hostNs);
}

Log joinLogs(std::vector<Log> logs) {
  Log joined = std::move(logs.front());
  for (size_t i = 1; i < logs.size(); ++i) {
    if (!haveSameCounters(joined, logs[i]))
      throw LogError("the recordings of the mesh's processes count different events; expected the "
                     "same TTRT_PROFILE_COUNTERS in all of them");
    addLog(joined, logs[i]);
  }
  return joined;
}

} // namespace ttrun::report

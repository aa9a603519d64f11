// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of a recording, as tests of the recorder read it: every record must be whole and of a
// kind that profile_log.h describes. ttrun has a reader of its own, which tolerates more.

#ifndef TTC_TEST_UNIT_SUPPORT_PROFILELOG_H
#define TTC_TEST_UNIT_SUPPORT_PROFILELOG_H

#include "ReadFile.h"
#include "ttrt/format/profile_log.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace ttrt::test {

struct ProfileLog {
  struct Text {
    profile::TextRecord record;
    std::string first, second;
  };
  struct Zone {
    profile::ZoneRecord record;
    std::string name, file;
  };
  struct Device {
    profile::DeviceRecord record;
    std::string path;
  };

  struct Counter {
    profile::CounterRecord record;
    std::string name;
  };

  profile::StartRecord start{};
  std::vector<Counter> counters;
  std::vector<Device> devices;
  std::vector<profile::RingRecord> rings;
  std::vector<Zone> zones;
  std::vector<std::vector<profile::ClockSample>> clocks;
  std::map<uint32_t, std::vector<profile::Marker>> markers; ///< by ring
  std::vector<profile::HostMarker> host;
  std::vector<Text> texts;
  std::vector<profile::DroppedRecord> dropped;
  bool ended = false;

  /// Failures are test failures.
  explicit ProfileLog(const std::string &folder) {
    const std::vector<char> bytes = readFile(folder + "/" + profile::kLogName);
    size_t at = 0;
    while (at < bytes.size()) {
      profile::RecordHeader header;
      if (at + sizeof(header) > bytes.size()) {
        ADD_FAILURE() << "cut off at " << at;
        return;
      }
      memcpy(&header, &bytes[at], sizeof(header));
      at += sizeof(header);
      if (header.bytes % 8 || header.bytes > bytes.size() - at) {
        ADD_FAILURE() << "a record of " << header.bytes << " bytes at " << at;
        return;
      }
      EXPECT_FALSE(ended) << "a record after the end";
      add(header.kind, bytes.data() + at, header.bytes);
      at += header.bytes;
    }
  }

  /// The number of markers of a kind, on all rings.
  size_t count(profile::MarkerKind kind) const {
    size_t number = 0;
    for (const auto &[ring, list] : markers)
      for (const profile::Marker &marker : list)
        number += marker.kind == kind;
    return number;
  }
  uint64_t droppedMarkers() const {
    uint64_t number = 0;
    for (const profile::DroppedRecord &record : dropped)
      number += record.count;
    return number;
  }

private:
  template <typename T> static T take(const char *&data, const char *end) {
    T value{};
    if (static_cast<size_t>(end - data) < sizeof(T)) {
      ADD_FAILURE() << "a record is too short";
      return value;
    }
    memcpy(&value, data, sizeof(T));
    data += sizeof(T);
    return value;
  }
  static std::string takeText(const char *&data, const char *end) {
    const std::string text(data, strnlen(data, static_cast<size_t>(end - data)));
    data = std::min(end, data + text.size() + 1);
    return text;
  }
  void add(profile::RecordKind kind, const char *data, size_t bytes) {
    using namespace profile;
    const char *const end = data + bytes;
    switch (kind) {
    case RecordKind::Start:
      start = take<StartRecord>(data, end);
      return;
    case RecordKind::Device: {
      const auto record = take<DeviceRecord>(data, end);
      devices.push_back({record, takeText(data, end)});
      return;
    }
    case RecordKind::Ring:
      rings.push_back(take<RingRecord>(data, end));
      return;
    case RecordKind::Zone: {
      const auto record = take<ZoneRecord>(data, end);
      const std::string name = takeText(data, end);
      zones.push_back({record, name, takeText(data, end)});
      return;
    }
    case RecordKind::Clock:
      clocks.emplace_back();
      while (data < end)
        clocks.back().push_back(take<ClockSample>(data, end));
      return;
    case RecordKind::CoreMarkers: {
      const auto record = take<MarkersRecord>(data, end);
      for (uint32_t i = 0; i < record.count; ++i)
        markers[record.ring].push_back(take<Marker>(data, end));
      return;
    }
    case RecordKind::HostMarkers:
      while (data < end)
        host.push_back(take<HostMarker>(data, end));
      return;
    case RecordKind::Text: {
      const auto record = take<TextRecord>(data, end);
      const std::string first = takeText(data, end);
      texts.push_back({record, first, takeText(data, end)});
      return;
    }
    case RecordKind::Dropped:
      dropped.push_back(take<DroppedRecord>(data, end));
      return;
    case RecordKind::Counter: {
      const auto record = take<CounterRecord>(data, end);
      counters.push_back({record, takeText(data, end)});
      return;
    }
    case RecordKind::End:
      ended = true;
      return;
    }
    ADD_FAILURE() << "a record of unknown kind " << static_cast<uint32_t>(kind);
  }
};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_PROFILELOG_H

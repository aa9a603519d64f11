// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings of the processes of a mesh, as one.

#include "Profile/Log.h"
#include "test/unit/Support/LogBuilder.h"

#include <gtest/gtest.h>

using namespace ttrt;
using namespace ttrt::profile;
using namespace ttrun::report;

static LogBuilder recording(const std::string &name) {
  LogBuilder log;
  log.device(0, name + ".ttcb").ring(0).zone(kFirstZone, name).clock();
  log.markers(0, {marker(10, MarkerKind::StreamBegin)}).dropped(0, 2).dropped(kNone, 3);
  log.host({hostMarker(5, HostMarkerKind::ZoneBegin, kFirstZone, 4, 0),
            hostMarker(6, HostMarkerKind::ZoneBegin, 1, 0, kNone),
            hostMarker(7, HostMarkerKind::Dropped, kFirstZone + 7, 4)});
  return log.text(8, TextKind::Message, name, "", 4);
}

TEST(JoinLogs, NumbersCountOn) {
  const Log joined = joinLogs({parseLog(recording("a").end().bytes), parseLog(recording("b").bytes),
                               parseLog(recording("c").end().bytes)});
  ASSERT_EQ(joined.devices.size(), 3);
  ASSERT_EQ(joined.rings.size(), 3);
  EXPECT_EQ(joined.samples.size(), 3 * kClockSamples);
  EXPECT_EQ(joined.drops.size(), 6);
  EXPECT_EQ(joined.dropped(), 6 + 9);
  EXPECT_FALSE(joined.ended) << "one of them was not closed";
  for (uint32_t i = 0; i < 3; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    EXPECT_EQ(joined.devices[i].info.device, i);
    EXPECT_EQ(joined.devices[i].bundle, name + ".ttcb");
    EXPECT_EQ(joined.rings[i].info.ring, i);
    EXPECT_EQ(joined.rings[i].info.device, i);
    EXPECT_EQ(joined.rings[i].markers.size(), 1);
    EXPECT_EQ(joined.drops[2 * i].ring, i);
    EXPECT_EQ(joined.drops[2 * i + 1].ring, kNone);
    const HostMarker *host = &joined.hostMarkers[3 * i];
    EXPECT_EQ(joined.zoneName(host[0].zone), name);
    EXPECT_EQ(host[0].device, i);
    EXPECT_EQ(host[0].thread, 4 + 5 * i);
    EXPECT_EQ(host[1].zone, 1) << "calls of the library have the same numbers everywhere";
    EXPECT_EQ(host[1].device, kNone);
    EXPECT_EQ(host[2].zone, kFirstZone + 7) << "a number of markers";
    EXPECT_EQ(joined.texts[i].first, name);
    EXPECT_EQ(joined.texts[i].thread, host[0].thread);
  }
}

TEST(JoinLogs, EventsMustBeTheSame) {
  auto counting = [](const std::string &name, int32_t problem = 0) {
    LogBuilder log;
    return parseLog(log.counter(0, name, problem).bytes);
  };
  EXPECT_EQ(joinLogs({counting("cycles"), counting("cycles")}).counters.size(), 1);
  EXPECT_THROW(joinLogs({counting("cycles"), counting("faults")}), LogError);
  EXPECT_THROW(joinLogs({counting("cycles"), counting("cycles", 13)}), LogError);
  EXPECT_THROW(joinLogs({counting("cycles"), parseLog(LogBuilder().bytes)}), LogError);
}

TEST(JoinLogs, MachinesAndTimesAreTold) {
  auto at = [](uint64_t wallNs, uint64_t hostNs, uint64_t end) {
    Log log;
    log.start.wallNs = wallNs;
    log.start.hostNs = hostNs;
    log.samples = {{0, hostNs}, {0, end}};
    return log;
  };
  constexpr uint64_t s = 1'000'000'000;
  EXPECT_TRUE(isSameMachine(at(100 * s, 10 * s, 0), at(130 * s + 1000, 40 * s, 0)));
  EXPECT_FALSE(isSameMachine(at(100 * s, 10 * s, 0), at(100 * s, 12 * s, 0)));
  EXPECT_FALSE(isSameMachine(at(100 * s, 12 * s, 0), at(100 * s, 10 * s, 0)));
  EXPECT_TRUE(areAtTheSameTime(at(0, 10, 20), at(0, 19, 30)));
  EXPECT_TRUE(areAtTheSameTime(at(0, 19, 30), at(0, 10, 20)));
  EXPECT_FALSE(areAtTheSameTime(at(0, 10, 20), at(0, 21, 30)));
  EXPECT_FALSE(areAtTheSameTime(at(0, 21, 30), at(0, 10, 20)));
}

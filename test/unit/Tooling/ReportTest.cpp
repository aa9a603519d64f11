// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of logs that are written here: reading, pairing, clocks, and what time was spent on.

#include "Profile/Analysis.h"
#include "Profile/Files.h"
#include "Profile/Summary.h"
#include "test/unit/Support/LogBuilder.h"
#include "test/unit/Support/Rounds.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ttrt;
using namespace ttrt::profile;
using namespace ttrun::report;

using K = MarkerKind;
using H = HostMarkerKind;

/// Two cores that run two commands in each of two streams, around a transfer; zones, texts, drops.
static LogBuilder wholeLog() {
  LogBuilder log;
  log.clock().counter(0, "cycles").counter(1, "raw:0x1");
  log.device(0, "/nonexistent.ttcb", 2).ring(0, 0, 0, 0).ring(1, 0, 0, 1);
  log.zone(kFirstZone, "request", "app.cpp");
  log.host({hostMarker(1000, H::Frame, kFirstZone), hostMarker(1000, H::ZoneBegin, kFirstZone),
            hostMarker(1010, H::ZoneBegin, 1, 1, 0), hostMarker(2950, H::ZoneEnd, 1, 1, 0),
            hostMarker(3000, H::ZoneEnd)});
  log.text(1020, TextKind::Signpost, "measured, \"here\"", "10 runs");
  log.text(1030, TextKind::Message, "hello");
  log.text(1040, TextKind::ZoneText, "batch 3");
  for (uint32_t core : {0u, 1u}) {
    std::vector<Marker> markers;
    if (core == 0) {
      markers.push_back(marker(20, K::StepBegin, 4));
      markers.push_back(marker(50, K::StepEnd, 4));
    }
    for (uint16_t stream : {uint16_t(0), uint16_t(1)}) {
      const uint64_t at = 100 + 1000u * stream;
      markers.push_back(marker(at, K::StreamBegin, 9, stream));
      markers.push_back(marker(at + 10, K::CommandBegin, 0));
      markers.push_back(marker(100, K::CounterTime, 100));
      markers.push_back(marker(70, K::Counter, 0));
      markers.push_back(marker(30, K::Counter, 1));
      markers.push_back(marker(at + 110 + 100 * core, K::CommandEnd, 0));
      markers.push_back(marker(at + 220, K::CommandBegin, 1));
      markers.push_back(marker(at + 230, K::ZoneBegin, nameHash("request", 7)));
      markers.push_back(marker(at + 240, K::Data, 5));
      markers.push_back(marker(1234567, K::Payload));
      markers.push_back(marker(at + 250, K::ZoneEnd, nameHash("request", 7)));
      markers.push_back(marker(77, K::ZoneTotal, 6));
      markers.push_back(marker(at + 320, K::CommandEnd, 1));
      markers.push_back(marker(at + 400, K::StreamEnd, 9));
    }
    log.markers(core, markers);
  }
  return log.dropped(1, 5, 9, 1).dropped(kNone, 3).dropped(1, 2).end();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TEST(LogReader, ReadsEverything) {
  const Log log = parseLog(wholeLog().bytes);
  EXPECT_TRUE(log.ended);
  EXPECT_EQ(log.cutBytes, 0u);
  EXPECT_EQ(log.process, "test");
  EXPECT_EQ(log.start.pid, 7u);
  ASSERT_EQ(log.devices.size(), 1u);
  EXPECT_EQ(log.devices[0].bundle, "/nonexistent.ttcb");
  EXPECT_EQ(log.devices[0].info.cores, 2u);
  ASSERT_EQ(log.rings.size(), 2u);
  EXPECT_EQ(log.rings[0].markers.size(), 30u);
  EXPECT_EQ(log.rings[1].markers.size(), 28u);
  EXPECT_EQ(log.rings[1].dropped, 7u);
  EXPECT_EQ(log.hostDropped, 3u);
  EXPECT_EQ(log.dropped(), 10u);
  EXPECT_EQ(log.samples.size(), kClockSamples);
  EXPECT_EQ(log.hostMarkers.size(), 5u);
  EXPECT_EQ(log.zoneName(kFirstZone), "request");
  EXPECT_EQ(log.zoneName(static_cast<uint32_t>(HostCall::Run)), "run");
  ASSERT_EQ(log.texts.size(), 3u);
  EXPECT_EQ(log.texts[0].second, "10 runs");
}

/// The message of the error, "" if there is none.
static std::string errorOf(const std::string &bytes) {
  try {
    (void)analyse(parseLog(bytes), "");
  } catch (const LogError &error) {
    return error.what();
  }
  return "";
}

/// Whatever remains of a log is read, except for its first record, which has to be there.
TEST(LogReader, ReadsLogsCutAnywhere) {
  const std::string bytes = wholeLog().bytes;
  const size_t first = sizeof(RecordHeader) + sizeof(StartRecord);
  size_t spans = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    if (size < first) {
      EXPECT_NE(errorOf(cut), "") << size;
      continue;
    }
    const Analysis analysis = analyse(parseLog(cut), "");
    EXPECT_FALSE(analysis.log.ended);
    EXPECT_GE(analysis.spans, spans) << "at " << size;
    spans = analysis.spans;
  }
  EXPECT_GT(spans, 10u);
}

TEST(LogReader, SaysWhatIsWrong) {
  auto expect = [](const LogBuilder &log, const char *message) {
    EXPECT_NE(errorOf(log.bytes).find(message), std::string::npos)
        << "found: " << errorOf(log.bytes) << "\nexpected: " << message;
  };
  EXPECT_NE(errorOf("").find("found 0 bytes"), std::string::npos);
  EXPECT_NE(errorOf(std::string(1000, 'x')).find("not a profile log"), std::string::npos);
  LogBuilder version;
  version.bytes[sizeof(RecordHeader) + 8] = 4;
  expect(version, "version 4; expected 1 to 3");
  LogBuilder clock;
  clock.bytes[sizeof(RecordHeader) + 12] = 9;
  expect(clock, "unknown clock 9");
  expect(LogBuilder().add(static_cast<RecordKind>(99), ""), "unknown kind of record 99");
  expect(LogBuilder().device(1, "a"), "expected device 0; found device 1");
  expect(LogBuilder().ring(0), "ring 0 is of device 0; the log has 0 device(s)");
  expect(LogBuilder().device(0, "a").ring(1), "expected ring 0; found ring 1");
  expect(LogBuilder().markers(0, {}), "markers of ring 0; the log has 0 ring(s)");
  expect(LogBuilder().dropped(3, 1), "dropped markers of ring 3");
  expect(LogBuilder().dropped(kNone, UINT64_MAX), "is too large");
  expect(LogBuilder().zone(3, "a"), "zone 'a' has number 3; expected at least 256");
  expect(LogBuilder().zone(300, "a").zone(300, "b"), "zone 300 is there twice");
  expect(LogBuilder().end().end(), "expected the end of the file");
  expect(LogBuilder().device(0, "a").ring(0).markers(0, {marker(0, static_cast<K>(15))}),
         "marker 0 has the unknown kind 15");
  expect(LogBuilder().counter(1, "cycles"), "expected counter 0 of at most 16; found counter 1");
  expect(LogBuilder().counter(0, "a").device(0, "a").ring(0).markers(
             0, {marker(5, K::Counter, 0), marker(5, K::Counter, 1)}),
         "marker 1 is of counter 1; the log has 1 before it");
  expect(LogBuilder().host({hostMarker(0, static_cast<H>(4))}), "unknown kind 4");
  expect(LogBuilder().text(0, static_cast<TextKind>(3), "a"), "unknown kind of text 3");
  expect(LogBuilder().add(RecordKind::Ring, "x"), "expected a ring, 16 bytes; found 8 bytes");
  expect(LogBuilder().device(0, "a").ring(0).add(RecordKind::CoreMarkers,
                                                 LogBuilder::bytesOf(MarkersRecord{0, 1000000000})),
         "expected 1000000000 markers, 16 bytes each; found 0 bytes");
  const std::string unended = LogBuilder::bytesOf(DeviceRecord{}) + "12345678";
  expect(LogBuilder().add(RecordKind::Device, unended), "ends with a zero byte");
  LogBuilder second;
  expect(second.add(RecordKind::Start, second.bytes.substr(8)), "second start");
  expect(LogBuilder().device(0, "a").ring(0).markers(0, {marker(1, K::Record)}),
         "0 sample(s) of both clocks");
  expect(LogBuilder().clock(1, 0, 10, 5, 0), "define no clock rate");
}

/// Bytes that change make another log or an error, and every report of it can be written.
TEST(LogReader, SurvivesChangedBytes) {
  const std::string bytes = wholeLog().bytes;
  std::mt19937 random(1);
  unsigned reports = 0, errors = 0;
  for (int i = 0; i < ttrt::test::rounds(4000); ++i) {
    std::string changed = bytes;
    for (unsigned k = 0; k < 1 + random() % 3; ++k)
      changed[random() % bytes.size()] = static_cast<char>(random() % 3 ? random() : 0xff);
    try {
      const Analysis analysis = analyse(parseLog(changed), "");
      const std::string all = opsCsv(analysis) + markersCsv(analysis) + timelineJson(analysis) +
                              summaryJson(analysis, summarise(analysis), "");
      reports += !all.empty();
    } catch (const LogError &) {
      ++errors;
    }
  }
  EXPECT_GT(reports, unsigned(ttrt::test::rounds(1000)));
  EXPECT_GT(errors, unsigned(ttrt::test::rounds(100)));
}

/// Markers in any order, which a program that goes wrong may write.
TEST(LogReader, SurvivesAnyMarkers) {
  const K kinds[] = {K::StreamBegin, K::StreamEnd, K::CommandBegin, K::CommandEnd, K::StepBegin,
                     K::StepEnd,     K::ZoneBegin, K::ZoneEnd,      K::ZoneBegin,  K::ZoneEnd,
                     K::ZoneTotal,   K::Data,      K::Payload,      K::Event,      K::Invalid,
                     K::Dropped,     K::WaitBegin, K::WaitEnd,      K::Record};
  std::mt19937 random(2);
  uint64_t zones = 0;
  for (int i = 0; i < ttrt::test::rounds(3000); ++i) {
    std::vector<Marker> markers;
    uint64_t time = 100;
    for (unsigned k = random() % 40; k; --k)
      markers.push_back(marker(time += random() % 9, kinds[random() % std::size(kinds)],
                               random() % 3, random() % 3));
    if (random() % 4 == 0)
      std::shuffle(markers.begin(), markers.end(), random);
    LogBuilder log;
    log.clock().device(0, "/nonexistent.ttcb").ring(0).markers(0, markers);
    const Analysis a = analyse(parseLog(log.bytes), "");
    const Summary summary = summarise(a);
    for (const ZoneSum &zone : summary.zones)
      zones += zone.count;
    EXPECT_FALSE((opsCsv(a) + markersCsv(a) + timelineJson(a) + summaryJson(a, summary, "") +
                  pageHtml(a, summary))
                     .empty());
  }
  EXPECT_GT(zones, uint64_t(ttrt::test::rounds(1000)));
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

TEST(ClockFit, FindsTheLine) {
  const double slope = 0.385;
  const ClockFit fit = fitClock(parseLog(LogBuilder().clock(slope, 20).bytes));
  EXPECT_EQ(fit.samples, kClockSamples);
  EXPECT_NEAR(fit.slope, slope, 1e-6);
  // Times are whole nanoseconds.
  EXPECT_NEAR(fit.rms, 20, 1);
  EXPECT_NEAR(fit.largest, 20, 2);
  EXPECT_NEAR(static_cast<double>(fit.host(1000000)), 1000 + slope * 1e6, 2);
  EXPECT_GT(fit.slopeError, 0);
  EXPECT_LT(fit.slopeError, 1e-5);
}

/// Both clocks may have counted for years.
TEST(ClockFit, KeepsPrecisionFarFromZero) {
  const uint64_t first = uint64_t(1) << 58;
  const ClockFit fit = fitClock(parseLog(LogBuilder().clock(0.5, 0, 249, first).bytes));
  EXPECT_NEAR(fit.slope, 0.5, 1e-9);
  EXPECT_EQ(fit.host(first + 20000) - fit.host(first), 10000);
}

TEST(ClockFit, TakesTheHostsClockAsItIs) {
  LogBuilder log(ClockKind::Host);
  log.clock(1, 3).device(0, "a").ring(0).markers(0, {marker(123456, K::Record)});
  const ClockFit fit = fitClock(parseLog(log.bytes));
  EXPECT_EQ(fit.slope, 1);
  EXPECT_EQ(fit.host(123456), 123456);
}

//===----------------------------------------------------------------------===//
// Pairing
//===----------------------------------------------------------------------===//

static RingZones zonesOf(const std::vector<Marker> &markers) {
  Ring ring{};
  ring.markers = markers;
  return pairMarkers(ring);
}

TEST(Pairing, KnowsWhatIsInside) {
  const Log log = parseLog(wholeLog().bytes);
  const RingZones zones = pairMarkers(log.rings[1]);
  ASSERT_EQ(zones.spans.size(), 8u);
  EXPECT_EQ(zones.unmatchedBegins + zones.unmatchedEnds + zones.missing, 0u);
  const Span &zone = zones.spans[3], &command = zones.spans[2], &stream = zones.spans[0];
  EXPECT_EQ(zone.kind, K::ZoneBegin);
  EXPECT_EQ(zone.end - zone.begin, 20u);
  EXPECT_EQ(zone.parent, 2u);
  EXPECT_EQ(command.kind, K::CommandBegin);
  EXPECT_EQ(command.id, 1u);
  EXPECT_EQ(command.parent, 0u);
  EXPECT_EQ(stream.parent, kNone);
  ASSERT_EQ(zones.instants.size(), 4u);
  EXPECT_EQ(zones.instants[0].kind, K::Data);
  EXPECT_EQ(zones.instants[0].payload, 1234567u);
  EXPECT_EQ(zones.instants[0].parent, 3u);
  EXPECT_EQ(zones.instants[1].kind, K::ZoneTotal);
  EXPECT_EQ(zones.instants[1].time, 77u);
  EXPECT_EQ(zones.instants[1].parent, 2u);
}

TEST(Pairing, CountsWhatIsIncomplete) {
  // The first stream's end, the second one's begin and a command's begin are missing.
  const RingZones zones =
      zonesOf({marker(1, K::StreamBegin, 3, 0), marker(2, K::CommandBegin, 0),
               marker(3, K::CommandEnd, 0), marker(3, K::Dropped, 4), marker(4, K::CommandEnd, 1),
               marker(5, K::StreamEnd, 5), marker(6, K::StreamBegin, 3, 2),
               marker(7, K::StreamEnd, 3), marker(8, K::ZoneBegin, 1), marker(9, K::Payload)});
  EXPECT_EQ(zones.missing, 4u);
  EXPECT_EQ(zones.unmatchedBegins, 2u); // a stream, the last zone
  EXPECT_EQ(zones.unmatchedEnds, 3u);   // a command, a stream, a payload without data
  ASSERT_EQ(zones.spans.size(), 2u);
  EXPECT_EQ(zones.spans[0].kind, K::CommandBegin);
  EXPECT_EQ(zones.spans[0].parent, kNone); // its stream has no end
  EXPECT_EQ(zones.spans[1].streams, 2u);
}

TEST(Pairing, NestsZonesOfOneName) {
  const RingZones zones = zonesOf({marker(1, K::ZoneBegin, 1), marker(2, K::ZoneBegin, 1),
                                   marker(3, K::ZoneEnd, 1), marker(4, K::ZoneEnd, 1)});
  ASSERT_EQ(zones.spans.size(), 2u);
  EXPECT_EQ(zones.spans[0].end, 4u);
  EXPECT_EQ(zones.spans[1].end, 3u);
  EXPECT_EQ(zones.spans[1].parent, 0u);
}

TEST(Pairing, BoundsTheDepthOfZones) {
  std::vector<Marker> markers(100000, marker(1, K::ZoneBegin, 1));
  markers.resize(200000, marker(2, K::ZoneEnd, 2));
  const RingZones zones = zonesOf(markers);
  EXPECT_EQ(zones.unmatchedBegins, 100000u);
  EXPECT_EQ(zones.unmatchedEnds, 100000u);
}

TEST(Pairing, CountsStreamsBeyondTheirBits) {
  std::vector<Marker> markers;
  for (uint64_t i = 65530; i < 65545; ++i) {
    markers.push_back(marker(2 * i, K::StreamBegin, 0, static_cast<uint16_t>(i)));
    markers.push_back(marker(2 * i + 1, K::StreamEnd, 0));
  }
  const RingZones zones = zonesOf(markers);
  ASSERT_EQ(zones.spans.size(), 15u);
  for (uint64_t i = 0; i < 15; ++i)
    EXPECT_EQ(zones.spans[i].streams, 65530 + i);
}

TEST(Pairing, KeepsThreadsApart) {
  LogBuilder log;
  log.host({hostMarker(1, H::ZoneBegin, 1, 1), hostMarker(2, H::ZoneBegin, 2, 5),
            hostMarker(3, H::ZoneEnd, 1, 1), hostMarker(4, H::ZoneBegin, 300, 5),
            hostMarker(5, H::ZoneEnd, 0, 5), hostMarker(6, H::ZoneEnd, 2, 5),
            hostMarker(7, H::ZoneEnd, 2, 5), hostMarker(8, H::ZoneBegin, 3, 1)});
  const HostZones zones = pairHostMarkers(parseLog(log.bytes));
  ASSERT_EQ(zones.spans.size(), 3u);
  EXPECT_EQ(zones.spans[0].end, 3u);
  EXPECT_EQ(zones.spans[1].end, 6u);
  EXPECT_EQ(zones.spans[2].end, 5u);
  EXPECT_EQ(zones.spans[2].parent, 1u);
  EXPECT_EQ(zones.threads, (std::vector<uint32_t>{1, 5}));
  EXPECT_EQ(zones.unmatchedBegins, 1u);
  EXPECT_EQ(zones.unmatchedEnds, 1u);
}

TEST(Pairing, GivesTextsToTheInnermostZone) {
  const HostZones zones = pairHostMarkers(parseLog(wholeLog().bytes));
  ASSERT_EQ(zones.spans.size(), 2u);
  EXPECT_EQ(zones.spans[0].text, "");
  EXPECT_EQ(zones.spans[1].text, "batch 3");
  ASSERT_EQ(zones.frames.size(), 1u);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

TEST(Analysis, MeasuresEachExecution) {
  const Analysis a = analyse(parseLog(wholeLog().bytes), "");
  EXPECT_FALSE(a.models[0].known);
  ASSERT_EQ(a.executions.size(), 2u);
  EXPECT_EQ(a.executions[1].session, 2u);
  ASSERT_EQ(a.ops.size(), 4u);
  const OpRun &first = a.ops[0], &second = a.ops[1];
  EXPECT_EQ(first.cores, 2u);
  EXPECT_EQ(first.least, 100);
  EXPECT_EQ(first.most, 200);
  EXPECT_EQ(first.sum, 300);
  EXPECT_EQ(first.begin, 1110);
  EXPECT_EQ(first.end, 1310);
  EXPECT_FALSE(first.hasLatency);
  EXPECT_EQ(second.latency, 10);
  EXPECT_EQ(a.ops[2].latency, 690);
}

/// Every nanosecond counts once, and the ops' shares add up to the time of ops.
TEST(Analysis, UsesAddUpToTheWholeTime) {
  const Analysis a = analyse(parseLog(wholeLog().bytes), "");
  const DeviceTimes &times = a.times[0];
  EXPECT_EQ(times.begin, 1010); // the call of run
  EXPECT_EQ(times.end, 2950);
  auto use = [&](Use use) { return times.uses[static_cast<size_t>(use)]; };
  EXPECT_EQ(use(Use::Ops), 600);
  EXPECT_EQ(use(Use::Sync), 200);
  EXPECT_EQ(use(Use::Transfers), 30);
  EXPECT_EQ(use(Use::Library), 1110);
  EXPECT_EQ(use(Use::Outside), 0);
  double uses = 0, shares = 0;
  for (double part : times.uses)
    uses += part;
  EXPECT_EQ(uses, times.span());
  EXPECT_NEAR(times.coreUse(), 1000. / (2 * 600), 1e-9); // core 0: 2 x 200, core 1: 2 x 300
  for (const OpRun &op : a.ops)
    shares += op.share;
  EXPECT_NEAR(shares, use(Use::Ops), 1e-6);
  ASSERT_EQ(times.iterations.size(), 1u);
  EXPECT_EQ(times.iterations[0], 1000);
  EXPECT_EQ(times.causesOfIterations[0], (CauseTimes{400, 0, 0, 600, 0}));
}

TEST(Analysis, DividesTimeAmongOpsOfDifferentQueues) {
  LogBuilder log;
  log.clock().device(0, "/nonexistent.ttcb").ring(0, 0, 0, 0).ring(1, 0, 1, 0);
  for (uint32_t queue : {0u, 1u})
    log.markers(queue,
                {marker(100, K::StreamBegin, queue), marker(100, K::CommandBegin, 0),
                 marker(200 + 100 * queue, K::CommandEnd, 0), marker(300, K::StreamEnd, queue)});
  const Analysis a = analyse(parseLog(log.bytes), "");
  ASSERT_EQ(a.ops.size(), 2u);
  EXPECT_NEAR(a.ops[0].share, 50, 1e-9);
  EXPECT_NEAR(a.ops[1].share, 150, 1e-9);
}

/// The host dispatches one command at a time: no stream says which belong together.
TEST(Analysis, JoinsTheCoresOfDispatchedCommands) {
  LogBuilder log;
  log.clock().device(0, "/nonexistent.ttcb", 2).ring(0, 0, 0, 0).ring(1, 0, 0, 1);
  for (uint32_t core : {0u, 1u}) {
    std::vector<Marker> markers;
    for (uint64_t i = 0; i < 3; ++i) {
      const uint64_t at = 1000 * i + 20 * core;
      markers.push_back(marker(at, K::StepBegin, 1));
      markers.push_back(marker(at + 1, K::CommandBegin, 2));
      markers.push_back(marker(at + 11, K::CommandEnd, 2));
      markers.push_back(marker(at + 12, K::StepEnd, 1));
    }
    log.markers(core, markers);
  }
  const Analysis a = analyse(parseLog(log.bytes), "");
  ASSERT_EQ(a.ops.size(), 3u);
  for (const OpRun &op : a.ops) {
    EXPECT_EQ(op.cores, 2u);
    EXPECT_EQ(op.end - op.begin, 30);
    EXPECT_EQ(op.execution, kNone);
  }
  EXPECT_TRUE(a.steps.empty());
}

TEST(Analysis, SpreadsAreRobust) {
  const Spread spread = spreadOf({5, 1, 4, 2, 1000});
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.median, 4);
  EXPECT_EQ(spread.p90, 1000);
  EXPECT_NEAR(spread.deviation, 1.4826 * 2, 1e-9);
  EXPECT_EQ(spreadOf({}).error(), 0);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST(Report, CsvHasARowForEverything) {
  const std::string csv = opsCsv(analyse(parseLog(wholeLog().bytes), ""));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 1 + 1 + 4);
  EXPECT_NE(csv.find("\n\"measured, \"\"here\"\"\",signpost,,,,10 runs,"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\nstep,transfer,1,0,0,step 4,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nstep 9 command 0,device,2,0,0,"), std::string::npos) << csv;
}

TEST(Report, MarkersKeepAllThatWasRecorded) {
  const std::string csv = markersCsv(analyse(parseLog(wholeLog().bytes), ""));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 30 + 28);
  EXPECT_NE(csv.find("\n0,0,1,1,110,110,command-begin,0,0,step 9 command 0\n"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",data,5,0,zone 0x00000005\n0,0,1,1,1234567,,payload,0,0,\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\n0,0,1,1,77,77,zone-total,6,0,zone 0x00000006\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",zone-begin," + std::to_string(nameHash("request", 7)) + ",0,request\n"),
            std::string::npos)
      << csv;
}

/// Tracy takes only those for frames that say so.
TEST(Report, TimelineNamesFrames) {
  const std::string timeline = timelineJson(analyse(parseLog(wholeLog().bytes), ""));
  EXPECT_NE(timeline.find("\"cat\": \"frame\", \"name\": \"frame request\", \"ts\": 0.0001,"),
            std::string::npos)
      << timeline;
}

TEST(Report, NamesDropsWithTheRemedy) {
  const std::vector<std::string> lines = warningsOf(analyse(parseLog(wholeLog().bytes), ""));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "7 markers of device 0, queue 0, core 1 were dropped, from step 9 command 1 "
                      "(command 1) on");
  EXPECT_EQ(lines[1], "3 markers of the host were dropped");
  EXPECT_NE(lines[2].find("room for more than 1000 commands (--profile-programs, "),
            std::string::npos);
}

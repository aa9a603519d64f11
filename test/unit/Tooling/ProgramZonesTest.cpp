// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Markers that programs write about themselves, from the program to the report: each kind, exact
// numbers of what is missing, and results that do not depend on any of it.

#include "Observe/ProgramZones.h"
#include "Profile/Analysis.h"
#include "Profile/Files.h"
#include "Profile/Report.h"
#include "Profile/Summary.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/Recordings.h"
#include "test/unit/Support/ScriptBundle.h"

#include <fmt/format.h>

using namespace ttrt;
using namespace ttrt::profile;
using namespace ttrt::test;
using ttrun::report::Analysis;
using ttrun::report::RingZones;
using ttrun::report::Span;
using ttrun::report::Summary;
using ttrun::report::ZoneSum;

namespace {

class ProgramZones : public Recordings {
protected:
  static constexpr uint64_t kRuns = 3;

  /// Records some runs and reads the log.
  void record(const Script &script, uint32_t cores, uint32_t programs = 0, bool noTrace = false,
              bool onHost = false) {
    open(programs);
    const TemporaryFile file{scriptBundle(script, onHost).finish()};
    {
      Loaded loaded(file.path(), device(cores));
      const std::vector<float> input = ramp(kSampleElements);
      for (uint64_t i = 0; i < kRuns; ++i) {
        const std::vector<float> output = loaded.run(input, kSampleElements, noTrace);
        for (size_t j = 0; j < kSampleElements; ++j)
          ASSERT_EQ(output[j], onHost ? input[j] + 1 : (input[j] + 1) + 1);
      }
    }
    ttrt_profiler_read(profiler, nullptr);
    reported = ttrt_profiler_dropped(profiler);
    const std::string folder = ttrt_profiler_folder(profiler);
    (void)log();
    a = ttrun::report::analyse(ttrun::report::readLog(folder + "/" + kLogName), "");
    ASSERT_TRUE(a.models.at(0).known) << a.models[0].problem;
    summary = summarise(a);
  }

  const ZoneSum &sum(const std::string &name, MarkerKind kind = MarkerKind::ZoneBegin) const {
    static const ZoneSum none{};
    for (const ZoneSum &zone : summary.zones)
      if (zone.zone == name && zone.kind == kind)
        return zone;
    ADD_FAILURE() << "no zone " << name;
    return none;
  }
  bool has(const std::string &text, const std::string &part) const {
    return text.find(part) != std::string::npos;
  }
  std::string warnings() const {
    std::string all;
    for (const std::string &line : warningsOf(a))
      all += line + "\n";
    return all;
  }
  std::string text() const {
    testing::internal::CaptureStdout();
    printSummary(a, summary, "folder", {});
    fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }
  /// All of the kind are in a command with markers.
  void checkCommands(const RingZones &zones) {
    for (const Span &span : zones.spans) {
      if (span.kind != MarkerKind::ZoneBegin)
        continue;
      const uint32_t command = zones.around(span.parent);
      ASSERT_NE(command, kNone);
      EXPECT_EQ(zones.spans[command].kind, MarkerKind::CommandBegin);
      EXPECT_TRUE(zones.spans[command].id == kFirst || zones.spans[command].id == kSecond);
      EXPECT_GE(span.begin, zones.spans[command].begin);
      EXPECT_LE(span.end, zones.spans[command].end);
    }
  }

  uint64_t reported = 0;
  Analysis a;
  Summary summary;
};

TEST_F(ProgramZones, AreInTheReport) {
  record({{Begin, "outer"}, {Begin, "inner"}, {End, "inner"}, {End, "outer"}}, 3);
  EXPECT_EQ(a.unmatchedBegins + a.unmatchedEnds + reported, 0u);
  const ZoneSum &outer = sum("outer"), &inner = sum("inner");
  EXPECT_EQ(outer.count, kRuns * kScripts * kGrid);
  EXPECT_EQ(inner.count, kRuns * kScripts * kGrid);
  EXPECT_EQ(outer.program, "test_script");
  EXPECT_EQ(outer.time.count, kRuns * kScripts * 3); // commands and cores
  EXPECT_GE(outer.time.sum, inner.time.sum);
  EXPECT_GT(inner.time.sum, 0);
  EXPECT_GT(outer.share, 0);
  EXPECT_LE(outer.share, 1);
  for (const RingZones &zones : a.rings) {
    checkCommands(zones);
    for (const Span &span : zones.spans)
      if (span.kind == MarkerKind::ZoneBegin && span.id == hashOf("inner"))
        EXPECT_EQ(zones.spans[span.parent].id, hashOf("outer"));
  }
  const std::string csv = markersCsv(a), timeline = timelineJson(a),
                    json = summaryJson(a, summary, ""), page = pageHtml(a, summary),
                    text = this->text();
  EXPECT_TRUE(has(csv, ",zone-begin," + std::to_string(hashOf("outer")) + ",0,outer\n"));
  EXPECT_TRUE(has(timeline, "\"cat\": \"zone\", \"name\": \"inner\""));
  EXPECT_TRUE(has(json,
                  "\"zone\": \"outer\",\n      \"program\": \"test_script\",\n      \"kind\": "
                  "\"zone\",\n      \"count\": 96,"))
      << json;
  EXPECT_TRUE(has(page, "\"outer\""));
  EXPECT_TRUE(has(text, "  outer in test_script\n")) << text;
}

/// With several workgroups on a core, the first begin and the last end count.
TEST_F(ProgramZones, AlwaysHaveTheMainFunctionAndItsChild) {
  // Enough events that no optional marker is left for them.
  record({{Guaranteed, "main", kMainBegin},
          {Guaranteed, "child", kChildBegin},
          {Begin, "inner"},
          {End, "inner"},
          {Events, "many", 100},
          {Guaranteed, "child", kChildEnd},
          {Guaranteed, "main", kMainEnd}},
         3);
  const ZoneSum &main = sum("main"), &child = sum("child"), &inner = sum("inner");
  EXPECT_EQ(main.count, kRuns * kScripts * 3);
  EXPECT_EQ(child.count, kRuns * kScripts * 3);
  EXPECT_EQ(inner.count, kRuns * kScripts * 3 * 3); // of three workgroups on each core
  EXPECT_GE(main.time.sum, child.time.sum);
  EXPECT_GE(child.time.sum, inner.time.sum);
  EXPECT_EQ(a.unmatchedBegins + a.unmatchedEnds, 0u);
  for (const RingZones &zones : a.rings) {
    checkCommands(zones);
    for (const Span &span : zones.spans)
      if (span.kind == MarkerKind::ZoneBegin && span.id != hashOf("main"))
        EXPECT_EQ(zones.spans[span.parent].id,
                  hashOf(span.id == hashOf("child") ? "main" : "child"));
  }
}

/// The child's zone reaches from the first workgroup to the last, and so beyond zones around it.
TEST_F(ProgramZones, MayOverlap) {
  record({{Guaranteed, "main", kMainBegin},
          {Begin, "load"},
          {Guaranteed, "child", kChildBegin},
          {Guaranteed, "child", kChildEnd},
          {End, "load"},
          {Guaranteed, "main", kMainEnd}},
         1);
  EXPECT_EQ(a.unmatchedBegins + a.unmatchedEnds, 0u);
  EXPECT_EQ(sum("load").count, kRuns * kScripts * kGrid);
  EXPECT_EQ(sum("child").count, kRuns * kScripts);
  EXPECT_LE(sum("main").share, 1);
  EXPECT_LE(sum("load").time.sum, sum("main").time.sum);
  const std::string timeline = timelineJson(a);
  // Slices of a row nest: the child has a row of its own.
  EXPECT_TRUE(has(timeline, "\"tid\": 1, \"cat\": \"zone\", \"name\": \"main\""));
  EXPECT_FALSE(has(timeline, "\"tid\": 1, \"cat\": \"zone\", \"name\": \"child\""));
  EXPECT_TRUE(has(timeline, "\"cat\": \"zone\", \"name\": \"child\""));
  EXPECT_TRUE(has(timeline, "\"device 0 queue 0 core 0 zones 1\""));
}

TEST_F(ProgramZones, AddUpDurations) {
  // The second one is executed more often than a marker can say.
  record({{Total, "first", 7}, {Total, "second", (uint64_t(1) << 32) + 10000}}, 1);
  const ZoneSum &first = sum("first", MarkerKind::ZoneTotal),
                &second = sum("second", MarkerKind::ZoneTotal);
  EXPECT_EQ(first.count, kRuns * kScripts * kGrid * 7);
  EXPECT_NEAR(first.time.sum, a.clock.nanoseconds(kRuns * kScripts * kGrid * 7 * 1000), 1);
  EXPECT_EQ(first.time.count, kRuns * kScripts);
  EXPECT_NEAR(first.time.median, a.clock.nanoseconds(kGrid * 7 * 1000), 1);
  EXPECT_EQ(second.count, kRuns * kScripts * UINT16_MAX);
  EXPECT_NEAR(second.time.sum, a.clock.nanoseconds(kRuns * kScripts * kGrid * 10000 * 1000), 1);
  EXPECT_EQ(first.program, "test_script");
  EXPECT_TRUE(has(timelineJson(a), "\"total_ns\""));
  EXPECT_TRUE(has(summaryJson(a, summary, ""), "\"kind\": \"total\",\n      \"count\": 672,"));
  EXPECT_TRUE(has(text(), "first (sum) in test_script\n")) << text();
}

TEST_F(ProgramZones, HaveDataAndEvents) {
  const uint64_t large = UINT64_MAX - 1;
  Script script;
  for (uint64_t i = 0; i < kGrid; ++i)
    script.push_back({AddData, "bytes", i == 5 ? large : 100 + i, i});
  script.push_back({Events, "late", 1, 3});
  record(script, 2);
  const ZoneSum &bytes = sum("bytes", MarkerKind::Data), &late = sum("late", MarkerKind::Event);
  EXPECT_EQ(bytes.count, kRuns * kScripts * kGrid);
  EXPECT_EQ(bytes.least, 100u);
  EXPECT_EQ(bytes.median, 108u);
  EXPECT_EQ(bytes.most, large);
  EXPECT_EQ(bytes.program, "test_script");
  EXPECT_EQ(late.count, kRuns * kScripts);
  const std::string csv = markersCsv(a), timeline = timelineJson(a),
                    json = summaryJson(a, summary, ""), text = this->text();
  EXPECT_TRUE(has(csv, std::to_string(large) + ",,payload,0,0,\n"));
  EXPECT_TRUE(has(csv, ",event," + std::to_string(hashOf("late")) + ",0,late\n"));
  EXPECT_TRUE(has(timeline, "\"args\": {\"value\": " + std::to_string(large) + "}"));
  EXPECT_TRUE(has(timeline, "\"cat\": \"marker\", \"name\": \"late\""));
  EXPECT_TRUE(has(json, "\"max\": " + std::to_string(large))) << json;
  EXPECT_TRUE(has(text, "late in test_script\n")) << text;
}

TEST_F(ProgramZones, PrintUnknownHashesAsNumbers) {
  record({{Events, "?unknown"}}, 1);
  EXPECT_EQ(sum(fmt::format("zone 0x{:08x}", hashOf("?unknown")), MarkerKind::Event).count,
            kRuns * kScripts * kGrid);
}

/// The last workgroup says so, on core 2. What the other two cores recorded remains.
TEST_F(ProgramZones, LeaveOutCoresThatAreInvalid) {
  record({{Begin, "work"},
          {AddData, "bytes", 1},
          {End, "work"},
          {Total, "sum"},
          {SetInvalid, "", 1, kGrid - 1}},
         3);
  uint64_t left = 0;
  for (uint32_t core : {0u, 1u})
    left += firstWorkgroup(kGrid, core + 1, 3) - firstWorkgroup(kGrid, core, 3);
  EXPECT_EQ(sum("work").count, kRuns * kScripts * left);
  EXPECT_EQ(sum("work").time.count, kRuns * kScripts * 2);
  EXPECT_LE(sum("work").share, 1);
  EXPECT_EQ(sum("sum", MarkerKind::ZoneTotal).count, kRuns * kScripts * left);
  EXPECT_EQ(sum("bytes", MarkerKind::Data).count, kRuns * kScripts * left);
  EXPECT_EQ(a.unmatchedBegins + a.unmatchedEnds, 0u);
  EXPECT_EQ(warnings(),
            "the markers inside of 6 commands on device 0, queue 0, core 2 are invalid, "
            "the first of test_script (command 2); they are left out of zones\n");
  EXPECT_TRUE(has(summaryJson(a, summary, ""), "core 2 are invalid"));
  EXPECT_TRUE(has(pageHtml(a, summary), "core 2 are invalid"));
  EXPECT_TRUE(has(text(), "core 2 are invalid")) << text();
  EXPECT_TRUE(has(markersCsv(a), ",invalid,0,0,\n"));
}

/// A program that writes something else cannot make a log that has no reader.
TEST_F(ProgramZones, AreInvalidIfTheyAreNone) {
  for (const Step &wrong :
       {Step{AnyKind, "", 99}, Step{AnyKind, "", 2}, Step{SetCount, "", UINT32_MAX, kGrid - 1}}) {
    record({{Begin, "work"}, {End, "work"}, wrong}, 1);
    EXPECT_TRUE(summary.zones.empty());
    EXPECT_TRUE(has(warnings(), "are invalid, the first of test_script")) << warnings();
  }
}

TEST_F(ProgramZones, CountWhatAProgramDrops) {
  // One core executes 16 workgroups, and drops the same in each command.
  testing::internal::CaptureStderr();
  record({{Events, "event", 20}}, 1);
  const std::string errors = testing::internal::GetCapturedStderr();
  constexpr uint64_t kMissing = kGrid * 20 - kOptionalMarkers;
  EXPECT_EQ(reported, kRuns * kScripts * kMissing);
  EXPECT_EQ(a.log.droppedInPrograms(), reported);
  EXPECT_EQ(a.log.dropped(), 0u);
  EXPECT_EQ(a.rings[0].missingInPrograms, reported);
  EXPECT_EQ(sum("event", MarkerKind::Event).count, kRuns * kScripts * kOptionalMarkers);
  EXPECT_TRUE(has(errors, "device 0, queue 0, core 0: 420 markers of programs were dropped, the "
                          "first at command 2 of 'main_t0': a program has room for 250"))
      << errors;
  EXPECT_EQ(
      warnings(),
      "420 markers inside of programs on device 0, queue 0, core 0 were dropped, from "
      "test_script (command 2) on\na program has room for 250 markers in a command on a core: "
      "record fewer of them, or add up durations in an accumulating zone\n");
  EXPECT_TRUE(has(summaryJson(a, summary, ""), "\"dropped_in_programs\": 420,"));
  // Two cores have room for half of it each.
  record({{Events, "event", 20}}, 2);
  EXPECT_EQ(reported, 0u);
  EXPECT_EQ(sum("event", MarkerKind::Event).count, kRuns * kScripts * kGrid * 20);
}

/// Exactly as many as there is room for.
TEST_F(ProgramZones, DropNothingThatHasRoom) {
  record({{Guaranteed, "main", kMainBegin},
          {Events, "event", kOptionalMarkers, 3},
          {Total, "sum"},
          {Guaranteed, "main", kMainEnd}},
         1);
  EXPECT_EQ(reported, 0u);
  EXPECT_EQ(sum("event", MarkerKind::Event).count, kRuns * kScripts * kOptionalMarkers);
}

/// A ring for one command holds all that a program can write in it.
TEST_F(ProgramZones, CountWhatTheRingDrops) {
  // In each command: 2 x 16 zone markers, 16 x 2 of data, 2 guaranteed ones, a total.
  const Script script = {{Guaranteed, "main", kMainBegin},
                         {Begin, "work"},
                         {AddData, "bytes"},
                         {End, "work"},
                         {Total, "sum"},
                         {Guaranteed, "main", kMainEnd}};
  record(script, 1, /*programs=*/1000);
  size_t whole = 0;
  for (const Marker &marker : a.log.rings[0].markers)
    whole += marker.kind != MarkerKind::Dropped;
  EXPECT_EQ(reported, 0u);
  EXPECT_EQ(whole, kRuns * (2 * 2 + 2 + 2 * 8 + kScripts * (kGrid * 4 + 2 + 1)));

  Script much = script;
  much.push_back({Events, "event", 10});
  record(much, 1, /*programs=*/1);
  size_t there = 0;
  const std::vector<Marker> &markers = a.log.rings[0].markers;
  for (size_t i = 0; i < markers.size(); ++i) {
    there += markers[i].kind != MarkerKind::Dropped;
    if (markers[i].kind == MarkerKind::Data)
      EXPECT_EQ(markers[i + 1].kind, MarkerKind::Payload);
  }
  EXPECT_GT(a.log.dropped(), 0u);
  EXPECT_EQ(there + a.log.dropped(), whole + kRuns * kScripts * kGrid * 10);
  EXPECT_EQ(reported, a.log.dropped());
  EXPECT_GE(sum("main").count, 1u);
  EXPECT_TRUE(has(warnings(), "room for more than 1 commands (--profile-programs, "));
}

TEST_F(ProgramZones, AreInCommandsThatTheHostDispatches) {
  record({{Begin, "work"}, {End, "work"}}, 2, 0, /*noTrace=*/true);
  EXPECT_EQ(sum("work").count, kRuns * kScripts * kGrid);
  EXPECT_EQ(sum("work").program, "test_script");
  for (const RingZones &zones : a.rings)
    checkCommands(zones);
}

TEST_F(ProgramZones, AreInStepsOfTheHost) {
  record({{Begin, "work"}, {End, "work"}}, 2, 0, false, /*onHost=*/true);
  EXPECT_EQ(sum("work").count, kRuns * kGrid);
  EXPECT_LE(sum("work").share, 1);
  EXPECT_GT(sum("work").share, 0);
}

/// Without a recording, a program has no room for markers, whatever was in its scratch before.
TEST_F(ProgramZones, HaveNoRoomIfNobodyRecords) {
  const TemporaryFile file{
      scriptBundle({{ShowRoom}, {Begin, "work"}, {End, "work"}, {Events, "event", 300}}).finish()};
  const std::vector<float> input(kSampleElements, 5);
  {
    Loaded loaded(file.path(), 3);
    EXPECT_EQ(loaded.run(input, kSampleElements), std::vector<float>(kSampleElements, 7));
    EXPECT_EQ(loaded.run(input, kSampleElements, /*noTrace=*/true),
              std::vector<float>(kSampleElements, 7));
  }
  open();
  Loaded loaded(file.path(), device(3));
  EXPECT_EQ(loaded.run(input, kSampleElements),
            std::vector<float>(kSampleElements, 7 + 2 * kOptionalMarkers));
}

TEST_F(ProgramZones, AllocateNothingInARun) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers have an allocator of their own";
#else
  open();
  const TemporaryFile file{scriptBundle({{Begin, "work"}, {End, "work"}, {Total, "sum"}}).finish()};
  Loaded loaded(file.path(), device(2));
  std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
  const ttrt_input in{input.data(), kSampleBytes};
  const ttrt_output out{output.data(), kSampleBytes};
  ASSERT_EQ(ttrt_run(loaded.device, 0, &in, &out, nullptr, nullptr), TTRT_OK);
  const long before = allocations.load();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(ttrt_run(loaded.device, 0, &in, &out, nullptr, nullptr), TTRT_OK);
  EXPECT_EQ(allocations.load(), before);
#endif
}

/// Where the log's clock is the host's, times of programs are converted.
TEST(ProgramTimes, FollowTheClockOfTheLog) {
  auto markers = std::make_unique<ProgramMarkers>();
  markers->reset(true);
  markers->optional[0] = {1500, 1, 0, MarkerKind::ZoneBegin, 0};
  markers->optional[1] = {1600, 2, 0, MarkerKind::Data, 0};
  markers->optional[2] = {1700, 0, 0, MarkerKind::Payload, 0};
  markers->optional[3] = {1800, 1, 0, MarkerKind::ZoneEnd, 0};
  markers->count = 4;
  markers->written = 1u << kMainBegin | 1u << kMainEnd;
  markers->guaranteed[kMainBegin] = {1000, 3, 0, MarkerKind::ZoneBegin, 0};
  markers->guaranteed[kMainEnd] = {2000, 3, 0, MarkerKind::ZoneEnd, 0};
  markers->totals[1] = {400, 4, 2};
  for (const ClockKind clock : {ClockKind::Host, ClockKind::Tsc}) {
    MarkerRing ring(64, clock);
    ring.begin(MarkerKind::CommandBegin, 0);
    const bool same = clock == ClockKind::Tsc;
    const ProgramTime begin{1000, same ? 1000u : 50000u}, end{3000, same ? 3000u : 51000u};
    moveMarkers(*markers, ring, begin, end);
    ring.end(MarkerKind::CommandEnd, 0);
    std::vector<uint64_t> times;
    std::vector<MarkerKind> kinds;
    ring.read([&](const Marker *list, uint64_t count) {
      for (uint64_t i = 0; i < count; ++i) {
        times.push_back(list[i].time);
        kinds.push_back(list[i].kind);
      }
    });
    times.erase(times.begin()); // of the command
    using K = MarkerKind;
    EXPECT_EQ(kinds,
              (std::vector<K>{K::CommandBegin, K::ZoneBegin, K::ZoneBegin, K::Data, K::Payload,
                              K::ZoneEnd, K::ZoneEnd, K::ZoneTotal, K::CommandEnd}));
    EXPECT_EQ(times,
              same ? (std::vector<uint64_t>{1000, 1500, 1600, 1700, 1800, 2000, 400, 3000})
                   : (std::vector<uint64_t>{50000, 50250, 50300, 1700, 50400, 50500, 200, 51000}));
  }
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of iterations that a trace executes and that the host dispatches; what time adds up to.

#include "Profile/Analysis.h"
#include "Profile/Picture.h"
#include "Profile/Summary.h"
#include "test/unit/Support/LogBuilder.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace ttrt;
using namespace ttrt::profile;
using namespace ttrun::report;

using K = MarkerKind;
using H = HostMarkerKind;

/// Two commands of 40 ns from `at` on, with 10 ns between them, or `gap` if the host dispatches
/// them.
static void addIteration(std::vector<Marker> &markers, uint64_t at, bool dispatched,
                         uint64_t gap = 10) {
  if (!dispatched)
    markers.push_back(marker(at, K::StreamBegin, 3, static_cast<uint16_t>(at)));
  for (uint32_t command : {0u, 2u}) {
    if (dispatched)
      markers.push_back(marker(at, K::StepBegin, 3));
    markers.push_back(marker(at, K::CommandBegin, command));
    markers.push_back(marker(at + 40, K::CommandEnd, command));
    if (dispatched)
      markers.push_back(marker(at + 40, K::StepEnd, 3));
    at += 40 + gap;
  }
  if (!dispatched)
    markers.push_back(marker(at - gap, K::StreamEnd, 3));
}

/// `pairs` blocks of four dispatched iterations of `length` ns, each before one of four of 100 ns.
static Analysis inTurns(size_t pairs, const std::function<uint64_t(size_t)> &length) {
  std::vector<Marker> markers;
  uint64_t at = 100;
  for (size_t pair = 0; pair < pairs; ++pair)
    for (bool dispatched : {true, false})
      for (int i = 0; i < 4; ++i) {
        addIteration(markers, at, dispatched);
        at += dispatched ? length(pair) : 100;
      }
  LogBuilder log;
  log.clock().device(0, "/nonexistent.ttcb").ring(0).markers(0, markers);
  return analyse(parseLog(log.bytes), "");
}

static const std::string textOf(const Analysis &a) { return summarise(a).verdicts[0].text; }

TEST(TraceSaving, IsMeasuredByBlocksInTurns) {
  const Analysis a = inTurns(9, [](size_t pair) { return 120 + 10 * (pair % 2); });
  const DeviceTimes &times = a.times[0];
  EXPECT_TRUE(times.dispatched);
  EXPECT_EQ(times.iterations.size(), 36u);
  EXPECT_EQ(times.iterations[0], 120);
  EXPECT_EQ(times.causesOfIterations[0], (CauseTimes{80, 0, 0, 40, 0}));
  const TraceSaving saving = times.traceSaving();
  EXPECT_EQ(saving.kind, TraceSaving::Kind::Measured);
  EXPECT_EQ(saving.blocks, 9u);
  EXPECT_NEAR(saving.share, 1 - 100. / 120, 1e-9);
  EXPECT_EQ(textOf(a).find("compute-bound: compute 64 % (+- "), 0u) << textOf(a);
  EXPECT_NE(textOf(a).find("; a trace saves 16.7 % (+- "), std::string::npos) << textOf(a);
}

TEST(TraceSaving, IsUnclearIfItMayBeNone) {
  const Analysis a = inTurns(12, [](size_t pair) { return 90 + 3 * (pair % 8); });
  const TraceSaving saving = a.times[0].traceSaving();
  EXPECT_LT(std::abs(saving.share), saving.error);
  EXPECT_NE(textOf(a).find("; unclear whether a trace saves time: "), std::string::npos)
      << textOf(a);
  EXPECT_NE(textOf(inTurns(9, [](size_t) { return 95; })).find("; a trace loses 5.3 % (+- 0.0"),
            std::string::npos);
}

/// With few blocks, or none, there is a bound.
TEST(TraceSaving, IsBoundedByTheGaps) {
  std::vector<Marker> markers;
  for (uint64_t i = 0; i < 10; ++i)
    addIteration(markers, 100 + 200 * i, /*dispatched=*/true, /*gap=*/50);
  LogBuilder log;
  log.clock().device(0, "/nonexistent.ttcb").ring(0).markers(0, markers);
  const Analysis a = analyse(parseLog(log.bytes), "");
  const TraceSaving saving = a.times[0].traceSaving();
  EXPECT_EQ(saving.kind, TraceSaving::Kind::AtMost);
  EXPECT_EQ(saving.blocks, 9u);
  EXPECT_NEAR(saving.share, 50. / 200, 1e-9); // not what is between iterations
  EXPECT_NE(
      textOf(a).find("saves at most the time between commands, 25.0 % (+- 0.0; 9 iterations)"),
      std::string::npos)
      << textOf(a);
}

/// The median of runs is of those that most are.
TEST(TraceSaving, MixesNoRuns) {
  std::vector<Marker> markers;
  LogBuilder log;
  log.clock().device(0, "/nonexistent.ttcb").ring(0);
  for (uint64_t i = 0; i < 9; ++i) {
    const uint64_t at = 1000 * i, length = i % 3 == 2 ? 100 : 500;
    addIteration(markers, at + 100, /*dispatched=*/i % 3 != 2);
    log.host({hostMarker(1000 + at + 50, H::ZoneBegin, 1, 1, 0),
              hostMarker(1000 + at + 50 + length, H::ZoneEnd, 1, 1, 0)});
  }
  log.markers(0, markers);
  const Summary summary = summarise(analyse(parseLog(log.bytes), ""));
  EXPECT_EQ(summary.runs.count, 6u);
  EXPECT_EQ(summary.runs.median, 500);
}

/// A damaged log may have iterations that take no time.
TEST(Picture, DrawsWhatTakesNoTime) {
  std::vector<Marker> markers;
  for (int i = 0; i < 5; ++i)
    for (K kind : {K::StreamBegin, K::StreamEnd})
      markers.push_back(marker(100, kind, 3, static_cast<uint16_t>(i)));
  LogBuilder log;
  log.clock().device(0, "/nonexistent.ttcb").ring(0).markers(0, markers);
  const std::string svg = pictureSvg(analyse(parseLog(log.bytes), ""), 3);
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  EXPECT_NE(svg.find("queue 0, core 0"), std::string::npos) << svg;
}

/// Whatever overlaps what: every nanosecond counts once.
TEST(Analysis, UsesOfAnyRecordingAddUp) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    LogBuilder log;
    log.clock().device(0, "/nonexistent.ttcb", 2);
    std::vector<HostMarker> host;
    for (uint32_t core = 0; core < 3; ++core) {
      log.ring(core, 0, /*queue=*/core / 2, core % 2);
      std::vector<Marker> markers;
      uint64_t at = random() % 500, calls = 1000 + random() % 500;
      for (uint16_t i = 0; i < 8; ++i) {
        const K kind = random() % 2 ? K::StreamBegin : K::StepBegin;
        const uint32_t step = random() % 3;
        if (random() % 2) {
          markers.push_back(marker(at, K::WaitBegin, step));
          markers.push_back(marker(at += random() % 99, K::WaitEnd, step));
        }
        markers.push_back(marker(at, kind, step, i));
        for (uint32_t command = 0; command < random() % 4; ++command) {
          markers.push_back(marker(at += random() % 20, K::CommandBegin, command));
          markers.push_back(marker(at += random() % 50, K::CommandEnd, command));
        }
        at += random() % 20;
        markers.push_back(marker(at, kind == K::StreamBegin ? K::StreamEnd : K::StepEnd, step));
        at += random() % 100;
        markers.push_back(marker(at, K::Record, random() % 3));
        const uint32_t call = 1 + random() % 13;
        host.push_back(hostMarker(calls += random() % 60, H::ZoneBegin, call, core, 0));
        host.push_back(hostMarker(calls += random() % 90, H::ZoneEnd, call, core, 0));
      }
      log.markers(core, markers);
    }
    const Analysis a = analyse(parseLog(log.host(host).bytes), "");
    double uses = 0, shares = 0, causes = 0;
    for (double part : a.times[0].uses) {
      EXPECT_GE(part, 0);
      uses += part;
    }
    EXPECT_EQ(uses, a.times[0].span()) << "round " << round;
    for (double part : a.times[0].causes) {
      EXPECT_GE(part, 0);
      causes += part;
    }
    EXPECT_EQ(causes, a.times[0].span()) << "round " << round;
    for (const OpRun &op : a.ops)
      shares += op.share;
    EXPECT_NEAR(shares, a.times[0].uses[static_cast<size_t>(Use::Ops)], 1e-6) << "round " << round;
  }
}

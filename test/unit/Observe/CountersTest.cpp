// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of commands: which events a list asks for, and what is counted on which thread.

#include "Base/Error.h"
#include "test/unit/Support/FakeCounters.h"

#include <algorithm>
#include <linux/perf_event.h>
#include <sys/mman.h>

using namespace ttrt;
using namespace ttrt::profile;
using namespace ttrt::test;

namespace {

class Counters : public CounterRecordings {};

std::vector<uint64_t> valuesOf(const ProfileLog &log, uint32_t ring, uint32_t counter) {
  std::vector<uint64_t> values;
  for (const Marker &marker : log.markers.at(ring))
    if (marker.kind == MarkerKind::Counter && marker.id == counter)
      values.push_back(marker.time);
  return values;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

std::string errorOf(const char *list) {
  try {
    (void)CounterSet(list, kFake);
  } catch (const Error &error) {
    EXPECT_EQ(error.status, TTRT_INVALID_ARGUMENT);
    return error.message;
  }
  return "";
}

TEST_F(Counters, ListsNameEvents) {
  const CounterSet set("cycles,instructions,raw:0x1C7,context-switches,cycles", kFake);
  ASSERT_EQ(set.size(), 4u); // one counts once
  EXPECT_STREQ(set[2].name, "raw:0x1C7");
  EXPECT_EQ(set[2].type, uint32_t(PERF_TYPE_RAW));
  EXPECT_EQ(set[2].config, 0x1c7u);
  EXPECT_EQ(set.grouped(), 4u);
  EXPECT_EQ(source.opens, 4);
  EXPECT_EQ(source.closes, 4); // they were only tried
  const CounterSet defaults("default", kFake);
  ASSERT_EQ(defaults.size(), 5u);
  EXPECT_STREQ(defaults[4].name, "context-switches");
}

TEST_F(Counters, WrongListsAreErrors) {
  for (const char *list : {"cycels", "", ",", "cycles,", "raw:", "raw:0x", "raw:0x+1", "raw:0x0x1",
                           "raw:0x12345678901234567", "raw:12", "raw:0x1g", "cycles "}) {
    const std::string message = errorOf(list);
    const char *last = strrchr(list, ',');
    EXPECT_NE(message.find("expected up to 16 of cycles, instructions, "), message.npos)
        << list << ": " << message;
    EXPECT_NE(message.find(std::string("found '") + (last ? last + 1 : list) + "'"), message.npos)
        << list << ": " << message;
  }
  std::string many = "raw:0x0";
  for (int i = 1; i < 16; ++i)
    many += ",raw:0x" + std::to_string(i);
  EXPECT_EQ(errorOf(many.c_str()), "");
  EXPECT_NE(errorOf((many + ",cycles").c_str()).find("expected up to 16 of "), std::string::npos);
  EXPECT_NE(errorOf((many + ",cycles").c_str()).find("found 'cycles'"), std::string::npos);
  // Through the C API, and before anything is written.
  ttrt_profiler_options options = TTRT_PROFILER_OPTIONS_INIT;
  options.counters = "seconds";
  ttrt_error error;
  EXPECT_EQ(ttrt_profiler_open(root.c_str(), &options, &profiler, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("found 'seconds'"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(root));
}

/// All names that the error lists are names.
TEST_F(Counters, ErrorsListWhatThereIs) {
  const std::string message = errorOf("x");
  size_t at = strlen("expected up to 16 of "), names = 0;
  for (const size_t end = message.find("; found"); at < end; ++names) {
    const size_t next = std::min({message.find(", ", at), message.find(" or ", at), end});
    const std::string name = message.substr(at, next - at);
    EXPECT_EQ(errorOf(name == "raw:0xNNNN" ? "raw:0x1" : name.c_str()), "") << name;
    at = next + (message[next] == ',' ? 2 : 4);
  }
  EXPECT_EQ(names, 14u);
}

TEST_F(Counters, FloatingPointEventsAreTheCpus) {
  const CounterSet amd("flops", kFake), wrong("fp-256,fp-512,fp-ops", kFake);
  source.cpu = kIntel;
  const CounterSet intel("flops", kFake);
  source.cpu = {};
  const CounterSet other("flops", kFake);
  // Haswell has an event of that number that counts otherwise.
  source.cpu = {CounterCpu::Vendor::Intel, 6, 0x3c, false};
  const CounterSet old("flops", kFake);
  ASSERT_EQ(intel.size(), 2u);
  EXPECT_EQ(intel[0].config, 0x20c7u);
  EXPECT_EQ(intel[1].config, 0x80c7u);
  ASSERT_EQ(amd.size(), 1u);
  EXPECT_STREQ(amd[0].name, "fp-ops");
  EXPECT_EQ(amd[0].config, 0x0f03u);
  EXPECT_EQ(other[0].problem, kUnknownEvent);
  EXPECT_EQ(other.events(), 0u);
  EXPECT_EQ(wrong[0].problem, kUnknownEvent);
  EXPECT_EQ(wrong[1].problem, kUnknownEvent);
  EXPECT_EQ(wrong[2].problem, 0);
  EXPECT_EQ(old.events(), 0u);
}

//===----------------------------------------------------------------------===//
// Recordings
//===----------------------------------------------------------------------===//

TEST_F(Counters, OfEachCommandWithWorkAreRecorded) {
  open("cycles,instructions,raw:0x1c7");
  constexpr uint32_t kLength = 6, kRuns = 3;
  run(kLength, 2, kRuns);
  const ProfileLog log = this->log();
  ASSERT_EQ(log.counters.size(), 3u);
  EXPECT_EQ(log.counters[2].name, "raw:0x1c7");
  EXPECT_EQ(log.counters[2].record.config, 0x1c7u);
  EXPECT_EQ(log.counters[2].record.counter, 2u);
  for (uint32_t ring : {0u, 1u}) {
    const std::vector<uint64_t> cycles = valuesOf(log, ring, 0), raw = valuesOf(log, ring, 2);
    EXPECT_EQ(cycles, std::vector<uint64_t>(kLength * kRuns, 1000));
    EXPECT_EQ(raw, std::vector<uint64_t>(kLength * kRuns, 3000));
  }
  // They are before the end of their command, whose markers nest as ever.
  const std::vector<Marker> &markers = log.markers.at(0);
  for (size_t i = 0; i < markers.size(); ++i)
    if (markers[i].kind == MarkerKind::CounterTime) {
      EXPECT_EQ(markers[i - 1].kind, MarkerKind::CommandBegin);
      EXPECT_EQ(markers[i].time, 1000u);
      EXPECT_EQ(markers[i].id, 1000u);
      ASSERT_LT(i + 4, markers.size());
      EXPECT_EQ(markers[i + 4].kind, MarkerKind::CommandEnd);
      EXPECT_EQ(markers[i + 4].id, markers[i - 1].id);
      EXPECT_GE(markers[i + 4].time, markers[i - 1].time);
    }
  EXPECT_EQ(source.wrongThreads, 0);
  EXPECT_EQ(source.opens, 3 * 3); // tried, and one group for each core
  EXPECT_EQ(source.closes, source.opens);
}

TEST_F(Counters, OfDispatchedCommandsAreRecorded) {
  open("cycles");
  run(6, 2, 2, /*noTrace=*/true);
  const ProfileLog log = this->log();
  EXPECT_EQ(valuesOf(log, 0, 0).size(), 12u);
  EXPECT_EQ(valuesOf(log, 1, 0).size(), 12u);
}

/// Core 0 is whatever thread runs: its events are opened for each.
TEST_F(Counters, FollowTheCallingThread) {
  open("cycles,branch-misses");
  {
    TemporaryFile file{chainBundle(4, /*barriers=*/true).finish()};
    Loaded loaded(file.path(), device(1));
    loaded.run(ramp(kElements), kElements);
    for (int i = 0; i < 2; ++i)
      std::thread([&] {
        for (int k = 0; k < 3; ++k)
          loaded.run(ramp(kElements), kElements);
      }).join();
    loaded.run(ramp(kElements), kElements);
  }
  const ProfileLog log = this->log();
  EXPECT_EQ(source.wrongThreads, 0);
  EXPECT_EQ(source.opens, 2 * (1 + 4)); // tried; four changes of the thread
  EXPECT_EQ(source.closes, source.opens);
  EXPECT_EQ(valuesOf(log, 0, 1), std::vector<uint64_t>(8 * 4, 2000));
}

TEST_F(Counters, MakeRoomInTheRings) {
  open("cycles,instructions,cache-misses,branch-misses", kFake, /*programs=*/1000);
  {
    TemporaryFile file{chainBundle(400, /*barriers=*/true).finish()}; // 801 commands
    Loaded loaded(file.path(), device(1));
    loaded.run(ramp(kElements), kElements);
  }
  EXPECT_EQ(ttrt_profiler_dropped(profiler), 0u);
  const ProfileLog log = this->log();
  EXPECT_EQ(log.droppedMarkers(), 0u);
  EXPECT_EQ(valuesOf(log, 0, 3).size(), 400u);
}

/// Nothing is lost unseen, and a command has all of its counters or is not there.
TEST_F(Counters, ThatAreDroppedAreCounted) {
  open("cycles,instructions");
  run(20, 1, 1);
  const size_t perRun = log().markers.at(0).size();
  open("cycles,instructions", kFake, /*programs=*/1);
  constexpr uint64_t kRuns = 40;
  {
    TemporaryFile file{chainBundle(20, /*barriers=*/true).finish()};
    Loaded loaded(file.path(), device(1));
    for (uint64_t i = 0; i < kRuns; ++i) {
      loaded.run(ramp(kElements), kElements);
      if (i % 7 == 6)
        ASSERT_EQ(ttrt_profiler_read(profiler, nullptr), TTRT_OK);
    }
  }
  const ProfileLog log = this->log();
  size_t there = 0;
  for (const Marker &marker : log.markers.at(0))
    there += marker.kind != MarkerKind::Dropped;
  EXPECT_GT(log.droppedMarkers(), 0u);
  EXPECT_EQ(there + log.droppedMarkers(), kRuns * perRun);
  EXPECT_EQ(log.count(MarkerKind::Counter), 2 * log.count(MarkerKind::CounterTime));
  EXPECT_GT(log.count(MarkerKind::CounterTime), 0u);
}

TEST_F(Counters, AreNoneByDefault) {
  open(nullptr);
  run(4, 1, 1);
  const ProfileLog log = this->log();
  EXPECT_TRUE(log.counters.empty());
  EXPECT_EQ(log.count(MarkerKind::CounterTime), 0u);
  EXPECT_EQ(source.opens, 0);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Software events, or what stands in for them: every Linux machine has one of both.
TEST_F(Counters, OfTheKernelCount) {
  open("task-clock,page-faults,context-switches", kPerfEvents);
  run(50, 2, 4);
  const ProfileLog log = this->log();
  for (const ProfileLog::Counter &counter : log.counters)
    EXPECT_EQ(counter.record.problem, 0) << counter.name;
  for (uint32_t ring : {0u, 1u}) {
    const std::vector<uint64_t> clock = valuesOf(log, ring, 0);
    EXPECT_EQ(clock.size(), 200u);
    EXPECT_GT(std::count_if(clock.begin(), clock.end(), [](uint64_t ns) { return ns > 0; }), 0);
  }
}

/// What one thread does between begin() and end() is counted, and in that order.
TEST_F(Counters, OfAThreadCountItsPageFaults) {
  for (const bool isForbidden : {false, true}) {
    source.opensNothing = isForbidden; // the kernel tells without events
    const CounterSet set("page-faults,task-clock", isForbidden ? kFake : kPerfEvents);
    EXPECT_EQ(set.events(), 2u);
    EXPECT_EQ(set.event(0).type == CounterSet::kUsage, isForbidden || set.grouped() == 0);
    CounterGroup group(set);
    MarkerRing ring(64, ClockKind::Host);
    group.bind();
    constexpr size_t kPages = 10, kPage = 4096;
    auto *memory = static_cast<volatile char *>(
        mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    madvise(const_cast<char *>(memory), kPages * kPage, MADV_NOHUGEPAGE);
    for (int i = 0; i < 2; ++i) { // the second time, no page faults
      group.begin(ring, 7);
      for (size_t page = 0; page < kPages; ++page)
        memory[page * kPage] = 1;
      group.end(ring, 7);
    }
    munmap(const_cast<char *>(memory), kPages * kPage);
    std::vector<Marker> markers;
    ring.read([&](const Marker *some, uint64_t count) {
      markers.insert(markers.end(), some, some + count);
    });
    ASSERT_EQ(markers.size(), 10u);
    EXPECT_EQ(markers[2].kind, MarkerKind::Counter);
    EXPECT_GE(markers[2].time, kPages);
    EXPECT_LT(markers[7].time, markers[2].time);
    EXPECT_GT(markers[3].time, 0u) << isForbidden;
  }
}

TEST_F(Counters, BeginInTheEnvironment) {
  setenv("TTRT_PROFILE", (root + "/environment").c_str(), 1);
  setenv("TTRT_PROFILE_COUNTERS", "task-clock", 1);
  run(4, 1, 1);
  setenv("TTRT_PROFILE_COUNTERS", "nothing", 1);
  testing::internal::CaptureStderr();
  run(4, 1, 1); // runs, unrecorded
  EXPECT_NE(testing::internal::GetCapturedStderr().find("found 'nothing'"), std::string::npos);
  unsetenv("TTRT_PROFILE_COUNTERS");
  unsetenv("TTRT_PROFILE");
  std::vector<std::string> folders;
  for (const auto &entry : std::filesystem::directory_iterator(root + "/environment"))
    folders.push_back(entry.path());
  ASSERT_EQ(folders.size(), 1u);
  const ProfileLog log(folders[0]);
  ASSERT_EQ(log.counters.size(), 1u);
  EXPECT_EQ(valuesOf(log, 0, 0).size(), 4u);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recording has in its log: every command of every core, calls and zones of the host, and
// exact numbers of what is missing.

#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "test/unit/Support/Recordings.h"
#include "ttrt/pipeline.h"
#include "ttrt/profile.hpp"
#include "ttrt/queue.h"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::profile;
using namespace ttrt::test;

namespace {

constexpr size_t kChainElements = 8; // of chainBundle()

/// The ends belong to the begins and are not earlier, and nothing is left open. Returns how many
/// zones of the kind there are.
size_t checkNesting(const std::vector<Marker> &markers, MarkerKind counted) {
  std::vector<Marker> open;
  size_t number = 0;
  uint64_t last = 0;
  for (const Marker &marker : markers) {
    EXPECT_LE(last, marker.time);
    last = marker.time;
    const bool begins =
        marker.kind == MarkerKind::StreamBegin || marker.kind == MarkerKind::CommandBegin ||
        marker.kind == MarkerKind::StepBegin || marker.kind == MarkerKind::WaitBegin;
    if (begins) {
      open.push_back(marker);
      number += marker.kind == counted;
    } else if (marker.kind != MarkerKind::Record && marker.kind != MarkerKind::Dropped) {
      EXPECT_FALSE(open.empty());
      if (open.empty())
        return number;
      EXPECT_EQ(static_cast<int>(open.back().kind) + 1, static_cast<int>(marker.kind));
      EXPECT_EQ(open.back().id, marker.id);
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
  return number;
}

TEST_F(Recordings, HaveEveryCommandOfEveryCore) {
  open();
  TemporaryFile file{chainBundle(20, /*barriers=*/true).finish()};
  constexpr int kRuns = 5;
  uint32_t commands = 0;
  {
    Loaded loaded(file.path(), device(3));
    ttrt_trace trace = TTRT_TRACE_INIT;
    ASSERT_EQ(ttrt_bundle_trace(loaded.bundle, 0, &trace, nullptr), TTRT_OK);
    commands = trace.commands;
    for (int i = 0; i < kRuns; ++i)
      loaded.run(ramp(kChainElements), kChainElements);
  }
  const ProfileLog log = this->log();
  EXPECT_EQ(memcmp(log.start.magic, kLogMagic, sizeof(kLogMagic)), 0);
  EXPECT_EQ(log.start.version, kLogVersion);
  EXPECT_EQ(log.start.pid, static_cast<uint64_t>(getpid()));
  EXPECT_EQ(log.start.programs, 1000u);
  ASSERT_EQ(log.devices.size(), 1u);
  EXPECT_EQ(log.devices[0].record.cores, 3u);
  EXPECT_TRUE(std::filesystem::equivalent(log.devices[0].path, file.path()));
  ASSERT_EQ(log.rings.size(), 3u);
  ASSERT_EQ(log.clocks.size(), 2u); // at the begin and at the end
  for (const auto &samples : log.clocks)
    EXPECT_EQ(samples.size(), kClockSamples);
  ASSERT_EQ(log.markers.size(), 3u);
  for (const auto &[ring, markers] : log.markers) {
    EXPECT_EQ(checkNesting(markers, MarkerKind::CommandBegin), size_t(kRuns) * commands);
    EXPECT_EQ(checkNesting(markers, MarkerKind::StreamBegin), size_t(kRuns));
    // Commands count from 0 in each stream, and streams count on.
    uint32_t next = 0, streams = 0;
    for (const Marker &marker : markers) {
      if (marker.kind == MarkerKind::StreamBegin) {
        EXPECT_EQ(marker.value, streams++);
        next = 0;
      } else if (marker.kind == MarkerKind::CommandBegin) {
        EXPECT_EQ(marker.id, next++);
      }
    }
    // Transfers are core 0's.
    EXPECT_EQ(checkNesting(markers, MarkerKind::StepBegin),
              log.rings[ring].core == 0 ? size_t(kRuns) * 2 : 0);
  }
  EXPECT_EQ(log.droppedMarkers(), 0u);
  // A zone for each run, of one thread.
  ASSERT_EQ(log.host.size(), size_t(kRuns) * 2);
  for (size_t i = 0; i < log.host.size(); ++i) {
    EXPECT_EQ(log.host[i].kind, i % 2 ? HostMarkerKind::ZoneEnd : HostMarkerKind::ZoneBegin);
    EXPECT_EQ(log.host[i].zone, static_cast<uint32_t>(HostCall::Run));
    EXPECT_EQ(log.host[i].thread, log.host[0].thread);
    EXPECT_EQ(log.host[i].device, 0u);
  }
}

TEST_F(Recordings, HaveCommandsThatTheHostDispatches) {
  open();
  TemporaryFile file{chainBundle(6, /*barriers=*/true).finish()};
  {
    Loaded loaded(file.path(), device(2));
    loaded.run(ramp(kChainElements), kChainElements, /*noTrace=*/true);
  }
  const ProfileLog log = this->log();
  for (const auto &[ring, markers] : log.markers) {
    EXPECT_EQ(checkNesting(markers, MarkerKind::CommandBegin), 6u);
    EXPECT_EQ(checkNesting(markers, MarkerKind::StreamBegin), 0u);
  }
}

/// What does not fit is dropped in pairs, so what is there nests; nothing is lost unseen.
TEST_F(Recordings, CountWhatIsDropped) {
  TemporaryFile file{chainBundle(20, /*barriers=*/true).finish()};
  open();
  size_t perRun = 0;
  {
    Loaded loaded(file.path(), device(2));
    loaded.run(ramp(kChainElements), kChainElements);
  }
  const ProfileLog whole = log();
  for (const auto &[ring, markers] : whole.markers)
    perRun += markers.size();

  open(/*programs=*/1); // 128 markers
  constexpr uint64_t kRuns = 40;
  uint64_t reported = 0;
  {
    Loaded loaded(file.path(), device(2));
    for (uint64_t i = 0; i < kRuns; ++i) {
      loaded.run(ramp(kChainElements), kChainElements);
      if (i % 7 == 6)
        ASSERT_EQ(ttrt_profiler_read(profiler, nullptr), TTRT_OK);
    }
    ASSERT_EQ(ttrt_profiler_read(profiler, nullptr), TTRT_OK);
    reported = ttrt_profiler_dropped(profiler);
  }
  const ProfileLog log = this->log();
  size_t there = 0;
  uint64_t missing = 0;
  for (const auto &[ring, markers] : log.markers) {
    checkNesting(markers, MarkerKind::CommandBegin);
    for (const Marker &marker : markers)
      if (marker.kind == MarkerKind::Dropped)
        missing += marker.id;
      else
        ++there;
  }
  EXPECT_GT(reported, 0u);
  EXPECT_EQ(reported, log.droppedMarkers());
  EXPECT_EQ(there + reported, kRuns * perRun);
  EXPECT_LE(missing, reported); // the last ones have no marker after them
  EXPECT_GT(missing, 0u);
  for (const DroppedRecord &record : log.dropped)
    EXPECT_NE(record.step, kNone);
}

TEST_F(Recordings, OfPipelinesNest) {
  TemporaryFile file{queueBundle().finish()};
  for (const char *schedule : kSchedules) {
    open();
    {
      Loaded loaded(file.path(), device(2, 2));
      ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
      options.schedule = schedule;
      ttrt_pipeline *pipeline;
      ASSERT_EQ(ttrt_pipeline_open(loaded.device, &options, &pipeline, nullptr), TTRT_OK);
      const std::vector<float> input = ramp(kSampleElements);
      const ttrt_input in{input.data(), kSampleBytes};
      for (int i = 0; i < 6; ++i)
        ASSERT_EQ(ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_WAIT, nullptr), TTRT_OK);
      const void *outputs[16];
      size_t popped;
      ASSERT_EQ(ttrt_pipeline_pop_all(pipeline, outputs, 16, &popped, nullptr), TTRT_OK);
      EXPECT_EQ(popped, 6u);
      ttrt_pipeline_close(pipeline);
    }
    const ProfileLog log = this->log();
    EXPECT_EQ(log.rings.size(), 3u);
    size_t streams = 0, steps = 0;
    for (const auto &[ring, markers] : log.markers) {
      if (log.rings[ring].queue == 0 && log.rings[ring].core == 0)
        streams += checkNesting(markers, MarkerKind::StreamBegin);
      steps += checkNesting(markers, MarkerKind::StepBegin);
    }
    EXPECT_GE(streams, 6u) << schedule;
    EXPECT_GE(steps, 12u) << schedule; // writes and reads
    size_t enqueues = 0;
    for (const HostMarker &marker : log.host)
      enqueues += marker.zone == static_cast<uint32_t>(HostCall::PipelineEnqueue) &&
                  marker.kind == HostMarkerKind::ZoneBegin;
    EXPECT_EQ(enqueues, 6u) << schedule;
  }
}

TEST_F(Recordings, HaveCallsOfQueues) {
  open();
  TemporaryFile file{sampleBundle().finish()};
  {
    Loaded loaded(file.path(), device(1, 2));
    std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
    ttrt_event *event;
    ASSERT_EQ(ttrt_event_create(loaded.device, &event, nullptr), TTRT_OK);
    ASSERT_EQ(ttrt_enqueue_write(loaded.device, 1, 0, 0, input.data(), kSampleBytes, 0, nullptr),
              TTRT_OK);
    ASSERT_EQ(ttrt_event_record(event, 1, nullptr), TTRT_OK);
    ASSERT_EQ(ttrt_event_wait(event, 0, nullptr), TTRT_OK);
    ASSERT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, 0, nullptr), TTRT_OK);
    ASSERT_EQ(ttrt_enqueue_read(loaded.device, 0, 0, 0, output.data(), kSampleBytes, 0, nullptr),
              TTRT_OK);
    ASSERT_EQ(ttrt_device_synchronize(loaded.device, nullptr), TTRT_OK);
    ttrt_event_destroy(event);
  }
  const ProfileLog log = this->log();
  std::vector<HostCall> calls;
  for (const HostMarker &marker : log.host)
    if (marker.kind == HostMarkerKind::ZoneBegin)
      calls.push_back(static_cast<HostCall>(marker.zone));
  EXPECT_EQ(calls, (std::vector<HostCall>{HostCall::EnqueueWrite, HostCall::EventRecord,
                                          HostCall::EventWait, HostCall::EnqueueExecute,
                                          HostCall::EnqueueRead, HostCall::DeviceSynchronize}));
  EXPECT_EQ(log.count(MarkerKind::Record), 1u);
  EXPECT_EQ(log.count(MarkerKind::WaitBegin), 1u);
  EXPECT_EQ(log.count(MarkerKind::StreamBegin), 1u);
  EXPECT_EQ(log.count(MarkerKind::StepBegin), 2u);
}

TEST_F(Recordings, HaveZonesOfTheApplication) {
  open();
  ttrt_zone_source source = TTRT_ZONE_SOURCE_INIT;
  source.name = "prepare";
  source.file = "main.c";
  source.line = 12;
  source.color = 0x00ff00;
  const uint32_t prepare = ttrt_profiler_zone(profiler, &source);
  EXPECT_EQ(prepare, kFirstZone);
  EXPECT_EQ(ttrt_profiler_zone(profiler, &source), prepare);
  source.name = "frame";
  const uint32_t frame = ttrt_profiler_zone(profiler, &source);
  EXPECT_NE(frame, prepare);
  ttrt_signpost(profiler, "warm-up", "3 runs");
  ttrt_signpost(profiler, "measured", nullptr);
  ttrt_message(profiler, "critical", 0xff0000);
  auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      ttrt_frame(profiler, frame);
      ttrt_zone_begin(profiler, prepare);
      ttrt_zone_text(profiler, "inner");
      ttrt_zone_end(profiler);
    }
  };
  std::thread other(work);
  work();
  other.join();
  const ProfileLog log = this->log();
  ASSERT_EQ(log.zones.size(), 2u);
  EXPECT_EQ(log.zones[0].name, "prepare");
  EXPECT_EQ(log.zones[0].file, "main.c");
  EXPECT_EQ(log.zones[0].record.line, 12u);
  EXPECT_EQ(log.zones[0].record.color, 0x00ff00u);
  ASSERT_EQ(log.texts.size(), 203u);
  EXPECT_EQ(log.texts[0].first, "warm-up");
  EXPECT_EQ(log.texts[0].second, "3 runs");
  EXPECT_EQ(log.texts[1].second, "");
  EXPECT_EQ(log.texts[2].record.kind, TextKind::Message);
  EXPECT_EQ(log.texts[2].record.color, 0xff0000u);
  std::map<uint32_t, std::vector<HostMarkerKind>> threads;
  for (const HostMarker &marker : log.host)
    threads[marker.thread].push_back(marker.kind);
  ASSERT_EQ(threads.size(), 2u);
  for (const auto &[thread, kinds] : threads) {
    ASSERT_EQ(kinds.size(), 300u);
    for (size_t i = 0; i < kinds.size(); i += 3) {
      EXPECT_EQ(kinds[i], HostMarkerKind::Frame);
      EXPECT_EQ(kinds[i + 1], HostMarkerKind::ZoneBegin);
      EXPECT_EQ(kinds[i + 2], HostMarkerKind::ZoneEnd);
    }
  }
}

TEST_F(Recordings, HaveZonesOfScopes) {
  open();
  const ZoneName request(profiler, "request", 0x102030);
  for (int i = 0; i < 3; ++i) {
    request.frame();
    const ScopedZone zone(request);
    TTRT_ZONE(profiler, "inner");
    zone.text("of the innermost zone");
  }
  {
    const ZoneName none(nullptr, "none");
    const ScopedZone zone(none);
    TTRT_ZONE(nullptr, "none");
  }
  const ProfileLog log = this->log();
  ASSERT_EQ(log.zones.size(), 2u);
  EXPECT_EQ(log.zones[0].name, "request");
  EXPECT_NE(log.zones[0].file.find("ProfilerTest.cpp"), std::string::npos);
  EXPECT_EQ(log.zones[0].record.color, 0x102030u);
  EXPECT_EQ(log.zones[1].name, "inner");
  ASSERT_EQ(log.host.size(), 15u);
  for (size_t i = 0; i < 15; i += 5) {
    EXPECT_EQ(log.host[i].kind, HostMarkerKind::Frame);
    EXPECT_EQ(log.host[i + 1].zone, kFirstZone);
    EXPECT_EQ(log.host[i + 2].zone, kFirstZone + 1);
    EXPECT_EQ(log.host[i + 4].kind, HostMarkerKind::ZoneEnd);
  }
  EXPECT_EQ(log.texts.size(), 3u);
}

TEST_F(Recordings, CountDroppedZonesOfManyThreads) {
  open();
  constexpr int kThreads = 4, kZones = 20000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < kZones; ++j) {
        ttrt_zone_begin(profiler, 0);
        ttrt_zone_end(profiler);
      }
    });
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(ttrt_profiler_read(profiler, nullptr), TTRT_OK);
  for (std::thread &thread : threads)
    thread.join();
  const ProfileLog log = this->log();
  EXPECT_EQ(log.host.size() + log.droppedMarkers(), size_t(2) * kThreads * kZones);
}

/// The remedy that the message names helps.
TEST_F(Recordings, HaveRoomForMoreOfTheHost) {
  for (uint32_t programs : {0u, 10000u}) {
    open(programs);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 20000; ++i)
      ttrt_frame(profiler, 0);
    const ProfileLog log = this->log();
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(log.droppedMarkers(), programs ? 0u : 20000u - (1u << 14));
    EXPECT_EQ(text.starts_with("ttrt: profiler: host: the ring was full and 3616 markers were "
                               "dropped: read it more often ("),
              !programs)
        << text;
  }
}

TEST_F(Recordings, AreReadWhileTheyRun) {
  open(/*programs=*/0, /*interval=*/1);
  TemporaryFile file{chainBundle(20, /*barriers=*/true).finish()};
  constexpr int kRuns = 2000;
  {
    Loaded loaded(file.path(), device(2));
    for (int i = 0; i < kRuns; ++i)
      loaded.run(ramp(kChainElements), kChainElements);
  }
  const ProfileLog log = this->log();
  // How much is dropped depends on the machine; nothing is lost or out of order.
  size_t markers = 0;
  for (const auto &[ring, list] : log.markers) {
    checkNesting(list, MarkerKind::CommandBegin);
    for (const Marker &marker : list)
      markers += marker.kind != MarkerKind::Dropped;
  }
  for (const DroppedRecord &record : log.dropped)
    markers += record.ring == kNone ? 0 : record.count;
  const ProfileLog::Device &device = log.devices.at(0);
  EXPECT_EQ(device.record.cores, 2u);
  EXPECT_EQ(markers % kRuns, 0u);
}

TEST_F(Recordings, AllocateNothingInARun) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers have an allocator of their own";
#else
  open();
  TemporaryFile file{chainBundle(20, /*barriers=*/true).finish()};
  Loaded loaded(file.path(), device(2));
  std::vector<float> input = ramp(kChainElements), output(kChainElements);
  const ttrt_input in{input.data(), kChainElements * sizeof(float)};
  const ttrt_output out{output.data(), kChainElements * sizeof(float)};
  ASSERT_EQ(ttrt_run(loaded.device, 0, &in, &out, nullptr, nullptr), TTRT_OK);
  const long before = allocations.load();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(ttrt_run(loaded.device, 0, &in, &out, nullptr, nullptr), TTRT_OK);
  EXPECT_EQ(allocations.load(), before);
#endif
}

TEST_F(Recordings, OfSeveralDevicesAreToldApart) {
  open();
  TemporaryFile file{chainBundle(5, /*barriers=*/true).finish()};
  {
    Loaded first(file.path(), device(1)), second(file.path(), device(2));
    first.run(ramp(kChainElements), kChainElements);
    second.run(ramp(kChainElements), kChainElements);
    second.run(ramp(kChainElements), kChainElements);
  }
  const ProfileLog log = this->log();
  ASSERT_EQ(log.devices.size(), 2u);
  std::map<uint32_t, size_t> runs;
  for (const auto &[ring, markers] : log.markers)
    if (log.rings[ring].core == 0)
      runs[log.rings[ring].device] += checkNesting(markers, MarkerKind::StreamBegin);
  EXPECT_EQ(runs, (std::map<uint32_t, size_t>{{0, 1}, {1, 2}}));
}

TEST_F(Recordings, BeginInTheEnvironment) {
  setenv("TTRT_PROFILE", (root + "/environment").c_str(), 1);
  TemporaryFile file{sampleBundle().finish()};
  {
    Loaded loaded(file.path(), 1);
    loaded.run(ramp(kSampleElements), kSampleElements);
  }
  unsetenv("TTRT_PROFILE");
  std::vector<std::string> folders;
  for (const auto &entry : std::filesystem::directory_iterator(root + "/environment"))
    folders.push_back(entry.path());
  ASSERT_EQ(folders.size(), 1u);
  const ProfileLog log(folders[0]);
  EXPECT_TRUE(log.ended);
  EXPECT_EQ(log.count(MarkerKind::StreamBegin), 1u);
}

/// A recording that cannot begin must not keep a device from opening.
TEST_F(Recordings, OfTheEnvironmentFailOnStderrOnly) {
  setenv("TTRT_PROFILE", "/dev/null/profile", 1);
  TemporaryFile file{sampleBundle().finish()};
  testing::internal::CaptureStderr();
  {
    Loaded loaded(file.path(), 1);
    loaded.run(ramp(kSampleElements), kSampleElements);
  }
  unsetenv("TTRT_PROFILE");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot make the folder /dev/null"),
            std::string::npos);
}

TEST_F(Recordings, OfTheEnvironmentHaveItsNumbers) {
  setenv("TTRT_PROFILE", (root + "/environment").c_str(), 1);
  TemporaryFile file{sampleBundle().finish()};
  for (const char *name : {"TTRT_PROFILE_PROGRAMS", "TTRT_PROFILE_INTERVAL"}) {
    for (const char *value :
         {"1e3", "-1", "+5", "5 ", "many", "4294967296", "99999999999999999999"}) {
      setenv(name, value, 1);
      testing::internal::CaptureStderr();
      Loaded loaded(file.path(), 1);
      EXPECT_EQ(testing::internal::GetCapturedStderr(), std::string("ttrt: TTRT_PROFILE: ") + name +
                                                            ": expected a number, found '" + value +
                                                            "'; this device is not recorded\n");
    }
    setenv(name, "", 1);
  }
  setenv("TTRT_PROFILE_PROGRAMS", "77", 1);
  setenv("TTRT_PROFILE_INTERVAL", "5", 1);
  {
    Loaded loaded(file.path(), 1);
  }
  for (const char *name : {"TTRT_PROFILE", "TTRT_PROFILE_PROGRAMS", "TTRT_PROFILE_INTERVAL"})
    unsetenv(name);
  for (const auto &entry : std::filesystem::directory_iterator(root + "/environment"))
    EXPECT_EQ(ProfileLog(entry.path()).start.programs, 77u);
}

TEST_F(Recordings, RefuseWrongArguments) {
  ttrt_error error;
  EXPECT_EQ(ttrt_profiler_open(nullptr, nullptr, &profiler, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_profiler_open("", nullptr, &profiler, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_profiler_open(root.c_str(), nullptr, nullptr, &error), TTRT_INVALID_ARGUMENT);
  ttrt_profiler_options options = TTRT_PROFILER_OPTIONS_INIT;
  options.programs = 1u << 21;
  EXPECT_EQ(ttrt_profiler_open(root.c_str(), &options, &profiler, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "expected at most 1048576 programs, found 2097152");
  EXPECT_TRUE(std::filesystem::is_empty(root));
  EXPECT_EQ(ttrt_profiler_open("/dev/null/profile", nullptr, &profiler, &error), TTRT_IO_ERROR);
  EXPECT_EQ(profiler, nullptr);
  // Without a profiler, zones do nothing.
  ttrt_zone_begin(nullptr, 1);
  ttrt_zone_text(nullptr, "text");
  ttrt_zone_end(nullptr);
  ttrt_signpost(nullptr, "header", nullptr);
  ttrt_message(nullptr, "text", 0);
  ttrt_frame(nullptr, 1);
  EXPECT_EQ(ttrt_profiler_zone(nullptr, nullptr), 0u);
  EXPECT_EQ(ttrt_profiler_read(nullptr, nullptr), TTRT_OK);
  EXPECT_STREQ(ttrt_profiler_folder(nullptr), "");
}

TEST_F(Recordings, SayThatTheLogIsFull) {
  open();
  TemporaryFile file{chainBundle(20, /*barriers=*/true).finish()};
  Loaded loaded(file.path(), device(1));
  for (int i = 0; i < 50; ++i)
    loaded.run(ramp(kChainElements), kChainElements);
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{8192, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  ttrt_error error;
  const ttrt_status status = ttrt_profiler_read(profiler, &error);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(status, TTRT_IO_ERROR);
  EXPECT_NE(std::string(error.message).find("File too large"), std::string::npos) << error.message;
  // The device is none the worse.
  EXPECT_EQ(loaded.run(ramp(kChainElements), kChainElements).size(), kChainElements);
}

TEST_F(Recordings, AreTheParents) {
  open();
  TemporaryFile file{sampleBundle().finish()};
  {
    Loaded loaded(file.path(), device(1));
    loaded.run(ramp(kSampleElements), kSampleElements);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      ttrt_signpost(profiler, "child", nullptr);
      ttrt_zone_begin(profiler, 0);
      ttrt_zone_end(profiler);
      ttrt_error error;
      const bool refused = ttrt_profiler_read(profiler, &error) == TTRT_UNSUPPORTED;
      ttrt_profiler_close(profiler);
      _exit(refused ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    loaded.run(ramp(kSampleElements), kSampleElements);
  }
  const ProfileLog log = this->log();
  EXPECT_TRUE(log.texts.empty());
  EXPECT_EQ(log.count(MarkerKind::StreamBegin), 2u);
  EXPECT_EQ(log.host.size(), 4u);
}

} // namespace

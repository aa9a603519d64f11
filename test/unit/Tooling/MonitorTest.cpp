// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a watched device says, as ttrun monitor reads it. Other processes and hostile files are in
// test/ttrun/test_monitor.py.

#include "Monitor/MonitorScan.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "ttrt/pipeline.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;
using namespace ttrun;

namespace {

/// With a runtime directory of its own.
class Monitor : public testing::Test {
protected:
  WatchedDevice only() {
    const std::vector<WatchedDevice> devices = MonitorScan().scan();
    EXPECT_EQ(devices.size(), 1u);
    return devices.empty() ? WatchedDevice{} : devices[0];
  }

  MonitoredFolder folder;
  TemporaryFile file{sampleBundle().finish()};
};

TEST_F(Monitor, CountsInferences) {
  Loaded loaded(file.path(), 2);
  WatchedDevice device = only();
  EXPECT_EQ(device.pid, static_cast<uint64_t>(getpid()));
  EXPECT_EQ(device.cores, 2u);
  EXPECT_EQ(device.queues, 0u);
  EXPECT_EQ(device.iterations, 0u);
  EXPECT_FALSE(device.busy);
  EXPECT_EQ(device.memories[0].used, 5 * kSampleBytes);
  EXPECT_EQ(device.memories[1].used, 64u);
  EXPECT_EQ(device.memories[2].total, 192u);
  for (int i = 0; i < 5; ++i)
    loaded.run(ramp(kSampleElements), kSampleElements, /*noTrace=*/i % 2);
  device = only();
  EXPECT_EQ(device.iterations, 5u);
  EXPECT_FALSE(device.busy);
}

TEST_F(Monitor, CountsTracesOfEveryQueue) {
  Loaded loaded(file.path(), deviceOptions(1, 2));
  EXPECT_EQ(only().queues, 2u);
  for (uint32_t i = 0; i < 7; ++i)
    ASSERT_EQ(ttrt_enqueue_execute(loaded.device, i % 2, 0, /*blocking=*/1, nullptr), TTRT_OK);
  EXPECT_EQ(only().iterations, 7u);
}

/// However a schedule enqueues it, and whatever it computes that was not requested.
TEST_F(Monitor, CountsInferencesOfEveryPipeline) {
  TemporaryFile bundle{queueBundle().finish()};
  ttrt_device_options options = deviceOptions(2, 2);
  Loaded loaded(bundle.path(), options);
  const std::vector<float> input = ramp(kSampleElements);
  const ttrt_input in{input.data(), kSampleBytes};
  uint64_t expected = 0;
  for (const char *schedule : kSchedules)
    for (int noTrace : {0, 1}) {
      ttrt_pipeline_options how = TTRT_PIPELINE_OPTIONS_INIT;
      how.schedule = schedule;
      how.no_trace = noTrace;
      ttrt_pipeline *pipeline;
      ASSERT_EQ(ttrt_pipeline_open(loaded.device, &how, &pipeline, nullptr), TTRT_OK);
      for (size_t number : {3, 1, 6}) {
        for (size_t i = 0; i < number; ++i)
          ASSERT_EQ(ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_WAIT, nullptr), TTRT_OK);
        const void *outputs[16];
        size_t popped;
        ASSERT_EQ(ttrt_pipeline_pop_all(pipeline, outputs, 16, &popped, nullptr), TTRT_OK);
        EXPECT_EQ(popped, number);
        EXPECT_EQ(only().iterations, expected += number) << schedule << " " << noTrace;
      }
      ttrt_pipeline_close(pipeline);
      EXPECT_FALSE(only().busy) << schedule << " " << noTrace;
    }
}

TEST_F(Monitor, SaysWhetherItIsBusy) {
  ttrt_device_options options = deviceOptions(2);
  Loaded loaded(file.path(), options);
  // From inside a run: the host dispatches the commands and calls back after each.
  struct Seen {
    int calls = 0;
    bool busy = true;
  } seen;
  std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_output out{output.data(), kSampleBytes};
  ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
  run.no_trace = 1;
  run.user = &seen;
  run.on_command = [](void *user, uint32_t, uint32_t, uint64_t, uint64_t) {
    auto &seen = *static_cast<Seen *>(user);
    const std::vector<WatchedDevice> devices = MonitorScan().scan();
    seen.busy &= devices.size() == 1 && devices[0].busy && devices[0].iterations == 0;
    ++seen.calls;
  };
  ASSERT_EQ(ttrt_run(loaded.device, 0, &in, &out, &run, nullptr), TTRT_OK);
  EXPECT_EQ(seen.calls, 4);
  EXPECT_TRUE(seen.busy);
  EXPECT_FALSE(only().busy);
}

/// What a queue that has stopped leaves out is not counted, and it is not busy for ever.
TEST_F(Monitor, AQueueThatHasStopped) {
  ttrt_device_options options = deviceOptions(1, 2);
  Loaded loaded(file.path(), options);
  ASSERT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, /*blocking=*/1, nullptr), TTRT_OK);
  std::atomic<bool> open{false};
  auto fail = [](void *open) {
    while (!static_cast<std::atomic<bool> *>(open)->load())
      std::this_thread::yield();
    return 1;
  };
  ttrt_enqueue_call(loaded.device, 0, fail, &open, nullptr);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, 0, nullptr), TTRT_OK);
  open = true;
  EXPECT_EQ(ttrt_device_synchronize(loaded.device, nullptr), TTRT_FAILED);
  EXPECT_EQ(only().iterations, 1u);
  EXPECT_FALSE(only().busy);
  ASSERT_EQ(ttrt_device_reset(loaded.device, nullptr), TTRT_OK);
  ASSERT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, /*blocking=*/1, nullptr), TTRT_OK);
  EXPECT_EQ(only().iterations, 2u);
}

TEST_F(Monitor, EveryDeviceOfAProcess) {
  Loaded first(file.path(), 1);
  {
    Loaded second(file.path(), 1), third(file.path(), 1);
    second.run(ramp(kSampleElements), kSampleElements);
    const std::vector<WatchedDevice> devices = MonitorScan().scan();
    ASSERT_EQ(devices.size(), 3u);
    for (uint64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(devices[i].number, i);
      EXPECT_EQ(devices[i].iterations, i == 1);
    }
  }
  EXPECT_EQ(only().number, 0u);
}

TEST_F(Monitor, OfADeviceThatFailsToOpenNothingIsLeft) {
  BundleBuilder builder = sampleBundle();
  builder.bundle.target->arch = "vax";
  TemporaryFile foreign(builder.finish());
  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
  ASSERT_EQ(ttrt_bundle_open(foreign.path(), TTRT_VERIFY_FULL, &bundle, nullptr), TTRT_OK);
  EXPECT_EQ(ttrt_device_open(bundle, nullptr, &device, nullptr), TTRT_UNSUPPORTED);
  ttrt_bundle_close(bundle);
  EXPECT_TRUE(MonitorScan().scan().empty());
}

TEST_F(Monitor, ReadWhileItCounts) {
  Loaded loaded(file.path(), 1);
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    uint64_t before = 0;
    while (!stop) {
      const std::vector<WatchedDevice> devices = MonitorScan().scan();
      ASSERT_EQ(devices.size(), 1u);
      EXPECT_GE(devices[0].iterations, before);
      before = devices[0].iterations;
    }
  });
  for (int i = 0; i < 2000; ++i)
    loaded.run(ramp(kSampleElements), kSampleElements);
  stop = true;
  reader.join();
  EXPECT_EQ(only().iterations, 2000u);
}

TEST_F(Monitor, CountingAllocatesNothing) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer owns malloc";
#else
  Loaded loaded(file.path(), 2);
  std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_output out{output.data(), kSampleBytes};
  const long before = allocations.load();
  for (int i = 0; i < 100; ++i)
    ttrt_run(loaded.device, 0, &in, &out, nullptr, nullptr);
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_EQ(only().iterations, 100u);
#endif
}

} // namespace

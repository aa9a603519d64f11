// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs that are cancelled, or that have a deadline: blocking, on queues, in pipelines.

#include "test/unit/Support/Loaded.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"

#include <chrono>
#include <thread>

using namespace ttrt;
using namespace ttrt::test;

namespace {

using Clock = std::chrono::steady_clock;

/// Each command takes a hundredth of a second or more: all of them take seconds.
constexpr uint32_t kCommands = 500;
/// Long before the last command.
constexpr auto kSoon = std::chrono::milliseconds(1500);

class Cancel : public testing::TestWithParam<uint32_t> {
protected:
  explicit Cancel(uint32_t queues = 1)
      : file(slowBundle(kCommands).finish()),
        loaded(file.path(), deviceOptions(GetParam(), queues)), device(loaded.device),
        input(ramp(kSampleElements)), output(kSampleElements) {}

  ttrt_status run(bool noTrace = false) {
    const ttrt_input in{input.data(), kSampleBytes};
    const ttrt_output out{output.data(), kSampleBytes};
    ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
    options.no_trace = noTrace;
    return ttrt_run(device, 0, &in, &out, &options, &error);
  }
  std::thread cancelSoon() {
    return std::thread([device = device] {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      EXPECT_EQ(ttrt_device_cancel(device, nullptr), TTRT_OK);
    });
  }
  /// A bundle that is cancelled is usable again.
  void expectItStarts() {
    ASSERT_EQ(ttrt_device_reset(device, &error), TTRT_OK) << error.message;
    std::thread canceller = cancelSoon();
    const auto begin = Clock::now();
    EXPECT_EQ(run(), TTRT_CANCELLED);
    EXPECT_GT(Clock::now() - begin, std::chrono::milliseconds(30)) << "it did not begin";
    canceller.join();
  }

  TemporaryFile file;
  Loaded loaded;
  ttrt_device *device;
  std::vector<float> input, output;
  ttrt_error error{};
};

TEST_P(Cancel, ABlockingRun) {
  for (bool noTrace : {false, true}) {
    std::thread canceller = cancelSoon();
    const auto begin = Clock::now();
    EXPECT_EQ(run(noTrace), TTRT_CANCELLED);
    EXPECT_STREQ(error.message, "the device was cancelled");
    EXPECT_LT(Clock::now() - begin, kSoon);
    canceller.join();
    EXPECT_EQ(run(noTrace), TTRT_CANCELLED) << "it stays cancelled";
    ASSERT_EQ(ttrt_device_reset(device, &error), TTRT_OK) << error.message;
  }
  expectItStarts();
}

TEST_P(Cancel, ADeadline) {
  const auto begin = Clock::now();
  ASSERT_EQ(ttrt_device_set_deadline(device, 60'000'000, &error), TTRT_OK);
  EXPECT_EQ(run(), TTRT_DEADLINE_EXCEEDED);
  EXPECT_STREQ(error.message, "the deadline of the device has passed");
  EXPECT_GT(Clock::now() - begin, std::chrono::milliseconds(59));
  EXPECT_LT(Clock::now() - begin, kSoon);
  EXPECT_EQ(run(), TTRT_DEADLINE_EXCEEDED);
  EXPECT_EQ(ttrt_device_set_deadline(device, UINT64_MAX, &error), TTRT_OK);
  EXPECT_EQ(run(), TTRT_DEADLINE_EXCEEDED) << "it has passed already";
  expectItStarts();
}

TEST_P(Cancel, AnEntryOfAQueue) {
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(ttrt_enqueue_execute(device, 0, 0, /*blocking=*/0, &error), TTRT_OK);
  std::thread canceller = cancelSoon();
  const auto begin = Clock::now();
  EXPECT_EQ(ttrt_device_synchronize(device, &error), TTRT_CANCELLED);
  EXPECT_LT(Clock::now() - begin, kSoon);
  EXPECT_NE(std::string(error.message).find("was cancelled"), std::string::npos) << error.message;
  canceller.join();
  EXPECT_EQ(ttrt_enqueue_execute(device, 0, 0, /*blocking=*/1, &error), TTRT_CANCELLED);
  ASSERT_EQ(ttrt_device_reset(device, &error), TTRT_OK);
  ASSERT_EQ(ttrt_device_set_deadline(device, 60'000'000, &error), TTRT_OK);
  EXPECT_EQ(ttrt_enqueue_execute(device, 0, 0, /*blocking=*/1, &error), TTRT_DEADLINE_EXCEEDED);
  expectItStarts();
}

struct Pipeline {
  explicit Pipeline(ttrt_device *device, bool noTrace = false) {
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.no_trace = noTrace;
    ttrt_error error;
    EXPECT_EQ(ttrt_pipeline_open(device, &options, &handle, &error), TTRT_OK) << error.message;
  }
  ~Pipeline() { ttrt_pipeline_close(handle); }
  ttrt_pipeline *handle = nullptr;
};

TEST_P(Cancel, APipeline) {
  for (bool noTrace : {false, true}) {
    const auto begin = Clock::now();
    {
      const Pipeline pipeline(device, noTrace);
      const ttrt_input in{input.data(), kSampleBytes};
      std::thread canceller = cancelSoon();
      // Without the trace, the ring is full before all commands are enqueued.
      ttrt_status status = TTRT_OK;
      for (int i = 0; i < 3 && status == TTRT_OK; ++i)
        status = ttrt_pipeline_enqueue(pipeline.handle, &in, nullptr, TTRT_WAIT, &error);
      EXPECT_TRUE(status == TTRT_OK || status == TTRT_CANCELLED);
      const void *view;
      EXPECT_EQ(ttrt_pipeline_pop(pipeline.handle, &view, TTRT_WAIT, &error), TTRT_CANCELLED);
      canceller.join();
      EXPECT_EQ(ttrt_pipeline_enqueue(pipeline.handle, &in, nullptr, TTRT_WAIT, &error),
                TTRT_CANCELLED);
      EXPECT_EQ(ttrt_device_reset(device, &error), TTRT_BUSY);
    }
    EXPECT_LT(Clock::now() - begin, kSoon) << "closing it completes nothing either";
    ASSERT_EQ(ttrt_device_reset(device, &error), TTRT_OK);
  }
  expectItStarts();
}

/// No queue has anything to do, and the drainer waits for the feeder.
TEST_P(Cancel, AThreadThatWaitsForAnother) {
  {
    const Pipeline pipeline(device);
    std::thread canceller = cancelSoon();
    const void *view;
    EXPECT_EQ(ttrt_pipeline_pop(pipeline.handle, &view, TTRT_STREAM, &error), TTRT_CANCELLED);
    canceller.join();
  }
  expectItStarts();
}

TEST_P(Cancel, BeforeTheRun) {
  EXPECT_EQ(ttrt_device_cancel(device, &error), TTRT_OK);
  EXPECT_EQ(run(), TTRT_CANCELLED);
  EXPECT_EQ(ttrt_trace_execute(device, 0, &error), TTRT_CANCELLED);
  ttrt_pipeline *pipeline = nullptr;
  EXPECT_EQ(ttrt_pipeline_open(device, nullptr, &pipeline, &error), TTRT_CANCELLED);
  expectItStarts();
}

INSTANTIATE_TEST_SUITE_P(Cores, Cancel, testing::Values(1, 2, 3));

/// A deadline that is kept changes nothing: not the bits, with any number of cores.
TEST(Deadline, ThatIsKept) {
  TemporaryFile file(sampleBundle().finish());
  for (uint32_t cores : {1, 3}) {
    Loaded loaded(file.path(), cores);
    const std::vector<float> input = ramp(kSampleElements);
    ASSERT_EQ(ttrt_device_set_deadline(loaded.device, 3600'000'000'000, nullptr), TTRT_OK);
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));
    ASSERT_EQ(ttrt_device_set_deadline(loaded.device, UINT64_MAX, nullptr), TTRT_OK);
    EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));
  }
}

/// Wherever it comes, a run either is complete and right, or says that it was cancelled.
TEST(CancelAnywhere, NoWrongOutputs) {
  TemporaryFile file(chainBundle(300, /*barriers=*/true).finish());
  Loaded loaded(file.path(), 2);
  int complete = 0, cancelled = 0;
  // On a busy machine the canceller may come too late in each of 400 rounds.
  for (int round = 0; round < 400 || (cancelled == 0 && round < 100'000); ++round) {
    std::thread canceller([&, round] {
      const auto end = Clock::now() + std::chrono::nanoseconds(round % 400 * 100);
      while (Clock::now() < end) {
      }
      ttrt_device_cancel(loaded.device, nullptr);
    });
    const std::vector<float> input(8, static_cast<float>(round));
    std::vector<float> output(8, -1.0f);
    const ttrt_input in{input.data(), 32};
    const ttrt_output out{output.data(), 32};
    const ttrt_status status = ttrt_run(loaded.device, 0, &in, &out, nullptr, nullptr);
    canceller.join();
    ASSERT_EQ(ttrt_device_reset(loaded.device, nullptr), TTRT_OK);
    ++(status == TTRT_OK ? complete : cancelled);
    if (status == TTRT_OK)
      EXPECT_EQ(output, std::vector<float>(8, static_cast<float>(round) + 300));
    else
      EXPECT_EQ(status, TTRT_CANCELLED);
  }
  EXPECT_GT(cancelled, 0);
}

} // namespace

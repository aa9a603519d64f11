// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"
#include "ttrt/queue.h"

#include <cstring>

using namespace ttrt;
using namespace ttrt::test;

namespace {

ttrt_memory_use useOf(ttrt_device *device, ttrt_buffer_type type) {
  ttrt_memory_use use = TTRT_MEMORY_USE_INIT;
  ttrt_error error;
  EXPECT_EQ(ttrt_device_memory(device, type, &use, &error), TTRT_OK) << error.message;
  EXPECT_EQ(use.used + use.free, use.total);
  EXPECT_LE(use.used, use.total);
  EXPECT_LE(use.largest_free, use.free);
  return use;
}

/// Entry points "main" (the sample) and "copy" (y2 = x2 through a trace of `padding` fills, which
/// make its stream several pages long), each with a trace and slots of its own.
BundleBuilder twoEntries(uint32_t padding) {
  BundleBuilder builder = sampleBundle();
  uint64_t end = 0;
  for (const auto &buffer : builder.bundle.buffers)
    if (buffer->space == fb::MemorySpace::Dram)
      end = std::max<uint64_t>(end, buffer->offset + buffer->size);
  const uint64_t x = end, y = end + kSampleBytes;
  uint32_t in = builder.buffer("x2", fb::BufferKind::Slot, x, kSampleBytes);
  uint32_t out = builder.buffer("y2", fb::BufferKind::Slot, y, kSampleBytes);
  StreamBuilder stream;
  for (uint32_t i = 0; i < padding; ++i) {
    stream.fill(y, kSampleBytes, i);
    stream.barrier();
  }
  stream.copy(y, x, kSampleBytes);
  stream.end();
  uint32_t trace = builder.trace("copy_t0", stream);
  builder.entry("copy", {"x2", {int64_t(kSampleElements)}, in},
                {"y2", {int64_t(kSampleElements)}, out}, {trace});
  return builder;
}

/// Short streams that share a page, and long ones that do not.
class TraceLife : public testing::TestWithParam<uint32_t> {};

TEST_P(TraceLife, ReleasedTracesAreFreeAndDoNotRun) {
  TemporaryFile file(twoEntries(GetParam()).finish());
  Loaded loaded(file.path(), 2);
  const std::vector<float> input = ramp(kSampleElements);
  const ttrt_memory_use before = useOf(loaded.device, TTRT_TRACE);
  EXPECT_EQ(before.used, before.total);
  EXPECT_EQ(before.peak, before.total);
  EXPECT_EQ(before.largest_free, 0u);
  ttrt_trace info = TTRT_TRACE_INIT;
  ASSERT_EQ(ttrt_bundle_trace(loaded.bundle, 1, &info, nullptr), TTRT_OK);
  const uint64_t bytes = alignUp(info.bytes, kStreamAlignment);
  ttrt_error error;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(ttrt_trace_is_loaded(loaded.device, 1));
    EXPECT_EQ(loaded.run(input, kSampleElements, false, 1), input);
    ASSERT_EQ(ttrt_trace_release(loaded.device, 1, &error), TTRT_OK) << error.message;
    EXPECT_FALSE(ttrt_trace_is_loaded(loaded.device, 1));
    const ttrt_memory_use now = useOf(loaded.device, TTRT_TRACE);
    EXPECT_EQ(now.used, before.used - bytes);
    EXPECT_EQ(now.free, bytes);
    EXPECT_EQ(now.largest_free, bytes);
    EXPECT_EQ(now.peak, before.peak);

    // Neither by itself nor as a part of its entry point, replayed or not.
    EXPECT_EQ(ttrt_trace_execute(loaded.device, 1, &error), TTRT_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message,
                 "trace 1, 'copy_t0', is released; ttrt_trace_load() loads it again");
    std::vector<float> output(kSampleElements);
    ttrt_input in{input.data(), kSampleBytes};
    ttrt_output out{output.data(), kSampleBytes};
    for (int noTrace : {0, 1}) {
      ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
      options.no_trace = noTrace;
      EXPECT_EQ(ttrt_run(loaded.device, 1, &in, &out, &options, &error), TTRT_INVALID_ARGUMENT);
    }
    // The other entry point is not touched by that.
    EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));

    EXPECT_EQ(ttrt_trace_release(loaded.device, 1, &error), TTRT_OK) << error.message;
    ASSERT_EQ(ttrt_trace_load(loaded.device, 1, &error), TTRT_OK) << error.message;
    EXPECT_EQ(ttrt_trace_load(loaded.device, 1, &error), TTRT_OK) << error.message;
    EXPECT_EQ(useOf(loaded.device, TTRT_TRACE).used, before.used);
  }
}

TEST_P(TraceLife, AllReleasedLeaveNothing) {
  TemporaryFile file(twoEntries(GetParam()).finish());
  Loaded loaded(file.path(), 1);
  for (uint32_t trace : {0u, 1u})
    ASSERT_EQ(ttrt_trace_release(loaded.device, trace, nullptr), TTRT_OK);
  ttrt_memory_use use = useOf(loaded.device, TTRT_TRACE);
  EXPECT_EQ(use.used, 0u);
  EXPECT_EQ(use.largest_free, use.total);
  for (uint32_t trace : {1u, 0u})
    ASSERT_EQ(ttrt_trace_load(loaded.device, trace, nullptr), TTRT_OK);
  const std::vector<float> input = ramp(kSampleElements);
  EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));
  EXPECT_EQ(loaded.run(input, kSampleElements, false, 1), input);
}

INSTANTIATE_TEST_SUITE_P(Padding, TraceLife, testing::Values(0, 10, 1000));

TEST(TraceLife, ExecuteReadsAndWritesSlots) {
  TemporaryFile file(twoEntries(0).finish());
  Loaded loaded(file.path(), 2);
  const std::vector<float> input = ramp(kSampleElements);
  void *in = nullptr;
  const void *out = nullptr;
  ASSERT_EQ(ttrt_device_input_slot(loaded.device, 1, 0, &in, nullptr), TTRT_OK);
  ASSERT_EQ(ttrt_device_output_slot(loaded.device, 1, 0, &out, nullptr), TTRT_OK);
  memcpy(in, input.data(), kSampleBytes);
  ttrt_error error;
  ASSERT_EQ(ttrt_trace_execute(loaded.device, 1, &error), TTRT_OK) << error.message;
  EXPECT_EQ(memcmp(out, input.data(), kSampleBytes), 0);
  // The other entry point has slots of its own.
  EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements), sampleResult(input));
  EXPECT_EQ(memcmp(out, input.data(), kSampleBytes), 0);
}

TEST(TraceLife, EntriesRunAlternately) {
  TemporaryFile file(twoEntries(3).finish());
  Loaded loaded(file.path(), 2);
  for (int i = 0; i < 20; ++i) {
    std::vector<float> input = ramp(kSampleElements);
    input[0] = static_cast<float>(i);
    EXPECT_EQ(loaded.run(input, kSampleElements, false, 0), sampleResult(input));
    input[0] = static_cast<float>(-i);
    EXPECT_EQ(loaded.run(input, kSampleElements, false, 1), input);
  }
}

TEST(TraceLife, BadArguments) {
  TemporaryFile file(sampleBundle().finish());
  Loaded loaded(file.path(), 1);
  ttrt_error error;
  for (auto *call : {ttrt_trace_load, ttrt_trace_release, ttrt_trace_execute}) {
    EXPECT_EQ(call(loaded.device, 7, &error), TTRT_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, "trace 7; the bundle has 1");
    EXPECT_EQ(call(nullptr, 0, &error), TTRT_INVALID_ARGUMENT);
  }
  EXPECT_FALSE(ttrt_trace_is_loaded(loaded.device, 7));
  ttrt_memory_use use = TTRT_MEMORY_USE_INIT;
  EXPECT_EQ(ttrt_device_memory(loaded.device, static_cast<ttrt_buffer_type>(3), &use, &error),
            TTRT_INVALID_ARGUMENT);
}

TEST(TraceLife, QueuesAndPipelines) {
  TemporaryFile file(queueBundle().finish());
  Loaded loaded(file.path(), deviceOptions(1, 2));
  ttrt_error error;
  ttrt_pipeline *pipeline = nullptr;
  ttrt_pipeline_options pipelineOptions = TTRT_PIPELINE_OPTIONS_INIT;
  pipelineOptions.schedule = "single";
  ASSERT_EQ(ttrt_pipeline_open(loaded.device, &pipelineOptions, &pipeline, &error), TTRT_OK)
      << error.message;
  EXPECT_EQ(ttrt_trace_release(loaded.device, 0, &error), TTRT_BUSY);
  ttrt_pipeline_close(pipeline);

  ASSERT_EQ(ttrt_trace_release(loaded.device, 0, &error), TTRT_OK) << error.message;
  EXPECT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, 1, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_pipeline_open(loaded.device, &pipelineOptions, &pipeline, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(pipeline, nullptr);
  ASSERT_EQ(ttrt_trace_load(loaded.device, 0, &error), TTRT_OK) << error.message;
  EXPECT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, 1, &error), TTRT_OK) << error.message;

  // A trace with events in it is for queues.
  ASSERT_EQ(ttrt_bundle_traces(loaded.bundle), 2u);
  EXPECT_EQ(ttrt_trace_execute(loaded.device, 1, &error), TTRT_UNSUPPORTED);
}

TEST(MemoryStatistics, CountWhatThePlanTakes) {
  BundleBuilder builder = sampleBundle();
  uint64_t highest = 0;
  for (const auto &buffer : builder.bundle.buffers)
    highest = std::max<uint64_t>(highest, buffer->offset + buffer->size);
  builder.bundle.programs[0]->scratch_bytes = 192;
  TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), 1);
  const ttrt_memory_use dram = useOf(loaded.device, TTRT_DRAM);
  const ttrt_memory_use trace = useOf(loaded.device, TTRT_TRACE);
  EXPECT_LE(dram.used, highest);
  EXPECT_LE(dram.peak, dram.used);
  EXPECT_GT(dram.peak, 0u);
  EXPECT_GE(dram.largest_free, dram.total - highest);
  EXPECT_GT(trace.total, 0u);
  const ttrt_memory_use l1 = useOf(loaded.device, TTRT_L1);
  EXPECT_EQ(l1.used, 192u);
  EXPECT_EQ(l1.peak, 192u);
  EXPECT_EQ(l1.largest_free, l1.total - 192);
}

} // namespace

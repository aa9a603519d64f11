// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loaded device costs: no allocation, no CPU time while idle, weights shared between
// processes.

#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "ttrt/pipeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

TEST(Resources, NoAllocationAfterLoad) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer owns malloc";
#else
  TemporaryFile file(sampleBundle().finish());
  for (uint32_t cores : {1, 2, 4}) {
    Loaded loaded(file.path(), cores);
    std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
    ttrt_input in{input.data(), kSampleBytes};
    ttrt_output out{output.data(), kSampleBytes};
    ttrt_timing timing = TTRT_TIMING_INIT;
    ttrt_error error;
    const long before = allocations.load();
    ASSERT_GT(before, 0) << "the counter does not count";
    for (int i = 0; i < 100; ++i) {
      ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
      options.no_trace = i % 2;
      options.timing = &timing;
      if (ttrt_run(loaded.device, 0, &in, &out, &options, &error) != TTRT_OK)
        break;
    }
    const long after = allocations.load();
    EXPECT_EQ(after - before, 0) << cores << " cores";
    EXPECT_EQ(output, sampleResult(input));
  }
#endif
}

double cpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Queues and pipelines, in the steady state: nothing allocates on any thread.
TEST(Resources, QueuesDoNotAllocate) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer owns malloc";
#else
  TemporaryFile file(queueBundle().finish());
  ttrt_device_options device = deviceOptions(2, 2);
  Loaded loaded(file.path(), device);
  std::vector<float> input = ramp(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  for (const char *schedule : kSchedules) {
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.schedule = schedule;
    ttrt_pipeline *pipeline;
    ttrt_error error;
    ASSERT_EQ(ttrt_pipeline_open(loaded.device, &options, &pipeline, &error), TTRT_OK)
        << error.message;
    const long before = allocations.load();
    const void *output = nullptr;
    int popped = 0;
    for (int i = 0; i < 100; ++i) {
      ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_WAIT, &error);
      if (i % 8 == 7)
        while (ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, &error) == TTRT_OK)
          ++popped;
    }
    const long after = allocations.load();
    ttrt_pipeline_close(pipeline);
    EXPECT_EQ(after - before, 0) << schedule;
    EXPECT_EQ(popped, 96) << schedule;
  }
#endif
}

TEST(Resources, IdleQueuesUseNoCpuTime) {
  TemporaryFile file(queueBundle().finish());
  ttrt_device_options device = deviceOptions(2, 2);
  Loaded loaded(file.path(), device);
  std::vector<float> input = ramp(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_pipeline *pipeline;
  ttrt_error error;
  ASSERT_EQ(ttrt_pipeline_open(loaded.device, nullptr, &pipeline, &error), TTRT_OK);
  ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_WAIT, &error);
  const void *output = nullptr;
  ASSERT_EQ(ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, &error), TTRT_OK) << error.message;
  std::this_thread::sleep_for(std::chrono::milliseconds(100)); // queues spin for a moment
  const double before = cpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(cpuSeconds() - before, 0.002);
  ttrt_pipeline_close(pipeline);
}

TEST(Resources, AnIdleDeviceUsesNoCpuTime) {
  TemporaryFile file(sampleBundle().finish());
  Loaded loaded(file.path(), 4);
  loaded.run(ramp(kSampleElements), kSampleElements);
  std::this_thread::sleep_for(std::chrono::milliseconds(100)); // workers spin for a moment
  const double before = cpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(cpuSeconds() - before, 0.002);
}

/// This process's memory in kB, from /proc/self/smaps_rollup. Clean and dirty together: the pages
/// of a file that was just written, or lies in a tmpfs, count as dirty without ever having been
/// written here.
struct Rollup {
  long rss = 0, pss = 0, shared = 0, unshared = 0, anonymous = 0;
};

[[maybe_unused]] Rollup rollup() {
  Rollup result;
  std::ifstream file("/proc/self/smaps_rollup");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string key;
    long value = 0;
    words >> key >> value;
    if (key == "Rss:")
      result.rss = value;
    else if (key == "Pss:")
      result.pss = value;
    else if (key == "Shared_Clean:" || key == "Shared_Dirty:")
      result.shared += value;
    else if (key == "Private_Clean:" || key == "Private_Dirty:")
      result.unshared += value;
    else if (key == "Anonymous:")
      result.anonymous = value;
  }
  return result;
}

/// A program over many weights.
[[maybe_unused]] BundleBuilder largeBundle(uint64_t bytes) {
  BundleBuilder builder;
  builder.bundle.target->dram_bank_bytes = 1 << 30;
  std::vector<float> weights(bytes / sizeof(float), 0.5f);
  const uint64_t w = builder.constant("w", weights.data(), bytes);
  const uint64_t y = builder.dataBegin();
  uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, 64);
  uint32_t sum = builder.program("test_sum", 1, {kSampleBytes}, {4});
  StreamBuilder stream;
  // Touches every page of the weights.
  for (uint64_t at = 0; at < bytes; at += 4096)
    stream.dispatch(sum, {w + at, y});
  stream.end();
  uint32_t trace = builder.trace("t", stream);
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.outputs, "y", {1}, out);
  BundleBuilder::step(entry, fb::StepKind::Execute, trace);
  BundleBuilder::step(entry, fb::StepKind::Read, 0);
  return builder;
}

[[maybe_unused]] constexpr uint64_t kLargeBytes = 64 << 20;

TEST(Resources, WeightsAreFilePagesAndLittleElseIsPrivate) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer's own memory hides ours";
#else
  TemporaryFile file(largeBundle(kLargeBytes).finish());
  const Rollup before = rollup();
  Loaded loaded(file.path(), 2);
  EXPECT_EQ(loaded.run({}, 1)[0], 128.0f);
  const Rollup after = rollup();
  EXPECT_LT(after.anonymous - before.anonymous, 16 * 1024);
  // The weights are mapped once: what was mapped to be hashed is gone.
  EXPECT_GT(after.rss - before.rss, 60 * 1024);
  EXPECT_LT(after.rss - before.rss, 80 * 1024);
#endif
}

TEST(Resources, TwoProcessesShareTheWeights) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer's own memory hides ours";
#else
  TemporaryFile file(largeBundle(kLargeBytes).finish());
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  pid_t child = fork();
  if (child == 0) {
    char byte = 1;
    {
      Loaded loaded(file.path(), 1);
      byte = loaded.run({}, 1)[0] == 128.0f ? 0 : 1;
      if (write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1)
        _exit(1);
    }
    _exit(0);
  }
  const Rollup before = rollup();
  Loaded loaded(file.path(), 1);
  EXPECT_EQ(loaded.run({}, 1)[0], 128.0f);
  char byte = 1;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 0);
  const Rollup after = rollup();
  EXPECT_GT(after.shared - before.shared, 60 * 1024);
  EXPECT_LT(after.unshared - before.unshared, 8 * 1024);
  // Its proportional share is half of the pages.
  EXPECT_LT(after.pss - before.pss, 40 * 1024);
  ASSERT_EQ(write(done[1], &byte, 1), 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (int end : {ready[0], ready[1], done[0], done[1]})
    close(end);
#endif
}

TEST(Resources, OpeningAndClosingLeaksNothing) {
  TemporaryFile file(sampleBundle().finish());
  auto descriptors = [] {
    int n = 0;
    for (int i = 0; i < 1024; ++i)
      n += faccessat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(i)).c_str(), F_OK,
                     AT_SYMLINK_NOFOLLOW) == 0;
    return n;
  };
  auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  };
  auto openAndClose = [&] {
    Loaded loaded(file.path(), 3);
    loaded.run(ramp(kSampleElements), kSampleElements);
  };
  openAndClose();
  const int before = descriptors();
  const auto mapped = mappings();
  for (int i = 0; i < 30; ++i)
    openAndClose();
  EXPECT_EQ(descriptors(), before);
  EXPECT_LT(mappings(), mapped + 20);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads and devices on one bundle, while they are monitored, and signals that interrupt
// whatever waits. Runs under the thread sanitizer, too.

#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "test/unit/Support/Sanitized.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ttrt::test {
namespace {

#ifdef TTRT_TEST_SANITIZED
constexpr uint32_t kThreads = 60; // each device has two to four threads of its own
#else
constexpr uint32_t kThreads = 200;
#endif

/// Some inferences through a pipeline, checked; "" if all is well.
std::string stream(ttrt_device *device, const char *schedule, uint32_t inferences) {
  ttrt_error error{};
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.schedule = schedule;
  options.outputs = 4;
  ttrt_pipeline *pipeline = nullptr;
  if (ttrt_pipeline_open(device, &options, &pipeline, &error) != TTRT_OK)
    return error.message;
  const std::vector<float> x = ramp(kSampleElements), expected = sampleResult(x);
  const ttrt_input in{x.data(), kSampleBytes};
  std::thread feeder([&] {
    for (uint32_t i = 0; i < inferences; ++i)
      if (ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_STREAM, nullptr) != TTRT_OK)
        break;
    ttrt_pipeline_finish(pipeline, nullptr);
  });
  std::string said;
  uint32_t popped = 0;
  const void *output = nullptr;
  while (ttrt_pipeline_pop(pipeline, &output, TTRT_STREAM, &error) == TTRT_OK) {
    ++popped;
    if (memcmp(output, expected.data(), kSampleBytes) != 0)
      said = "a wrong output";
  }
  feeder.join();
  ttrt_pipeline_close(pipeline);
  if (error.status != TTRT_END)
    return error.message;
  return popped == inferences ? said : "outputs are missing";
}

/// One thread's life: opens a device, uses it in the way of its number, closes it.
std::string useDevice(const ttrt_bundle *bundle, uint32_t number) {
  ttrt_error error{};
  ttrt_device *device = nullptr;
  ttrt_device_options options = deviceOptions(1 + number % 2, number % 3);
  if (ttrt_device_open(bundle, &options, &device, &error) != TTRT_OK)
    return error.message;
  std::string said;
  if (options.queues) {
    said = stream(device, kSchedules[options.queues == 1 ? 0 : number % std::size(kSchedules)], 20);
  } else {
    const std::vector<float> x = ramp(kSampleElements);
    std::vector<float> y(kSampleElements);
    const ttrt_input in{x.data(), kSampleBytes};
    const ttrt_output out{y.data(), kSampleBytes};
    for (int i = 0; i < 10 && said.empty(); ++i)
      if (ttrt_run(device, 0, &in, &out, nullptr, &error) != TTRT_OK)
        said = error.message;
      else if (y != sampleResult(x))
        said = "a wrong output";
  }
  ttrt_memory_use use = TTRT_MEMORY_USE_INIT;
  if (ttrt_device_memory(device, TTRT_TRACE, &use, &error) != TTRT_OK)
    said = error.message;
  ttrt_device_close(device);
  return said;
}

std::vector<std::string> inThreads(uint32_t threads,
                                   const std::function<std::string(uint32_t)> &function) {
  std::vector<std::string> said(threads);
  std::vector<std::thread> running;
  for (uint32_t i = 0; i < threads; ++i)
    running.emplace_back([&, i] { said[i] = function(i); });
  for (std::thread &thread : running)
    thread.join();
  return said;
}

TEST(Concurrency, ManyThreadsOnOneBundle) {
  TemporaryFile file(queueBundle().finish());
  const std::string folder = testing::TempDir() + "ttrt-threads-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  setenv("TTRT_MONITOR", "1", 1);
  setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
  for (const auto verify : {TTRT_VERIFY_FULL, TTRT_VERIFY_NONE}) {
    ttrt_error error;
    ttrt_bundle *bundle = nullptr;
    ASSERT_EQ(ttrt_bundle_open(file.path(), verify, &bundle, &error), TTRT_OK) << error.message;
    for (const std::string &said :
         inThreads(kThreads, [&](uint32_t number) { return useDevice(bundle, number); }))
      EXPECT_EQ(said, "");
    ttrt_bundle_close(bundle);
  }
  // Every device has removed its file.
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    EXPECT_FALSE(entry.is_regular_file()) << entry.path();
  unsetenv("TTRT_MONITOR");
  unsetenv("XDG_RUNTIME_DIR");
  std::filesystem::remove_all(folder);
}

/// Each thread opens the bundle itself, and closes it before its device.
TEST(Concurrency, ManyThreadsOpenOneFile) {
  TemporaryFile file(queueBundle().finish());
  for (const std::string &said : inThreads(kThreads / 4, [&](uint32_t number) -> std::string {
         ttrt_error error{};
         ttrt_bundle *bundle = nullptr;
         if (ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK)
           return error.message;
         const std::string used = useDevice(bundle, number);
         ttrt_bundle_close(bundle);
         return used;
       }))
    EXPECT_EQ(said, "");
}

std::atomic<uint32_t> interrupted{0};

/// Handlers that do not restart system calls, on all threads of the device and of the caller, while
/// a slow link makes them sleep.
TEST(Concurrency, SignalsInterruptNothing) {
  struct sigaction before, action{};
  action.sa_handler = [](int) { interrupted.fetch_add(1, std::memory_order_relaxed); };
  sigemptyset(&action.sa_mask); // no SA_RESTART: system calls return EINTR
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  interrupted = 0;
  TemporaryFile file(queueBundle().finish());
  ttrt_device_options options = deviceOptions(2, 2);
  options.link_bytes_per_second = 1 << 20; // a millisecond for each transfer
  {
    Loaded loaded(file.path(), options);
    std::atomic<bool> stop{false};
    const pthread_t caller = pthread_self();
    std::thread sender([&] {
      while (!stop) {
        kill(getpid(), SIGUSR1); // to any thread
        pthread_kill(caller, SIGUSR1);
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
    for (const char *schedule : kSchedules)
      EXPECT_EQ(stream(loaded.device, schedule, 20), "") << schedule;
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements),
                sampleResult(ramp(kSampleElements)));
    // Opening and closing, too.
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(useDevice(loaded.bundle, 5), "");
    stop = true;
    sender.join();
  }
  EXPECT_GT(interrupted.load(), 0u);
  sigaction(SIGUSR1, &before, nullptr);
}

} // namespace
} // namespace ttrt::test

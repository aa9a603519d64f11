// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process forks while a device is open: in the child, which has none of its threads, every call
// that would wait for one is an error at once, and everything can be closed.

#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "test/unit/Support/Sanitized.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"

#include <csignal>
#include <ctime>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace ttrt::test {
namespace {

/// What a child has to say for itself, "" if all is well. It is killed if it hangs.
std::string inChild(const std::function<std::string()> &function) {
  int ends[2];
  if (pipe(ends) != 0)
    return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // hangs otherwise; generous for sanitizers on a busy machine
    const std::string said = function();
    const bool told = write(ends[1], said.data(), said.size()) == ssize_t(said.size());
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char part[256];
  for (ssize_t got; (got = read(ends[0], part, sizeof(part))) > 0;)
    said.append(part, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    said += WTERMSIG(status) == SIGALRM ? "hangs" : "killed by a signal";
  else if (WEXITSTATUS(status))
    said += "exit status " + std::to_string(WEXITSTATUS(status));
  return said;
}

struct Sample {
  std::vector<float> x = ramp(kSampleElements), y = std::vector<float>(kSampleElements);
  ttrt_input in{x.data(), kSampleBytes};
  ttrt_output out{y.data(), kSampleBytes};
};

struct ForkedCall {
  const char *name;
  ttrt_status (*call)(ttrt_device *, ttrt_event *, ttrt_error *);
};
void PrintTo(const ForkedCall &call, std::ostream *stream) { *stream << call.name; }

const ForkedCall kCalls[] = {
    {"Run",
     [](ttrt_device *device, ttrt_event *, ttrt_error *error) {
       Sample sample;
       return ttrt_run(device, 0, &sample.in, &sample.out, nullptr, error);
     }},
    {"EnqueueWrite",
     [](ttrt_device *device, ttrt_event *, ttrt_error *error) {
       static Sample sample;
       return ttrt_enqueue_write(device, 0, 0, 0, sample.x.data(), kSampleBytes, 1, error);
     }},
    {"EnqueueRead",
     [](ttrt_device *device, ttrt_event *, ttrt_error *error) {
       static Sample sample;
       return ttrt_enqueue_read(device, 1, 0, 0, sample.y.data(), kSampleBytes, 1, error);
     }},
    {"EnqueueExecute",
     [](ttrt_device *device, ttrt_event *, ttrt_error *error) {
       return ttrt_enqueue_execute(device, 0, 0, 1, error);
     }},
    {"EnqueueCall",
     [](ttrt_device *device, ttrt_event *, ttrt_error *error) {
       return ttrt_enqueue_call(device, 0, [](void *) { return 0; }, nullptr, error);
     }},
    {"EventRecord", [](ttrt_device *, ttrt_event *event,
                       ttrt_error *error) { return ttrt_event_record(event, 0, error); }},
    {"EventWait", [](ttrt_device *, ttrt_event *event,
                     ttrt_error *error) { return ttrt_event_wait(event, 0, error); }},
    {"EventQuery", [](ttrt_device *, ttrt_event *event,
                      ttrt_error *error) { return ttrt_event_query(event, error); }},
    {"EventSynchronize", [](ttrt_device *, ttrt_event *event,
                            ttrt_error *error) { return ttrt_event_synchronize(event, error); }},
    {"Synchronize", [](ttrt_device *device, ttrt_event *,
                       ttrt_error *error) { return ttrt_device_synchronize(device, error); }},
    {"Reset", [](ttrt_device *device, ttrt_event *,
                 ttrt_error *error) { return ttrt_device_reset(device, error); }},
    {"TraceExecute", [](ttrt_device *device, ttrt_event *,
                        ttrt_error *error) { return ttrt_trace_execute(device, 0, error); }},
    {"TraceRelease", [](ttrt_device *device, ttrt_event *,
                        ttrt_error *error) { return ttrt_trace_release(device, 0, error); }},
    {"TraceLoad", [](ttrt_device *device, ttrt_event *,
                     ttrt_error *error) { return ttrt_trace_load(device, 0, error); }},
    {"PipelineOpen",
     [](ttrt_device *device, ttrt_event *, ttrt_error *error) {
       ttrt_pipeline *pipeline = nullptr;
       return ttrt_pipeline_open(device, nullptr, &pipeline, error);
     }},
};

class Fork : public testing::TestWithParam<ForkedCall> {};

/// With commands in flight: a function on queue 0 waits until the child is done.
TEST_P(Fork, IsAnErrorInTheChildAndNoneInTheParent) {
  TemporaryFile file(queueBundle().finish());
  Loaded loaded(file.path(), deviceOptions(2, 2));
  ttrt_error error;
  ttrt_event *event = nullptr;
  ASSERT_EQ(ttrt_event_create(loaded.device, &event, &error), TTRT_OK);
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  ASSERT_EQ(ttrt_enqueue_call(
                loaded.device, 0,
                [](void *end) {
                  char byte;
                  return int(read(*static_cast<int *>(end), &byte, 1) != 1);
                },
                &gate[0], &error),
            TTRT_OK);
  ASSERT_EQ(ttrt_event_record(event, 0, &error), TTRT_OK);
  EXPECT_EQ(inChild([&] {
              ttrt_error its{};
              const ttrt_status status = GetParam().call(loaded.device, event, &its);
              if (status != TTRT_UNSUPPORTED)
                return "status " + std::to_string(status) + ": " + its.message;
              if (!strstr(its.message, "forked child"))
                return std::string(its.message);
              ttrt_event_destroy(event);
              ttrt_device_close(loaded.device);
              ttrt_bundle_close(loaded.bundle);
              return std::string();
            }),
            "");
  ASSERT_EQ(write(gate[1], "x", 1), 1);
  EXPECT_EQ(ttrt_device_synchronize(loaded.device, &error), TTRT_OK) << error.message;
  EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements),
            sampleResult(ramp(kSampleElements)));
  ttrt_event_destroy(event);
  close(gate[0]);
  close(gate[1]);
}

INSTANTIATE_TEST_SUITE_P(All, Fork, testing::ValuesIn(kCalls),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Fork, PipelineInAChild) {
  TemporaryFile file(queueBundle().finish());
  Loaded loaded(file.path(), deviceOptions(2, 2));
  ttrt_error error;
  ttrt_pipeline *pipeline = nullptr;
  ASSERT_EQ(ttrt_pipeline_open(loaded.device, nullptr, &pipeline, &error), TTRT_OK);
  Sample sample;
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(ttrt_pipeline_enqueue(pipeline, &sample.in, nullptr, TTRT_WAIT, &error), TTRT_OK);
  EXPECT_EQ(inChild([&] {
              ttrt_error its{};
              const void *output = nullptr;
              size_t popped = 0;
              std::string said;
              auto expect = [&](const char *call, ttrt_status status) {
                if (status != TTRT_UNSUPPORTED)
                  said += std::string(call) + ": " + ttrt_status_name(status) + "; ";
              };
              expect("enqueue",
                     ttrt_pipeline_enqueue(pipeline, &sample.in, nullptr, TTRT_STREAM, &its));
              expect("pop", ttrt_pipeline_pop(pipeline, &output, TTRT_STREAM, &its));
              expect("pop", ttrt_pipeline_pop(pipeline, &output, TTRT_DONT_WAIT, &its));
              expect("pop all", ttrt_pipeline_pop_all(pipeline, &output, 1, &popped, &its));
              expect("finish", ttrt_pipeline_finish(pipeline, &its));
              ttrt_pipeline_close(pipeline);
              ttrt_device_close(loaded.device);
              ttrt_bundle_close(loaded.bundle);
              return said;
            }),
            "");
  for (int i = 0; i < 3; ++i) {
    const void *output = nullptr;
    ASSERT_EQ(ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, &error), TTRT_OK) << error.message;
    EXPECT_EQ(memcmp(output, sampleResult(sample.x).data(), kSampleBytes), 0);
  }
  ttrt_pipeline_close(pipeline);
}

/// While other threads are in the middle of a run.
TEST(Fork, DuringARun) {
  TemporaryFile file(sampleBundle().finish());
  Loaded loaded(file.path(), 2);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop)
      loaded.run(ramp(kSampleElements), kSampleElements);
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(inChild([&] {
                Sample sample;
                const ttrt_status status =
                    ttrt_run(loaded.device, 0, &sample.in, &sample.out, nullptr, nullptr);
                ttrt_device_close(loaded.device);
                return status == TTRT_UNSUPPORTED ? "" : ttrt_status_name(status);
              }),
              "");
  stop = true;
  other.join();
}

/// The child opens a device of its own from the parent's bundle, and forks again.
TEST(Fork, ChildrenOpenDevicesOfTheirOwn) {
#ifdef TTRT_TEST_THREAD_SANITIZED
  GTEST_SKIP() << "the thread sanitizer starts no threads after a fork";
#endif
  TemporaryFile file(sampleBundle().finish());
  Loaded loaded(file.path(), deviceOptions(2, 1));
  EXPECT_EQ(inChild([&]() -> std::string {
              ttrt_device *own = nullptr;
              ttrt_error error;
              const ttrt_device_options options = deviceOptions(2, 1);
              if (ttrt_device_open(loaded.bundle, &options, &own, &error) != TTRT_OK)
                return error.message;
              Sample sample;
              if (ttrt_run(own, 0, &sample.in, &sample.out, nullptr, &error) != TTRT_OK)
                return error.message;
              if (sample.y != sampleResult(sample.x))
                return "another result";
              const std::string grandchild = inChild([&] {
                Sample again;
                const ttrt_status status =
                    ttrt_run(own, 0, &again.in, &again.out, nullptr, nullptr);
                ttrt_device_close(own);
                return status == TTRT_UNSUPPORTED ? "" : ttrt_status_name(status);
              });
              ttrt_device_close(own);
              return grandchild;
            }),
            "");
  EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements),
            sampleResult(ramp(kSampleElements)));
}

/// Closing a device in a child leaves the file that its parent publishes.
TEST(Fork, MonitoredDeviceStaysInItsFolder) {
  const std::string folder = testing::TempDir() + "ttrt-fork-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  setenv("TTRT_MONITOR", "1", 1);
  setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
  auto published = [&] {
    size_t files = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
      files += entry.is_regular_file();
    return files;
  };
  {
    TemporaryFile file(sampleBundle().finish());
    Loaded loaded(file.path(), 2);
    EXPECT_EQ(published(), 1u);
    EXPECT_EQ(inChild([&] {
                ttrt_device_close(loaded.device);
                return std::string();
              }),
              "");
    EXPECT_EQ(published(), 1u);
  }
  EXPECT_EQ(published(), 0u);
  unsetenv("TTRT_MONITOR");
  unsetenv("XDG_RUNTIME_DIR");
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace ttrt::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Scenario.h"

#include "Loaded.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"
#include "ttrt/queue.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ttrt::test {

namespace {

/// The calls after one that failed are left out.
class Scenario {
public:
  explicit Scenario(const char *path) : path(path) {
    // Made before anything fails.
    static const std::vector<float> values = ramp(kSampleElements), results = sampleResult(values);
    input = values.data();
    expected = results.data();
  }

  Outcome open() {
    call("ttrt_bundle_open",
         [&](ttrt_error *e) { return ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, e); });
    require(outcome.error.status == TTRT_OK || !bundle, "a bundle that is not open");
    return outcome;
  }
  Outcome openWithHugePages() {
    open();
    ttrt_device_options options = deviceOptions(1);
    options.huge_pages = 1;
    call("ttrt_device_open",
         [&](ttrt_error *e) { return ttrt_device_open(bundle, &options, &device, e); });
    require(outcome.error.status == TTRT_OK || !device, "a device that is not open");
    ttrt_huge_pages pages = TTRT_HUGE_PAGES_INIT;
    call("ttrt_device_huge_pages",
         [&](ttrt_error *e) { return ttrt_device_huge_pages(device, &pages, e); });
    return outcome;
  }
  Outcome useEverything() {
    open();
    ttrt_device_options options = deviceOptions(3, 2);
    options.queue1_cores = 2;
    options.pin = 1;
    options.check_outputs = 1;
    uint32_t entry = 0;
    call("ttrt_bundle_find_entry",
         [&](ttrt_error *e) { return ttrt_bundle_find_entry(bundle, "main", &entry, e); });
    ttrt_host host = TTRT_HOST_INIT;
    call("ttrt_query_host", [&](ttrt_error *e) { return ttrt_query_host(&host, e); });
    call("ttrt_device_open",
         [&](ttrt_error *e) { return ttrt_device_open(bundle, &options, &device, e); });
    require(outcome.error.status == TTRT_OK || !device, "a device that is not open");
    const ttrt_input in{input, kSampleBytes};
    const ttrt_output out{output, kSampleBytes};
    call("ttrt_run", [&](ttrt_error *e) { return ttrt_run(device, 0, &in, &out, nullptr, e); });
    check(output);
    call("ttrt_trace_release", [&](ttrt_error *e) { return ttrt_trace_release(device, 0, e); });
    call("ttrt_trace_load", [&](ttrt_error *e) { return ttrt_trace_load(device, 0, e); });
    useQueues();
    usePipeline(in);
    return outcome;
  }
  ~Scenario() {
    ttrt_pipeline_close(pipeline);
    ttrt_event_destroy(event);
    ttrt_device_close(device);
    ttrt_bundle_close(bundle);
  }

private:
  template <typename Function> void call(const char *name, Function function) {
    if (*outcome.call)
      return;
    const ttrt_status status = function(&outcome.error);
    require(status == outcome.error.status, "a status that is not that of the error");
    if (status != TTRT_OK)
      outcome.call = name;
  }
  void require(bool condition, const char *what) {
    if (!condition)
      outcome.broken = what;
  }
  void check(const void *result) {
    outcome.wrong |= !*outcome.call && memcmp(result, expected, kSampleBytes) != 0;
  }
  void useQueues() {
    call("ttrt_event_create", [&](ttrt_error *e) { return ttrt_event_create(device, &event, e); });
    memset(output, 0, sizeof(output));
    call("ttrt_enqueue_write", [&](ttrt_error *e) {
      return ttrt_enqueue_write(device, 0, 0, 0, input, kSampleBytes, 0, e);
    });
    call("ttrt_enqueue_execute",
         [&](ttrt_error *e) { return ttrt_enqueue_execute(device, 0, 0, 0, e); });
    call("ttrt_event_record", [&](ttrt_error *e) { return ttrt_event_record(event, 0, e); });
    call("ttrt_event_wait", [&](ttrt_error *e) { return ttrt_event_wait(event, 1, e); });
    call("ttrt_enqueue_read", [&](ttrt_error *e) {
      return ttrt_enqueue_read(device, 1, 0, 0, output, kSampleBytes, 1, e);
    });
    check(output);
    call("ttrt_device_synchronize",
         [&](ttrt_error *e) { return ttrt_device_synchronize(device, e); });
  }
  void usePipeline(const ttrt_input &in) {
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.schedule = "overlap-io";
    call("ttrt_pipeline_open",
         [&](ttrt_error *e) { return ttrt_pipeline_open(device, &options, &pipeline, e); });
    for (int i = 0; i < 3; ++i)
      call("ttrt_pipeline_enqueue", [&](ttrt_error *e) {
        return ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_WAIT, e);
      });
    call("ttrt_pipeline_finish", [&](ttrt_error *e) { return ttrt_pipeline_finish(pipeline, e); });
    for (int i = 0; i < 3; ++i) {
      const void *popped = nullptr;
      call("ttrt_pipeline_pop",
           [&](ttrt_error *e) { return ttrt_pipeline_pop(pipeline, &popped, TTRT_WAIT, e); });
      check(popped);
    }
  }

  const char *path;
  const float *input, *expected;
  float output[kSampleElements];
  Outcome outcome;
  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
  ttrt_event *event = nullptr;
  ttrt_pipeline *pipeline = nullptr;
};

} // namespace

Outcome useEverything(const char *path) { return Scenario(path).useEverything(); }

Outcome openBundle(const char *path) { return Scenario(path).open(); }

Outcome openWithHugePages(const char *path) { return Scenario(path).openWithHugePages(); }

static long countEntries(const std::string &folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  return error ? 0 : std::distance(begin(entries), end(entries));
}

Resources resources() {
  Resources found;
  // A thread that has been joined may be listed for a moment.
  for (int i = 0; i < 1000 && (found.threads = countEntries("/proc/self/task")) > 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  found.descriptors = countEntries("/proc/self/fd");
  if (const char *runtime = getenv("XDG_RUNTIME_DIR"))
    found.files = countEntries(std::string(runtime) + "/ttrt");
  std::ifstream maps("/proc/self/statm");
  maps >> found.mappedBytes;
  found.mappedBytes *= kPageSize;
  return found;
}

} // namespace ttrt::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace ttrt::bench {

double nowUs() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

[[noreturn]] void die(const char *what, const ttrt_error &error) {
  fprintf(stderr, "ttrt-bench-queues: %s: %s\n", what, error.message);
  exit(1);
}

Opened::Opened(const char *path, uint64_t linkBytesPerSecond, uint32_t cores) {
  ttrt_error error;
  if (ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK)
    die(path, error);
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.cores = cores;
  options.queues = 2;
  options.link_bytes_per_second = linkBytesPerSecond;
  if (ttrt_device_open(bundle, &options, &device, &error) != TTRT_OK)
    die(path, error);
}

Opened::~Opened() {
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
}

Buffers::Buffers(const ttrt_bundle *bundle, uint32_t entry) {
  ttrt_entry info = TTRT_ENTRY_INIT;
  ttrt_error error;
  if (ttrt_bundle_entry(bundle, entry, &info, &error) != TTRT_OK)
    die("entry point", error);
  ttrt_port port = TTRT_PORT_INIT;
  for (uint32_t i = 0; i < info.inputs; ++i) {
    ttrt_bundle_input(bundle, entry, i, &port, nullptr);
    memory.emplace_back(port.bytes);
    inputs.push_back({memory.back().data(), port.bytes});
    bytesIn += port.bytes;
  }
  for (uint32_t i = 0; i < info.outputs; ++i) {
    ttrt_bundle_output(bundle, entry, i, &port, nullptr);
    memory.emplace_back(port.bytes);
    outputs.push_back({memory.back().data(), port.bytes});
    bytesOut += port.bytes;
  }
}

double timePerInference(Opened &opened, ttrt_pipeline_options options, const Buffers &buffers,
                        uint32_t inferences, const Check &check) {
  ttrt_pipeline *pipeline;
  ttrt_error error;
  if (ttrt_pipeline_open(opened.device, &options, &pipeline, &error) != TTRT_OK)
    die(options.schedule ? options.schedule : "pipeline", error);
  std::vector<const void *> outputs(buffers.outputs.size());
  constexpr uint32_t kWarmup = 4, kAhead = 12;
  const uint32_t all = inferences + kWarmup + 2;
  uint32_t next = 0;
  double first = 0, last = 0;
  for (uint32_t i = 0; i < all; ++i) {
    for (; next < all && next < i + kAhead; ++next)
      if (ttrt_pipeline_enqueue(pipeline, buffers.inputs.data(), nullptr, TTRT_WAIT, &error))
        die("enqueue", error);
    if (ttrt_pipeline_pop(pipeline, outputs.data(), TTRT_WAIT, &error) != TTRT_OK)
      die("pop", error);
    if (i + 1 == kWarmup)
      first = nowUs();
    if (i + 1 == kWarmup + inferences)
      last = nowUs(); // the last ones are not in the steady state
    if (check && !check(outputs.data())) {
      fprintf(stderr, "ttrt-bench-queues: wrong output of %s\n", options.schedule);
      exit(1);
    }
  }
  ttrt_pipeline_close(pipeline);
  return (last - first) / inferences;
}

double computeUs(Opened &opened, uint32_t entry, const Buffers &buffers, int repeats) {
  std::vector<double> times;
  ttrt_timing timing = TTRT_TIMING_INIT;
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  options.timing = &timing;
  ttrt_error error;
  for (int i = 0; i < repeats; ++i) {
    if (ttrt_run(opened.device, entry, buffers.inputs.data(), buffers.outputs.data(), &options,
                 &error) != TTRT_OK)
      die("run", error);
    times.push_back(static_cast<double>(timing.device) * 1e-3);
  }
  return median(times);
}

} // namespace ttrt::bench

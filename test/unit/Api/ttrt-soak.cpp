// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-soak [--bundle=FILE] ITERATIONS [SCHEDULE...]: streams that many inferences through a
// pipeline by each schedule for two queues, one thread feeding and one draining, with random delays
// in both queues, and checks every output. Without a bundle: of a tiny model made by hand. Says how
// many were wrong or lost, and how the resident memory changed after the first tenth; exit status 1
// if any were, or if it grew by more than a mebibyte.

#include "test/unit/Support/Jitter.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "ttrt/pipeline.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

static long residentKb() {
  long total = 0, resident = 0;
  if (FILE *file = fopen("/proc/self/statm", "re")) {
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
      resident = 0;
    fclose(file);
  }
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

constexpr uint64_t kCases = 61; ///< different inputs

/// Inputs and what must come out, each port's bytes.
struct Cases {
  std::vector<std::vector<std::vector<uint8_t>>> inputs, outputs; ///< [case][port]
};

/// What a blocking run gives.
static Cases casesOf(const Loaded &loaded) {
  Cases cases;
  ttrt_error error;
  ttrt_entry entry = TTRT_ENTRY_INIT;
  ttrt_bundle_entry(loaded.bundle, 0, &entry, &error);
  for (uint64_t i = 0; i < kCases; ++i) {
    auto &inputs = cases.inputs.emplace_back();
    auto &outputs = cases.outputs.emplace_back();
    std::vector<ttrt_input> in;
    std::vector<ttrt_output> out;
    ttrt_port port = TTRT_PORT_INIT;
    for (uint32_t j = 0; j < entry.inputs; ++j) {
      ttrt_bundle_input(loaded.bundle, 0, j, &port, &error);
      inputs.emplace_back(port.bytes);
      // Floats in [0, 1), which are no large numbers of any other type, either.
      for (size_t k = 0; k + 4 <= port.bytes; k += 4) {
        const float value = static_cast<float>((i * 977 + j * 31 + k * 7) % 1021) / 1024.0f;
        memcpy(&inputs.back()[k], &value, sizeof(value));
      }
    }
    for (uint32_t j = 0; j < entry.outputs; ++j) {
      ttrt_bundle_output(loaded.bundle, 0, j, &port, &error);
      outputs.emplace_back(port.bytes);
    }
    for (auto &bytes : inputs)
      in.push_back({bytes.data(), bytes.size()});
    for (auto &bytes : outputs)
      out.push_back({bytes.data(), bytes.size()});
    if (ttrt_run(loaded.device, 0, in.data(), out.data(), nullptr, &error) != TTRT_OK)
      throw std::runtime_error(error.message);
  }
  return cases;
}

/// The tiny model's, computed here.
static Cases sampleCases() {
  Cases cases;
  for (uint64_t i = 0; i < kCases; ++i) {
    std::vector<float> input = ramp(kSampleElements);
    for (size_t j = 0; j < kSampleElements; j += 8)
      input[j] = static_cast<float>(i * 1000 + j);
    const std::vector<float> output = sampleResult(input);
    auto bytes = [](const std::vector<float> &values) {
      const auto *begin = reinterpret_cast<const uint8_t *>(values.data());
      return std::vector<uint8_t>(begin, begin + values.size() * sizeof(float));
    };
    cases.inputs.push_back({bytes(input)});
    cases.outputs.push_back({bytes(output)});
  }
  return cases;
}

/// True if all was well.
static bool soak(Loaded &loaded, const Cases &cases, const char *schedule, uint64_t iterations) {
  Jitter jitter;
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.schedule = schedule;
  options.on_step = Jitter::delay;
  options.user = &jitter;
  Pipeline pipeline(loaded.bundle, loaded.device, options);
  std::exception_ptr feederError;
  std::thread feeder([&] {
    try {
      std::vector<Input> inputs;
      for (uint64_t i = 0; i < iterations; ++i) {
        inputs.clear();
        for (const auto &bytes : cases.inputs[i % kCases])
          inputs.push_back(bytes);
        pipeline.feed(inputs);
      }
    } catch (...) {
      feederError = std::current_exception();
    }
    pipeline.finish();
  });
  const auto begin = std::chrono::steady_clock::now();
  uint64_t popped = 0, wrong = 0;
  long early = 0;
  std::vector<Output> outputs;
  while (pipeline.drain(outputs)) {
    bool good = true;
    for (size_t i = 0; i < outputs.size(); ++i)
      good &=
          memcmp(outputs[i].data, cases.outputs[popped % kCases][i].data(), outputs[i].bytes) == 0;
    wrong += !good;
    if (++popped == iterations / 10 + 1)
      early = residentKb();
  }
  feeder.join();
  if (feederError)
    std::rethrow_exception(feederError);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const long growth = residentKb() - early;
  printf(
      "%-22s %llu of %llu came out, %llu wrong; %.2f us each; resident %ld kB, %+ld kB since the "
      "first tenth\n",
      schedule, static_cast<unsigned long long>(popped),
      static_cast<unsigned long long>(iterations), static_cast<unsigned long long>(wrong),
      seconds * 1e6 / static_cast<double>(popped ? popped : 1), early + growth, growth);
  fflush(stdout);
#ifdef __SANITIZE_THREAD__
  const long allowed = 1 << 20; // its shadow grows
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
  const long allowed = 1 << 20;
#else
  const long allowed = 1024;
#endif
#else
  const long allowed = 1024;
#endif
  return popped == iterations && wrong == 0 && growth < allowed;
}

int main(int argc, char **argv) {
  const char *path = nullptr;
  if (argc > 1 && strncmp(argv[1], "--bundle=", 9) == 0) {
    path = argv[1] + 9;
    --argc;
    ++argv;
  }
  char *end = nullptr;
  const uint64_t iterations = argc > 1 ? strtoull(argv[1], &end, 10) : 0;
  if (iterations == 0 || *end) {
    fprintf(stderr, "usage: ttrt-soak [--bundle=FILE] ITERATIONS [SCHEDULE...]\n");
    return 2;
  }
  TemporaryFile file(queueBundle().finish());
  Loaded loaded(path ? path : file.path(), deviceOptions(1, 2));
  if (!loaded.device)
    return 1;
  std::vector<std::string> schedules(argv + 2, argv + argc);
  ttrt_schedule info = TTRT_SCHEDULE_INIT;
  if (schedules.empty())
    for (uint32_t i = 0; ttrt_bundle_schedule(loaded.bundle, 0, i, &info, nullptr) == TTRT_OK; ++i)
      if (info.queues == 2)
        schedules.push_back(info.name);
  bool good = true;
  try {
    const Cases cases = path ? casesOf(loaded) : sampleCases();
    for (const std::string &schedule : schedules)
      good = good && soak(loaded, cases, schedule.c_str(), iterations);
  } catch (const std::exception &error) {
    fprintf(stderr, "ttrt-soak: %s\n", error.what());
    return 1;
  }
  return good ? 0 : 1;
}

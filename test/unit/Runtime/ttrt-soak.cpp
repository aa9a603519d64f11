// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-soak ITERATIONS [SCHEDULE...]: streams that many inferences of a tiny model through a
// pipeline by each schedule, one thread feeding and one draining, with random delays in both
// queues, and checks every output. Says how many were wrong or lost, and how the resident memory
// changed after the first tenth; exit status 1 if any were, or if it grew by more than a mebibyte.

#include "Jitter.h"
#include "Loaded.h"
#include "QueueBundle.h"
#include "ttrt/pipeline.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
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

/// True if all was well.
static bool soak(Loaded &loaded, const char *schedule, uint64_t iterations) {
  constexpr uint64_t kInputs = 61;
  std::vector<std::vector<float>> inputs, expected;
  for (uint64_t i = 0; i < kInputs; ++i) {
    inputs.push_back(ramp(kSampleElements));
    for (size_t j = 0; j < kSampleElements; j += 8)
      inputs[i][j] = static_cast<float>(i * 1000 + j);
    expected.push_back(sampleResult(inputs[i]));
  }
  Jitter jitter;
  ttrt_pipeline_options options{};
  options.schedule = schedule;
  options.on_step = Jitter::delay;
  options.user = &jitter;
  Pipeline pipeline(loaded.bundle, loaded.device, options);
  std::exception_ptr feederError;
  std::thread feeder([&] {
    try {
      for (uint64_t i = 0; i < iterations; ++i)
        pipeline.feed({inputs[i % kInputs]});
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
    wrong += memcmp(outputs[0].data, expected[popped % kInputs].data(), kSampleBytes) != 0;
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
      "%-14s %llu of %llu came out, %llu wrong; %.2f us each; resident %ld kB, %+ld kB since the "
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
  char *end = nullptr;
  const uint64_t iterations = argc > 1 ? strtoull(argv[1], &end, 10) : 0;
  if (iterations == 0 || *end) {
    fprintf(stderr, "usage: ttrt-soak ITERATIONS [SCHEDULE...]\n");
    return 2;
  }
  TemporaryFile file(queueBundle().finish());
  ttrt_device_options options{};
  options.cores = 1;
  options.queues = 2;
  Loaded loaded(file.path(), options);
  std::vector<const char *> schedules(argv + 2, argv + argc);
  if (schedules.empty())
    schedules = {"overlap-input", "overlap-io", "rotated", "unrolled", "signals"};
  bool good = loaded.device != nullptr;
  try {
    for (const char *schedule : schedules)
      good = good && soak(loaded, schedule, iterations);
  } catch (const std::exception &error) {
    fprintf(stderr, "ttrt-soak: %s\n", error.what());
    return 1;
  }
  return good ? 0 : 1;
}

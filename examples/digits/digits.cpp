// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classifies the held-out digits with a compiled bundle, through libttrt's C API alone.
//
//   ttc-digits BUNDLE IMAGES.npy LABELS.npy [CORES]
#include "npy.h"
#include "ttrt/ttrt.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <memory>

namespace {

constexpr size_t kPixels = 64;
constexpr size_t kDigits = 10;
constexpr int kRounds = 21;

void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK)
    throw std::runtime_error(std::string(ttrt_status_name(status)) + ": " + error.message);
}

using Bundle = std::unique_ptr<ttrt_bundle, decltype(&ttrt_bundle_close)>;
using Device = std::unique_ptr<ttrt_device, decltype(&ttrt_device_close)>;

Bundle openBundle(const char *path) {
  ttrt_error error;
  ttrt_bundle *bundle = nullptr;
  check(ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, &error), error);
  return {bundle, ttrt_bundle_close};
}

Device openDevice(const ttrt_bundle *bundle, uint32_t cores) {
  ttrt_error error;
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.cores = cores;
  ttrt_device *device = nullptr;
  check(ttrt_device_open(bundle, &options, &device, &error), error);
  return {device, ttrt_device_close};
}

/// One image in, the logits out; returns the nanoseconds of the whole call.
uint64_t infer(ttrt_device *device, const float *image, std::array<float, kDigits> &logits,
               bool noTrace) {
  ttrt_error error;
  ttrt_timing timing = TTRT_TIMING_INIT;
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  options.no_trace = noTrace;
  options.timing = &timing;
  ttrt_input input = {image, kPixels * sizeof(float)};
  ttrt_output output = {logits.data(), sizeof(logits)};
  check(ttrt_run(device, 0, &input, &output, &options, &error), error);
  return timing.total;
}

/// The median over all images and rounds, in microseconds, replayed and one command at a time; the
/// two take turns, so that a clock that drifts favours neither.
std::array<double, 2> latency(ttrt_device *device, const std::vector<float> &images) {
  std::array<std::vector<uint64_t>, 2> times;
  std::array<float, kDigits> logits;
  for (int round = 0; round < kRounds; ++round)
    for (int noTrace : {0, 1})
      for (size_t at = 0; at < images.size(); at += kPixels)
        times[noTrace].push_back(infer(device, &images[at], logits, noTrace));
  std::array<double, 2> medians;
  for (int i : {0, 1}) {
    auto middle = times[i].begin() + times[i].size() / 2;
    std::nth_element(times[i].begin(), middle, times[i].end());
    medians[i] = *middle / 1e3;
  }
  return medians;
}

/// A few images beside each other, as a person can see them, and what the model says.
void show(const std::vector<float> &images, const std::vector<int> &answers, size_t count) {
  for (size_t y = 0; y < 8; ++y) {
    for (size_t i = 0; i < count; ++i) {
      for (size_t x = 0; x < 8; ++x) {
        float pixel = images[i * kPixels + y * 8 + x];
        char shade = " .:-=+*#%@"[pixel > 0 ? static_cast<int>(std::min(pixel, 1.0f) * 9) : 0];
        std::printf("%c%c", shade, shade);
      }
      std::printf(" | ");
    }
    std::printf("\n");
  }
  for (size_t i = 0; i < count; ++i)
    std::printf("%10d%9s", answers[i], "");
  std::printf("\n\n");
}

void printPlan(const ttrt_bundle *bundle) {
  ttrt_error error;
  ttrt_memory memory = TTRT_MEMORY_INIT;
  check(ttrt_bundle_memory(bundle, &memory, &error), error);
  for (uint32_t i = 0; i < ttrt_bundle_traces(bundle); ++i) {
    ttrt_trace trace = TTRT_TRACE_INIT;
    check(ttrt_bundle_trace(bundle, i, &trace, &error), error);
    std::printf("trace %-12s %10" PRIu32 " commands %7" PRIu64 " bytes\n", trace.name,
                trace.commands, trace.bytes);
  }
  std::printf("DRAM  %23" PRIu64 " bytes: constants, slots, activations\n", memory.dram_bytes);
  std::printf("L1    %23" PRIu64 " bytes a core\n", memory.l1_bytes);
  std::printf("TRACE %23" PRIu64 " bytes: the trace region, exactly its streams, at 0x%" PRIx64
              "\n\n",
              memory.trace_bytes, memory.trace_address);
}

int run(int argc, char **argv) {
  auto images = readNpy<float>(argv[2], "<f4");
  auto labels = readNpy<int64_t>(argv[3], "<i8");
  size_t count = labels.data.size();
  if (images.data.size() != count * kPixels || count == 0)
    throw std::runtime_error("expected one 8x8 image a label");
  char *end = nullptr;
  unsigned long cores = argc > 4 ? std::strtoul(argv[4], &end, 10) : 1;
  if ((end && *end) || cores < 1 || cores > 1024)
    throw std::runtime_error(std::string("expected 1 to 1024 cores, found ") + argv[4]);

  Bundle bundle = openBundle(argv[1]);
  Device device = openDevice(bundle.get(), static_cast<uint32_t>(cores));
  std::vector<int> answers;
  size_t right = 0;
  for (size_t i = 0; i < count; ++i) {
    std::array<float, kDigits> logits;
    infer(device.get(), &images.data[i * kPixels], logits, false);
    answers.push_back(std::max_element(logits.begin(), logits.end()) - logits.begin());
    right += answers.back() == labels.data[i];
  }
  show(images.data, answers, std::min<size_t>(count, 4));
  std::printf("accuracy               %zu of %zu held-out images, %.2f %%\n\n", right, count,
              100.0 * right / count);
  printPlan(bundle.get());
  auto [replayed, dispatched] = latency(device.get(), images.data);
  std::printf("latency of one image, %u core(s), median\n", ttrt_device_cores(device.get()));
  std::printf("  replayed                  %8.2f us\n", replayed);
  std::printf("  one command at a time     %8.2f us\n", dispatched);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5) {
    std::fprintf(stderr, "usage: %s BUNDLE IMAGES.npy LABELS.npy [CORES]\n", argv[0]);
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
    return 1;
  }
}

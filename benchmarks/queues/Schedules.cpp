// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules beside their ideals.

#include "Bench.h"
#include "Synthetic.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using ttrt::test::TemporaryFile;
using ttrun::Json;

namespace ttrt::bench {

namespace {

struct Config {
  const char *label;
  uint32_t entry;
  const char *schedule;
  bool noTrace;
  enum Ideal { Sum, Input, Both } ideal;
};

double idealUs(Config::Ideal ideal, double compute, double write, double read) {
  switch (ideal) {
  case Config::Sum:
    return write + compute + read;
  case Config::Input:
    return std::max(write, compute + read);
  case Config::Both:
    return std::max(compute, write + read);
  }
  return 0;
}

constexpr double kRatios[] = {0.25, 0.5, 1, 2, 4};

void measureSchedules(const char *path, const std::vector<Config> &configs,
                      const std::function<void(Buffers &)> &fill, const Check &check, Json &json) {
  double compute = 0;
  {
    Opened opened(path);
    Buffers buffers(opened.bundle, configs[0].entry);
    fill(buffers);
    compute = computeUs(opened, configs[0].entry, buffers, 31);
  }
  json.field("compute_us", compute).key("ratios").beginArray();
  for (double ratio : kRatios) {
    uint64_t rate;
    std::vector<std::vector<double>> times(configs.size());
    double write, read;
    {
      Opened opened(path);
      const Buffers buffers(opened.bundle, configs[0].entry);
      const auto bytes = static_cast<double>(buffers.bytesIn + buffers.bytesOut);
      rate = static_cast<uint64_t>(bytes / (compute / ratio) * 1e6);
      write = static_cast<double>(buffers.bytesIn) / static_cast<double>(rate) * 1e6;
      read = static_cast<double>(buffers.bytesOut) / static_cast<double>(rate) * 1e6;
    }
    Opened opened(path, rate);
    // In turns, and each beside the ideal of its own round: the machine's speed drifts. The
    // shortest time of computing in the round makes the ideal.
    std::vector<std::vector<double>> ratios(configs.size());
    for (int round = 0; round < 7; ++round) {
      double computing = 1e30;
      std::vector<double> each(configs.size());
      for (size_t i = 0; i < configs.size(); ++i) {
        Buffers buffers(opened.bundle, configs[i].entry);
        fill(buffers);
        computing = std::min(computing, computeUs(opened, configs[i].entry, buffers, 3));
        ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
        options.entry = configs[i].entry;
        options.schedule = configs[i].schedule;
        options.no_trace = configs[i].noTrace;
        const double about = write + compute + read;
        const auto count = static_cast<uint32_t>(std::clamp(60000 / about, 5.0, 60.0));
        each[i] = timePerInference(opened, options, buffers, count, check);
      }
      for (size_t i = 0; i < configs.size(); ++i) {
        times[i].push_back(each[i]);
        ratios[i].push_back(each[i] / idealUs(configs[i].ideal, computing, write, read));
      }
    }
    json.beginObject()
        .field("ratio", ratio)
        .field("link_mb_per_s", static_cast<double>(rate) * 1e-6);
    json.field("write_us", write).field("read_us", read).key("schedules").beginArray();
    for (size_t i = 0; i < configs.size(); ++i)
      json.beginObject(/*flat=*/true)
          .field("name", configs[i].label)
          .field("us", median(times[i]))
          .field("to_ideal", median(ratios[i]))
          .field("best_to_ideal", *std::min_element(ratios[i].begin(), ratios[i].end()))
          .endObject();
    json.endArray().endObject();
  }
  json.endArray();
}

} // namespace

void syntheticSchedules(Json &json) {
  Shape shape;
  shape.commands = 10;
  shape.commandUs = 100;
  const TemporaryFile file(syntheticBundle(shape).finish());
  const std::vector<Config> configs = {
      {"single", kMain, "single", false, Config::Sum},
      {"overlap-input, no trace", kSplit, "overlap-input", true, Config::Input},
      {"overlap-input, trace", kSplit, "overlap-input", false, Config::Input},
      {"overlap-io, no trace", kSplit, "overlap-io", true, Config::Both},
      {"overlap-io, trace", kSplit, "overlap-io", false, Config::Both},
      {"overlap-io, signals in the trace", kInside, "overlap-io", false, Config::Both}};
  const std::vector<uint64_t> input = inputOf(shape, 7);
  measureSchedules(
      file.path(), configs,
      [&](Buffers &buffers) { memcpy(buffers.memory[0].data(), input.data(), input.size() * 8); },
      [&](const void *const *outputs) {
        return isOutputOf(shape, 7, static_cast<const uint64_t *>(outputs[0]));
      },
      json);
}

/// The outputs must be those of a blocking run.
void bundleSchedules(const char *path, Json &json) {
  std::vector<Config> configs;
  std::vector<std::string> names;
  Opened opened(path);
  ttrt_schedule info = TTRT_SCHEDULE_INIT;
  for (uint32_t i = 0; ttrt_bundle_schedule(opened.bundle, 0, i, &info, nullptr) == TTRT_OK; ++i)
    configs.push_back({info.name, 0, info.name, false,
                       info.queues == 1                          ? Config::Sum
                       : strncmp(info.name, "overlap-input", 13) ? Config::Both
                                                                 : Config::Input});
  auto fill = [](Buffers &buffers) {
    uint32_t state = 1;
    for (size_t i = 0; i < buffers.inputs.size(); ++i) {
      // Floats in [0, 1), whatever the type: small numbers for every type there is.
      auto *values = reinterpret_cast<float *>(buffers.memory[i].data());
      for (size_t j = 0; j < buffers.memory[i].size() / 4; ++j)
        values[j] = static_cast<float>((state = state * 1664525 + 1013904223) >> 8) * 0x1p-24f;
    }
  };
  Buffers expected(opened.bundle, 0);
  fill(expected);
  computeUs(opened, 0, expected, 1);
  measureSchedules(
      path, configs, fill,
      [&](const void *const *outputs) {
        for (size_t i = 0; i < expected.outputs.size(); ++i)
          if (memcmp(outputs[i], expected.outputs[i].data, expected.outputs[i].bytes) != 0)
            return false;
        return true;
      },
      json);
}

} // namespace ttrt::bench

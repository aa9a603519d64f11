// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-bench-queues WHAT [BUNDLE]: measures and prints JSON; benchmarks/queues/queues.py makes
// tables and pictures of it.
//   schedules   time of an inference by each schedule, for several ratios of compute to transfers;
//               with BUNDLE of that model, else of a synthetic one
//   costs       what enqueueing costs the host, and how soon a waiting queue goes on
//   trace       traces of different lengths, replayed and dispatched by the host
//   timeline    when each queue did what, and when commands ran with and without a trace

#include "Json.h"
#include "Loaded.h"
#include "Synthetic.h"
#include "ttrt/pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>

using namespace ttrt;
using namespace ttrt::bench;
using ttrt::test::TemporaryFile;
using ttrun::Json;

namespace {

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

/// A bundle on a device with two queues.
class Opened {
public:
  Opened(const char *path, uint64_t linkBytesPerSecond = 0, uint32_t cores = 1) {
    ttrt_error error;
    if (ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK)
      die(path, error);
    ttrt_device_options options{};
    options.cores = cores;
    options.queues = 2;
    options.link_bytes_per_second = linkBytesPerSecond;
    if (ttrt_device_open(bundle, &options, &device, &error) != TTRT_OK)
      die(path, error);
  }
  ~Opened() {
    ttrt_device_close(device);
    ttrt_bundle_close(bundle);
  }
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;

  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
};

/// Random inputs and room for outputs of an entry point.
struct Buffers {
  Buffers(const ttrt_bundle *bundle, uint32_t entry) {
    ttrt_entry info;
    ttrt_error error;
    if (ttrt_bundle_entry(bundle, entry, &info, &error) != TTRT_OK)
      die("entry point", error);
    ttrt_port port;
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
  std::vector<std::vector<uint8_t>> memory;
  std::vector<ttrt_input> inputs;
  std::vector<ttrt_output> outputs;
  size_t bytesIn = 0, bytesOut = 0;
};

using Check = std::function<bool(const void *const *outputs)>;

/// Microseconds from output to output, in the steady state.
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

/// Microseconds on the device, in a blocking run.
double computeUs(Opened &opened, uint32_t entry, const Buffers &buffers, int repeats) {
  std::vector<double> times;
  ttrt_timing timing;
  ttrt_run_options options{};
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
    // In turns, and each beside the ideal of its own round: the machine's speed drifts.
    std::vector<std::vector<double>> ratios(configs.size());
    for (int round = 0; round < 7; ++round) {
      Buffers first(opened.bundle, configs[0].entry);
      fill(first);
      const double computing = computeUs(opened, configs[0].entry, first, 5);
      for (size_t i = 0; i < configs.size(); ++i) {
        Buffers buffers(opened.bundle, configs[i].entry);
        fill(buffers);
        ttrt_pipeline_options options{};
        options.entry = configs[i].entry;
        options.schedule = configs[i].schedule;
        options.no_trace = configs[i].noTrace;
        const double each = write + compute + read;
        const auto count = static_cast<uint32_t>(std::clamp(60000 / each, 5.0, 60.0));
        times[i].push_back(timePerInference(opened, options, buffers, count, check));
        ratios[i].push_back(times[i].back() / idealUs(configs[i].ideal, computing, write, read));
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

/// Every schedule of the first entry point; the outputs must be those of a blocking run.
void bundleSchedules(const char *path, Json &json) {
  std::vector<Config> configs;
  std::vector<std::string> names;
  Opened opened(path);
  ttrt_schedule info;
  for (uint32_t i = 0; ttrt_bundle_schedule(opened.bundle, 0, i, &info, nullptr) == TTRT_OK; ++i)
    configs.push_back({info.name, 0, info.name, false,
                       info.queues == 1                              ? Config::Sum
                       : strstr(info.name, "input") == info.name + 8 ? Config::Input
                                                                     : Config::Both});
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

/// Holds a queue until it is opened.
int pass(void *open) {
  while (!static_cast<std::atomic<bool> *>(open)->load(std::memory_order_acquire))
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  return 0;
}
int stampNow(void *stamp) {
  *static_cast<uint64_t *>(stamp) = ticks();
  return 0;
}

void costs(Json &json) {
  Shape shape;
  shape.commands = 2;
  shape.commandUs = 0;
  shape.words = 8;
  const TemporaryFile file(syntheticBundle(shape).finish());
  Opened opened(file.path());
  ttrt_event *event, *other;
  ttrt_event_create(opened.device, &event, nullptr);
  ttrt_event_create(opened.device, &other, nullptr);
  // Against a queue that is held up, so that nothing but enqueueing is measured, and against one
  // that works them off at the same time.
  auto measure = [&](bool held, const std::function<void()> &enqueue) {
    std::vector<double> times;
    for (int round = 0; round < 301; ++round) {
      std::atomic<bool> open{!held};
      ttrt_event_record(other, 1, nullptr);
      ttrt_enqueue_call(opened.device, 0, pass, &open, nullptr);
      constexpr int kCalls = 500;
      const double begin = nowUs();
      for (int i = 0; i < kCalls; ++i)
        enqueue();
      times.push_back((nowUs() - begin) * 1000 / kCalls);
      open.store(true, std::memory_order_release);
      ttrt_device_synchronize(opened.device, nullptr);
    }
    return median(times);
  };
  for (bool held : {true, false}) {
    json.key(held ? "enqueue_ns_held" : "enqueue_ns_busy").beginObject(/*flat=*/true);
    json.field("record", measure(held, [&] { ttrt_event_record(event, 0, nullptr); }));
    json.field("wait", measure(held, [&] { ttrt_event_wait(other, 0, nullptr); }));
    json.field("execute",
               measure(held, [&] { ttrt_enqueue_execute(opened.device, 0, kMain, 0, nullptr); }));
    json.endObject();
  }
}

void latency(double commandUs, const char *name, int repeats, Json &json) {
  Shape shape;
  shape.commands = 2;
  shape.commandUs = commandUs;
  shape.words = 8;
  const TemporaryFile file(syntheticBundle(shape).finish());
  Opened opened(file.path());
  const Buffers buffers(opened.bundle, kMain);
  const std::vector<uint64_t> input = inputOf(shape, 1);
  const void *slot;
  ttrt_error error;
  if (ttrt_device_output_slot(opened.device, kStamps, 0, &slot, &error) != TTRT_OK)
    die("stamps", error);
  ttrt_event *event;
  ttrt_event_create(opened.device, &event, nullptr);
  ttrt_enqueue_write(opened.device, 0, kMain, 0, input.data(), input.size() * 8, 1, nullptr);
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    uint64_t woken = 0;
    ttrt_enqueue_execute(opened.device, 0, 0, 0, nullptr);
    ttrt_event_record(event, 0, nullptr);
    ttrt_event_wait(event, 1, nullptr);
    ttrt_enqueue_call(opened.device, 1, stampNow, &woken, nullptr);
    ttrt_device_synchronize(opened.device, nullptr);
    const uint64_t done = static_cast<const uint64_t *>(slot)[kStampWords + 1];
    times.push_back((static_cast<double>(woken) - static_cast<double>(done)) * 1000 / ticksPerUs());
  }
  std::sort(times.begin(), times.end());
  json.key(name).beginObject(/*flat=*/true);
  json.field("median", median(times)).field("p90", times[times.size() * 9 / 10]).endObject();
}

void addStamps(Json &json, const char *name, const uint64_t *stamps, uint32_t commands) {
  json.key(name).beginArray(/*flat=*/true);
  for (uint32_t i = 0; i < commands; ++i)
    for (int j = 0; j < 2; ++j)
      json.value(static_cast<double>(stamps[i * kStampWords + j] - stamps[0]) / ticksPerUs());
  json.endArray();
}

/// Microseconds of one of `count` inferences, none of which overlaps another.
double timeOfEach(Opened &opened, const Buffers &buffers, bool noTrace, uint32_t count) {
  ttrt_pipeline_options options{};
  options.schedule = "single";
  options.no_trace = noTrace;
  ttrt_pipeline *pipeline;
  ttrt_error error;
  if (ttrt_pipeline_open(opened.device, &options, &pipeline, &error) != TTRT_OK)
    die("pipeline", error);
  const void *output;
  const double begin = nowUs();
  for (uint32_t i = 0; i < count; ++i) {
    if (i >= 2)
      ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, nullptr);
    if (ttrt_pipeline_enqueue(pipeline, buffers.inputs.data(), nullptr, TTRT_WAIT, &error))
      die("enqueue", error);
  }
  while (ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, nullptr) == TTRT_OK) {
  }
  const double each = (nowUs() - begin) / count;
  ttrt_pipeline_close(pipeline);
  return each;
}

void measureTrace(uint32_t cores, const Shape &shape, Json &json) {
  const TemporaryFile file(syntheticBundle(shape).finish());
  Opened opened(file.path(), 0, cores);
  Buffers buffers(opened.bundle, kMain);
  const std::vector<uint64_t> input = inputOf(shape, 1);
  memcpy(buffers.memory[0].data(), input.data(), input.size() * 8);
  const void *slot;
  ttrt_device_output_slot(opened.device, kStamps, 0, &slot, nullptr);
  const auto *stamps = static_cast<const uint64_t *>(slot);
  const auto count =
      static_cast<uint32_t>(std::clamp(20000 / (shape.commands * shape.commandUs), 3.0, 200.0));
  std::vector<double> times[3], gaps[3];
  auto addGaps = [&](std::vector<double> &to) {
    std::vector<double> between;
    for (uint32_t i = 1; i < shape.commands; ++i)
      between.push_back(
          static_cast<double>(stamps[i * kStampWords] - stamps[(i - 1) * kStampWords + 1]) * 1000 /
          ticksPerUs());
    to.push_back(median(between));
  };
  for (int round = 0; round < 5; ++round) {
    for (int noTrace : {0, 1}) {
      times[noTrace].push_back(timeOfEach(opened, buffers, noTrace, count));
      addGaps(gaps[noTrace]);
    }
    ttrt_run_options run{};
    run.no_trace = 1;
    const double begin = nowUs();
    for (uint32_t i = 0; i < count; ++i)
      ttrt_run(opened.device, kMain, buffers.inputs.data(), buffers.outputs.data(), &run, nullptr);
    times[2].push_back((nowUs() - begin) / count);
    addGaps(gaps[2]);
  }
  json.beginObject(/*flat=*/true).field("cores", cores);
  json.field("commands", shape.commands).field("command_us", shape.commandUs);
  static const char *const kNames[] = {"replayed", "enqueued", "awaited"};
  for (int i = 0; i < 3; ++i)
    json.field(std::string(kNames[i]) + "_us", median(times[i]))
        .field(std::string(kNames[i]) + "_gap_ns", median(gaps[i]));
  json.endObject();
}

void traces(Json &json) {
  json.key("cases").beginArray();
  for (uint32_t cores : {1, 2})
    for (uint32_t commands : {10, 100, 1000})
      for (double each : {1.0, 10.0, 100.0}) {
        Shape shape;
        shape.commands = commands;
        shape.commandUs = each;
        shape.words = 8;
        measureTrace(cores, shape, json);
      }
  json.endArray();
}

/// Steps of a pipeline as they happened.
struct Recorder {
  struct Entry {
    uint32_t queue;
    ttrt_step_kind kind;
    int after;
    uint64_t time;
  };
  std::vector<Entry> entries = std::vector<Entry>(4096);
  std::atomic<size_t> next{0};
  static int onStep(void *user, uint32_t queue, ttrt_step_kind kind, int after) {
    auto *recorder = static_cast<Recorder *>(user);
    const size_t at = recorder->next.fetch_add(1, std::memory_order_relaxed);
    if (at < recorder->entries.size())
      recorder->entries[at] = {queue, kind, after, ticks()};
    return 0;
  }
};

void timelines(Json &json) {
  Shape shape;
  shape.commands = 10;
  shape.commandUs = 100;
  const TemporaryFile file(syntheticBundle(shape).finish());
  // Transfers take as long as computing does.
  const auto rate = static_cast<uint64_t>(static_cast<double>(shape.words * 16) / 1000e-6);
  Opened opened(file.path(), rate);
  Buffers buffers(opened.bundle, kMain);
  const std::vector<uint64_t> input = inputOf(shape, 1);
  memcpy(buffers.memory[0].data(), input.data(), input.size() * 8);
  const Config configs[] = {
      {"single", kMain, "single", false, Config::Sum},
      {"overlap-input", kSplit, "overlap-input", false, Config::Input},
      {"overlap-io", kSplit, "overlap-io", false, Config::Both},
      {"overlap-io with signals in the trace", kInside, "overlap-io", false, Config::Both}};
  json.key("schedules").beginArray();
  for (const Config &config : configs) {
    Recorder recorder;
    ttrt_pipeline_options options{};
    options.entry = config.entry;
    options.schedule = config.schedule;
    options.on_step = Recorder::onStep;
    options.user = &recorder;
    timePerInference(opened, options, buffers, 6, nullptr);
    json.beginObject().field("name", config.label).key("steps").beginArray();
    const size_t count = std::min(recorder.next.load(), recorder.entries.size());
    uint64_t begin[2] = {}, zero = ~uint64_t(0);
    for (size_t i = 0; i < count; ++i)
      zero = std::min(zero, recorder.entries[i].time);
    static const char *const kNames[] = {"write", "read", "run"};
    for (size_t i = 0; i < count; ++i) {
      const Recorder::Entry &entry = recorder.entries[i];
      if (!entry.after) {
        begin[entry.queue] = entry.time;
        continue;
      }
      json.beginObject(/*flat=*/true).field("queue", entry.queue).field("kind", kNames[entry.kind]);
      json.field("begin", static_cast<double>(begin[entry.queue] - zero) / ticksPerUs());
      json.field("end", static_cast<double>(entry.time - zero) / ticksPerUs()).endObject();
    }
    json.endArray().endObject();
  }
  json.endArray();

  // Ten commands of a microsecond, replayed and dispatched one at a time.
  shape.commandUs = 1;
  shape.words = 8;
  const TemporaryFile small(syntheticBundle(shape).finish());
  Opened device(small.path(), 0, 2);
  Buffers tiny(device.bundle, kMain);
  memcpy(tiny.memory[0].data(), inputOf(shape, 1).data(), shape.words * 8);
  const void *slot;
  ttrt_device_output_slot(device.device, kStamps, 0, &slot, nullptr);
  computeUs(device, kMain, tiny, 20);
  addStamps(json, "replayed", static_cast<const uint64_t *>(slot), shape.commands);
  ttrt_run_options run{};
  run.no_trace = 1;
  for (int i = 0; i < 20; ++i)
    ttrt_run(device.device, kMain, tiny.inputs.data(), tiny.outputs.data(), &run, nullptr);
  addStamps(json, "awaited", static_cast<const uint64_t *>(slot), shape.commands);
}

} // namespace

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  Json json;
  json.beginObject();
  if (what == "schedules" && argc == 2) {
    syntheticSchedules(json);
  } else if (what == "schedules" && argc == 3) {
    bundleSchedules(argv[2], json);
  } else if (what == "costs" && argc == 2) {
    costs(json);
    latency(20, "latency_ns_spinning", 301, json);
    latency(3000, "latency_ns_parked", 101, json);
  } else if (what == "trace" && argc == 2) {
    traces(json);
  } else if (what == "timeline" && argc == 2) {
    timelines(json);
  } else {
    fprintf(stderr, "usage: ttrt-bench-queues schedules [BUNDLE] | costs | trace | timeline\n");
    return 2;
  }
  json.endObject();
  fputs(json.take().c_str(), stdout);
  return 0;
}

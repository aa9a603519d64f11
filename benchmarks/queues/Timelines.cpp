// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of when each queue did what.

#include "Bench.h"
#include "Formats/Lanes.h"
#include "Support/WriteFile.h"
#include "Synthetic.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using ttrt::test::TemporaryFile;

namespace ttrt::bench {

namespace {

/// By ttrt_step_kind.
const std::vector<ttrun::Svg::Key> kKinds = {
    {ttrun::fill::kGreen, "write"}, {ttrun::fill::kAmber, "read"}, {ttrun::fill::kBlue, "run"}};

void add(ttrun::Lanes::Row &row, double begin, double end, size_t kind, const std::string &name) {
  row.boxes.push_back(
      {begin, end, kind, name, fmt::format("{}, {}", name, ttrun::Svg::timeText(end - begin))});
}

void write(const std::string &folder, const std::string &name, ttrun::Lanes picture) {
  picture.kinds = kKinds;
  ttc::writeFile(folder + "/" + name + ".svg", {picture.draw()});
}

/// The begin and end of each command, after those of the run before.
ttrun::Lanes::Row rowOf(const char *name, const uint64_t *stamps, uint32_t commands) {
  ttrun::Lanes::Row row{name, {}};
  auto us = [&](uint32_t i) { return static_cast<double>(stamps[i] - stamps[0]) / ticksPerUs(); };
  for (uint32_t i = 0; i < commands; ++i)
    add(row, us(i * kStampWords), us(i * kStampWords + 1), TTRT_STEP_RUN, std::to_string(i));
  return row;
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

/// Four inferences of the steady state, from the begin of a run on.
ttrun::Lanes fourInferences(const std::string &name, const Recorder &recorder) {
  const size_t count = std::min(recorder.next.load(), recorder.entries.size());
  uint64_t begin[2] = {}, zero = ~uint64_t(0);
  for (size_t i = 0; i < count; ++i)
    zero = std::min(zero, recorder.entries[i].time);
  struct Step {
    uint32_t queue;
    size_t kind;
    double begin, end;
  };
  std::vector<Step> steps;
  std::vector<double> runs;
  for (size_t i = 0; i < count; ++i) {
    const Recorder::Entry &entry = recorder.entries[i];
    if (!entry.after) {
      begin[entry.queue] = entry.time;
      continue;
    }
    steps.push_back({entry.queue, size_t(entry.kind),
                     static_cast<double>(begin[entry.queue] - zero) / ticksPerUs(),
                     static_cast<double>(entry.time - zero) / ticksPerUs()});
    if (entry.kind == TTRT_STEP_RUN && steps.back().end - steps.back().begin > 400)
      runs.push_back(steps.back().begin);
  }
  ttrun::Lanes picture;
  const double first = runs.at(4), last = runs.at(8);
  picture.us = last - first;
  picture.title =
      fmt::format("{}, measured: four inferences in {}", name, ttrun::Svg::timeText(picture.us));
  for (const Step &step : steps) {
    while (picture.rows.size() <= step.queue)
      picture.rows.push_back({fmt::format("queue {}", picture.rows.size()), {}});
    if (step.end > first && step.begin < last)
      add(picture.rows[step.queue], std::max(step.begin, first) - first,
          std::min(step.end, last) - first, step.kind, kKinds[step.kind].name);
  }
  return picture;
}

} // namespace

void timelines(const std::string &folder) {
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
  const struct {
    const char *label;
    uint32_t entry;
    const char *schedule;
  } configs[] = {{"single", kMain, "single"},
                 {"overlap-input", kSplit, "overlap-input"},
                 {"overlap-io", kSplit, "overlap-io"},
                 {"overlap-io-signals", kInside, "overlap-io"}};
  for (const auto &config : configs) {
    Recorder recorder;
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.entry = config.entry;
    options.schedule = config.schedule;
    options.on_step = Recorder::onStep;
    options.user = &recorder;
    timePerInference(opened, options, buffers, 6, nullptr);
    write(folder, config.label, fourInferences(config.label, recorder));
  }

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
  ttrun::Lanes picture;
  picture.title = "ten commands of a microsecond on two cores: replayed, and dispatched one at a "
                  "time by the host";
  const auto *stamps = static_cast<const uint64_t *>(slot);
  picture.rows.push_back(rowOf("replayed", stamps, shape.commands));
  ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
  run.no_trace = 1;
  for (int i = 0; i < 20; ++i)
    ttrt_run(device.device, kMain, tiny.inputs.data(), tiny.outputs.data(), &run, nullptr);
  picture.rows.push_back(rowOf("awaited", stamps, shape.commands));
  for (const ttrun::Lanes::Row &row : picture.rows)
    picture.us = std::max(picture.us, row.boxes.back().end);
  write(folder, "trace", std::move(picture));
}

} // namespace ttrt::bench

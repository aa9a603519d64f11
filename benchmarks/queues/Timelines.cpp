// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When each queue did what.

#include "Bench.h"
#include "Synthetic.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using ttrt::test::TemporaryFile;
using ttrun::Json;

namespace ttrt::bench {

namespace {

void addStamps(Json &json, const char *name, const uint64_t *stamps, uint32_t commands) {
  json.key(name).beginArray(/*flat=*/true);
  for (uint32_t i = 0; i < commands; ++i)
    for (int j = 0; j < 2; ++j)
      json.value(static_cast<double>(stamps[i * kStampWords + j] - stamps[0]) / ticksPerUs());
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

} // namespace

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
  const struct {
    const char *label;
    uint32_t entry;
    const char *schedule;
  } configs[] = {{"single", kMain, "single"},
                 {"overlap-input", kSplit, "overlap-input"},
                 {"overlap-io", kSplit, "overlap-io"},
                 {"overlap-io-signals", kInside, "overlap-io"}};
  json.key("schedules").beginArray();
  for (const auto &config : configs) {
    Recorder recorder;
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
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
  ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
  run.no_trace = 1;
  for (int i = 0; i < 20; ++i)
    ttrt_run(device.device, kMain, tiny.inputs.data(), tiny.outputs.data(), &run, nullptr);
  addStamps(json, "awaited", static_cast<const uint64_t *>(slot), shape.commands);
}

} // namespace ttrt::bench

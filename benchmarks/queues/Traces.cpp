// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With and without the trace.

#include "Bench.h"
#include "Synthetic.h"

#include <algorithm>
#include <cstring>

using ttrt::test::TemporaryFile;
using ttrun::Json;

namespace ttrt::bench {

namespace {

/// Microseconds of one of `count` inferences, none of which overlaps another.
double timeOfEach(Opened &opened, const Buffers &buffers, bool noTrace, uint32_t count) {
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
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
  // By the calling thread and by a queue, each with the trace and without.
  static const char *const kNames[] = {"replayed", "awaited", "queue_replayed", "enqueued"};
  std::vector<double> times[4], gaps[4];
  for (int round = 0; round < 5; ++round)
    for (int way = 0; way < 4; ++way) {
      if (way < 2) {
        ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
        run.no_trace = way;
        const double begin = nowUs();
        for (uint32_t i = 0; i < count; ++i)
          ttrt_run(opened.device, kMain, buffers.inputs.data(), buffers.outputs.data(), &run,
                   nullptr);
        times[way].push_back((nowUs() - begin) / count);
      } else {
        times[way].push_back(timeOfEach(opened, buffers, /*noTrace=*/way == 3, count));
      }
      std::vector<double> between;
      for (uint32_t i = 1; i < shape.commands; ++i)
        between.push_back(
            static_cast<double>(stamps[i * kStampWords] - stamps[(i - 1) * kStampWords + 1]) *
            1000 / ticksPerUs());
      gaps[way].push_back(median(between));
    }
  json.beginObject(/*flat=*/true).field("cores", cores);
  json.field("commands", shape.commands).field("command_us", shape.commandUs);
  for (int way = 0; way < 4; ++way)
    json.field(std::string(kNames[way]) + "_us", median(times[way]))
        .field(std::string(kNames[way]) + "_gap_ns", median(gaps[way]));
  json.endObject();
}

} // namespace

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

} // namespace ttrt::bench

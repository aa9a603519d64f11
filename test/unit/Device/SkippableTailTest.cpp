// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inferences that were not requested, where a stream ends in the middle of a body.

#include "Device/SkippableTail.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "ttrt/pipeline.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace ttrt;
using namespace ttrt::test;

namespace {

fb::ScheduleT &scheduleOf(BundleBuilder &builder, const char *name) {
  for (auto &schedule : builder.bundle.entries[0]->schedules)
    if (schedule->name == name)
      return *schedule;
  throw std::runtime_error(name);
}

/// The body once more.
void unroll(fb::ScheduleT &schedule) {
  for (size_t i = 0, steps = schedule.body.size(); i < steps; ++i)
    schedule.body.push_back(std::make_unique<fb::StepT>(*schedule.body[i]));
}

/// For each write of a schedule: 's' if a run that ends there may skip the rest. At the end '!' if
/// a rest that may not be skipped changes states.
std::string endsOf(BundleBuilder builder, const char *name) {
  const TemporaryFile file(builder.finish());
  const Bundle bundle(file.path(), TTRT_VERIFY_FULL);
  const PlacedPlan &plan = bundle.plan();
  const auto &schedules = *bundle.metadata().entries()->Get(0)->schedules();
  for (uint32_t i = 0; i < schedules.size(); ++i) {
    if (strcmp(text(schedules.Get(i)->name()), name) != 0)
      continue;
    std::vector<uint32_t> tails = findSkippableTails(bundle, plan, 0, i);
    const bool isUnsafe = std::erase(tails, kChangesStates) != 0;
    std::string ends;
    size_t found = 0;
    for (uint32_t j = 0; j < plan.schedules[0][i].bodyEnd; ++j)
      if (plan.schedules[0][i].steps.ops[j].step->kind() == fb::StepKind::Write) {
        const bool isSkippable = std::count(tails.begin(), tails.end(), j) != 0;
        ends += isSkippable ? 's' : '-';
        found += isSkippable;
      }
    EXPECT_EQ(found, tails.size()) << "only in front of writes";
    return isUnsafe ? ends + "!" : ends;
  }
  return "no such schedule";
}

/// Runs of a pipeline that is fed 1, 3 and 2 inferences and runs dry in between; all outputs are
/// checked.
int runsOf(BundleBuilder builder, const char *name, bool noTrace = false) {
  const TemporaryFile file(builder.finish());
  ttrt_device_options device = deviceOptions(2, 2);
  Loaded loaded(file.path(), device);
  std::atomic<int> runs{0};
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.schedule = name;
  options.no_trace = noTrace;
  options.user = &runs;
  options.on_step = [](void *user, uint32_t, ttrt_step_kind kind, int after) {
    *static_cast<std::atomic<int> *>(user) += kind == TTRT_STEP_RUN && after;
    return 0;
  };
  ttrt_pipeline *pipeline;
  ttrt_error error;
  EXPECT_EQ(ttrt_pipeline_open(loaded.device, &options, &pipeline, &error), TTRT_OK)
      << error.message;
  std::vector<std::vector<float>> inputs;
  for (int i = 0; i < 6; ++i) {
    inputs.push_back(ramp(kSampleElements));
    inputs.back()[i] = static_cast<float>(i);
  }
  size_t next = 0;
  for (size_t number : {1, 3, 2}) {
    for (size_t i = 0; i < number; ++i) {
      const ttrt_input in{inputs[next + i].data(), kSampleBytes};
      EXPECT_EQ(ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_WAIT, &error), TTRT_OK);
    }
    for (size_t i = 0; i < number; ++i, ++next) {
      const void *output;
      EXPECT_EQ(ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, &error), TTRT_OK);
      EXPECT_EQ(memcmp(output, sampleResult(inputs[next]).data(), kSampleBytes), 0) << next;
    }
  }
  ttrt_pipeline_close(pipeline);
  return runs;
}

TEST(SkippableTail, ABodyOfTwoInferences) {
  EXPECT_EQ(endsOf(queueBundle(), "unrolled"), "ss");
  EXPECT_EQ(runsOf(queueBundle(), "unrolled"), 6) << "as many as inferences";
  runsOf(queueBundle(), "unrolled", /*noTrace=*/true);
}

/// With events inside the trace, too: what waits for them continues.
TEST(SkippableTail, EventsOfWhatIsLeftOut) {
  BundleBuilder builder = queueBundle();
  fb::ScheduleT &signals = scheduleOf(builder, "signals");
  unroll(signals);
  EXPECT_EQ(endsOf(std::move(builder), "signals"), "sss");
  for (bool noTrace : {false, true}) {
    BundleBuilder again = queueBundle();
    unroll(scheduleOf(again, "signals"));
    const int runs = runsOf(std::move(again), "signals", noTrace);
    if (!noTrace)
      EXPECT_EQ(runs, 6);
  }
}

/// Here the next write stands in the middle of a run: what is left of that run is asked for.
TEST(SkippableTail, WhatSomebodyAskedForIsComputed) {
  auto halves = [] {
    BundleBuilder builder = queueBundle();
    const auto words = builder.streams[0].words;
    const uint64_t x = words[2], w = words[3], y = words[20], a = words[9] + 3 * kSampleBytes,
                   b = a + kSampleBytes;
    builder.buffer("a3", fb::BufferKind::Activation, a, kSampleBytes);
    builder.buffer("b3", fb::BufferKind::Activation, b, kSampleBytes);
    StreamBuilder first, second;
    first.dispatch(0, {x, w, a});
    first.end();
    second.dispatch(1, {a, b});
    second.barrier();
    second.dispatch(0, {b, w, a});
    second.barrier();
    second.dispatch(1, {a, y});
    second.end();
    const uint32_t traces[] = {builder.trace("first", first), builder.trace("second", second)};
    fb::EntryPointT &entry = *builder.bundle.entries[0];
    auto add = [](auto &steps, fb::StepKind kind, uint32_t index) {
      BundleBuilder::step(steps, kind, index);
    };
    using enum fb::StepKind;
    add(entry.schedules[0]->body, Execute, traces[0]);
    add(entry.schedules[0]->body, Execute, traces[1]);
    fb::ScheduleT &schedule = BundleBuilder::schedule(entry, "halves", 1);
    add(schedule.prologue, Write, 0);
    add(schedule.body, Execute, traces[0]);
    add(schedule.body, Write, 0);
    add(schedule.body, Execute, traces[1]);
    add(schedule.body, Read, 0);
    unroll(schedule);
    add(schedule.epilogue, Execute, traces[0]);
    add(schedule.epilogue, Execute, traces[1]);
    add(schedule.epilogue, Read, 0);
    return builder;
  };
  EXPECT_EQ(endsOf(halves(), "halves"), "s--") << "in the prologue there is no inference yet";
  runsOf(halves(), "halves");
}

/// A body of two inferences, each of which adds to what is kept, directly after its own work or
/// both at the end of the body.
BundleBuilder keeping(bool isDirect) {
  BundleBuilder builder = queueBundle();
  const uint64_t kept = 1 << 20;
  builder.buffer("kept", fb::BufferKind::State, kept, kSampleBytes);
  StreamBuilder stream;
  stream.fill(kept, kSampleBytes, 7);
  stream.end();
  const uint32_t trace = builder.trace("keep", stream);
  auto &schedules = builder.bundle.entries[0]->schedules;
  std::erase_if(schedules, [](const auto &schedule) {
    return schedule->name != "single" && schedule->name != "unrolled";
  });
  for (auto &schedule : schedules) {
    std::vector<std::unique_ptr<fb::StepT>> body;
    body.swap(schedule->body);
    size_t runs = 0;
    for (auto &step : body) {
      const bool isRead = step->kind == fb::StepKind::Read;
      runs += isRead;
      schedule->body.push_back(std::move(step));
      if (isRead && isDirect)
        BundleBuilder::step(schedule->body, fb::StepKind::Execute, trace);
    }
    for (size_t i = 0; i < runs && !isDirect; ++i)
      BundleBuilder::step(schedule->body, fb::StepKind::Execute, trace);
  }
  return builder;
}

/// An inference that was not requested changes nothing that is kept.
TEST(SkippableTail, StateIsKept) {
  EXPECT_EQ(endsOf(keeping(/*isDirect=*/true), "unrolled"), "ss");
  EXPECT_EQ(runsOf(keeping(/*isDirect=*/true), "unrolled"), 12) << "two for each inference";
}

TEST(SkippableTail, PipelinesThatWouldChangeStateAreRefused) {
  EXPECT_EQ(endsOf(keeping(/*isDirect=*/false), "unrolled"), "s-!");
  const TemporaryFile file(keeping(/*isDirect=*/false).finish());
  ttrt_device_options device = deviceOptions(2, 2);
  Loaded loaded(file.path(), device);
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.schedule = "unrolled";
  ttrt_pipeline *pipeline;
  ttrt_error error;
  EXPECT_EQ(ttrt_pipeline_open(loaded.device, &options, &pipeline, &error), TTRT_UNSUPPORTED);
  EXPECT_TRUE(strstr(error.message, "would change states in inferences that are not enqueued"))
      << error.message;
}

} // namespace

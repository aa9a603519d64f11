// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/AutoSchedule.h"

#include "Formats/Printing.h"
#include "Support/Error.h"
#include "ttrt/format/steps.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

namespace ttrun {

using namespace ttrt;

std::vector<Candidate> candidatesOf(const fb::EntryPoint &entry, uint32_t queues) {
  std::vector<Candidate> candidates;
  bool hasTraces = false;
  for (const fb::Schedule *schedule : *entry.schedules()) {
    Candidate candidate;
    candidate.name = text(schedule->name());
    candidate.queues = schedule->queues();
    candidate.traced = false;
    std::vector<bool> writes(256), reads(256), runs(256); // per queue
    for (const fb::Step *step : *schedule->body()) {
      const ActionInfo &info = infoOf(step->kind());
      candidate.traced |= info.role == OrderRole::Execute;
      if (info.accesses == AccessShape::Slot)
        (info.table == IndexedTable::Input ? writes : reads)[step->queue()] = true;
      else if (info.role == OrderRole::Work || info.role == OrderRole::Execute)
        runs[step->queue()] = true;
    }
    for (size_t queue = 0; queue < runs.size(); ++queue) {
      candidate.writesApart |= writes[queue] && !runs[queue];
      candidate.readsApart |= reads[queue] && !runs[queue];
    }
    hasTraces |= candidate.traced;
    if (candidate.queues <= queues)
      candidates.push_back(std::move(candidate));
  }
  for (Candidate &candidate : candidates)
    candidate.traced |= !hasTraces; // nothing to trace
  return candidates;
}

double expectedTime(const Candidate &candidate, const StepTimes &times) {
  double runs = candidate.traced ? times.run : times.runUntraced, transfers = 0;
  (candidate.writesApart ? transfers : runs) += times.write;
  (candidate.readsApart ? transfers : runs) += times.read;
  return std::max(runs, transfers);
}

size_t bestExpected(const std::vector<Candidate> &candidates, const StepTimes &times,
                    uint32_t queues) {
  size_t best = candidates.size();
  for (size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].queues <= queues && candidates[i].traced &&
        (best == candidates.size() ||
         expectedTime(candidates[i], times) < 0.999 * expectedTime(candidates[best], times)))
      best = i;
  return best == candidates.size() ? 0 : best;
}

size_t choose(const std::vector<Candidate> &candidates, const StepTimes &times, std::string &why) {
  const size_t single = bestExpected(candidates, times, 1);
  const size_t best = bestExpected(candidates, times, ~0u);
  const double one = expectedTime(candidates[single], times),
               two = expectedTime(candidates[best], times);
  size_t chosen = best;
  why =
      fmt::format("write {:.3g} ms, run {:.3g}, read {:.3g}: ", times.write, times.run, times.read);
  if (candidates[best].queues == 1) {
    const bool isAny = std::any_of(candidates.begin(), candidates.end(),
                                   [](const Candidate &c) { return c.queues > 1; });
    why += isAny ? "two queues would save nothing" : "the bundle has no schedule with two queues";
  } else if (two > 0.95 * one) {
    chosen = single;
    why += fmt::format("two queues would save only {:.2g} %", 100 * (1 - two / one));
  } else if (candidates[best].tried == 0) {
    why += fmt::format("expected {:.3g} ms per inference, {:.3g} with one queue", two, one);
  } else if (candidates[best].tried > candidates[single].tried) {
    chosen = single;
    why += fmt::format(
        "two queues do not pay off: measured {:.3g} ms per inference with {}, {:.3g} with {}",
        candidates[best].tried, candidates[best].name, candidates[single].tried,
        candidates[single].name);
  } else {
    why += fmt::format("measured {:.3g} ms per inference, {:.3g} with one queue",
                       candidates[best].tried, candidates[single].tried);
  }
  why += report::textOf(times.saving);
  return chosen;
}

static double transferMs(const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *ports,
                         uint64_t linkBytesPerSecond) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count(ports); ++i)
    bytes += sizeOf(*ports->Get(i));
  return 1e3 * static_cast<double>(bytes) / static_cast<double>(linkBytesPerSecond);
}

std::string expectSchedule(const fb::EntryPoint &entry, uint32_t queues, double runMs,
                           uint64_t linkBytesPerSecond, std::string &why) {
  StepTimes times;
  times.write = transferMs(entry.inputs(), linkBytesPerSecond);
  times.run = runMs;
  times.read = transferMs(entry.outputs(), linkBytesPerSecond);
  std::vector<Candidate> candidates = candidatesOf(entry, queues);
  return candidates[choose(candidates, times, why)].name;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

static double nowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static double medianOf(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

namespace {

constexpr uint32_t kWarmup = 3, kLeast = 5, kMost = 200;
constexpr double kMeasureMs = 100;

class Pipeline {
public:
  Pipeline(ttrt_device *device, const ttrt_pipeline_options &options,
           const std::vector<ttrt_input> &inputs, size_t outputs)
      : inputs(inputs), outputs(outputs) {
    check(ttrt_pipeline_open(device, &options, &pipeline, &error));
  }
  ~Pipeline() { ttrt_pipeline_close(pipeline); }
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  void enqueue() {
    check(ttrt_pipeline_enqueue(pipeline, inputs.data(), nullptr, TTRT_WAIT, &error));
  }
  void pop() { check(ttrt_pipeline_pop(pipeline, outputs.data(), TTRT_WAIT, &error)); }

private:
  void check(ttrt_status status) const {
    if (status != TTRT_OK)
      throw UserError(error.message);
  }

  const std::vector<ttrt_input> &inputs;
  std::vector<const void *> outputs;
  ttrt_pipeline *pipeline = nullptr;
  ttrt_error error{};
};

/// Records on the queue's thread how long each step takes.
struct Watch {
  struct Spent {
    ttrt_step_kind kind;
    double ms;
  };
  double begin = 0;
  std::vector<Spent> steps;

  static int onStep(void *user, uint32_t, ttrt_step_kind kind, int after) {
    auto &watch = *static_cast<Watch *>(user);
    const double now = nowMs();
    if (after)
      watch.steps.push_back({kind, now - watch.begin});
    else
      watch.begin = now;
    return 0;
  }
};

} // namespace

namespace {
/// The milliseconds of each inference, by kind of step.
using Spent = std::array<std::vector<double>, 3>;
} // namespace

/// Adds those of `loops` inferences, with a schedule of one queue.
static void measureBlock(ttrt_device *device, ttrt_pipeline_options options,
                         const std::vector<ttrt_input> &inputs, size_t outputs, size_t loops,
                         Spent &spent) {
  Watch watch;
  options.on_step = Watch::onStep;
  options.user = &watch;
  {
    Pipeline pipeline(device, options, inputs, outputs);
    for (size_t loop = 0; loop < loops; ++loop) {
      pipeline.enqueue();
      pipeline.pop();
    }
  } // waits until the queue has recorded its last step
  const size_t steps = watch.steps.size() / loops;
  for (size_t loop = 0; loop < loops; ++loop) {
    double sums[3] = {};
    for (size_t i = 0; i < steps; ++i)
      sums[watch.steps[loop * steps + i].kind] += watch.steps[loop * steps + i].ms;
    for (int kind = 0; kind < 3; ++kind)
      spent[kind].push_back(sums[kind]);
  }
}

/// Measures with a trace and, if `hasUntraced`, without it, in turns: what changes slowly affects
/// both.
static StepTimes measureSteps(ttrt_device *device, ttrt_pipeline_options options,
                              const std::vector<ttrt_input> &inputs, size_t outputs,
                              bool hasUntraced) {
  constexpr double kBlockMs = 4;
  constexpr size_t kFewestPairs = 8, kMostPairs = 16, kMostLoops = 25;
  ttrt_pipeline_options untraced = options;
  untraced.no_trace = 1;
  Spent warm;
  measureBlock(device, options, inputs, outputs, kWarmup, warm);
  double ms = 0;
  for (const std::vector<double> &part : warm)
    ms += medianOf(part);
  if (hasUntraced)
    measureBlock(device, untraced, inputs, outputs, kWarmup, warm);
  const auto fitting = [&](double time, size_t least, size_t most) {
    return static_cast<size_t>(std::clamp(ms > 0 ? time / ms : static_cast<double>(most),
                                          static_cast<double>(least), static_cast<double>(most)));
  };
  const size_t loops = fitting(kBlockMs, 1, kMostLoops),
               pairs = fitting(kMeasureMs / static_cast<double>(loops), kFewestPairs, kMostPairs);
  Spent all, allUntraced;
  std::vector<double> savings;
  for (size_t pair = 0; pair < pairs; ++pair) {
    measureBlock(device, options, inputs, outputs, loops, all);
    if (!hasUntraced)
      continue;
    measureBlock(device, untraced, inputs, outputs, loops, allUntraced);
    auto lastOf = [&](const Spent &spent) {
      const std::vector<double> &runs = spent[TTRT_STEP_RUN];
      return medianOf({runs.end() - static_cast<std::ptrdiff_t>(loops), runs.end()});
    };
    savings.push_back(1 - lastOf(all) / lastOf(allUntraced));
  }
  StepTimes times;
  times.write = medianOf(all[TTRT_STEP_WRITE]);
  times.run = medianOf(all[TTRT_STEP_RUN]);
  times.read = medianOf(all[TTRT_STEP_READ]);
  if (hasUntraced) {
    times.runUntraced = medianOf(allUntraced[TTRT_STEP_RUN]);
    times.saving = report::savingFrom(report::TraceSaving::Kind::Measured, savings);
  }
  return times;
}

/// The milliseconds from one output to the next, with several inferences in flight.
static double tryOut(ttrt_device *device, const ttrt_pipeline_options &options,
                     const std::vector<ttrt_input> &inputs, size_t outputs) {
  Pipeline pipeline(device, options, inputs, outputs);
  constexpr uint32_t kAhead = 8;
  for (uint32_t i = 0; i < kAhead; ++i)
    pipeline.enqueue();
  double begin = 0;
  uint32_t popped = 0;
  for (; popped < kMost; ++popped) {
    if (popped == kWarmup)
      begin = nowMs();
    if (popped >= kWarmup + kLeast && nowMs() > begin + kMeasureMs)
      break;
    pipeline.pop();
    pipeline.enqueue();
  }
  const double spent = nowMs() - begin;
  for (uint32_t i = 0; i < kAhead; ++i)
    pipeline.pop();
  return spent / (popped - kWarmup);
}

std::string chooseSchedule(const fb::EntryPoint &entry, uint32_t number, ttrt_device *device,
                           const std::vector<ttrt_input> &inputs, bool noTrace, std::string &why) {
  const size_t outputs = count(entry.outputs());
  std::vector<Candidate> candidates = candidatesOf(entry, ttrt_device_queues(device));
  auto optionsOf = [&](size_t candidate) {
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.entry = number;
    options.schedule = candidates[candidate].name.c_str();
    options.no_trace = noTrace;
    return options;
  };
  const size_t single = bestExpected(candidates, {}, 1);
  const StepTimes times = measureSteps(device, optionsOf(single), inputs, outputs, !noTrace);
  const size_t best = bestExpected(candidates, times, ~0u);
  for (size_t candidate : {single, best})
    if (candidates[best].queues > 1)
      candidates[candidate].tried = tryOut(device, optionsOf(candidate), inputs, outputs);
  const Candidate &chosen = candidates[choose(candidates, times, why)];
  return chosen.name;
}

} // namespace ttrun

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Scaling.h"

#include "Formats/Json.h"
#include "Formats/Printing.h"

#include <algorithm>
#include <map>
#include <queue>

namespace ttrun::report {

/// A compare-and-swap on a line that is mostly the core's own.
double claimTime(uint32_t cores) { return cores == 1 ? 0 : 20; }

/// The last core's counter reaches the others: one transfer of a cache line for its addition, one
/// for the reader; eight cores that add to one counter take turns, and every core reads one counter
/// for each eight cores.
double barrierTime(uint32_t cores) {
  if (cores == 1)
    return 0;
  const uint32_t adders = std::min(cores, 8u), counters = (cores + 7) / 8;
  return 60.0 * (adders + counters);
}

ScaledTime scaled(const std::vector<Phase> &phases, uint32_t cores) {
  ScaledTime sum;
  sum.cores = cores;
  std::map<std::string, double> lost;
  for (const Phase &phase : phases) {
    // The first core is apart: commands of one workgroup wait for it.
    double first = 0;
    std::priority_queue<double, std::vector<double>, std::greater<>> others;
    for (uint32_t i = 1; i < cores; ++i)
      others.push(0);
    double work = 0, least = 0;
    const ScaledOp *longest = nullptr;
    for (const ScaledOp &op : phase) {
      const double share = op.work / static_cast<double>(op.grid) + claimTime(cores);
      work += op.work;
      least = std::max(least, op.bandwidth);
      if (!longest || op.work > longest->work)
        longest = &op;
      for (uint64_t i = 0; i < op.grid; ++i)
        if (op.grid == 1 || others.empty() || first <= others.top()) {
          first += share;
        } else {
          const double at = others.top();
          others.pop();
          others.push(at + share);
        }
    }
    double end = std::max(first, least);
    for (; !others.empty(); others.pop())
      end = std::max(end, others.top());
    sum.time += end + barrierTime(cores);
    sum.work += work / cores;
    sum.barriers += barrierTime(cores);
    if (longest)
      lost[longest->name] += end - work / cores;
  }
  sum.idle = std::max(0.0, sum.time - sum.work - sum.barriers);
  for (const auto &[name, time] : lost)
    if (time > sum.mostLost) {
      sum.most = name;
      sum.mostLost = time;
    }
  return sum;
}

std::vector<Phase> phasesOf(const Analysis &a, uint32_t device) {
  const DeviceTimes &times = a.times[device];
  const StepInfo *step = times.anchor == kNone ? nullptr : a.models[device].step(times.anchor);
  if (!step || !step->ops)
    return {};
  std::vector<std::vector<double>> work(step->ops->size()), most(step->ops->size());
  for (const OpRun &run : a.ops)
    if (run.device == device && run.step == times.anchor && run.command < work.size()) {
      work[run.command].push_back(run.sum);
      most[run.command].push_back(run.most);
    }
  std::vector<Phase> phases(1);
  for (size_t i = 0; i < step->ops->size(); ++i) {
    const OpInfo &op = (*step->ops)[i];
    if (!op.work) {
      // Waits for events are no work of the cores.
      if (op.action != "wait" && !phases.back().empty())
        phases.emplace_back();
      continue;
    }
    if (work[i].empty())
      continue;
    ScaledOp scaledOp{std::max<uint64_t>(op.grid, 1), spreadOf(std::move(work[i])).median, 0,
                      op.name};
    // Constants come from memory each time; what takes less than that has them in a cache. Where
    // activations are, the recording does not say.
    const double bandwidth = a.limits[device].bandwidth;
    const double bytes = bandwidth > 0 ? static_cast<double>(op.constants) / bandwidth * 1e9 : 0;
    if (bytes <= spreadOf(std::move(most[i])).median)
      scaledOp.bandwidth = bytes;
    phases.back().push_back(std::move(scaledOp));
  }
  if (phases.back().empty())
    phases.pop_back();
  return phases;
}

std::vector<ScaledTime> scalingOf(const Analysis &analysis, uint32_t device) {
  const std::vector<Phase> phases = phasesOf(analysis, device);
  std::vector<ScaledTime> all;
  for (uint32_t cores = 1; cores <= 64 && !phases.empty(); cores *= 2)
    all.push_back(scaled(phases, cores));
  return all;
}

void printScaling(const Analysis &a, uint32_t device) {
  const std::vector<ScaledTime> all = scalingOf(a, device);
  if (all.empty()) {
    printLine("scaling      device {}: no stream of a known bundle was executed", device);
    return;
  }
  const uint32_t recorded = a.log.devices[device].info.cores;
  fmt::print("\ntime of {} by a model, from what was recorded on {} core{}{}\n",
             printable(a.models[device].stepText(a.times[device].anchor)), recorded,
             plural(recorded), a.limits[device].bandwidth > 0 ? "" : "; memory is fast enough");
  fmt::print("{:>5} {:>10} {:>8} {:>10} {:>6} {:>8} {:>6}  {}\n", "cores", "us", "speed-up",
             "efficiency", "work", "barriers", "idle", "most idle in");
  const double one = all.front().time;
  for (const ScaledTime &row : all) {
    auto percent = [&](double part) { return row.time > 0 ? 100 * part / row.time : 0; };
    fmt::print("{:>5} {:>10.1f} {:>8.2f} {:>9.0f}% {:>5.0f}% {:>7.0f}% {:>5.0f}%  {}\n", row.cores,
               row.time * 1e-3, row.time > 0 ? one / row.time : 0, 100 * row.efficiency(one),
               percent(row.work), percent(row.barriers), percent(row.idle),
               row.most.empty() ? ""
                                : fmt::format("{} ({:.0f}%)", shorten(printable(row.most), 24),
                                              percent(row.mostLost)));
  }
}

void addScaling(Json &json, const Analysis &analysis, uint32_t device) {
  const std::vector<ScaledTime> all = scalingOf(analysis, device);
  json.key("scaling").beginArray();
  for (const ScaledTime &row : all) {
    json.beginObject();
    json.field("cores", uint64_t(row.cores));
    json.field("us", row.time * 1e-3);
    json.field("efficiency", row.efficiency(all.front().time));
    json.field("work_us", row.work * 1e-3);
    json.field("barriers_us", row.barriers * 1e-3);
    json.field("idle_us", row.idle * 1e-3);
    json.field("most", row.most);
    json.endObject();
  }
  json.endArray();
}

} // namespace ttrun::report

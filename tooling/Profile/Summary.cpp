// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Summary.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
/// The durations of each op, until all are known.
struct Samples {
  OpSum sum;
  std::vector<double> times;
  CountSamples counts;
};

using Key = std::tuple<std::string, int64_t, std::string>; // trace, command, name

class Summing {
public:
  explicit Summing(const Analysis &a) : a(a) {}

  Summary run() {
    for (const OpRun &op : a.ops)
      add(op);
    for (const StepRun &step : a.steps)
      add(step);
    for (auto *table : {&ops, &steps})
      for (auto &[key, samples] : *table) {
        samples.sum.time = spreadOf(std::move(samples.times));
        samples.sum.counts = CountSum(std::move(samples.counts));
        summary.ops.push_back(samples.sum);
        summary.opTime += samples.sum.share;
      }
    summary.names = sumBy([](const OpSum &op) { return op.name; });
    summary.zones = zonesOf(a);
    summary.kinds = sumBy([](const OpSum &op) { return op.kind; });
    for (uint32_t i = 0; i < a.times.size(); ++i)
      summary.verdicts.push_back(verdictOf(i));
    std::vector<double> runs;
    for (const HostSpan &span : a.host.spans)
      if (span.zone == static_cast<uint32_t>(HostCall::Run) && isOfMostRuns(span))
        runs.push_back(static_cast<double>(hostTime(span.end) - hostTime(span.begin)));
    summary.runs = spreadOf(std::move(runs));
    return std::move(summary);
  }

private:
  /// Whether a run dispatches, or not, as most of its device do: one median for both would tell
  /// about neither.
  bool isOfMostRuns(const HostSpan &run) const {
    if (run.device >= a.times.size())
      return true;
    const DeviceTimes &times = a.times[run.device];
    const auto found = std::lower_bound(
        times.repetitions.begin(), times.repetitions.end(), hostTime(run.begin),
        [](const Iteration &iteration, int64_t time) { return iteration.begin < time; });
    return found == times.repetitions.end() || found->begin > hostTime(run.end) ||
           found->dispatched == times.dispatched;
  }

  void add(const OpRun &run) {
    const DeviceModel &model = a.models[run.device];
    const StepInfo *step = model.step(run.step);
    const OpInfo *op = model.op(run.step, run.command);
    const std::string name = model.opName(run.step, run.command);
    const std::string trace = !step             ? fmt::format("step {}", run.step)
                              : step->trace < 0 ? ""
                                                : model.traces[static_cast<size_t>(step->trace)];
    // A dispatch outside of traces has no number that says anything.
    const int64_t command = step && step->trace < 0 ? -1 : static_cast<int64_t>(run.command);
    auto [found, isNew] = ops.try_emplace({trace, command, name});
    Samples &samples = found->second;
    if (isNew) {
      samples.sum.trace = trace;
      samples.sum.command = command;
      samples.sum.name = name;
      samples.sum.kind = op ? op->kind : name;
      samples.sum.type = "device";
      if (op) {
        samples.sum.source = op->source.empty() ? step->source : op->source;
        samples.sum.type = op->exchanges ? "exchange" : "device";
        samples.sum.grid = op->grid;
        const auto dram = static_cast<size_t>(Space::Dram);
        samples.sum.dramBytes = op->read[dram] + op->written[dram];
        samples.sum.flops = op->flops;
        samples.sum.multipliesBytes = op->multipliesBytes;
        samples.sum.ideal = idealOf(*op, a.limits[run.device]);
      }
    }
    samples.sum.share += run.share;
    samples.times.push_back(run.most);
    samples.counts.add(a, run);
  }

  void add(const StepRun &run) {
    const StepInfo *step = a.models[run.device].step(run.step);
    const std::string text = a.models[run.device].stepText(run.step);
    auto [found, isNew] = steps.try_emplace({"", -1, text});
    Samples &samples = found->second;
    if (isNew) {
      samples.sum.name = text;
      samples.sum.kind = step ? step->kind : "step";
      samples.sum.type = step && step->role == StepRole::HostWork ? "host" : "transfer";
      samples.sum.source = step ? step->source : "";
    }
    samples.times.push_back(static_cast<double>(run.end - run.begin));
  }

  template <typename NameOf> std::vector<OpSum> sumBy(NameOf nameOf) const {
    std::map<std::string, OpSum> sums;
    for (const OpSum &op : summary.ops) {
      if (op.type != "device")
        continue;
      auto [found, isNew] = sums.try_emplace(nameOf(op), op);
      OpSum &sum = found->second;
      if (isNew) {
        sum.name = found->first;
        continue;
      }
      ++sum.commands;
      sum.share += op.share;
      sum.dramBytes += op.dramBytes;
      sum.flops += op.flops;
      sum.ideal += op.ideal;
      sum.time.add(op.time);
      sum.counts.add(op.counts);
    }
    std::vector<OpSum> sorted;
    for (auto &[name, sum] : sums)
      sorted.push_back(std::move(sum));
    std::sort(sorted.begin(), sorted.end(), [](const OpSum &x, const OpSum &y) {
      return x.share != y.share ? x.share > y.share : x.name < y.name;
    });
    return sorted;
  }

  Verdict verdictOf(uint32_t device) const;

  const Analysis &a;
  std::map<Key, Samples> ops, steps;
  Summary summary;
};
} // namespace

const char *nameOf(Cause cause) {
  static const char *const kNames[] = {"compute",
                                       "transfers in",
                                       "transfers out",
                                       "host",
                                       "waiting for other devices",
                                       "moving between devices",
                                       "other devices"};
  return kNames[static_cast<size_t>(cause)];
}

namespace {
/// What a device can be bound by.
struct Bound {
  const char *name;
  std::vector<Cause> causes;
};
} // namespace

static const Bound kBounds[] = {{"compute", {Cause::Compute}},
                                {"transfer", {Cause::TransferIn, Cause::TransferOut}},
                                {"host", {Cause::Host}},
                                {"mesh", {Cause::MeshWait, Cause::MeshMove, Cause::Mesh}}};

/// The share of some causes together: from blocks of iterations, if they are enough to tell how
/// much they differ. The first ones warm up, which a median ignores.
static CauseShare shareOf(const std::vector<Cause> &causes, const std::vector<CauseTimes> &blocks) {
  std::vector<double> shares;
  for (const CauseTimes &block : blocks) {
    shares.push_back(0);
    for (Cause cause : causes)
      shares.back() += block[static_cast<size_t>(cause)];
  }
  const Spread spread = spreadOf(std::move(shares));
  return {spread.median, spread.count > 1 ? 1.96 * spread.error() : 0};
}

/// Which of two causes has most of the time of both; "": neither.
static std::string mostOf(const std::array<CauseShare, kCauses> &causes, Cause one,
                          const char *nameOfOne, Cause other, const char *nameOfOther) {
  const double first = causes[static_cast<size_t>(one)].share,
               second = causes[static_cast<size_t>(other)].share;
  return first > 2 * second ? nameOfOne : second > 2 * first ? nameOfOther : "";
}

/// "in": what most of the time of a bound's causes is.
static std::string detailOf(const std::string &bound,
                            const std::array<CauseShare, kCauses> &causes) {
  if (bound == "transfer")
    return mostOf(causes, Cause::TransferIn, "in", Cause::TransferOut, "out");
  if (bound == "mesh")
    return mostOf(causes, Cause::MeshWait, "waiting", Cause::MeshMove, "moving");
  return "";
}

Verdict Summing::verdictOf(uint32_t device) const {
  const DeviceTimes &times = a.times[device];
  Verdict verdict;
  if (!(times.span() > 0)) {
    verdict.bound = "unclear";
    verdict.text = "unclear: nothing was recorded";
    return verdict;
  }
  constexpr size_t kEnough = 8;
  std::vector<CauseTimes> blocks = times.causesOfBlocks();
  if (blocks.size() >= kEnough) {
    verdict.blocks = blocks.size();
  } else {
    blocks = {times.causes};
    for (double &cause : blocks[0])
      cause /= times.span();
  }
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < kCauses; ++i) {
    verdict.causes[i] = shareOf({static_cast<Cause>(i)}, blocks);
    order.emplace_back(-verdict.causes[i].share, i);
  }
  std::sort(order.begin(), order.end());

  // Half of the path, and shortening nothing else can save as much.
  constexpr double kHalf = 0.5;
  std::string words;
  verdict.bound = words = "mixed";
  for (const Bound &bound : kBounds) {
    const CauseShare all = shareOf(bound.causes, blocks);
    if (all.share + all.error < kHalf)
      continue;
    std::string name = bound.name, what = name + "-bound";
    if (const std::string detail = detailOf(name, verdict.causes);
        a.models[device].known && !detail.empty()) {
      name += " " + detail;
      what += fmt::format(" ({})", detail);
    }
    const bool isClear = all.share - all.error >= kHalf;
    verdict.bound = isClear ? name : "unclear";
    words = isClear ? what : fmt::format("unclear whether {} or mixed", what);
    if (isClear)
      break;
  }
  verdict.text = words + ":";
  const char *separator = " ";
  for (const auto &[share, cause] : order) {
    const CauseShare &part = verdict.causes[cause];
    if (part.share < 0.005)
      continue;
    verdict.text += fmt::format("{}{} {:.0f} %", separator, nameOf(static_cast<Cause>(cause)),
                                100 * part.share);
    if (verdict.blocks)
      verdict.text += fmt::format(" (+- {:.1f})", 100 * part.error);
    separator = ", ";
  }
  verdict.text += " of the critical path";
  if (verdict.blocks)
    verdict.text += fmt::format("; medians of {} blocks of iterations", verdict.blocks);
  verdict.trace = times.traceSaving();
  verdict.text += textOf(verdict.trace);
  if (a.log.dropped())
    verdict.text += "; markers are missing, so some of this is wrong";
  return verdict;
}

Summary summarise(const Analysis &analysis) { return Summing(analysis).run(); }

} // namespace ttrun::report

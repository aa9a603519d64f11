// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Analysis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace ttrun::report {

using namespace ttrt::profile;

const char *nameOf(Use use) {
  static const char *const kNames[] = {"ops",       "exchanges", "between ops", "transfers",
                                       "host work", "library",   "application"};
  return kNames[static_cast<size_t>(use)];
}

double DeviceTimes::coreUse() const {
  const double all = uses[static_cast<size_t>(Use::Ops)] * cores;
  return all > 0 ? coreTime / all : 0;
}

static double medianOf(std::vector<double> &sorted) {
  if (sorted.empty())
    return 0;
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

Spread spreadOf(std::vector<double> values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty())
    return spread;
  std::sort(values.begin(), values.end());
  for (double value : values)
    spread.sum += value;
  spread.least = values.front();
  spread.median = medianOf(values);
  const auto rank = static_cast<size_t>(std::ceil(0.9 * static_cast<double>(values.size())));
  spread.p90 = values[std::clamp<size_t>(rank, 1, values.size()) - 1];
  for (double &value : values)
    value = std::abs(value - spread.median);
  std::sort(values.begin(), values.end());
  spread.deviation = 1.4826 * medianOf(values);
  return spread;
}

double Spread::error() const {
  return count ? 1.2533 * deviation / std::sqrt(static_cast<double>(count)) : 0;
}

void Spread::add(const Spread &part) {
  count += part.count;
  sum += part.sum;
  least += part.least;
  median += part.median;
  p90 += part.p90;
  deviation = std::hypot(deviation, part.deviation);
}

namespace {
/// A span on a core, with the stream that it belongs to.
struct CoreSpan {
  uint32_t device, queue, core, step, command;
  uint64_t number;
  uint64_t begin, end;
  uint32_t counts = kNone; ///< row of `coreCounts`
  /// In loops a command comes again, on each core. It counts iterations of the stream modulo 2^16,
  /// and how often the core has had that number for the command.
  uint32_t round = 0;
  uint32_t iteration = 0;
  auto key() const { return std::tuple(device, queue, number, step, round, iteration, command); }
};

/// By time and, to be deterministic, by what runs.
template <typename Run> void sortByBegin(std::vector<Run> &runs) {
  auto key = [](const Run &run) {
    return std::tuple(run.begin, run.device, run.queue, run.step, run.end);
  };
  std::sort(runs.begin(), runs.end(), [&](const Run &x, const Run &y) {
    if constexpr (requires { x.command; }) {
      if (key(x) == key(y))
        return std::pair(x.number, x.command) < std::pair(y.number, y.command);
    }
    return key(x) < key(y);
  });
}

class Analyser {
public:
  explicit Analyser(Analysis &a) : a(a) {}

  void run() {
    for (const Ring &ring : a.log.rings)
      addRing(ring);
    mergeStreams();
    numberDispatched();
    mergeCommands();
    sortByBegin(a.steps);
  }

private:
  void addRing(const Ring &ring) {
    RingZones zones = pairMarkers(ring);
    a.unmatchedBegins += zones.unmatchedBegins;
    a.unmatchedEnds += zones.unmatchedEnds;
    a.spans += zones.spans.size();
    const RingRecord &info = ring.info;
    const std::vector<uint32_t> rows = addCounts(zones, coreCounts);
    // Steps with commands in them are commands that the host dispatched one at a time.
    std::vector<bool> hasCommands(zones.spans.size());
    for (const Span &span : zones.spans)
      if (span.kind == MarkerKind::CommandBegin && span.parent != kNone)
        hasCommands[span.parent] = true;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> rounds; // of commands in loops
    for (size_t i = 0; i < zones.spans.size(); ++i) {
      const Span &span = zones.spans[i];
      CoreSpan core{info.device, info.queue,   info.core,  span.id,
                    kNone,       span.streams, span.begin, span.end};
      if (span.kind == MarkerKind::StreamBegin) {
        streams.push_back(core);
      } else if (span.kind == MarkerKind::StepBegin) {
        (hasCommands[i] ? a.dispatches : a.steps)
            .push_back({info.device, info.queue, span.id, a.clock.host(span.begin),
                        a.clock.host(span.end)});
      } else if (span.kind == MarkerKind::CommandBegin && span.parent == kNone) {
        ++a.orphans;
      } else if (span.kind == MarkerKind::CommandBegin) {
        const Span &parent = zones.spans[span.parent];
        core.step = parent.id;
        core.command = span.id;
        core.number = parent.streams;
        core.counts = rows.empty() ? kNone : rows[i];
        if (parent.kind != MarkerKind::StreamBegin) {
          dispatched.push_back(core);
          continue;
        }
        core.iteration = static_cast<uint32_t>(span.streams);
        if (core.iteration)
          core.round = rounds[{span.parent, span.id, core.iteration}]++;
        commands.push_back(core);
      }
    }
    a.rings.push_back(std::move(zones));
  }

  static bool before(const CoreSpan &x, const CoreSpan &y) {
    return std::tuple_cat(x.key(), std::tuple(x.core, x.begin)) <
           std::tuple_cat(y.key(), std::tuple(y.core, y.begin));
  }

  void mergeStreams() {
    std::sort(streams.begin(), streams.end(), before);
    std::map<std::pair<uint32_t, int64_t>, uint64_t> sessions; // by device and trace
    for (size_t i = 0; i < streams.size(); ++i) {
      const CoreSpan &span = streams[i];
      const int64_t begin = a.clock.host(span.begin), end = a.clock.host(span.end);
      if (i && streams[i - 1].key() == span.key()) {
        Execution &execution = a.executions.back();
        execution.begin = std::min(execution.begin, begin);
        execution.end = std::max(execution.end, end);
        continue;
      }
      a.executions.push_back({span.device, span.queue, span.step, span.number, begin, end, 0});
    }
    std::vector<uint32_t> order(a.executions.size());
    for (uint32_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
      return std::pair(a.executions[x].begin, x) < std::pair(a.executions[y].begin, y);
    });
    for (uint32_t index : order) {
      Execution &execution = a.executions[index];
      const StepInfo *step = a.models[execution.device].step(execution.step);
      // Without the bundle, each step counts as a trace.
      if (const int64_t trace = step ? step->trace : execution.step; trace >= 0)
        execution.session = ++sessions[{execution.device, trace}];
    }
  }

  /// Commands that the host dispatched have no stream that counts them. Every core executes each
  /// once, between barriers: a core that comes again begins the next one.
  void numberDispatched() {
    auto key = [](const CoreSpan &span) {
      return std::tuple(span.device, span.queue, span.step, span.command);
    };
    std::sort(dispatched.begin(), dispatched.end(), [&](const CoreSpan &x, const CoreSpan &y) {
      return std::tuple_cat(key(x), std::tuple(x.begin, x.core)) <
             std::tuple_cat(key(y), std::tuple(y.begin, y.core));
    });
    std::vector<uint32_t> seen;
    uint64_t number = uint64_t(1) << 63; // no stream has this number
    for (size_t i = 0; i < dispatched.size(); ++i) {
      CoreSpan &span = dispatched[i];
      if (i == 0 || key(dispatched[i - 1]) != key(span) ||
          std::find(seen.begin(), seen.end(), span.core) != seen.end()) {
        seen.clear();
        ++number;
      }
      seen.push_back(span.core);
      span.number = number;
    }
    commands.insert(commands.end(), dispatched.begin(), dispatched.end());
    dispatched.clear();
  }

  uint32_t executionOf(const CoreSpan &span) const {
    const auto key = std::tuple(span.device, span.queue, span.number, span.step);
    const auto found = std::lower_bound(
        a.executions.begin(), a.executions.end(), key, [](const Execution &x, const auto &wanted) {
          return std::tuple(x.device, x.queue, x.number, x.step) < wanted;
        });
    if (found == a.executions.end() ||
        std::tuple(found->device, found->queue, found->number, found->step) != key)
      return kNone;
    return static_cast<uint32_t>(found - a.executions.begin());
  }

  /// One OpRun for each command with work of each execution. Waits go to the op after them.
  void mergeCommands() {
    std::sort(commands.begin(), commands.end(), before);
    double wait = 0;
    uint32_t execution = kNone;
    for (size_t i = 0; i < commands.size();) {
      size_t next = i + 1;
      while (next < commands.size() && commands[next].key() == commands[i].key())
        ++next;
      const CoreSpan &first = commands[i];
      const uint32_t cores = std::max(a.log.devices[first.device].coresOf(first.queue), 1u);
      if (const uint32_t now = executionOf(first); now != execution || now == kNone) {
        wait = 0;
        execution = now;
      }
      const OpInfo *info = a.models[first.device].op(first.step, first.command);
      if (info && !info->work) {
        double sum = 0;
        for (size_t k = i; k < next; ++k)
          sum += a.clock.nanoseconds(commands[k].end - commands[k].begin);
        wait += sum / cores;
      } else {
        addOp(i, next, cores, info, execution, wait);
        wait = 0;
      }
      i = next;
    }
    sortByBegin(a.ops);
    std::map<std::pair<uint32_t, uint32_t>, int64_t> ends; // by device and queue
    for (OpRun &op : a.ops) {
      auto [last, isFirst] = ends.try_emplace({op.device, op.queue}, op.end);
      op.hasLatency = !isFirst;
      op.latency = isFirst ? 0 : op.begin - last->second;
      last->second = std::max(last->second, op.end);
    }
  }

  void addOp(size_t begin, size_t end, uint32_t cores, const OpInfo *info, uint32_t execution,
             double wait) {
    const CoreSpan &first = commands[begin];
    OpRun op{};
    op.device = first.device;
    op.queue = first.queue;
    op.step = first.step;
    op.command = first.command;
    op.execution = execution;
    op.number = first.number;
    op.waitBefore = wait;
    for (size_t k = begin; k < end; ++k) {
      const CoreSpan &span = commands[k];
      if (!a.models[first.device].hasWork(info, span.core, cores))
        continue;
      const double time = a.clock.nanoseconds(span.end - span.begin);
      op.beginTicks = op.cores ? std::min(op.beginTicks, span.begin) : span.begin;
      op.endTicks = op.cores ? std::max(op.endTicks, span.end) : span.end;
      op.least = op.cores ? std::min(op.least, time) : time;
      op.most = std::max(op.most, time);
      op.sum += time;
      ++op.cores;
    }
    if (op.cores == 0)
      return;
    op.counts = sumCounts(begin, end, cores, info);
    op.begin = a.clock.host(op.beginTicks);
    op.end = a.clock.host(op.endTicks);
    a.ops.push_back(op);
  }

  /// What all cores with work have counted in a command.
  uint32_t sumCounts(size_t begin, size_t end, uint32_t cores, const OpInfo *info) {
    std::vector<uint32_t> rows;
    for (size_t k = begin; k < end; ++k)
      if (a.models[commands[k].device].hasWork(info, commands[k].core, cores))
        rows.push_back(commands[k].counts);
    return a.counts.addSum(coreCounts, rows);
  }

  Analysis &a;
  CountTable coreCounts{a.log.counters.size()};
  std::vector<CoreSpan> streams, commands, dispatched;
};
} // namespace

Analysis analyse(Log log, const std::string &bundle) {
  Analysis a;
  a.log = std::move(log);
  a.counts = CountTable(a.log.counters.size());
  a.clock = fitClock(a.log);
  a.models = modelsOf(a.log, bundle);
  a.limits.resize(a.models.size());
  a.host = pairHostMarkers(a.log);
  a.unmatchedBegins = a.host.unmatchedBegins;
  a.unmatchedEnds = a.host.unmatchedEnds;
  a.spans = a.host.spans.size();
  Analyser(a).run();
  a.exchangeBegins = ExchangeBegins(a.log, a.clock, a.models, a.rings);
  a.times.resize(a.log.devices.size());
  for (uint32_t device = 0; device < a.log.devices.size(); ++device)
    divideTime(a, device);
  return a;
}

} // namespace ttrun::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the time of a device among uses, ops and iterations.

#include "Profile/Analysis.h"
#include "Profile/CriticalPath.h"

#include <algorithm>
#include <map>
#include <set>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
/// A change of what happens, at one time.
struct Change {
  int64_t time;
  Use use;     ///< Outside: the begin of an iteration, with `op` if it is dispatched
  int delta;   ///< 1: begins, -1: ends
  uint32_t op; ///< of Ops: index
};

/// Divides the time of one device among uses and ops.
class Sweep {
public:
  Sweep(Analysis &a, uint32_t device) : a(a), device(device), times(a.times[device]) {}

  void run() {
    collect();
    if (changes.empty())
      return;
    chooseAnchor();
    std::sort(changes.begin(), changes.end(),
              [](const Change &x, const Change &y) { return x.time < y.time; });
    times.begin = changes.front().time;
    times.end = changes.back().time;
    int64_t last = times.begin;
    for (const Change &change : changes) {
      if (change.time > last)
        pass(static_cast<double>(change.time - last));
      last = change.time;
      apply(change);
    }
    divideCriticalPath();
    times.chooseIterations();
  }

private:
  void add(Use use, int64_t begin, int64_t end, uint32_t op = kNone) {
    changes.push_back({begin, use, 1, op});
    changes.push_back({end, use, -1, op});
  }

  void collect() {
    for (const Execution &execution : a.executions)
      if (execution.device == device)
        add(Use::Sync, execution.begin, execution.end);
    collectWaits();
    for (const StepRun &run : a.dispatches)
      if (run.device == device)
        add(Use::Sync, run.begin, run.end);
    for (const StepRun &run : a.steps) {
      if (run.device != device)
        continue;
      const StepInfo *step = a.models[device].step(run.step);
      add(step && step->role == StepRole::HostWork ? Use::HostWork : Use::Transfers, run.begin,
          run.end);
    }
    std::set<uint32_t> queues;
    for (uint32_t i = 0; i < a.ops.size(); ++i) {
      const OpRun &op = a.ops[i];
      if (op.device != device)
        continue;
      if (const OpInfo *info = a.models[device].op(op.step, op.command); info && info->exchanges) {
        add(Use::Exchanges, op.begin, op.end);
        continue;
      }
      add(Use::Ops, op.begin, op.end, i);
      times.coreTime += op.sum;
      if (queues.insert(op.queue).second)
        times.cores += a.log.devices[device].coresOf(op.queue);
    }
    for (const HostSpan &span : a.host.spans)
      if (span.device == device && span.zone < kFirstZone)
        add(Use::Library, hostTime(span.begin), hostTime(span.end));
  }

  /// A stream that waits for an event is not under way: what it waits for counts.
  void collectWaits() {
    for (size_t i = 0; i < a.rings.size(); ++i) {
      const RingRecord &info = a.log.rings[i].info;
      if (info.device != device || info.core != 0)
        continue;
      const std::vector<Span> &spans = a.rings[i].spans;
      for (const Span &span : spans) {
        if (span.kind != MarkerKind::CommandBegin || span.parent == kNone ||
            spans[span.parent].kind != MarkerKind::StreamBegin)
          continue;
        const OpInfo *op = a.models[device].op(spans[span.parent].id, span.id);
        if (!op || !op->waits)
          continue;
        changes.push_back({a.clock.host(span.begin), Use::Sync, -1, kNone});
        changes.push_back({a.clock.host(span.end), Use::Sync, 1, kNone});
      }
    }
  }

  void chooseAnchor() {
    std::map<uint32_t, uint64_t> counts;
    for (const Execution &execution : a.executions)
      if (execution.device == device)
        ++counts[execution.step];
    // The first command of a stream begins it if the host dispatches it.
    for (const OpRun &op : a.ops)
      if (isDispatched(op)) {
        auto [first, isNew] = firstCommands.try_emplace(op.step, op.command);
        first->second = std::min(first->second, op.command);
      }
    for (const OpRun &op : a.ops)
      counts[op.step] += isFirst(op);
    uint64_t most = 1;
    for (const auto &[step, number] : counts)
      if (number > most) {
        most = number;
        times.anchor = step;
      }
    for (const Execution &execution : a.executions)
      if (execution.device == device && execution.step == times.anchor)
        changes.push_back({execution.begin, Use::Outside, 1, kNone});
    for (uint32_t i = 0; i < a.ops.size(); ++i)
      if (a.ops[i].step == times.anchor && isFirst(a.ops[i]))
        changes.push_back({a.ops[i].begin, Use::Outside, 1, i});
  }

  bool isDispatched(const OpRun &op) const { return op.device == device && op.execution == kNone; }
  bool isFirst(const OpRun &op) const {
    if (!isDispatched(op))
      return false;
    const auto found = firstCommands.find(op.step);
    return found != firstCommands.end() && found->second == op.command;
  }

  /// Some time during which nothing changes.
  void pass(double nanoseconds) {
    Use use = Use::Outside;
    for (size_t i = 0; i < static_cast<size_t>(Use::Outside); ++i)
      if (active[i] > 0) {
        use = static_cast<Use>(i);
        break;
      }
    times.uses[static_cast<size_t>(use)] += nanoseconds;
    if (use == Use::Ops) // shared by the cores that compute
      each += nanoseconds / static_cast<double>(coresActive);
    else
      idle[static_cast<size_t>(use)] += nanoseconds;
  }

  void apply(const Change &change) {
    if (change.use == Use::Outside)
      return beginIteration(change.time, change.op != kNone);
    active[static_cast<size_t>(change.use)] += change.delta;
    if (change.use != Use::Ops)
      return;
    OpRun &op = a.ops[change.op];
    if (change.delta > 0)
      endGap(op);
    idle = {};
    lastOp = change.op;
    coresActive += change.delta * static_cast<int64_t>(op.cores);
    op.share += (change.delta > 0 ? -each : each) * static_cast<double>(op.cores);
  }

  void endGap(OpRun &op) {
    op.after = lastOp;
    double all = 0;
    for (size_t i = 0; i < kUses; ++i) {
      all += idle[i];
      op.gap[i] = lastOp == kNone ? 0 : static_cast<float>(idle[i]);
    }
    // Between streams there are gaps that no trace fills.
    if (isDispatched(op) && !isFirst(op) && lastOp != kNone && a.ops[lastOp].step == op.step)
      gaps += all;
  }

  void beginIteration(int64_t time, bool isDispatched) {
    if (!times.repetitions.empty()) {
      Iteration &last = times.repetitions.back();
      last.complete = time > last.begin;
      last.duration = static_cast<double>(time - last.begin);
      last.gaps = gaps;
    }
    times.repetitions.push_back({time, isDispatched});
    gaps = 0;
  }

  /// Each part of the path counts for the iterations that it lies in. Both are in order of time.
  void divideCriticalPath() {
    const std::vector<PathPart> path = criticalPath(a, device);
    size_t first = 0;
    for (const PathPart &part : path) {
      const auto cause = static_cast<size_t>(part.cause);
      times.causes[cause] += static_cast<double>(part.end - part.begin);
      while (first + 1 < times.repetitions.size() &&
             times.repetitions[first + 1].begin <= part.begin)
        ++first;
      for (size_t i = first; i + 1 < times.repetitions.size(); ++i) {
        if (times.repetitions[i].begin >= part.end)
          break;
        const int64_t begin = std::max(part.begin, times.repetitions[i].begin),
                      end = std::min(part.end, times.repetitions[i + 1].begin);
        times.repetitions[i].causes[cause] +=
            static_cast<double>(std::max<int64_t>(end - begin, 0));
      }
    }
  }

  Analysis &a;
  const uint32_t device;
  DeviceTimes &times;
  std::map<uint32_t, uint32_t> firstCommands; ///< of the streams that are dispatched, by step
  std::vector<Change> changes;
  std::array<int64_t, kUses> active{};
  int64_t coresActive = 0;
  double each = 0;                  ///< time that a core has been given since the beginning
  double gaps = 0;                  ///< of the iteration
  std::array<double, kUses> idle{}; ///< time without ops since an op began or ended
  uint32_t lastOp = kNone;          ///< that op
};
} // namespace

void divideTime(Analysis &a, uint32_t device) { Sweep(a, device).run(); }

} // namespace ttrun::report

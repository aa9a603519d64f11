// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/CriticalPath.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
/// A queue without work for a shorter time is on its way from one command to the next.
constexpr int64_t kShortNs = 2000;
/// By so much may the marker of a signal be late: waiters go on before it is written.
constexpr int64_t kLateNs = 1000;

/// What a queue does, as its core 0 sees it: that one moves, waits and exchanges.
struct Activity {
  int64_t begin, end;
  Cause cause;
  bool waits;
  uint32_t event; ///< that it waits for
};

/// Since its event was recorded, a waiter may go on.
struct Signal {
  int64_t time;
  uint32_t queue;
};

struct Call {
  int64_t begin, end;
  HostCall call;
  /// Whether it may return only when the device has done something.
  bool waits() const {
    switch (call) {
    case HostCall::EnqueueWrite:
    case HostCall::EnqueueRead:
    case HostCall::EnqueueExecute: // if they are blocking
      return end - begin >= kShortNs;
    case HostCall::Run:
    case HostCall::TraceExecute:
    case HostCall::PipelinePop:
    case HostCall::EventSynchronize:
    case HostCall::DeviceSynchronize:
      return true;
    default:
      return false;
    }
  }
  bool enqueues() const {
    return call != HostCall::EventSynchronize && call != HostCall::DeviceSynchronize;
  }
};

/// The last one that begins before a time; null: none does.
template <typename Item> const Item *lastBefore(const std::vector<Item> &items, int64_t time) {
  const auto after =
      std::lower_bound(items.begin(), items.end(), time,
                       [](const Item &item, int64_t wanted) { return item.begin < wanted; });
  return after == items.begin() ? nullptr : &*(after - 1);
}

class PathFinder {
public:
  PathFinder(const Analysis &a, uint32_t device) : a(a), device(device), model(a.models[device]) {
    for (size_t i = 0; i < a.rings.size(); ++i)
      if (const RingRecord &info = a.log.rings[i].info; info.device == device && info.core == 0)
        addQueue(info.queue, a.rings[i]);
    for (auto &[event, list] : signals)
      std::sort(list.begin(), list.end(),
                [](const Signal &x, const Signal &y) { return x.time < y.time; });
    for (const HostSpan &span : a.host.spans)
      if (span.device == device && span.zone < kFirstZone)
        threads[span.thread].push_back(
            {hostTime(span.begin), hostTime(span.end), static_cast<HostCall>(span.zone)});
    for (auto &[thread, calls] : threads)
      std::sort(calls.begin(), calls.end(), [](const Call &x, const Call &y) {
        return std::pair(x.begin, x.end) < std::pair(y.begin, y.end);
      });
    first = a.times[device].begin;
    now = a.times[device].end;
  }

  std::vector<PathPart> find() {
    start();
    int64_t last = now;
    for (int stuck = 0; now > first;) {
      onHost ? stepHost() : stepQueue();
      stuck = now < last ? 0 : stuck + 1;
      // Damaged recordings may lead in circles.
      if (stuck > 8)
        go(boundaryBefore(now), Cause::Host);
      last = now;
    }
    std::reverse(path.begin(), path.end());
    return std::move(path);
  }

private:
  //===--------------------------------------------------------------------===//
  // Reading
  //===--------------------------------------------------------------------===//

  void addActivity(std::vector<Activity> &list, int64_t begin, int64_t end, Cause cause,
                   bool waits = false, uint32_t event = 0) const {
    begin = list.empty() ? begin : std::max(begin, list.back().end);
    if (begin < end)
      list.push_back({begin, end, cause, waits, event});
  }

  /// An exchange; its command begins at `begins`, and may be in a step that begins before.
  void addExchange(std::vector<Activity> &list, int64_t from, int64_t begins, int64_t end,
                   const OpInfo &op) const {
    const std::optional<int64_t> latest =
        a.exchangeBegins.latestBegin(device, op.collective, begins);
    if (!latest)
      return addActivity(list, from, end, Cause::Mesh);
    addActivity(list, from, std::min(*latest, end), Cause::MeshWait);
    addActivity(list, std::clamp(*latest, from, end), end, Cause::MeshMove);
  }

  Cause causeOf(const StepInfo *step) const {
    if (step && step->role == StepRole::HostWork)
      return Cause::Host;
    return step && step->out ? Cause::TransferOut : Cause::TransferIn;
  }

  void addQueue(uint32_t queue, const RingZones &ring) {
    std::vector<Activity> &list = queues[queue];
    auto timeOf = [&](uint64_t ticks) { return a.clock.host(ticks); };
    uint32_t open = kNone; // the stream whose commands come
    int64_t from = 0;      // what of it has been added
    auto closeStream = [&] {
      if (open != kNone)
        addActivity(list, from, timeOf(ring.spans[open].end), Cause::Compute);
      open = kNone;
    };
    for (uint32_t i = 0; i < ring.spans.size(); ++i) {
      const Span &span = ring.spans[i];
      const int64_t begin = timeOf(span.begin), end = timeOf(span.end);
      switch (span.kind) {
      case MarkerKind::StreamBegin:
        closeStream();
        open = i;
        from = begin;
        break;
      case MarkerKind::StepBegin:
        closeStream();
        addActivity(list, begin, end, causeOf(model.step(span.id)));
        break;
      case MarkerKind::WaitBegin:
        closeStream();
        addActivity(list, begin, end, Cause::Host, /*waits=*/true, span.id);
        break;
      case MarkerKind::CommandBegin: {
        if (span.parent == kNone)
          break;
        const OpInfo *op = model.op(ring.spans[span.parent].id, span.id);
        if (span.parent != open) { // the host dispatches it: its step is what was added last
          if (list.empty())
            break;
          const Activity step = list.back();
          list.pop_back();
          if (op && op->exchanges)
            addExchange(list, step.begin, begin, step.end, *op);
          else
            addActivity(list, step.begin, step.end, Cause::Compute);
          break;
        }
        if (op && op->signals)
          signals[op->event].push_back({end, queue});
        if (!op || !(op->waits || op->exchanges))
          break;
        addActivity(list, from, begin, Cause::Compute);
        if (op->exchanges)
          addExchange(list, begin, begin, end, *op);
        else
          addActivity(list, begin, end, Cause::Compute, /*waits=*/true, op->event);
        from = end;
        break;
      }
      default:
        break;
      }
    }
    closeStream();
    for (const Instant &instant : ring.instants)
      if (instant.kind == MarkerKind::Record)
        signals[instant.id].push_back({timeOf(instant.time), queue});
  }

  //===--------------------------------------------------------------------===//
  // Walking
  //===--------------------------------------------------------------------===//

  /// All since `time` has this cause.
  void go(int64_t time, Cause cause) {
    time = std::clamp(time, first, now);
    if (time == now)
      return;
    if (!path.empty() && path.back().cause == cause)
      path.back().begin = time;
    else
      path.push_back({time, now, cause});
    now = time;
  }

  void start() {
    int64_t latest = INT64_MIN;
    for (const auto &[number, list] : queues)
      if (!list.empty() && list.back().end > latest) {
        latest = list.back().end;
        queue = number;
        onHost = false;
      }
    for (const auto &[number, calls] : threads)
      for (const Call &call : calls)
        if (call.end > latest) {
          latest = call.end;
          thread = number;
          onHost = true;
        }
  }

  void stepQueue() {
    const Activity *activity = lastBefore(queues[queue], now);
    if (!activity)
      return idle(first);
    if (activity->end < now)
      return idle(activity->end);
    if (!activity->waits)
      return go(activity->begin, activity->cause);
    const Signal *signal = signalOf(*activity);
    // One that was there already, or that is not known: the queue goes on by itself.
    if (!signal || signal->time <= activity->begin)
      return go(activity->begin, Cause::Host);
    go(signal->time, Cause::Host);
    queue = signal->queue;
  }

  /// The one that has ended a wait: the last one of another queue before its end.
  const Signal *signalOf(const Activity &wait) const {
    const auto found = signals.find(wait.event);
    if (found == signals.end())
      return nullptr;
    const std::vector<Signal> &list = found->second;
    auto after =
        std::upper_bound(list.begin(), list.end(), std::min(wait.end, now) + kLateNs,
                         [](int64_t time, const Signal &signal) { return time < signal.time; });
    while (after != list.begin())
      if (--after; after->queue != queue)
        return &*after;
    return nullptr;
  }

  /// The queue has no work since `from`.
  void idle(int64_t from) {
    const uint32_t *enqueuer = now - from < kShortNs ? nullptr : enqueuerSince(from);
    if (!enqueuer)
      return go(from, Cause::Host);
    thread = *enqueuer;
    onHost = true;
    stepHost();
  }

  /// The thread of the last call that may have enqueued the work that begins now. A call that has
  /// ended before `from` has not: the work would have begun. Nor has a pop that was waiting then,
  /// since it enqueues first.
  const uint32_t *enqueuerSince(int64_t from) const {
    const uint32_t *best = nullptr;
    int64_t latest = INT64_MIN;
    for (const auto &[number, calls] : threads)
      for (const Call *call = lastBefore(calls, now); call; call = previous(calls, call)) {
        if (call->end < from)
          break;
        if (!call->enqueues() || (call->call == HostCall::PipelinePop && call->begin < from))
          continue;
        if (call->begin > latest) {
          latest = call->begin;
          best = &number;
        }
        break;
      }
    return best;
  }

  static const Call *previous(const std::vector<Call> &calls, const Call *call) {
    return call == calls.data() ? nullptr : call - 1;
  }

  void stepHost() {
    const Call *call = lastBefore(threads[thread], now);
    if (!call)
      return go(first, Cause::Host);
    if (call->end < now)
      return go(call->end, Cause::Host);
    int64_t from = call->begin;
    if (call->call == HostCall::PipelinePop) {
      // To pop an output is to wait for its read; a thread that polls does so in several calls.
      for (const Call *before = previous(threads[thread], call);
           before && before->call == HostCall::PipelinePop && from - before->end < kShortNs;
           before = previous(threads[thread], before))
        from = before->begin;
      if (goToQueue(from, model.known ? std::optional(Cause::TransferOut) : std::nullopt))
        return;
    } else if (call->waits() ? goToQueue(from, std::nullopt) : goToThread(from)) {
      return;
    }
    go(from, Cause::Host);
  }

  /// To the queue that has completed something last, after `from`.
  bool goToQueue(int64_t from, std::optional<Cause> wanted) {
    int64_t latest = from;
    for (const auto &[number, list] : queues) {
      const auto after =
          std::upper_bound(list.begin(), list.end(), now,
                           [](int64_t time, const Activity &item) { return time < item.end; });
      for (auto item = after; item != list.begin() && (--item)->end > latest;)
        if (wanted ? item->cause == *wanted : !item->waits) {
          latest = item->end;
          queue = number;
          onHost = false;
          break;
        }
    }
    if (onHost)
      return false;
    go(latest, Cause::Host);
    return true;
  }

  /// To the thread whose pop has made room for what this one enqueues, after `from`.
  bool goToThread(int64_t from) {
    int64_t latest = from;
    uint32_t found = thread;
    for (const auto &[number, calls] : threads)
      if (number != thread)
        for (const Call *call = lastBefore(calls, now); call && call->end > latest;
             call = previous(calls, call))
          if (call->waits() && call->end < now) {
            latest = call->end;
            found = number;
            break;
          }
    if (found == thread)
      return false;
    go(latest, Cause::Host);
    thread = found;
    return true;
  }

  /// The last time before `time` at which anything begins or ends.
  int64_t boundaryBefore(int64_t time) const {
    int64_t last = first;
    auto consider = [&](const auto &items) {
      if (const auto *item = lastBefore(items, time))
        last = std::max(last, item->end < time ? item->end : item->begin);
    };
    for (const auto &[number, list] : queues)
      consider(list);
    for (const auto &[number, calls] : threads)
      consider(calls);
    return last;
  }

  const Analysis &a;
  const uint32_t device;
  const DeviceModel &model;
  std::map<uint32_t, std::vector<Activity>> queues; ///< in order of time
  std::map<uint32_t, std::vector<Signal>> signals;  ///< by event, in order of time
  std::map<uint32_t, std::vector<Call>> threads;    ///< in order of their begins
  int64_t first = 0;                                ///< where the path begins
  // The walk.
  int64_t now = 0;
  bool onHost = true;
  uint32_t queue = 0, thread = 0;
  std::vector<PathPart> path; ///< from its end
};
} // namespace

std::vector<PathPart> criticalPath(const Analysis &a, uint32_t device) {
  return PathFinder(a, device).find();
}

} // namespace ttrun::report

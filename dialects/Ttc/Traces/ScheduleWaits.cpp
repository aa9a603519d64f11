// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That every wait of a schedule has a record in front of it, in the order in which the host
// enqueues.
#include "dialects/Ttc/TtcOps.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// A record or a wait, where it stands in the host's order: a step, or a command of the trace that
/// a step executes.
struct EventUse {
  Operation *op; ///< the step, or the command
  FlatSymbolRefAttr event;
  bool isWait;
  int64_t queue;
  /// Its number in the host's order. A stream's waits are enqueued with its step, all signals of
  /// the stream behind them.
  int64_t position;
};

class WaitVerifier {
public:
  WaitVerifier(ScheduleOp schedule, SymbolTableCollection &symbols)
      : schedule(schedule), symbols(symbols) {
    int64_t position = 0;
    for (Region &region : schedule->getRegions())
      for (auto step : region.getOps<StepOpInterface>()) {
        add(step, step.getStepQueue(), position);
        FlatSymbolRefAttr name = step.getExecutedTrace();
        auto trace = name ? symbols.lookupNearestSymbolFrom<TraceOp>(schedule, name) : TraceOp();
        for (bool waits : {true, false})
          if (trace)
            for (Operation &command : trace.getBody().front())
              if (auto event = dyn_cast<EventOpInterface>(command);
                  event && event.isWait() == waits)
                add(&command, step.getStepQueue(), position);
        position += 2;
      }
  }

  LogicalResult run() {
    // The body and what follows it again find all that is recorded once.
    llvm::SmallDenseSet<Attribute> recorded;
    for (const EventUse &use : uses) {
      if (!use.isWait)
        recorded.insert(use.event);
      else if (!recorded.contains(use.event))
        return report(use);
    }
    return success();
  }

private:
  void add(Operation *op, int64_t queue, int64_t position) {
    auto event = dyn_cast<EventOpInterface>(op);
    if (!event || !event.getEventName() ||
        !symbols.lookupNearestSymbolFrom<EventOp>(schedule, event.getEventName()))
      return; // the op itself says what is wrong
    bool isSignal = !event.isWait() && isa<CommandOpInterface>(op);
    uses.push_back({op, event.getEventName(), event.isWait(), queue, position + isSignal});
  }

  /// What the wait is for: the last record in front of it or, if there is none, what whoever wrote
  /// the schedule must have meant, the first one behind it.
  const EventUse *findRecord(const EventUse &wait) const {
    const EventUse *found = nullptr;
    for (const EventUse &use : uses) {
      if (use.isWait || use.event != wait.event)
        continue;
      if (use.position < wait.position || !found)
        found = &use;
      if (use.position >= wait.position)
        break;
    }
    return found;
  }

  /// Follows waits from `wait` through the record that each is for to the waits that stand in front
  /// of that record on its queue. True: back to the first of `path`.
  bool findCircle(const EventUse &wait, SmallVectorImpl<const EventUse *> &path,
                  llvm::SmallDenseSet<const EventUse *> &seen) const {
    path.push_back(&wait);
    if (const EventUse *record = findRecord(wait))
      for (const EventUse &before : uses) {
        if (!before.isWait || before.queue != record->queue || before.position > record->position)
          continue;
        if (&before == path.front())
          return true;
        if (seen.insert(&before).second && findCircle(before, path, seen))
          return true;
      }
    path.pop_back();
    return false;
  }

  LogicalResult report(const EventUse &wait) const {
    const EventUse *record = findRecord(wait);
    if (!record)
      return wait.op->emitOpError("waits for ") << wait.event << ", which nothing in schedule \""
                                                << schedule.getName() << "\" records";
    SmallVector<const EventUse *> circle;
    llvm::SmallDenseSet<const EventUse *> seen;
    if (!findCircle(wait, circle, seen)) {
      InFlightDiagnostic error = wait.op->emitOpError("expects a record of ")
                                 << wait.event << " that schedule \"" << schedule.getName()
                                 << "\" enqueues before the wait, found one only behind it";
      error.attachNote(record->op->getLoc()) << "the record";
      return error;
    }
    InFlightDiagnostic error = wait.op->emitOpError("waits in a circle: ");
    for (auto [i, next] : llvm::enumerate(circle))
      error << (i == 0 ? "" : "; ") << "queue " << next->queue << " for " << next->event
            << ", which queue " << findRecord(*next)->queue << " records behind its wait for "
            << circle[(i + 1) % circle.size()]->event;
    for (const EventUse *next : llvm::drop_begin(circle))
      error.attachNote(next->op->getLoc()) << "the wait for " << next->event;
    return error;
  }

  mutable ScheduleOp schedule; // accessors of ops are not const
  SymbolTableCollection &symbols;
  SmallVector<EventUse> uses;
};

} // namespace

LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return WaitVerifier(*this, symbols).run();
}

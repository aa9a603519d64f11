// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies that each wait of a schedule has a record before it, in the order in which the host
// enqueues (C4).
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "dialects/Ttc/Traces/TraceOps.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// A record or a wait with its position in the host's order: a step, or a command of the trace that
/// a step executes.
struct EventUse {
  Operation *op; ///< the step, or the command
  FlatSymbolRefAttr event;
  bool isWait;
  int64_t queue;
  /// Its position in the host's order. A stream's waits are enqueued with its step, all signals of
  /// the stream after them.
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
    // What is recorded once stays recorded in later runs of the body and in the epilogue.
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
      return; // the op reports that itself
    bool isSignal = !event.isWait() && isa<CommandOpInterface>(op);
    uses.push_back({op, event.getEventName(), event.isWait(), queue, position + isSignal});
  }

  /// The record that the wait is for: the last one before it. If there is none, the first one after
  /// it, which the diagnostic then names.
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

  /// Searches for a cycle: from a wait to its record, and from there to the waits before that
  /// record on its queue. Returns true if the search returns to the first wait of `path`.
  bool findCycle(const EventUse &wait, SmallVectorImpl<const EventUse *> &path,
                 llvm::SmallDenseSet<const EventUse *> &seen) const {
    path.push_back(&wait);
    if (const EventUse *record = findRecord(wait))
      for (const EventUse &before : uses) {
        if (!before.isWait || before.queue != record->queue || before.position > record->position)
          continue;
        if (&before == path.front())
          return true;
        if (seen.insert(&before).second && findCycle(before, path, seen))
          return true;
      }
    path.pop_back();
    return false;
  }

  LogicalResult report(const EventUse &wait) const {
    const EventUse *record = findRecord(wait);
    if (!record)
      return emitOpErrorOn(wait.op, schedule)
             << "(C4) expected a record of " << wait.event
             << " before the wait, found none in schedule \"" << schedule.getName() << "\"";
    SmallVector<const EventUse *> cycle;
    llvm::SmallDenseSet<const EventUse *> seen;
    if (!findCycle(wait, cycle, seen)) {
      InFlightDiagnostic error = emitOpErrorOn(wait.op, schedule)
                                 << "(C4) expected a record of " << wait.event
                                 << " before the wait, found one only after it in schedule \""
                                 << schedule.getName() << "\"";
      error.attachNote(record->op->getLoc()) << "the record";
      return error;
    }
    InFlightDiagnostic error = emitOpErrorOn(wait.op, schedule)
                               << "(C4) expected waits without a cycle, found ";
    for (auto [i, next] : llvm::enumerate(cycle))
      error << (i == 0 ? "" : "; ") << "queue " << next->queue << " waiting for " << next->event
            << ", which queue " << findRecord(*next)->queue << " records after its wait for "
            << cycle[(i + 1) % cycle.size()]->event;
    for (const EventUse *next : llvm::drop_begin(cycle))
      error.attachNote(next->op->getLoc()) << "the wait for " << next->event;
    return error;
  }

  mutable ScheduleOp schedule; // accessors of ops are not const
  SymbolTableCollection &symbols;
  SmallVector<EventUse> uses;
};

} // namespace

LogicalResult mlir::ttc::verifyWaits(ScheduleOp schedule, SymbolTableCollection &symbols) {
  return WaitVerifier(schedule, symbols).run();
}

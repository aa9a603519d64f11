// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SingleSchedule.h"
#include "TraceParts.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttc/Transforms/Schedules.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_OVERLAPTRANSFERS
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

using Overlap = NamedSchedule::Overlap;
using Form = NamedSchedule::Form;

namespace {

/// Derives the schedules of one entry point from `single`.
class Overlapper {
public:
  Overlapper(EntryOp entry, SymbolTable &symbols, SymbolTableCollection &collection,
             TraceParts &parts)
      : entry(entry), symbols(symbols), parts(parts), builder(entry.getContext()),
        single(entry, symbols, collection) {}

  /// The number of schedules made.
  int64_t run(ArrayAttr names) {
    if (!single.read())
      return 0;
    collectSlots();
    std::optional<bool> mayOverlap; // queried once, because it may emit a remark
    int64_t made = 0;
    builder.setInsertionPointToEnd(&entry.getBody().front());
    for (auto name : names.getAsRange<StringAttr>()) {
      const NamedSchedule &schedule = *findNamedSchedule(name.getValue());
      if (schedule.getQueues() > 1 && !mayOverlap)
        mayOverlap = single.mayOverlap();
      if (schedule.getQueues() > 1 && !*mayOverlap)
        continue;
      if (schedule.overlap == Overlap::Input && single.writes.empty())
        continue;
      ++made;
      kind = &schedule;
      switch (schedule.overlap) {
      case Overlap::None:
        oneQueue();
        break;
      case Overlap::Input:
        overlapInput();
        break;
      case Overlap::Io:
        overlapIo();
        break;
      }
    }
    return made;
  }

private:
  static constexpr int64_t kCompute = 0, kTransfer = 1;

  //===--- rings ---------------------------------------------------------------------------===//

  /// Collects the slots of the further turns of the ring.
  void collectSlots() {
    auto add = [&](auto port) {
      for (int64_t i = slotMaps.size(); i < port.getNumSlots(); ++i)
        slotMaps.emplace_back();
      for (int64_t i = 1; i < port.getNumSlots(); ++i)
        slotMaps[i][port.getBufferAttr()] = port.getSlot(i);
    };
    slotMaps.emplace_back();
    for (auto input : entry.getBody().getOps<InputOp>())
      add(input);
    for (auto output : entry.getBody().getOps<OutputOp>())
      add(output);
  }

  //===--- events -------------------------------------------------------------------------===//

  enum Event { Written, Consumed, Computed, Drained };

  /// Creates the event on first use. Each slot has its own, because a wait refers to the last
  /// record. `group` is only used for Consumed.
  FlatSymbolRefAttr getEvent(Event event, size_t group = 0) {
    static constexpr StringRef names[] = {"_written", "_consumed", "_computed", "_drained"};
    FlatSymbolRefAttr &name = events[{event, group, slot}];
    if (!name) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(entry);
      std::string text = (entry.getSymName() + names[event]).str();
      if (group != 0)
        text += std::to_string(group);
      if (slot != 0)
        text += "_slot" + std::to_string(slot);
      auto op = EventOp::create(builder, entry.getLoc(), builder.getStringAttr(text), StringAttr());
      name = FlatSymbolRefAttr::get(symbols.insert(op));
    }
    return name;
  }

  void record(Event event, int64_t queue, size_t group = 0) {
    EnqueueRecordOp::create(builder, entry.getLoc(), getEvent(event, group),
                            builder.getI64IntegerAttr(queue));
  }
  void wait(Event event, int64_t queue, size_t group = 0) {
    EnqueueWaitOp::create(builder, entry.getLoc(), getEvent(event, group),
                          builder.getI64IntegerAttr(queue));
  }

  /// Calls `use` for each slot of the rings.
  template <typename Use> void forEachSlot(Use use) {
    for (slot = 0; slot < static_cast<int64_t>(getTurn()); ++slot)
      use();
    slot = 0;
  }
  size_t getTurn() const { return kind->getQueues() == 1 ? 1 : slotMaps.size(); }
  const SlotMap &getSlots() const { return slotMaps[slot]; }

  //===--- one inference ------------------------------------------------------------------===//

  void write(ArrayRef<Operation *> steps, int64_t queue) {
    for (Operation *step : steps) {
      auto op = cast<EnqueueWriteOp>(cloneForSlot(builder, step, getSlots()));
      op.setQueue(queue);
    }
  }

  /// Writes all inputs on the transfer queue; with `again`, over those of an earlier inference.
  void writeAhead(bool again) {
    if (single.writes.empty())
      return; // each run takes what the run before it left in states
    for (auto [number, group] : llvm::enumerate(single.groups)) {
      if (again)
        wait(Consumed, kTransfer, number);
      write(group.writes, kTransfer);
    }
    record(Written, kTransfer);
  }

  void read(int64_t queue) {
    for (Operation *step : single.reads) {
      auto op = cast<EnqueueReadOp>(cloneForSlot(builder, step, getSlots()));
      op.setQueue(queue);
    }
  }

  /// The work, with events around the consumers of inputs and the producer of outputs.
  void compute() {
    after(StepPosition()); // nothing reads these inputs
    for (Operation *step : single.work) {
      TraceOp trace = single.getTrace(step);
      if (!trace) {
        before({step, nullptr});
        cloneForSlot(builder, step, getSlots());
        after({step, nullptr});
        continue;
      }
      if (kind->form == Form::Signals) {
        TraceParts::Mark wait;
        SmallVector<TraceParts::Mark> signals;
        if (isProducer(single.producer) && single.producer.step == step && single.producer.command)
          wait = {single.producer.command, getEvent(Drained)};
        for (auto [number, group] : llvm::enumerate(single.groups))
          if (group.consumer.step == step && group.consumer.command)
            signals.push_back({group.consumer.command, getEvent(Consumed, number)});
        execute(step, parts.withEvents(trace, wait, signals, getSlots(), slot));
        continue;
      }
      computeParts(step, trace);
    }
    if (!single.producer.step)
      before(single.producer); // what is read is never written
  }

  /// Splits the trace at events, or at every command that is in no loop, and around every loop.
  void computeParts(Operation *step, TraceOp trace) {
    Operation *first = nullptr, *last = nullptr; // of the part that is open
    auto close = [&] {
      if (first)
        execute(step, parts.part(trace, first, last, getSlots(), slot));
      first = last = nullptr;
    };
    for (Operation *op = &trace.getBody().front().front(), *end; op; op = end->getNextNode()) {
      auto command = cast<CommandOpInterface>(op);
      end = LoopBeginOp::begins(op) ? LoopBeginOp::findEnd(op) : op; // a loop stays whole
      // An offer is only in the part of its exchange.
      bool isWork =
          !command.isBarrier() && !op->hasTrait<OpTrait::IsTerminator>() && !isa<CmdOfferOp>(op);
      StepPosition place{step, op}, endPlace{step, end};
      bool isAlone =
          isWork && (kind->form == Form::Untraced || isConsumer(endPlace) || isProducer(place));
      if (!isAlone) {
        if (isWork) { // parts neither begin nor end with a barrier
          first = first ? first : op;
          last = end;
        }
        continue;
      }
      close();
      before(place);
      if (end != op || !enqueueAlone(command))
        execute(step, parts.part(trace, op, end, getSlots(), slot));
      after(endPlace);
    }
    close();
  }

  /// Enqueues the step that is equivalent to the command, if there is one.
  bool enqueueAlone(CommandOpInterface command) {
    Operation *before = builder.getBlock()->empty() ? nullptr : &builder.getBlock()->back();
    if (!command.enqueue(builder, kCompute))
      return false;
    Operation *step = before ? before->getNextNode() : &builder.getBlock()->front();
    cloneForSlot(builder, step, getSlots());
    step->erase();
    return true;
  }

  void execute(Operation *step, FlatSymbolRefAttr trace) {
    EnqueueExecuteOp::create(builder, step->getLoc(), trace, builder.getI64IntegerAttr(kCompute));
  }

  bool isConsumer(StepPosition place) const {
    return kind->overlap != Overlap::None &&
           llvm::any_of(single.groups, [&](const InputGroup &g) { return g.consumer == place; });
  }
  /// Queue 0 itself reads in `overlap-input`, in order.
  bool isProducer(StepPosition place) const {
    return kind->overlap == Overlap::Io && single.producer == place;
  }
  void before(StepPosition place) {
    if (isProducer(place))
      wait(Drained, kCompute);
  }
  void after(StepPosition place) {
    if (kind->overlap == Overlap::None)
      return;
    for (auto [number, group] : llvm::enumerate(single.groups))
      if (group.consumer == place)
        record(Consumed, kCompute, number);
  }

  //===--- schedules ----------------------------------------------------------------------===//

  template <typename Fill> void make(Fill fill) {
    OpBuilder::InsertionGuard guard(builder);
    auto schedule = ScheduleOp::create(builder, entry.getLoc(), kind->name, kind->getQueues());
    fill(schedule);
  }

  void begin(Region &part) {
    builder.setInsertionPointToEnd(part.empty() ? &part.emplaceBlock() : &part.front());
  }

  void oneQueue() {
    make([&](ScheduleOp schedule) {
      begin(schedule.getBody());
      write(single.writes, kCompute);
      compute();
      read(kCompute);
    });
  }

  /// Queue 1 writes; queue 0 runs and reads.
  void overlapInput() {
    make([&](ScheduleOp schedule) {
      begin(schedule.getPrologue());
      forEachSlot([&] {
        for (size_t number = 0; number < single.groups.size(); ++number)
          record(Consumed, kCompute, number);
      });
      begin(schedule.getBody());
      forEachSlot([&] {
        writeAhead(/*again=*/true);
        wait(Written, kCompute);
        compute();
        read(kCompute);
      });
    });
  }

  /// Queue 1 writes and reads; queue 0 runs. The next write precedes the readback, and each run
  /// directly follows its own write: a single input is computed at once.
  void overlapIo() {
    auto readBack = [&] {
      wait(Computed, kTransfer);
      read(kTransfer);
      record(Drained, kTransfer);
    };
    auto run = [&] {
      if (!single.writes.empty())
        wait(Written, kCompute);
      compute();
      record(Computed, kCompute);
    };
    make([&](ScheduleOp schedule) {
      begin(schedule.getPrologue());
      forEachSlot([&] { record(Drained, kTransfer); });
      forEachSlot([&] {
        writeAhead(/*again=*/false);
        run();
      });
      begin(schedule.getBody());
      forEachSlot([&] {
        writeAhead(/*again=*/true);
        readBack();
        run();
      });
      begin(schedule.getEpilogue());
      forEachSlot([&] { readBack(); });
    });
  }

  EntryOp entry;
  SymbolTable &symbols;
  TraceParts &parts;
  OpBuilder builder;
  SingleSchedule single;
  SmallVector<SlotMap> slotMaps; ///< per slot of the rings
  std::map<std::tuple<Event, size_t, int64_t>, FlatSymbolRefAttr> events;
  // What is being made.
  const NamedSchedule *kind = nullptr;
  int64_t slot = 0;
};

struct OverlapTransfers : mlir::ttc::impl::OverlapTransfersBase<OverlapTransfers> {
  PassCounter numSchedules{*this, "schedules", "Schedules added"};
  PassCounter numParts{*this, "parts", "Traces that are copies, or parts, of others"};

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SymbolTableCollection collection;
    TraceParts parts(symbols);
    bool arePlanned = false;
    for (EntryOp entry : llvm::to_vector(getOperation().getOps<EntryOp>())) {
      ArrayAttr names = entry.getWantedSchedulesAttr();
      if (!names)
        continue;
      if (failed(checkNames(entry, names)) || (!arePlanned && failed(checkBuffers())))
        return signalPassFailure();
      arePlanned = true;
      entry.removeWantedSchedulesAttr();
      numSchedules += Overlapper(entry, symbols, collection, parts).run(names);
    }
    numParts += parts.getNumMade();
  }

private:
  /// Verifies that the schedules can be made: their names, and the target's queues.
  LogicalResult checkNames(EntryOp entry, ArrayAttr names) {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return failure();
    for (auto name : names.getAsRange<StringAttr>()) {
      const NamedSchedule *schedule = findNamedSchedule(name.getValue());
      if (!schedule)
        return entry.emitError("expected the name of a schedule that can be made, found ") << name;
      if (schedule->getQueues() > target->getQueues())
        return entry.emitError("expected a target with two command queues for ")
               << name << ", found " << target->getName() << " with " << target->getQueues();
    }
    return success();
  }

  /// Verifies that all buffers of the module have addresses.
  LogicalResult checkBuffers() {
    for (auto buffer : getOperation().getOps<BufferOp>())
      if (!buffer.isPlanned())
        return buffer.emitError("expected every buffer to have an address, found none for @")
               << buffer.getSymName() << "; --ttc-preallocate gives it one";
    return success();
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/IRMapping.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_OVERLAPTRANSFERS
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Where something happens in the work between the writes and the reads: a step, and in a trace a
/// command of it.
struct Place {
  Operation *step = nullptr;
  Operation *command = nullptr;
};

/// Makes the schedules for two queues of one entry point out of its schedule for one.
class Overlapper {
public:
  Overlapper(EntryOp entry, SymbolTable &symbols)
      : entry(entry), symbols(symbols), builder(entry.getContext()) {}

  /// The number of schedules made.
  int64_t run() {
    if (!collect())
      return 0;
    findPlaces();
    builder.setInsertionPoint(entry);
    consumed = makeEvent("_consumed");
    drained = makeEvent("_drained");
    written = makeEvent("_written");
    computed = makeEvent("_computed");
    makeTraces();
    builder.setInsertionPointAfter(single);
    overlapInput();
    overlapIo();
    return 2;
  }

private:
  static constexpr int64_t kCompute = 0, kTransfer = 1;

  //===--- what there is ------------------------------------------------------------------===//

  bool collect() {
    for (auto schedule : entry.getBody().getOps<ScheduleOp>()) {
      if (schedule.getQueues() != 1)
        return false; // there are others already
      single = schedule;
    }
    if (!single.getPrologue().empty() || !single.getEpilogue().empty())
      return false;
    for (Operation &step : single.getBody().front()) {
      if (isa<EventOpInterface>(step))
        return false;
      if (auto write = dyn_cast<EnqueueWriteOp>(step)) {
        writes.push_back(&step);
        inputs.insert(write.getBufferAttr());
      } else if (auto read = dyn_cast<EnqueueReadOp>(step)) {
        reads.push_back(&step);
        outputs.insert(read.getBufferAttr());
      } else {
        work.push_back(&step);
      }
    }
    for (Attribute slot : inputs) {
      auto buffer = symbols.lookup<BufferOp>(cast<FlatSymbolRefAttr>(slot).getAttr());
      if (!outputs.contains(slot) && buffer.getKind() != BufferKind::State)
        continue;
      entry.emitRemark("runs on one queue: ")
          << slot << (outputs.contains(slot) ? " is an input and an output" : " is state")
          << ", which cannot be written while the run before is not over";
      return false;
    }
    return !writes.empty() && !reads.empty();
  }

  /// Calls `use(place, buffer)` for each access of the work, in order.
  template <typename Use> void forEachAccess(Use use) {
    SmallVector<BufferAccess> accesses;
    for (Operation *step : work) {
      auto access = [&](BufferAccessOpInterface op, Operation *command) {
        accesses.clear();
        op.getAccesses(accesses);
        for (const BufferAccess &a : accesses)
          use(Place{step, command}, a.buffer);
      };
      FlatSymbolRefAttr trace = cast<StepOpInterface>(step).getExecutedTrace();
      if (!trace) {
        access(cast<BufferAccessOpInterface>(step), nullptr);
        continue;
      }
      for (Operation &op : symbols.lookup<TraceOp>(trace.getAttr()).getBody().front())
        access(cast<BufferAccessOpInterface>(op), &op);
    }
  }

  void findPlaces() {
    forEachAccess([&](Place place, FlatSymbolRefAttr buffer) {
      if (inputs.contains(buffer))
        lastInput = place;
      if (outputs.contains(buffer) && !firstOutput.step)
        firstOutput = place;
    });
  }

  //===--- traces with events -------------------------------------------------------------===//

  FlatSymbolRefAttr makeEvent(StringRef suffix) {
    auto event = EventOp::create(builder, entry.getLoc(),
                                 builder.getStringAttr(entry.getSymName() + suffix), StringAttr());
    return FlatSymbolRefAttr::get(symbols.insert(event));
  }

  /// Copies of the traces that hold one of the two places.
  void makeTraces() {
    for (Operation *step : work) {
      FlatSymbolRefAttr name = cast<StepOpInterface>(step).getExecutedTrace();
      bool consumes = lastInput.command && lastInput.step == step;
      bool produces = firstOutput.command && firstOutput.step == step;
      if (!name || (!consumes && !produces))
        continue;
      auto trace = symbols.lookup<TraceOp>(name.getAttr());
      IRMapping mapping;
      auto copy = cast<TraceOp>(trace->clone(mapping));
      copy.setSymName((trace.getSymName() + "_overlap").str());
      symbols.insert(copy, std::next(trace->getIterator()));
      OpBuilder inside(copy.getContext());
      if (produces) {
        inside.setInsertionPoint(mapping.lookup(firstOutput.command));
        CmdWaitOp::create(inside, firstOutput.command->getLoc(), drained);
      }
      if (consumes) {
        inside.setInsertionPointAfter(mapping.lookup(lastInput.command));
        CmdSignalOp::create(inside, lastInput.command->getLoc(), consumed);
      }
      traces[step] = FlatSymbolRefAttr::get(copy.getSymNameAttr());
    }
  }

  //===--- schedules ----------------------------------------------------------------------===//

  void record(FlatSymbolRefAttr event, int64_t queue) {
    EnqueueRecordOp::create(builder, entry.getLoc(), event, builder.getI64IntegerAttr(queue));
  }
  void wait(FlatSymbolRefAttr event, int64_t queue) {
    EnqueueWaitOp::create(builder, entry.getLoc(), event, builder.getI64IntegerAttr(queue));
  }

  void write() {
    for (Operation *step : writes) {
      auto op = cast<EnqueueWriteOp>(step);
      EnqueueWriteOp::create(builder, op.getLoc(), op.getIndexAttr(), op.getBufferAttr(),
                             builder.getI64IntegerAttr(kTransfer));
    }
    record(written, kTransfer);
  }

  void read(int64_t queue) {
    for (Operation *step : reads) {
      auto op = cast<EnqueueReadOp>(step);
      EnqueueReadOp::create(builder, op.getLoc(), op.getIndexAttr(), op.getBufferAttr(),
                            builder.getI64IntegerAttr(queue));
    }
    record(drained, queue);
  }

  void compute() {
    wait(written, kCompute);
    if (!lastInput.step)
      record(consumed, kCompute); // nothing reads the inputs
    for (Operation *step : work) {
      if (step == firstOutput.step && !firstOutput.command)
        wait(drained, kCompute);
      if (FlatSymbolRefAttr trace = traces.lookup(step))
        EnqueueExecuteOp::create(builder, step->getLoc(), trace,
                                 builder.getI64IntegerAttr(kCompute));
      else
        builder.clone(*step);
      if (step == lastInput.step && !lastInput.command)
        record(consumed, kCompute);
    }
    if (!firstOutput.step)
      wait(drained, kCompute); // what is read is never written
  }

  ScheduleOp begin(StringRef name) {
    auto schedule = ScheduleOp::create(builder, entry.getLoc(), name, int64_t(2));
    builder.setInsertionPointToEnd(&schedule.getPrologue().emplaceBlock());
    return schedule;
  }

  /// Queue 1 writes; queue 0 runs and reads.
  void overlapInput() {
    ScheduleOp schedule = begin("overlap-input");
    record(consumed, kCompute);
    record(drained, kCompute);
    builder.setInsertionPointToEnd(&schedule.getBody().front());
    wait(consumed, kTransfer);
    write();
    compute();
    read(kCompute);
    builder.setInsertionPointAfter(schedule);
  }

  /// Queue 1 writes and reads; queue 0 runs. The next write stands in front of the readback.
  void overlapIo() {
    ScheduleOp schedule = begin("overlap-io");
    record(drained, kTransfer);
    write();
    builder.setInsertionPointToEnd(&schedule.getBody().front());
    compute();
    record(computed, kCompute);
    wait(consumed, kTransfer);
    write();
    wait(computed, kTransfer);
    read(kTransfer);
    builder.setInsertionPointToEnd(&schedule.getEpilogue().emplaceBlock());
    compute();
    record(computed, kCompute);
    wait(computed, kTransfer);
    read(kTransfer);
    builder.setInsertionPointAfter(schedule);
  }

  EntryOp entry;
  SymbolTable &symbols;
  OpBuilder builder;
  ScheduleOp single;
  SmallVector<Operation *> writes, work, reads;
  DenseSet<Attribute> outputs;
  llvm::SetVector<Attribute> inputs;
  Place lastInput, firstOutput;
  FlatSymbolRefAttr consumed, drained, written, computed;
  /// Of a step that executes a trace: the copy with events that it executes instead.
  DenseMap<Operation *, FlatSymbolRefAttr> traces;
};

struct OverlapTransfers : mlir::ttc::impl::OverlapTransfersBase<OverlapTransfers> {
  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (target->getQueues() < 2) {
      getOperation().emitError("expected a target with two command queues, found ")
          << target->getName() << " with " << target->getQueues();
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    for (EntryOp entry : llvm::to_vector(getOperation().getOps<EntryOp>()))
      numSchedules += Overlapper(entry, symbols).run();
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SingleSchedule.h"
#include "dialects/Ttc/Traces/BufferOps.h"

using namespace mlir;
using namespace mlir::ttc;

bool SingleSchedule::read() {
  ScheduleOp single = *entry.getBody().getOps<ScheduleOp>().begin();
  auto refuse = [&](const Twine &found) {
    entry.emitRemark("has its first schedule alone: expected one of one queue, with a body alone "
                     "and without events, found ")
        << found;
    return false;
  };
  if (single.getQueues() != 1)
    return refuse(Twine(single.getQueues()) + " queues");
  if (!single.getPrologue().empty() || !single.getEpilogue().empty())
    return refuse("a prologue or an epilogue");
  for (Operation &step : single.getBody().front()) {
    if (isa<EventOpInterface>(step))
      return refuse("an event");
    if (auto write = dyn_cast<EnqueueWriteOp>(step)) {
      writes.push_back(&step);
      inputs.push_back(getBytes(write.getBufferAttr()));
    } else if (auto read = dyn_cast<EnqueueReadOp>(step)) {
      reads.push_back(&step);
      outputs.push_back(getBytes(read.getBufferAttr()));
    } else {
      work.push_back(&step);
    }
    if (TraceOp trace = getTrace(&step);
        trace && !trace.getBody().getOps<EventOpInterface>().empty())
      return refuse("an event in @" + trace.getSymName());
  }
  findPlaces();
  return true;
}

TraceOp SingleSchedule::getTrace(Operation *step) {
  FlatSymbolRefAttr name = cast<StepOpInterface>(step).getExecutedTrace();
  return name ? symbols.lookup<TraceOp>(name.getAttr()) : TraceOp();
}

SingleSchedule::Bytes SingleSchedule::getBytes(FlatSymbolRefAttr name) {
  auto buffer = symbols.lookup<BufferOp>(name.getAttr());
  int64_t begin = buffer.getAddressAttr().getInt();
  return {buffer.getMemory(), begin, begin + buffer.getSizeAttr().getInt()};
}

bool SingleSchedule::mayOverlap() {
  if (reads.empty())
    return false;
  for (auto [step, bytes] : llvm::zip_equal(writes, inputs)) {
    FlatSymbolRefAttr slot = cast<EnqueueWriteOp>(step).getBufferAttr();
    bool isState = symbols.lookup<BufferOp>(slot.getAttr()).getKind() == BufferKind::State;
    bool isOutput = llvm::any_of(outputs, [&](const Bytes &b) { return b.meets(bytes); });
    if (!isState && !isOutput)
      continue;
    entry.emitRemark("runs on one queue: ")
        << slot << (isState ? " is state" : " is an input and an output")
        << ", which cannot be written before the previous run has ended";
    return false;
  }
  return true;
}

/// Calls `use(position, bytes)` for all accesses of the work, in order.
template <typename Use> void SingleSchedule::forEachAccess(Use use) {
  SmallVector<BufferAccess> accesses;
  auto access = [&](Operation *op, StepPosition place) {
    auto interface = cast<BufferAccessOpInterface>(op);
    accesses.clear();
    interface.getAccesses(accesses);
    for (const BufferAccess &a : accesses)
      use(place, getBytes(a.buffer));
    if (int64_t scratch = interface.getScratchBytes(collection))
      use(place, Bytes{MemorySpace::L1, 0, scratch});
  };
  for (Operation *step : work) {
    access(step, {step, nullptr});
    if (TraceOp trace = getTrace(step))
      for (Operation &command : trace.getBody().front())
        access(&command, {step, &command});
  }
}

/// Inputs that are consumed first are written ahead first, so that the others do not delay them.
void SingleSchedule::findPlaces() {
  SmallVector<std::pair<int64_t, StepPosition>> last(inputs.size(), {-1, StepPosition()});
  int64_t number = 0;
  forEachAccess([&](StepPosition place, const Bytes &bytes) {
    for (auto [input, its] : llvm::zip_equal(inputs, last))
      if (input.meets(bytes))
        its = {number, place};
    if (!producer.step &&
        llvm::any_of(outputs, [&](const Bytes &slot) { return slot.meets(bytes); }))
      producer = place;
    ++number;
  });
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, inputs.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(last[a].first, a) < std::pair(last[b].first, b);
  });
  for (size_t input : order) {
    if (groups.empty() || !(groups.back().consumer == last[input].second))
      groups.push_back({last[input].second, {}});
    groups.back().writes.push_back(writes[input]);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SingleSchedule.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"

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

SingleSchedule::Ranges::Ranges(ArrayRef<Bytes> all) {
  for (auto [number, bytes] : llvm::enumerate(all))
    sorted.push_back({bytes, number, 0});
  llvm::sort(sorted, [](const Range &a, const Range &b) {
    return std::tuple(a.bytes.memory, a.bytes.begin, a.number) <
           std::tuple(b.bytes.memory, b.bytes.begin, b.number);
  });
  for (size_t i = 0; i < sorted.size(); ++i) {
    sorted[i].reach = sorted[i].bytes.end;
    if (i > 0 && sorted[i - 1].bytes.memory == sorted[i].bytes.memory)
      sorted[i].reach = std::max(sorted[i].reach, sorted[i - 1].reach);
  }
}

template <typename Use> void SingleSchedule::Ranges::forEachThatMeets(const Bytes &bytes, Use use) {
  auto it = llvm::partition_point(sorted, [&](const Range &range) {
    return std::pair(range.bytes.memory, range.bytes.begin) < std::pair(bytes.memory, bytes.end);
  });
  while (it != sorted.begin()) {
    --it;
    if (it->bytes.memory != bytes.memory || it->reach <= bytes.begin)
      return;
    if (it->bytes.meets(bytes))
      use(it->number);
  }
}

bool SingleSchedule::Ranges::meet(const Bytes &bytes) {
  bool found = false;
  forEachThatMeets(bytes, [&](size_t) { found = true; });
  return found;
}

bool SingleSchedule::mayOverlap() {
  if (reads.empty())
    return false;
  Ranges outputRanges(outputs);
  for (auto [step, bytes] : llvm::zip_equal(writes, inputs)) {
    FlatSymbolRefAttr slot = cast<EnqueueWriteOp>(step).getBufferAttr();
    bool isState = symbols.lookup<BufferOp>(slot.getAttr()).getKind() == BufferKind::State;
    bool isOutput = outputRanges.meet(bytes);
    if (!isState && !isOutput)
      continue;
    entry.emitRemark("runs on one queue: ")
        << slot << (isState ? " is state" : " is an input and an output")
        << ", which cannot be written before the previous run has ended";
    return false;
  }
  return true;
}

/// Calls `use(position, bytes)` for all accesses of the work, in order: those of a loop where it
/// begins and again where it ends, because each iteration has them.
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
    TraceOp trace = getTrace(step);
    if (!trace)
      continue;
    for (Operation *command = &trace.getBody().front().front(); command;
         command = command->getNextNode()) {
      if (!LoopBeginOp::begins(command)) {
        access(command, {step, command});
        continue;
      }
      Operation *begin = command, *end = LoopBeginOp::findEnd(begin);
      for (Operation *place : {begin, end})
        for (Operation *op = begin; op != end; op = op->getNextNode())
          access(op, {step, place});
      command = end;
    }
  }
}

/// Inputs that are consumed first are written ahead first, so that the others do not delay them.
void SingleSchedule::findPlaces() {
  SmallVector<std::pair<int64_t, StepPosition>> last(inputs.size(), {-1, StepPosition()});
  Ranges inputRanges(inputs), outputRanges(outputs);
  int64_t number = 0;
  forEachAccess([&](StepPosition place, const Bytes &bytes) {
    inputRanges.forEachThatMeets(bytes, [&](size_t input) { last[input] = {number, place}; });
    if (!producer.step && outputRanges.meet(bytes))
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PlanL1.h"
#include "PlanEntries.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "mlir/IR/SymbolTable.h"
#include "ttc/Transforms/Schedules.h"
#include "ttrt/format/bundle_format.h"

using namespace mlir;
using namespace mlir::ttc;
namespace planner = ::ttc::planner;

DenseSet<StringAttr> mlir::ttc::getSlotsUsedAhead(ModuleOp module, int64_t queues) {
  DenseSet<StringAttr> slots;
  auto add = [&](auto port) {
    for (int64_t i = 0; i < port.getNumSlots(); ++i)
      slots.insert(port.getSlot(i).getAttr());
  };
  auto needs = [&](StringAttr name) {
    const NamedSchedule *schedule = findNamedSchedule(name.getValue());
    return schedule && schedule->getQueues() >= queues;
  };
  for (auto entry : module.getOps<EntryOp>()) {
    ArrayAttr wanted = entry.getWantedSchedulesAttr();
    if (!wanted || llvm::none_of(wanted.getAsRange<StringAttr>(), needs))
      continue;
    for (auto input : entry.getBody().getOps<InputOp>())
      add(input);
    for (auto output : entry.getBody().getOps<OutputOp>())
      add(output);
  }
  return slots;
}

std::vector<planner::Buffer> mlir::ttc::getScratchBuffers(ArrayRef<TimelinePoint> timeline) {
  std::vector<planner::Buffer> buffers;
  for (auto [time, point] : llvm::enumerate(timeline)) {
    int64_t bytes = llvm::alignTo(point.scratch, ttrt::kBufferAlignment), begin = time;
    if (bytes == 0)
      continue;
    if (!buffers.empty() && buffers.back().upper == begin && buffers.back().size == bytes)
      ++buffers.back().upper; // consecutive commands with equal scratch
    else
      buffers.push_back({begin, begin + 1, bytes, ttrt::kBufferAlignment, 0});
  }
  return buffers;
}

L1Plan mlir::ttc::planL1(ModuleOp module, TargetAttr target, ArrayRef<TimelinePoint> timeline,
                         bool share) {
  Lifetimes lifetimes = getLifetimes(timeline);
  std::vector<planner::Buffer> scratch = getScratchBuffers(timeline);
  DenseSet<StringAttr> ahead = getSlotsUsedAhead(module, /*queues=*/2);
  int64_t points = std::max<int64_t>(timeline.size(), 1);
  auto plan = [&](bool keepSlots, ArrayRef<planner::Buffer> scratch, const Lifetimes &lifetimes) {
    L1Plan result;
    SmallVector<unsigned> entries;
    for (auto buffer : module.getOps<BufferOp>()) {
      if (buffer.getMemory() != MemorySpace::L1)
        continue;
      auto it = lifetimes.find(buffer.getSymNameAttr());
      bool isKnown = it != lifetimes.end(); // accessed by a default schedule
      bool isAhead = ahead.contains(buffer.getSymNameAttr());
      if (!isKnown && !isAhead)
        continue;
      result.buffers.push_back(buffer);
      result.always.push_back(isAhead && (keepSlots || !isKnown));
      Lifetime life = result.always.back() ? Lifetime{0, points, 0} : it->second;
      // Sizes are multiples of the alignment.
      result.problem.push_back(
          {life.begin, life.end, getPlannedSize(buffer, target), ttrt::kBufferAlignment});
      entries.push_back(isKnown ? it->second.entry : 0);
    }
    // The smallest arena; if that is too large, any plan that fits.
    for (std::optional<int64_t> capacity : {std::optional<int64_t>(), {target.getL1Bytes()}})
      if (!capacity || result.plan.arenaSize > *capacity)
        result.plan = planEntries(result.problem, entries, scratch, capacity, share);
    return result;
  };
  // Bytes that hold a shard during one command, and scratch or another tensor during a later one,
  // require a barrier between the two.
  bool hasShards = llvm::any_of(module.getOps<BufferOp>(),
                                [](BufferOp buffer) { return buffer.getShards().has_value(); });
  if (hasShards && !scratch.empty()) {
    planner::Buffer all{0, points, 0, ttrt::kBufferAlignment, 0};
    for (const planner::Buffer &buffer : scratch)
      all.size = std::max(all.size, buffer.size);
    Lifetimes extended = lifetimes;
    extendForChains(timeline, extended);
    ArrayRef<planner::Buffer> reserved;
    if (all.size != 0)
      reserved = all;
    L1Plan apart = plan(/*keepSlots=*/true, reserved, extended);
    if (apart.plan.arenaSize <= target.getL1Bytes())
      return apart;
  }
  L1Plan kept = plan(/*keepSlots=*/true, scratch, lifetimes);
  if (kept.plan.arenaSize <= target.getL1Bytes())
    return kept;
  return plan(/*keepSlots=*/false, scratch, lifetimes);
}

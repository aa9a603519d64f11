// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/Lifetimes.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"

using namespace mlir;
using namespace mlir::ttc;

Lifetimes mlir::ttc::getLifetimes(ArrayRef<TimelinePoint> timeline) {
  Lifetimes lifetimes;
  SmallVector<int64_t> loops; // where those around the point begin
  for (auto [point, accesses] : llvm::enumerate(timeline)) {
    int64_t time = point;
    for (const BufferAccess &access : accesses.accesses)
      lifetimes.try_emplace(access.buffer.getAttr(), Lifetime{time, 0, accesses.entry})
          .first->second.end = time + 1;
    if (LoopBeginOp::begins(accesses.op))
      loops.push_back(time);
    if (!LoopBeginOp::ends(accesses.op))
      continue;
    // What was there before the loop is needed up to its end: the next iteration uses it.
    const int64_t begin = loops.pop_back_val();
    for (const TimelinePoint &each : timeline.slice(begin, time - begin))
      for (const BufferAccess &access : each.accesses)
        if (Lifetime &life = lifetimes.find(access.buffer.getAttr())->second; life.begin < begin)
          life.end = time + 1;
  }
  return lifetimes;
}

SmallVector<EntryPoints> mlir::ttc::getEntryPoints(ModuleOp module,
                                                   ArrayRef<TimelinePoint> timeline) {
  SmallVector<EntryPoints> entries;
  for (auto entry : module.getOps<EntryOp>()) {
    const int64_t begin = entries.empty() ? 0 : entries.back().end;
    ArrayRef<TimelinePoint> rest = timeline.drop_front(begin);
    const unsigned number = entries.size();
    const auto *end =
        llvm::find_if(rest, [&](const TimelinePoint &point) { return point.entry != number; });
    entries.push_back({entry, begin, begin + (end - rest.begin())});
  }
  return entries;
}

const EntryPoints &mlir::ttc::findEntryPoint(ArrayRef<EntryPoints> entries, int64_t time) {
  return *llvm::find_if(entries, [&](const EntryPoints &entry) { return time < entry.end; });
}

DenseMap<StringAttr, EntryPoints> mlir::ttc::getSlotOwners(ArrayRef<EntryPoints> entries) {
  DenseMap<StringAttr, EntryPoints> owners;
  for (const EntryPoints &points : entries) {
    auto add = [&](auto port) {
      for (int64_t i = 0; i < port.getNumSlots(); ++i)
        owners.try_emplace(port.getSlot(i).getAttr(), points);
    };
    EntryOp entry = points.entry;
    llvm::for_each(entry.getBody().getOps<InputOp>(), add);
    llvm::for_each(entry.getBody().getOps<OutputOp>(), add);
  }
  return owners;
}

namespace {

/// Follows phases: device work between two barriers.
class Phases {
public:
  explicit Phases(Lifetimes &lifetimes) : lifetimes(lifetimes) {}

  void run(ArrayRef<TimelinePoint> timeline) {
    for (auto [time, point] : llvm::enumerate(timeline)) {
      auto work = dyn_cast<DeviceWorkOpInterface>(point.op);
      if (!work || work->getParentOp() != trace)
        end(time);
      trace = work ? work->getParentOp() : nullptr;
      if (!work)
        continue;
      SmallVector<std::pair<StringAttr, Touch>> added;
      for (auto [i, access] : llvm::enumerate(point.accesses))
        added.push_back({access.buffer.getAttr(), {access.write, work.getOwnGrid(i, symbols)}});
      bool isChained = false, isOrdered = true;
      for (auto [buffer, now] : added)
        if (auto found = touches.find(buffer); found != touches.end())
          for (const Touch &earlier : found->second)
            if (earlier.write || now.write) {
              bool isOwn = earlier.ownGrid != 0 && earlier.ownGrid == now.ownGrid;
              isChained |= isOwn;
              isOrdered &= isOwn;
            }
      if (!isOrdered)
        end(time);
      else
        hasChain |= isChained;
      for (auto [buffer, now] : added)
        if (SmallVector<Touch, 2> &all = touches[buffer]; !llvm::is_contained(all, now))
          all.push_back(now);
    }
    end(timeline.size());
  }

private:
  struct Touch {
    bool write;
    int64_t ownGrid;

    bool operator==(const Touch &other) const {
      return write == other.write && ownGrid == other.ownGrid;
    }
  };

  /// Buffers whose lifetimes end in a phase with a chain stay alive until the end of the phase.
  void end(int64_t time) {
    if (hasChain)
      for (const auto &[buffer, all] : touches)
        if (auto it = lifetimes.find(buffer); it->second.end < time)
          it->second.end = time;
    touches.clear();
    hasChain = false;
  }

  Lifetimes &lifetimes;
  SymbolTableCollection symbols;
  Operation *trace = nullptr;
  /// Since the last barrier; equal ones once, since many commands may read one buffer.
  DenseMap<StringAttr, SmallVector<Touch, 2>> touches;
  bool hasChain = false;
};

} // namespace

void mlir::ttc::extendForChains(ArrayRef<TimelinePoint> timeline, Lifetimes &lifetimes) {
  Phases(lifetimes).run(timeline);
}

void mlir::ttc::restateLifetimes(ModuleOp module) {
  std::vector<TimelinePoint> timeline = getTimeline(module);
  Lifetimes lifetimes = getLifetimes(timeline);
  SmallVector<EntryPoints> entries = getEntryPoints(module, timeline);
  const DenseMap<StringAttr, EntryPoints> owners = getSlotOwners(entries);
  OpBuilder builder(module.getContext());
  for (auto buffer : module.getOps<BufferOp>())
    if (buffer.getLiveBegin()) {
      Lifetime lifetime = lifetimes.lookup(buffer.getSymNameAttr());
      if (buffer.getValue()) { // of a stage, all the time
        const EntryPoints &points = findEntryPoint(entries, lifetime.begin);
        lifetime.begin = points.begin;
        lifetime.end = points.end;
      } else if (buffer.getKind() == BufferKind::Slot && buffer.getMemory() == MemorySpace::Dram) {
        const EntryPoints &points = owners.find(buffer.getSymNameAttr())->second; // of a variant
        lifetime.begin = points.begin;
        lifetime.end = points.end;
      }
      buffer.setLiveBeginAttr(builder.getI64IntegerAttr(lifetime.begin));
      buffer.setLiveEndAttr(builder.getI64IntegerAttr(lifetime.end));
    }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryPeak.h"
#include "PlanEntries.h"
#include "PlanL1.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Planner/Planner.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/format/bundle_format.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_PREALLOCATE
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;
namespace planner = ::ttc::planner;

namespace {

class Preallocator {
public:
  Preallocator(ModuleOp module, TargetAttr target, bool shareActivations)
      : module(module), target(target), shareActivations(shareActivations), symbols(module) {}

  /// `plannedL1` may be null.
  LogicalResult run(const L1Plan *plannedL1) {
    if (failed(verifyBound(module)) || failed(verifyMemories()))
      return failure();
    ahead = getSlotsUsedAhead(module, /*queues=*/1);
    timeline = getTimeline(module);
    entryPoints = getEntryPoints(module, timeline);
    lifetimes = getLifetimes(timeline);
    extendForChains(timeline, lifetimes);
    return success(succeeded(layOutDram()) && succeeded(layOutL1(plannedL1)) &&
                   succeeded(layOutHost()));
  }

  int64_t constantBytes = 0, slotBytes = 0, activationBytes = 0, lowerBoundBytes = 0, l1Bytes = 0;

private:
  LogicalResult verifyMemories() {
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.isInterleavedInL1() && !target.getInterleavedL1())
        return buffer.emitError("expected @")
               << buffer.getSymName() << " to be stored in dram, host memory or shards, found it "
               << "interleaved in l1, which " << target.getName() << " does not do; drop the "
               << "layout or the ttc.to_memory that asks for it";
    for (auto program : module.getOps<ProgramOp>())
      if (IntegerAttr scratch = program.getScratchBytesAttr();
          scratch && scratch.getInt() > target.getL1Bytes())
        return program.emitError("needs ")
               << scratch.getInt() << " bytes of L1 for scratch, but a core of " << target.getName()
               << " has " << target.getL1Bytes();
    return success();
  }

  //===--- addresses --------------------------------------------------------------------===//

  /// Whether the buffer is alive all the time. This includes slots in host memory that a schedule
  /// other than the default one accesses at other times.
  bool isPersistent(BufferOp buffer) const {
    return buffer.getKind() == BufferKind::Constant || buffer.getKind() == BufferKind::Slot ||
           buffer.getKind() == BufferKind::State || ahead.contains(buffer.getSymNameAttr());
  }

  int64_t getSize(BufferOp buffer) const { return getPlannedSize(buffer, target); }

  void place(BufferOp buffer, int64_t address) {
    OpBuilder builder(buffer.getContext());
    buffer.setAddressAttr(builder.getI64IntegerAttr(address));
    buffer.setSizeAttr(builder.getI64IntegerAttr(getSize(buffer)));
  }

  /// Constants in the order of their first use, so that a run reads its weights sequentially.
  SmallVector<BufferOp> getConstants() {
    llvm::SetVector<Operation *> constants;
    for (const auto &[name, lifetime] : lifetimes)
      if (auto buffer = symbols.lookup<BufferOp>(name); buffer.getValue())
        constants.insert(buffer);
    for (auto buffer : llvm::make_early_inc_range(module.getOps<BufferOp>()))
      if (buffer.getValue() && !constants.contains(buffer)) {
        symbols.erase(buffer); // not accessed
      }
    return llvm::map_to_vector(constants, [](Operation *op) { return cast<BufferOp>(op); });
  }

  /// The entry point of some devices that alone uses the constant. Null if there is none.
  const EntryPoints *findStage(BufferOp constant) {
    const Lifetime &life = lifetimes.find(constant.getSymNameAttr())->second;
    const EntryPoints &first = findEntryPoint(entryPoints, life.begin);
    return EntryOp(first.entry).getDevices() && life.end <= first.end ? &first : nullptr;
  }

  /// First the constants that all devices share. Then those that differ, which each device maps
  /// from a segment of its own; last those of stages, which are at the same addresses as those of
  /// other stages. Returns where they end.
  int64_t layOutConstants() {
    SmallVector<BufferOp> differing, staged;
    int64_t top = 0;
    for (BufferOp constant : getConstants()) {
      if (findStage(constant)) {
        staged.push_back(constant);
      } else if (isa<ShardsAttr>(*constant.getValue())) {
        differing.push_back(constant);
      } else {
        place(constant, top);
        top += getSize(constant);
      }
    }
    if (!differing.empty() || !staged.empty())
      top = llvm::alignTo(top, ttrt::kPageSize); // segments are mapped in pages
    for (BufferOp constant : differing) {
      place(constant, top);
      top += getSize(constant);
    }
    DenseMap<int64_t, int64_t> tops; // by device
    int64_t end = top;
    for (BufferOp constant : staged) {
      const EntryPoints &stage = *findStage(constant);
      ArrayRef<int64_t> devices = *EntryOp(stage.entry).getDevices();
      int64_t address = top;
      for (int64_t device : devices)
        address = std::max(address, tops.lookup(device));
      place(constant, address);
      setLifetime(constant, stage.begin, stage.end);
      for (int64_t device : devices)
        tops[device] = address + getSize(constant);
      end = std::max(end, address + getSize(constant));
    }
    return end;
  }

  //===--- variants ---------------------------------------------------------------------===//

  /// The slots in DRAM of models that have several variants, by model, with the points of their
  /// variants. One variant of a model runs at a time, and slots of the others have no data then.
  using Slots = SmallVector<std::pair<BufferOp, EntryPoints>>;
  llvm::MapVector<StringRef, Slots> getVariantSlots() {
    llvm::MapVector<StringRef, Slots> slots;
    llvm::StringMap<DenseSet<Operation *>> entries;
    const DenseMap<StringAttr, EntryPoints> owners = getSlotOwners(entryPoints);
    for (auto buffer : module.getOps<BufferOp>()) {
      auto owner = owners.find(buffer.getSymNameAttr());
      if (!shareActivations || owner == owners.end() || buffer.getKind() != BufferKind::Slot ||
          buffer.getMemory() != MemorySpace::Dram)
        continue;
      EntryOp entry = owner->second.entry;
      if (auto variant = entry->getAttrOfType<VariantAttr>(kVariantAttrName)) {
        slots[variant.getOf()].push_back({buffer, owner->second});
        entries[variant.getOf()].insert(entry);
      }
    }
    slots.remove_if([&](const auto &model) { return entries[model.first].size() < 2; });
    return slots;
  }

  /// Lays the slots of the variants of each model over each other, from `top` on. Returns where
  /// they end. Each is alive as long as its entry point runs, as a tensor of it may be.
  int64_t layOutVariants(const llvm::MapVector<StringRef, Slots> &slots, int64_t top) {
    for (const auto &[model, its] : slots) {
      DenseMap<int64_t, int64_t> tops; // by the first point of the variant
      int64_t end = top;
      for (auto &[slot, points] : its) {
        int64_t &address = tops.try_emplace(points.begin, top).first->second;
        place(slot, address);
        setLifetime(slot, points.begin, points.end);
        address += getSize(slot);
        end = std::max(end, address);
      }
      top = end;
    }
    return top;
  }

  LogicalResult layOutDram() {
    int64_t top = layOutConstants();
    constantBytes = top;
    // Constants are read-only pages of the file; writable buffers start on the next page.
    top = llvm::alignTo(top, ttrt::kPageSize);
    int64_t slotsBegin = top;
    const llvm::MapVector<StringRef, Slots> ofVariants = getVariantSlots();
    DenseSet<Operation *> shared;
    for (const auto &[model, slots] : ofVariants)
      for (const auto &[slot, points] : slots)
        shared.insert(slot);
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getMemory() == MemorySpace::Dram && isPersistent(buffer) && !buffer.getValue() &&
          !shared.contains(buffer)) {
        place(buffer, top);
        top += getSize(buffer);
      }
    top = layOutVariants(ofVariants, top);
    slotBytes = top - slotsBegin;
    return planSpace(MemorySpace::Dram, top, getDramBytes(target), activationBytes);
  }

  LogicalResult layOutL1(const L1Plan *planned) {
    L1Plan l1 = planned ? *planned : planL1(module, target, timeline, shareActivations);
    for (auto [buffer, its, always] : llvm::zip_equal(l1.buffers, l1.problem, l1.always))
      if (!always)
        setLifetime(buffer, its.lower, its.upper);
    l1Bytes = l1.plan.arenaSize;
    if (l1Bytes > target.getL1Bytes())
      return reportL1Full(l1);
    DenseSet<Operation *> placed;
    for (auto [buffer, offset] : llvm::zip_equal(l1.buffers, l1.plan.offsets)) {
      place(buffer, offset);
      placed.insert(buffer);
    }
    for (auto buffer : llvm::make_early_inc_range(module.getOps<BufferOp>()))
      if (buffer.getMemory() == MemorySpace::L1 && !placed.contains(buffer))
        symbols.erase(buffer); // not accessed
    return success();
  }

  LogicalResult layOutHost() {
    int64_t base = 0, arenaSize = 0;
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getMemory() == MemorySpace::Host && isPersistent(buffer)) {
        place(buffer, base);
        base += getSize(buffer);
      }
    return planSpace(MemorySpace::Host, base, INT64_MAX, arenaSize);
  }

  static void setLifetime(BufferOp buffer, int64_t begin, int64_t end) {
    OpBuilder builder(buffer.getContext());
    buffer.setLiveBeginAttr(builder.getI64IntegerAttr(begin));
    buffer.setLiveEndAttr(builder.getI64IntegerAttr(end));
  }

  /// Plans the buffers with limited lifetimes in DRAM or host memory, above `base`.
  LogicalResult planSpace(MemorySpace memory, int64_t base, int64_t capacity, int64_t &arenaSize) {
    SmallVector<BufferOp> planned;
    std::vector<planner::Buffer> problem;
    SmallVector<unsigned> entries;
    for (auto buffer : llvm::make_early_inc_range(module.getOps<BufferOp>())) {
      if (buffer.getMemory() != memory || isPersistent(buffer))
        continue;
      auto it = lifetimes.find(buffer.getSymNameAttr());
      if (it == lifetimes.end()) {
        symbols.erase(buffer); // not accessed
        continue;
      }
      const Lifetime &life = it->second;
      setLifetime(buffer, life.begin, life.end);
      planned.push_back(buffer);
      // Sizes are multiples of the alignment.
      problem.push_back({life.begin, life.end, getSize(buffer), ttrt::kBufferAlignment});
      entries.push_back(life.entry);
    }
    planner::Plan plan =
        planEntries(problem, entries, /*fixed=*/{}, /*capacity=*/std::nullopt, shareActivations);
    arenaSize = plan.arenaSize;
    if (memory == MemorySpace::Dram)
      lowerBoundBytes = planner::lowerBound(problem);
    if (base + plan.arenaSize > capacity)
      return reportFull(memory, base, plan.arenaSize, capacity);
    for (auto [buffer, offset] : llvm::zip_equal(planned, plan.offsets))
      place(buffer, base + offset);
    return success();
  }

  LogicalResult reportFull(MemorySpace memory, int64_t base, int64_t arenaSize, int64_t capacity) {
    InFlightDiagnostic error = emitError(module.getLoc(), "needs ")
                               << base + arenaSize << " bytes of DRAM (" << constantBytes
                               << " constants, " << slotBytes << " slots, " << arenaSize
                               << " activations), but " << target.getName() << " has " << capacity;
    attachPeak(error, module, memory, target);
    return error;
  }

  LogicalResult reportL1Full(const L1Plan &l1) {
    InFlightDiagnostic error = emitError(module.getLoc(), "needs ")
                               << l1Bytes << " bytes of L1 on each core for " << l1.buffers.size()
                               << " tensors and the scratch of programs, but " << target.getName()
                               << " has " << target.getL1Bytes();
    attachPeak(error, module, MemorySpace::L1, target, timeline);
    return error;
  }

  ModuleOp module;
  TargetAttr target;
  bool shareActivations;
  SymbolTable symbols;
  std::vector<TimelinePoint> timeline;
  SmallVector<EntryPoints> entryPoints;
  Lifetimes lifetimes;
  DenseSet<StringAttr> ahead; ///< slots that other schedules write or read at other times
};

struct Preallocate : mlir::ttc::impl::PreallocateBase<Preallocate> {
  using PreallocateBase::PreallocateBase;
  PassCounter l1Bytes{*this, "l1-bytes", "What tensors and scratch take of each core's L1"};
  PassCounter constantBytes{*this, "constant-bytes", "Bytes of constants"};
  PassCounter slotBytes{*this, "slot-bytes", "Bytes of slots and state"};
  PassCounter activationBytes{*this, "activation-bytes", "Arena size of the activations"};
  PassCounter lowerBoundBytes{*this, "lower-bound-bytes",
                              "Lower bound of the arena size of the activations"};

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    Preallocator preallocator(getOperation(), *target, shareActivations);
    auto planned = getCachedAnalysis<PlannedL1>();
    if (failed(preallocator.run(planned ? planned->get().get(shareActivations) : nullptr)))
      return signalPassFailure();
    constantBytes += preallocator.constantBytes;
    slotBytes += preallocator.slotBytes;
    activationBytes += preallocator.activationBytes;
    lowerBoundBytes += preallocator.lowerBoundBytes;
    l1Bytes += preallocator.l1Bytes;
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BindBuffers.h"
#include "MemoryPeak.h"
#include "dialects/Ttc/TtcOps.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Planner/Planner.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/bundle_format.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_PREALLOCATE
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;
namespace planner = ::ttc::planner;

namespace {

/// Placements that the planner searches for a plan at the lower bound: a few seconds at most, and
/// counted, not timed, so that equal models get equal plans.
constexpr int64_t kPlannerNodes = 300'000;

class Preallocator {
public:
  Preallocator(ModuleOp module, TargetAttr target, bool shareActivations)
      : module(module), target(target), shareActivations(shareActivations), symbols(module) {}

  LogicalResult run() {
    FailureOr<int64_t> bound = bindBuffers(module, symbols);
    if (failed(bound) || failed(verifyMemories()))
      return failure();
    numInPlace = *bound;
    findSlotsUsedAhead();
    timeline = getTimeline(module);
    computeLifetimes();
    return success(succeeded(layOutDram()) && succeeded(layOutL1()) && succeeded(layOutHost()));
  }

  int64_t constantBytes = 0, slotBytes = 0, activationBytes = 0, lowerBoundBytes = 0, l1Bytes = 0,
          numInPlace = 0;

private:
  LogicalResult verifyMemories() {
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.isInterleavedInL1() && !target.getInterleavedL1())
        return buffer.emitError("expected @")
               << buffer.getSymName() << " to lie in dram, host memory or shards, found it "
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

  //===--- lifetimes --------------------------------------------------------------------===//

  struct Lifetime {
    int64_t begin, end;
    unsigned entry; ///< whose schedule touches it first
  };

  /// A buffer lives from its first write to its last access. What nothing writes (or what is read
  /// first, which VerifyPlan refuses) lives from its first access.
  void computeLifetimes() {
    for (auto [point, accesses] : llvm::enumerate(timeline))
      for (const BufferAccess &access : accesses.accesses) {
        int64_t time = point;
        auto [it, isNew] =
            lifetimes.try_emplace(access.buffer.getAttr(), Lifetime{time, 0, accesses.entry});
        it->second.end = time + 1;
        if (isNew)
          order.insert(access.buffer.getAttr());
      }
  }

  //===--- addresses --------------------------------------------------------------------===//

  /// Alive all the time. L1 is dear: there the bytes of a slot are free again when its last reader
  /// is done.
  bool isPersistent(BufferOp buffer) const {
    if (buffer.getMemory() == MemorySpace::L1)
      return false;
    return buffer.getKind() == BufferKind::Constant || buffer.getKind() == BufferKind::Slot ||
           buffer.getKind() == BufferKind::State || ahead.contains(buffer.getSymNameAttr());
  }

  /// Finds the slots that other schedules than the default one use at other times: those in host
  /// memory must not share bytes either.
  void findSlotsUsedAhead() {
    auto add = [&](auto port) {
      for (int64_t i = 0; i < port.getNumSlots(); ++i)
        ahead.insert(port.getSlot(i).getAttr());
    };
    for (auto entry : module.getOps<EntryOp>()) {
      if (!entry.getWantedSchedulesAttr())
        continue;
      for (auto input : entry.getBody().getOps<InputOp>())
        add(input);
      for (auto output : entry.getBody().getOps<OutputOp>())
        add(output);
    }
  }

  int64_t getSize(BufferOp buffer) const { return getPlannedSize(buffer, target); }

  void place(BufferOp buffer, int64_t address) {
    OpBuilder builder(buffer.getContext());
    buffer.setAddressAttr(builder.getI64IntegerAttr(address));
    buffer.setSizeAttr(builder.getI64IntegerAttr(getSize(buffer)));
  }

  /// Constants in the order of their first use, so that the weights of a run are one stream.
  SmallVector<BufferOp> getConstants() {
    llvm::SetVector<Operation *> constants;
    for (StringAttr name : order)
      if (auto buffer = symbols.lookup<BufferOp>(name); buffer.getValue())
        constants.insert(buffer);
    for (auto buffer : llvm::make_early_inc_range(module.getOps<BufferOp>()))
      if (buffer.getValue() && !constants.contains(buffer)) {
        symbols.erase(buffer); // nothing reads it
      }
    return llvm::map_to_vector(constants, [](Operation *op) { return cast<BufferOp>(op); });
  }

  LogicalResult layOutDram() {
    int64_t top = 0;
    for (BufferOp constant : getConstants()) {
      place(constant, top);
      top += getSize(constant);
    }
    constantBytes = top;
    // Constants are read-only pages of the file; what is written begins on the next page.
    top = llvm::alignTo(top, ttrt::kPageSize);
    int64_t slotsBegin = top;
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getMemory() == MemorySpace::Dram && isPersistent(buffer) && !buffer.getValue()) {
        place(buffer, top);
        top += getSize(buffer);
      }
    slotBytes = top - slotsBegin;
    return planSpace(MemorySpace::Dram, top, getDramBytes(target), activationBytes);
  }

  /// One plan for all cores, in which each command's scratch is at the bottom while it runs.
  LogicalResult layOutL1() {
    std::vector<planner::Buffer> scratch = getScratchBuffers(timeline);
    return planSpace(MemorySpace::L1, 0, target.getL1Bytes(), l1Bytes, scratch);
  }

  LogicalResult layOutHost() {
    int64_t base = 0, height = 0;
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getMemory() == MemorySpace::Host && isPersistent(buffer)) {
        place(buffer, base);
        base += getSize(buffer);
      }
    return planSpace(MemorySpace::Host, base, INT64_MAX, height);
  }

  /// Plans what lives for a while in a memory, above `base`.
  LogicalResult planSpace(MemorySpace memory, int64_t base, int64_t capacity, int64_t &height,
                          ArrayRef<planner::Buffer> fixed = {}) {
    SmallVector<BufferOp> planned;
    std::vector<planner::Buffer> problem;
    SmallVector<unsigned> entries;
    for (auto buffer : llvm::make_early_inc_range(module.getOps<BufferOp>())) {
      if (buffer.getMemory() != memory || isPersistent(buffer))
        continue;
      auto it = lifetimes.find(buffer.getSymNameAttr());
      if (it == lifetimes.end()) {
        symbols.erase(buffer); // no command touches it
        continue;
      }
      OpBuilder builder(buffer.getContext());
      buffer.setLiveBeginAttr(builder.getI64IntegerAttr(it->second.begin));
      buffer.setLiveEndAttr(builder.getI64IntegerAttr(it->second.end));
      planned.push_back(buffer);
      // Sizes are multiples of the alignment.
      problem.push_back(
          {it->second.begin, it->second.end, getSize(buffer), ttrt::kBufferAlignment});
      entries.push_back(it->second.entry);
    }
    if (planned.empty())
      return success();
    planner::Plan plan = solve(problem, entries, fixed, capacity);
    height = plan.height;
    if (memory == MemorySpace::Dram)
      lowerBoundBytes = planner::lowerBound(problem);
    if (base + plan.height > capacity)
      return memory == MemorySpace::L1 ? reportL1Full(planned, problem, fixed, capacity)
                                       : reportFull(memory, base, plan.height, capacity);
    for (auto [buffer, offset] : llvm::zip_equal(planned, plan.offsets))
      place(buffer, base + offset);
    return success();
  }

  /// Entry points never run at the same time, so what they do not keep may share bytes; or, if
  /// that is forbidden, each has its bytes above those of the one before. `fixed` is planned with
  /// them, but not part of the result.
  planner::Plan solve(std::vector<planner::Buffer> problem, ArrayRef<unsigned> entries,
                      ArrayRef<planner::Buffer> fixed, int64_t capacity) {
    if (shareActivations) {
      problem.insert(problem.end(), fixed.begin(), fixed.end());
      planner::Plan plan = solve(problem, fixed, capacity);
      plan.offsets.resize(entries.size());
      return plan;
    }
    planner::Plan all;
    all.offsets.resize(problem.size());
    for (unsigned entry = 0, end = *llvm::max_element(entries) + 1; entry < end; ++entry) {
      std::vector<planner::Buffer> part;
      for (auto [buffer, itsEntry] : llvm::zip_equal(problem, entries))
        if (itsEntry == entry)
          part.push_back(buffer);
      if (part.empty())
        continue;
      int64_t begin = INT64_MAX, last = 0;
      for (const planner::Buffer &buffer : part)
        std::tie(begin, last) =
            std::pair(std::min(begin, buffer.lower), std::max(last, buffer.upper));
      part.insert(part.end(), fixed.begin(), fixed.end());
      if (all.height > 0)
        part.push_back({begin, last, all.height, ttrt::kBufferAlignment, 0});
      planner::Plan plan = solve(part, fixed, capacity);
      size_t next = 0;
      for (auto [offset, itsEntry] : llvm::zip_equal(all.offsets, entries))
        if (itsEntry == entry)
          offset = plan.offsets[next++];
      all.height = plan.height;
    }
    return all;
  }

  /// As low as can be. Beside scratch it is enough to fit: L1 holds nothing else.
  static planner::Plan solve(const std::vector<planner::Buffer> &problem,
                             ArrayRef<planner::Buffer> fixed, int64_t capacity) {
    planner::SearchLimits limits{.nodes = kPlannerNodes};
    if (!fixed.empty())
      limits.capacity = capacity;
    return planner::solve(problem, limits).plan;
  }

  LogicalResult reportFull(MemorySpace memory, int64_t base, int64_t height, int64_t capacity) {
    InFlightDiagnostic error = module.emitError("needs ")
                               << base + height << " bytes of DRAM (" << constantBytes
                               << " constants, " << slotBytes << " slots, " << height
                               << " activations), but " << target.getName() << " has " << capacity;
    attachPeak(error, module, memory, target);
    return error;
  }

  LogicalResult reportL1Full(ArrayRef<BufferOp> planned, std::vector<planner::Buffer> problem,
                             ArrayRef<planner::Buffer> fixed, int64_t capacity) {
    problem.insert(problem.end(), fixed.begin(), fixed.end());
    InFlightDiagnostic error = module.emitError("needs ")
                               << planner::solve(problem, {.nodes = kPlannerNodes}).plan.height
                               << " bytes of L1 on each core for " << planned.size()
                               << " tensors beside the scratch of programs, but "
                               << target.getName() << " has " << capacity;
    attachPeak(error, module, MemorySpace::L1, target, timeline);
    return error;
  }

  ModuleOp module;
  TargetAttr target;
  bool shareActivations;
  SymbolTable symbols;
  std::vector<TimelinePoint> timeline;
  DenseMap<StringAttr, Lifetime> lifetimes;
  llvm::SetVector<StringAttr> order; ///< of first use
  DenseSet<StringAttr> ahead;        ///< slots that other schedules write or read at other times
};

struct Preallocate : mlir::ttc::impl::PreallocateBase<Preallocate> {
  using PreallocateBase::PreallocateBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    Preallocator preallocator(getOperation(), *target, shareActivations);
    if (failed(preallocator.run()))
      return signalPassFailure();
    constantBytes += preallocator.constantBytes;
    slotBytes += preallocator.slotBytes;
    activationBytes += preallocator.activationBytes;
    lowerBoundBytes += preallocator.lowerBoundBytes;
    l1Bytes += preallocator.l1Bytes;
    numInPlace += preallocator.numInPlace;
  }
};

} // namespace

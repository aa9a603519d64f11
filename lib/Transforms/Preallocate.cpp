// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryPeak.h"
#include "dialects/Ttc/TtcOps.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Planner/Planner.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/bundle_format.h"
#include "llvm/ADT/MapVector.h"
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
      : module(module), target(target), shareActivations(shareActivations), symbols(module),
        alignment(std::max<int64_t>(ttrt::kBufferAlignment, target.getDramAlignment())) {}

  LogicalResult run() {
    for (auto trace : llvm::to_vector(module.getOps<TraceOp>()))
      if (failed(bindValues(trace)))
        return failure();
    if (failed(verifyMemories()))
      return failure();
    findSlotsUsedAhead();
    computeLifetimes();
    return success(succeeded(layOutDram()) && succeeded(layOutHost()));
  }

  int64_t constantBytes = 0, slotBytes = 0, activationBytes = 0, lowerBoundBytes = 0,
          numInPlace = 0;

private:
  //===--- buffers for values -----------------------------------------------------------===//

  /// Gives the root of each value in the trace a buffer: the one that the trace's own result is
  /// bound to, that of an operand which dies where the root is made and may be written over, or a
  /// new one.
  LogicalResult bindValues(TraceOp trace) {
    if (trace.isEncoded())
      return success();
    StringRef attr = TraceOp::getBufferAttrName();
    auto yield = cast<YieldOp>(trace.getBody().front().getTerminator());
    bound.clear();
    for (auto [i, value] : llvm::enumerate(yield.getValues())) {
      auto buffer = trace.getResultAttrOfType<FlatSymbolRefAttr>(i, attr);
      if (!buffer)
        return trace.emitError("expected result ")
               << i << " to be bound to a buffer, found none; --ttc-schedule-queues binds the "
               << "traces that a schedule executes";
      std::optional<Placement> placement = getPlacement(value);
      if (!placement || !placement->isWhole())
        return trace.emitError("expected result ")
               << i << " to have a buffer of its own, found a part of another value";
      bound[placement->root] = buffer;
    }
    for (unsigned i = 0; i < trace.getNumArguments(); ++i)
      if (!trace.getArgAttrOfType<FlatSymbolRefAttr>(i, attr))
        return trace.emitError("expected argument ")
               << i << " to be bound to a buffer, found none; --ttc-schedule-queues binds the "
               << "traces that a schedule executes";

    llvm::SmallDenseMap<Value, Operation *> lastUse;
    for (Operation &op : trace.getBody().front())
      for (Value operand : op.getOperands()) {
        std::optional<Placement> placement = getPlacement(operand);
        if (!placement)
          return op.emitError("expected an operand that lies in rows of one other value, found a "
                              "view that cannot be stated as such");
        if (isa<DeviceWorkOpInterface>(op))
          lastUse[placement->root] = &op;
      }
    int64_t count = 0;
    for (Operation &op : trace.getBody().front())
      if (isa<DeviceWorkOpInterface>(op))
        for (OpResult result : op.getResults()) {
          std::optional<Placement> placement = getPlacement(result);
          if (!placement)
            return op.emitError("expected a result that lies in rows of one other value");
          FlatSymbolRefAttr &buffer = bound[placement->root];
          if (!buffer && placement->root == result)
            buffer = findInPlace(result, lastUse);
          if (!buffer)
            buffer = makeActivation(trace, placement->root, count++);
        }
    for (Operation &op : trace.getBody().front()) {
      SmallVector<Attribute> buffers;
      for (Value result : op.getResults())
        if (FlatSymbolRefAttr buffer = bound.lookup(getPlacement(result)->root))
          buffers.push_back(buffer);
      if (!isa<ViewLikeOpInterface>(op) && !buffers.empty() && buffers.size() == op.getNumResults())
        op.setAttr(attr, ArrayAttr::get(op.getContext(), buffers));
    }
    return success();
  }

  /// The buffer of an operand that nothing reads any more and that the result may be written over.
  FlatSymbolRefAttr findInPlace(OpResult result,
                                const llvm::SmallDenseMap<Value, Operation *> &lastUse) {
    auto work = cast<DeviceWorkOpInterface>(result.getOwner());
    SmallVector<unsigned> operands;
    work.getInPlaceOperands(result.getResultNumber(), collection, operands);
    for (unsigned index : operands) {
      std::optional<Placement> placement = getPlacement(work->getOperand(index));
      FlatSymbolRefAttr buffer = bound.lookup(placement->root);
      if (!placement->isWhole() || !buffer || lastUse.lookup(placement->root) != work ||
          !isActivation(buffer))
        continue;
      // No other operand may lie there, but for those that may be written over as well.
      bool isFree = llvm::all_of(llvm::enumerate(work->getOperands()), [&](auto operand) {
        std::optional<Placement> other = getPlacement(operand.value());
        return bound.lookup(other->root) != buffer ||
               (other->isWhole() && llvm::is_contained(operands, operand.index()));
      });
      if (!isFree || work->getNumResults() != 1)
        continue;
      ++numInPlace;
      return buffer;
    }
    return {};
  }

  /// Whether the buffer is one that this trace alone uses.
  bool isActivation(FlatSymbolRefAttr buffer) { return madeHere.contains(buffer); }

  FlatSymbolRefAttr makeActivation(TraceOp trace, Value value, int64_t number) {
    OpBuilder builder(trace.getContext());
    auto type = cast<RankedTensorType>(value.getType());
    auto layout = dyn_cast_if_present<LayoutAttr>(type.getEncoding());
    auto buffer = BufferOp::create(
        builder, value.getLoc(), (trace.getSymName() + "_" + Twine(number)).str(),
        BufferKind::Activation, RankedTensorType::get(type.getShape(), type.getElementType()),
        layout ? layout.getMemory() : MemorySpace::Dram);
    symbols.insert(buffer, trace->getIterator());
    madeHere.insert(FlatSymbolRefAttr::get(buffer.getSymNameAttr()));
    return FlatSymbolRefAttr::get(buffer.getSymNameAttr());
  }

  LogicalResult verifyMemories() {
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getMemory() == MemorySpace::L1)
        return buffer.emitError("expected @")
               << buffer.getSymName() << " to lie in dram or host memory, found l1: L1 holds the "
               << "scratch of programs; drop the layout or the ttc.to_memory that asks for it";
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
    for (auto [point, accesses] : llvm::enumerate(getTimeline(module)))
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

  bool isPersistent(BufferOp buffer) const {
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

  int64_t getSize(BufferOp buffer) const {
    return llvm::alignTo(std::max<int64_t>(buffer.getTensorBytes(), 1), alignment);
  }

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
  LogicalResult planSpace(MemorySpace memory, int64_t base, int64_t capacity, int64_t &height) {
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
      problem.push_back({it->second.begin, it->second.end, getSize(buffer), alignment});
      entries.push_back(it->second.entry);
    }
    planner::Plan plan = solve(problem, entries);
    height = plan.height;
    if (memory == MemorySpace::Dram)
      lowerBoundBytes = planner::lowerBound(problem);
    if (base + plan.height > capacity)
      return reportFull(memory, base, plan.height, capacity);
    for (auto [buffer, offset] : llvm::zip_equal(planned, plan.offsets))
      place(buffer, base + offset);
    return success();
  }

  /// Entry points never run at the same time, so what they do not keep may share bytes; or, if
  /// that is forbidden, each has its bytes above those of the one before.
  planner::Plan solve(const std::vector<planner::Buffer> &problem, ArrayRef<unsigned> entries) {
    if (shareActivations || problem.empty())
      return planner::solve(problem, {.nodes = kPlannerNodes}).plan;
    planner::Plan all;
    all.offsets.resize(problem.size());
    for (unsigned entry = 0, end = *llvm::max_element(entries) + 1; entry < end; ++entry) {
      std::vector<planner::Buffer> part;
      for (auto [buffer, itsEntry] : llvm::zip_equal(problem, entries))
        if (itsEntry == entry)
          part.push_back(buffer);
      planner::Plan plan = planner::solve(part, {.nodes = kPlannerNodes}).plan;
      size_t next = 0;
      for (auto [offset, itsEntry] : llvm::zip_equal(all.offsets, entries))
        if (itsEntry == entry)
          offset = all.height + plan.offsets[next++];
      all.height += plan.height;
    }
    return all;
  }

  LogicalResult reportFull(MemorySpace memory, int64_t base, int64_t height, int64_t capacity) {
    InFlightDiagnostic error = module.emitError("needs ")
                               << base + height << " bytes of DRAM (" << constantBytes
                               << " constants, " << slotBytes << " slots, " << height
                               << " activations), but " << target.getName() << " has " << capacity;
    attachPeak(error, module, memory);
    return error;
  }

  ModuleOp module;
  TargetAttr target;
  bool shareActivations;
  SymbolTable symbols;
  int64_t alignment;
  SymbolTableCollection collection;
  DenseMap<Value, FlatSymbolRefAttr> bound; ///< the buffers of roots, in the trace at hand
  DenseSet<Attribute> madeHere;             ///< buffers of one trace only
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
    numInPlace += preallocator.numInPlace;
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost model: an access to a buffer in DRAM moves its bytes to or from DRAM. The buffers and
// the order of commands are fixed by earlier passes, so the value of storing a buffer in L1 is the
// sum of its accesses and independent of all other buffers.
#include "PlanL1.h"
#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/QueueOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/StateOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Planner/Chooser.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/format/bundle_format.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_PLACETENSORS
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;
namespace planner = ::ttc::planner;

namespace {

class Placer {
public:
  Placer(ModuleOp module, TargetAttr target, InputMemory inputMemory, bool share)
      : module(module), target(target), inputMemory(inputMemory), share(share), symbols(module) {}

  /// The bytes that the default schedules move to and from DRAM, each schedule once.
  int64_t getDramBytes() {
    int64_t bytes = 0;
    forEachAccess([&](BufferOp buffer, int64_t, int64_t accessed, bool) {
      bytes += buffer.getMemory() == MemorySpace::Dram ? accessed : 0;
    });
    return bytes;
  }

  void run() {
    findInDram();
    findSlots();
    if (inputMemory == InputMemory::L1) {
      for (StringAttr slot : slots)
        setMemory(slot, MemorySpace::L1);
      numSlots = slots.size();
    }
    measure();
    SmallVector<Option> options = getActivations();
    if (inputMemory == InputMemory::Auto) {
      llvm::append_range(options, getSlots());
      choose(options);
      measure();
      options.clear();
    }
    if (inputMemory != InputMemory::L1)
      llvm::append_range(options, getCopies());
    choose(options);
    dropWhatDoesNotFit();
  }

  /// Divides the slots of inputs between the banks of DRAM.
  int64_t shardInDram() {
    findInDram();
    findSlots();
    int64_t numSharded = 0;
    for (StringAttr slot : slots) {
      auto buffer = symbols.lookup<BufferOp>(slot);
      ArrayRef<int64_t> shape = buffer.getTensorType().getShape();
      int64_t shards = target.getDramBanks();
      while (shards > 1 && !getShardParts(shape, shards, /*cols=*/1))
        --shards;
      if (!buffer.getShards() && shards > 1) {
        buffer.setShards(shards);
        for (StringAttr further : rings.lookup(slot))
          symbols.lookup<BufferOp>(further).setShards(shards);
      }
      if (buffer.getShards())
        ++numSharded;
      else
        emitRemark(buffer.getLoc(), "input '")
            << slot.getValue() << "' is interleaved over the banks of DRAM: up to "
            << target.getDramBanks() << " banks, none but 1 divides the rows of "
            << buffer.getType();
    }
    return numSharded;
  }

  int64_t numTensors = 0, numSlots = 0, numCopies = 0;
  std::optional<L1Plan> plan; ///< of the result, if something was chosen

private:
  //===--- accesses -----------------------------------------------------------------------===//

  /// Calls `use(buffer, time, bytes, isWrite)` for each access on the timeline.
  template <typename Use> void forEachAccess(Use use) {
    for (auto [time, point] : llvm::enumerate(getTimeline(module))) {
      unsigned operands = point.op->getNumOperands();
      for (auto [i, access] : llvm::enumerate(point.accesses)) {
        auto buffer = symbols.lookup<BufferOp>(access.buffer.getAttr());
        int64_t bytes = buffer.getTensorBytes();
        // An operand of device work may be a part of the buffer; a step moves all of it.
        if (isa<DeviceWorkOpInterface>(point.op)) {
          Value value = i < operands ? point.op->getOperand(i) : point.op->getResult(i - operands);
          bytes = getTensorBytes(cast<ShapedType>(value.getType()));
        }
        use(buffer, time, bytes, access.write);
      }
    }
  }

  /// Finds the buffers of work whose operands and results stay in DRAM.
  void findInDram() {
    Storages storages;
    for (auto trace : module.getOps<TraceOp>())
      for (Operation &op : trace.getBody().front())
        if (auto work = dyn_cast<DeviceWorkOpInterface>(op); work && work.staysInDram())
          for (ValueRange values : {ValueRange(op.getOperands()), ValueRange(op.getResults())})
            for (Value value : values)
              if (FlatSymbolRefAttr buffer = storages.getBoundBuffer(value))
                inDram.insert(buffer.getAttr());
  }

  /// Finds the slots of inputs that only the caller writes, and their rings.
  void findSlots() {
    for (auto entry : module.getOps<EntryOp>()) {
      DenseSet<Attribute> outputs;
      for (auto output : entry.getBody().getOps<OutputOp>())
        outputs.insert(output.getBufferAttr());
      for (auto input : entry.getBody().getOps<InputOp>()) {
        auto buffer = symbols.lookup<BufferOp>(input.getBufferAttr().getAttr());
        if (buffer.getKind() != BufferKind::Slot || outputs.contains(input.getBufferAttr()) ||
            inDram.contains(buffer.getSymNameAttr()))
          continue;
        slots.insert(input.getBufferAttr().getAttr());
        SmallVector<StringAttr> &ring = rings[input.getBufferAttr().getAttr()];
        if (ring.empty())
          for (int64_t i = 1; i < input.getNumSlots(); ++i)
            ring.push_back(input.getSlot(i).getAttr());
      }
    }
    ahead = getSlotsUsedAhead(module, /*queues=*/2);
  }

  void setMemory(StringAttr name, MemorySpace memory) {
    SmallVector<StringAttr> all = rings.lookup(name);
    all.push_back(name);
    for (StringAttr one : all) {
      auto buffer = symbols.lookup<BufferOp>(one);
      buffer.setMemory(memory);
      buffer.removeShardsAttr(); // those of DRAM
    }
  }

  /// Sums up the accesses to each buffer.
  void measure() {
    traffic.clear();
    forEachAccess([&](BufferOp buffer, int64_t, int64_t bytes, bool) {
      traffic[buffer.getSymNameAttr()] += bytes;
    });
    timeline = getTimeline(module);
    lifetimes = getLifetimes(timeline);
  }

  //===--- what can be chosen -------------------------------------------------------------===//

  /// A buffer that may move to L1, or an argument of a trace that may be copied there.
  struct Option {
    planner::Candidate candidate;
    StringAttr buffer;
    BlockArgument argument;    ///< null if the buffer itself moves
    ToMemoryOp copy = nullptr; ///< set once it is chosen
  };

  planner::Candidate makeCandidate(BufferOp buffer, int64_t begin, int64_t end, int64_t value,
                                   int64_t copies = 1) {
    MemorySpace before = buffer.getMemory();
    buffer.setMemory(MemorySpace::L1);
    int64_t size = getPlannedSize(buffer, target);
    buffer.setMemory(before);
    return {{begin, end, size * copies, ttrt::kBufferAlignment}, value};
  }

  /// Activations without a given layout.
  SmallVector<Option> getActivations() {
    DenseSet<StringAttr> fixed = inDram;
    Storages storages;
    for (auto trace : module.getOps<TraceOp>())
      for (Operation &op : trace.getBody().front())
        for (Value value : op.getResults())
          if (cast<RankedTensorType>(value.getType()).getEncoding())
            if (FlatSymbolRefAttr buffer = storages.getBoundBuffer(value))
              fixed.insert(buffer.getAttr());
    SmallVector<Option> options;
    for (auto buffer : module.getOps<BufferOp>()) {
      auto life = lifetimes.find(buffer.getSymNameAttr());
      if (buffer.getKind() == BufferKind::Activation && buffer.getMemory() == MemorySpace::Dram &&
          life != lifetimes.end() && !fixed.contains(buffer.getSymNameAttr()))
        options.push_back({makeCandidate(buffer, life->second.begin, life->second.end,
                                         traffic.lookup(buffer.getSymNameAttr())),
                           buffer.getSymNameAttr(),
                           {}});
    }
    return options;
  }

  /// Slots of inputs in L1. A slot that a schedule writes ahead is alive all the time, so that no
  /// other buffer in its bytes delays the write.
  SmallVector<Option> getSlots() {
    SmallVector<Option> options;
    int64_t points = timeline.size();
    for (StringAttr slot : slots) {
      auto buffer = symbols.lookup<BufferOp>(slot);
      if (buffer.getShards()) // in banks of DRAM, as its type says
        continue;
      bool isAhead = ahead.contains(slot);
      const Lifetime &life = lifetimes.find(slot)->second;
      options.push_back(
          {makeCandidate(buffer, isAhead ? 0 : life.begin, isAhead ? points : life.end,
                         traffic.lookup(slot), 1 + rings.lookup(slot).size()),
           slot,
           {}});
    }
    return options;
  }

  /// Copies of inputs from their slots in DRAM to L1 by the first commands of traces. They pay off
  /// if a trace reads the input more than once.
  SmallVector<Option> getCopies() {
    SmallVector<Option> options;
    for (auto [time, point] : llvm::enumerate(timeline)) {
      auto trace = dyn_cast<TraceOp>(point.op->getParentOp());
      if (!trace || (time > 0 && timeline[time - 1].op->getParentOp() == trace))
        continue;
      for (BlockArgument argument : trace.getBody().getArguments()) {
        FlatSymbolRefAttr slot = getBoundBuffer(argument);
        // A copy has one type, and one layout.
        const bool isCopied = llvm::any_of(argument.getUsers(), llvm::IsaPred<CopyOp>);
        if (!slots.contains(slot.getAttr()) || isYielded(trace, argument) || isCopied ||
            symbols.lookup<BufferOp>(slot.getAttr()).getMemory() != MemorySpace::Dram)
          continue;
        int64_t read = 0, last = time;
        for (size_t i = time; i < timeline.size() && timeline[i].op->getParentOp() == trace; ++i)
          for (Value operand : timeline[i].op->getOperands())
            if (getStorage(operand)->root == argument) {
              read += getTensorBytes(cast<ShapedType>(operand.getType()));
              last = i;
            }
        auto buffer = symbols.lookup<BufferOp>(slot.getAttr());
        options.push_back({makeCandidate(buffer, time, last + 1, read - buffer.getTensorBytes()),
                           slot.getAttr(), argument});
      }
    }
    return options;
  }

  static bool isYielded(TraceOp trace, Value argument) {
    auto yield = cast<YieldOp>(trace.getBody().front().getTerminator());
    return llvm::any_of(yield.getValues(),
                        [&](Value value) { return getStorage(value)->root == argument; });
  }

  //===--- choosing -----------------------------------------------------------------------===//

  void choose(MutableArrayRef<Option> options) {
    std::vector<planner::Candidate> candidates;
    for (const Option &option : options)
      candidates.push_back(option.candidate);
    std::vector<planner::Buffer> required = planL1(module, target, timeline, share).problem;
    llvm::append_range(required, getScratchBuffers(timeline));
    planner::Choice choice = planner::choose(candidates, required, target.getL1Bytes());
    for (auto [option, isChosen] : llvm::zip_equal(options, choice.chosen)) {
      if (!isChosen)
        continue;
      if (option.argument)
        insertCopy(option);
      else
        setMemory(option.buffer, MemorySpace::L1);
      chosen.push_back(option);
    }
  }

  void insertCopy(Option &option) {
    auto slot = symbols.lookup<BufferOp>(option.buffer);
    auto trace = cast<TraceOp>(option.argument.getOwner()->getParentOp());
    OpBuilder builder(module.getContext());
    auto buffer = BufferOp::create(builder, slot.getLoc(), (slot.getSymName() + "_l1").str(),
                                   BufferKind::Activation, slot.getTensorType(), MemorySpace::L1);
    symbols.insert(buffer, trace->getIterator());
    builder.setInsertionPointToStart(&trace.getBody().front());
    auto type = cast<RankedTensorType>(option.argument.getType());
    auto layout = LayoutAttr::get(module.getContext(), MemorySpace::L1, Sharding::Interleaved, {});
    option.copy = ToMemoryOp::create(
        builder, slot.getLoc(),
        RankedTensorType::get(type.getShape(), type.getElementType(), layout), option.argument);
    option.copy->setAttr(TraceOp::getBufferAttrName(),
                         builder.getArrayAttr(FlatSymbolRefAttr::get(buffer.getSymNameAttr())));
    option.argument.replaceAllUsesExcept(option.copy->getResult(0), option.copy);
    passOn(option.copy->getResult(0));
  }

  /// Propagates the layout to the types of views and parts of a value, which share its storage.
  static void passOn(Value value) {
    Attribute layout = cast<RankedTensorType>(value.getType()).getEncoding();
    for (Operation *user : value.getUsers()) {
      if (!isa<ViewLikeOpInterface, SubviewCopyOpInterface>(user))
        continue;
      for (Value result : user->getResults()) {
        auto type = cast<RankedTensorType>(result.getType());
        result.setType(RankedTensorType::get(type.getShape(), type.getElementType(), layout));
        passOn(result);
      }
    }
  }

  void revert(Option &option) {
    if (!option.copy)
      return setMemory(option.buffer, MemorySpace::Dram);
    auto buffer = cast<FlatSymbolRefAttr>(
        option.copy->getAttrOfType<ArrayAttr>(TraceOp::getBufferAttrName())[0]);
    option.copy->getResult(0).replaceAllUsesWith(option.argument);
    option.copy->erase();
    passOn(option.argument);
    symbols.erase(symbols.lookup(buffer.getAttr()));
  }

  /// The choice did not consider the commands of the copies, nor entry points that share no bytes:
  /// checks it with the final plan.
  void dropWhatDoesNotFit() {
    while (!chosen.empty()) {
      plan = planL1(module, target, getTimeline(module), share);
      if (plan->plan.arenaSize <= target.getL1Bytes())
        break;
      plan.reset();
      auto *least = llvm::min_element(chosen, [](const Option &a, const Option &b) {
        return a.candidate.value < b.candidate.value;
      });
      revert(*least);
      chosen.erase(least);
    }
    for (const Option &option : chosen)
      ++(option.copy ? numCopies : slots.contains(option.buffer) ? numSlots : numTensors);
  }

  ModuleOp module;
  TargetAttr target;
  InputMemory inputMemory;
  bool share;
  SymbolTable symbols;
  llvm::SetVector<StringAttr> slots;
  DenseMap<StringAttr, SmallVector<StringAttr>> rings; ///< further slots of a slot
  DenseSet<StringAttr> ahead;
  DenseSet<StringAttr> inDram; ///< buffers that must be there
  std::vector<TimelinePoint> timeline;
  Lifetimes lifetimes;
  DenseMap<StringAttr, int64_t> traffic; ///< bytes of all accesses
  SmallVector<Option> chosen;
};

struct PlaceTensors : mlir::ttc::impl::PlaceTensorsBase<PlaceTensors> {
  using PlaceTensorsBase::PlaceTensorsBase;
  PassCounter dramBytesBefore{*this, "dram-bytes-before",
                              "Bytes through DRAM of one inference, with all tensors in DRAM"};
  PassCounter dramBytes{*this, "dram-bytes", "Bytes through DRAM of one inference"};
  PassCounter numTensors{*this, "l1-tensors", "Buffers placed in L1"};
  PassCounter numSlots{*this, "l1-slots", "Inputs that were given a slot in L1"};
  PassCounter numCopies{*this, "l1-copies", "Inputs copied from DRAM to L1"};
  PassCounter numShardedSlots{*this, "dram-sharded-slots",
                              "Inputs with a shard in each bank of DRAM"};

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target) || failed(checkOptions(*target)) || failed(verifyBound(getOperation())))
      return signalPassFailure();
    Placer placer(getOperation(), *target, inputMemory, shareActivations);
    dramBytesBefore += placer.getDramBytes();
    if (inputMemory == InputMemory::DramSharded)
      numShardedSlots += placer.shardInDram();
    if (memory == TensorMemory::Auto && target->getInterleavedL1())
      placer.run();
    if (placer.plan) {
      getAnalysis<PlannedL1>().set(std::move(*placer.plan), shareActivations);
      markAnalysesPreserved<PlannedL1>();
    }
    dramBytes += placer.getDramBytes();
    numTensors += placer.numTensors;
    numSlots += placer.numSlots;
    numCopies += placer.numCopies;
  }

private:
  LogicalResult checkOptions(TargetAttr target) {
    ModuleOp module = getOperation();
    if (inputMemory == InputMemory::L1 && memory == TensorMemory::Dram)
      return emitError(module.getLoc(),
                       "expected memory=auto with input-memory=l1, found memory=dram, which "
                       "leaves L1 to scratch and shards");
    if (inputMemory == InputMemory::L1 && !target.getInterleavedL1())
      return emitError(module.getLoc(),
                       "expected a target that interleaves over L1 for input-memory=l1, "
                       "found ")
             << target.getName();
    return success();
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/Buffers.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttrt/format/bundle_format.h"

using namespace mlir;
using namespace mlir::ttc;

Value mlir::ttc::getViewRoot(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

int64_t ValueStorage::whole() const { return countElements(root); }

/// Appends the uses that make the value, or a view of it, a part of another one.
static void findJoins(Value value, SmallVectorImpl<OpOperand *> &joins) {
  for (OpOperand &use : value.getUses()) {
    auto move = dyn_cast<SubviewCopyOpInterface>(use.getOwner());
    if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
      findJoins(view.getViewDest(), joins);
    else if (move && move.getOperandInResult(use.getOperandNumber()))
      joins.push_back(&use);
  }
}

OpOperand *mlir::ttc::findJoin(Value value) {
  SmallVector<OpOperand *> joins;
  findJoins(value, joins);
  return joins.empty() ? nullptr : joins.front();
}

std::optional<ValueStorage> Storages::get(Value value) {
  value = getViewRoot(value);
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto within = [&](Value whole, const StridedRange &part) -> std::optional<ValueStorage> {
    std::optional<ValueStorage> storage = get(whole);
    std::optional<StridedRange> rows = storage ? part.in(storage->rows) : std::nullopt;
    if (!rows)
      return std::nullopt;
    return ValueStorage{storage->root, *rows};
  };
  auto find = [&]() -> std::optional<ValueStorage> {
    if (auto result = dyn_cast<OpResult>(value))
      if (auto move = dyn_cast<SubviewCopyOpInterface>(result.getOwner()))
        if (std::optional<StridedRange> part = move.getResultInOperand(result.getResultNumber()))
          return within(move->getOperand(0), *part);
    SmallVector<OpOperand *> joins;
    findJoins(value, joins);
    if (joins.size() > 1)
      return std::nullopt; // stored in two places
    if (!joins.empty()) {
      auto move = cast<SubviewCopyOpInterface>(joins[0]->getOwner());
      return within(move->getResult(0), *move.getOperandInResult(joins[0]->getOperandNumber()));
    }
    return ValueStorage{value, StridedRange::all(countElements(value))};
  };
  std::optional<ValueStorage> storage = find();
  known[value] = storage;
  return storage;
}

BufferRef Storages::getBoundPlace(Value value) {
  std::optional<ValueStorage> storage = get(value);
  if (!storage)
    return {};
  int64_t element = getTensorBytes(cast<ShapedType>(value.getType())) /
                    std::max<int64_t>(countElements(value), 1);
  return {getBoundBuffer(value), storage->rows.offset * element};
}

FlatSymbolRefAttr Storages::getBoundBuffer(Value value) {
  std::optional<ValueStorage> storage = get(value);
  if (!storage)
    return {};
  value = storage->root;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto trace = cast<TraceOp>(argument.getOwner()->getParentOp());
    return trace.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(),
                                                     TraceOp::getBufferAttrName());
  }
  auto buffers = value.getDefiningOp()->getAttrOfType<ArrayAttr>(TraceOp::getBufferAttrName());
  if (!buffers)
    return {};
  return cast<FlatSymbolRefAttr>(buffers[cast<OpResult>(value).getResultNumber()]);
}

std::optional<ValueStorage> mlir::ttc::getStorage(Value value) { return Storages().get(value); }
BufferRef mlir::ttc::getBoundPlace(Value value) { return Storages().getBoundPlace(value); }
FlatSymbolRefAttr mlir::ttc::getBoundBuffer(Value value) {
  return Storages().getBoundBuffer(value);
}

namespace {

/// Verifies that each use of a value finds it in its buffer: that nothing else has been written
/// there since, in this iteration of loops or the one before.
class ContentsVerifier {
public:
  ContentsVerifier(TraceOp trace, Storages &storages) : trace(trace), storages(storages) {}

  LogicalResult run() {
    // Arguments with one buffer are views of one value.
    for (BlockArgument argument : trace.getBody().getArguments())
      contents.try_emplace(storages.getBoundBuffer(argument), Content{argument, nullptr});
    Block &block = trace.getBody().front();
    return follow(&block.front(), nullptr);
  }

private:
  struct Content {
    Value root;        ///< null: an iteration's that has ended
    Operation *writer; ///< null: an argument
  };

  /// Follows the ops from `first` up to `end`.
  LogicalResult follow(Operation *first, Operation *end) {
    for (Operation *op = first; op != end; op = op->getNextNode()) {
      if (!isa<DeviceWorkOpInterface>(op) && !op->hasTrait<OpTrait::IsTerminator>())
        continue;
      if (failed(verifyOperands(op)))
        return failure();
      if (auto begin = dyn_cast<LoopBeginOp>(op)) {
        op = begin.getEnd();
        if (failed(followLoop(begin, cast<LoopEndOp>(op))))
          return failure();
        continue;
      }
      write(op);
    }
    return success();
  }

  /// Twice: all further iterations find what the second one does.
  LogicalResult followLoop(LoopBeginOp begin, LoopEndOp end) {
    for (Operation *mark : {begin.getOperation(), end.getOperation()})
      for (unsigned i = 0; i < begin.getNumResults(); ++i) {
        FlatSymbolRefAttr home = storages.getBoundBuffer(begin.getResult(i));
        for (Value value : {mark->getOperand(i), Value(mark->getResult(i))})
          if (FlatSymbolRefAttr found = storages.getBoundBuffer(value); found != home)
            return mark->emitError("expected value ")
                   << i << " of the loop in one buffer, found it in " << home << " and " << found;
      }
    for (int iteration = 0; iteration < 2; ++iteration) {
      write(begin);
      if (failed(follow(begin->getNextNode(), end)) || failed(verifyOperands(end)))
        return failure();
    }
    // Nothing else of an iteration is used after the loop.
    for (auto &[buffer, content] : contents)
      if (content.writer && !content.writer->isBeforeInBlock(begin))
        content.root = nullptr;
    write(end);
    return success();
  }

  LogicalResult verifyOperands(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      FlatSymbolRefAttr buffer = storages.getBoundBuffer(operand.get());
      const Content content = contents.lookup(buffer);
      std::optional<ValueStorage> storage = storages.get(operand.get());
      if (content.root == storage->root ||
          (isa<BlockArgument>(storage->root) && content.root && !content.writer))
        continue;
      InFlightDiagnostic error = op->emitError("expected operand ")
                                 << operand.getOperandNumber() << " to be in " << buffer
                                 << " until here, found another value there";
      if (content.writer)
        error.attachNote(content.writer->getLoc()) << "written here";
      return error;
    }
    return success();
  }

  void write(Operation *op) {
    for (Value result : op->getResults())
      contents[storages.getBoundBuffer(result)] = {storages.get(result)->root, op};
  }

  TraceOp trace;
  Storages &storages;
  DenseMap<Attribute, Content> contents;
};

} // namespace

LogicalResult mlir::ttc::verifyBound(ModuleOp module) {
  Storages storages;
  for (auto trace : module.getOps<TraceOp>()) {
    for (Operation &op : trace.getBody().front()) {
      auto isUnbound = [&](Value value) { return !storages.getBoundBuffer(value); };
      if (isa<DeviceWorkOpInterface>(op) &&
          (llvm::any_of(op.getOperands(), isUnbound) || llvm::any_of(op.getResults(), isUnbound)))
        return op.emitError("expected operands and results that are bound to buffers; "
                            "--ttc-bind-buffers binds them");
    }
    if (!trace.isEncoded() && failed(ContentsVerifier(trace, storages).run()))
      return failure();
  }
  return success();
}

int64_t mlir::ttc::getPlannedSize(BufferOp buffer, TargetAttr target) {
  int64_t bytes = std::max<int64_t>(buffer.getTensorBytes(), 1);
  int64_t alignment = ttrt::kBufferAlignment;
  if (buffer.getMemory() == MemorySpace::Dram && buffer.getShards()) // as much in each bank
    return llvm::alignTo(llvm::divideCeil(bytes, *buffer.getShards()),
                         std::max(alignment, target.getDramAlignment())) *
           target.getDramBanks();
  if (buffer.getMemory() != MemorySpace::L1)
    return llvm::alignTo(bytes, std::max(alignment, target.getDramAlignment()));
  int64_t parts = buffer.isInterleavedInL1() ? target.getGridRows() * target.getGridCols()
                                             : buffer.getShards().value_or(1);
  return llvm::alignTo(llvm::divideCeil(bytes, parts),
                       std::max(alignment, target.getL1Alignment()));
}

static void appendTrace(TraceOp trace, SymbolTableCollection &symbols, Storages &storages,
                        std::vector<TimelinePoint> &timeline) {
  for (Operation &op : trace.getBody().front()) {
    TimelinePoint point{&op, {}};
    if (auto command = dyn_cast<CommandOpInterface>(op)) {
      command.getAccesses(point.accesses);
      point.scratch = command.getScratchBytes(symbols);
    } else if (auto work = dyn_cast<DeviceWorkOpInterface>(op)) {
      point.scratch = work.getScratchBytes(symbols);
      for (Value operand : op.getOperands())
        point.accesses.push_back({storages.getBoundBuffer(operand), false});
      for (Value result : op.getResults())
        point.accesses.push_back({storages.getBoundBuffer(result), true});
    } else {
      continue;
    }
    timeline.push_back(std::move(point));
  }
}

std::vector<TimelinePoint> mlir::ttc::getTimeline(ModuleOp module) {
  std::vector<TimelinePoint> timeline;
  SymbolTableCollection symbols;
  Storages storages;
  for (auto [number, entry] : llvm::enumerate(module.getOps<EntryOp>())) {
    size_t begin = timeline.size();
    ScheduleOp schedule = *entry.getBody().getOps<ScheduleOp>().begin();
    for (Region &region : schedule->getRegions())
      for (auto step : region.getOps<StepOpInterface>()) {
        if (FlatSymbolRefAttr trace = step.getExecutedTrace()) {
          appendTrace(cast<TraceOp>(symbols.lookupSymbolIn(module, trace)), symbols, storages,
                      timeline);
          continue;
        }
        TimelinePoint point{step, {}};
        step.getAccesses(point.accesses);
        point.scratch = step.getScratchBytes(symbols);
        timeline.push_back(std::move(point));
      }
    for (TimelinePoint &point : llvm::drop_begin(timeline, begin))
      point.entry = number;
  }
  return timeline;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoopHomes.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/StateOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_BINDBUFFERS
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Binds the values of one trace.
class Binder {
public:
  Binder(TraceOp trace, SymbolTable &symbols) : trace(trace), symbols(symbols) {}

  int64_t numInPlace = 0, numUpdates = 0, numCopies = 0, numConstants = 0, numLoopCopies = 0;

  LogicalResult run() {
    StringRef attr = TraceOp::getBufferAttrName();
    auto yield = cast<YieldOp>(trace.getBody().front().getTerminator());
    keepStatesOutOfLoops(yield);
    LoopHomes homes(trace);
    if (failed(homes.run()))
      return failure();
    numLoopCopies = homes.getNumCopies();
    copyStates(yield);
    copyConstants();
    for (auto [i, value] : llvm::enumerate(yield.getValues())) {
      auto buffer = trace.getResultAttrOfType<FlatSymbolRefAttr>(i, attr);
      if (!buffer)
        return trace.emitError("expected result ")
               << i << " to be bound to a buffer, found none; --ttc-schedule-queues binds the "
               << "traces that a schedule executes";
      std::optional<ValueStorage> storage = storages.get(value);
      if (!storage || !storage->isWhole())
        return trace.emitError("expected result ")
               << i << " to have a buffer of its own, found a part of another value";
      bound[storage->root] = buffer;
    }
    for (unsigned i = 0; i < trace.getNumArguments(); ++i)
      if (!trace.getArgAttrOfType<FlatSymbolRefAttr>(i, attr))
        return trace.emitError("expected argument ")
               << i << " to be bound to a buffer, found none; --ttc-schedule-queues binds the "
               << "traces that a schedule executes";

    const LoopNest nest(trace.getBody().front());
    DenseMap<Value, Operation *> writers;
    for (auto work : trace.getBody().getOps<DeviceWorkOpInterface>())
      for (Value result : work->getResults())
        if (std::optional<ValueStorage> storage = storages.get(result))
          writers.try_emplace(storage->root, work);
    llvm::SmallDenseMap<Value, Operation *> lastUse;
    for (Operation &op : trace.getBody().front())
      for (Value operand : op.getOperands()) {
        std::optional<ValueStorage> storage = storages.get(operand);
        if (!storage)
          return op.emitError("expected an operand that is a strided range of one value, found a "
                              "view that is not");
        if (isa<DeviceWorkOpInterface>(op))
          lastUse[storage->root] = nest.getLastUser(writers.lookup(storage->root), &op);
      }
    // Existing bindings are kept.
    for (Operation &op : trace.getBody().front())
      if (auto buffers = op.getAttrOfType<ArrayAttr>(attr))
        for (auto [result, buffer] : llvm::zip_equal(op.getResults(), buffers))
          bound[storages.get(result)->root] = cast<FlatSymbolRefAttr>(buffer);
    int64_t count = 0;
    for (const SmallVector<Value> &home : homes.getHomes())
      bindHome(home, count);
    for (Operation &op : trace.getBody().front())
      if (isa<DeviceWorkOpInterface>(op))
        for (OpResult result : op.getResults()) {
          std::optional<ValueStorage> storage = storages.get(result);
          if (!storage)
            return op.emitError("expected a result that is a strided range of one value");
          FlatSymbolRefAttr &buffer = bound[storage->root];
          if (!buffer && storage->root == result)
            buffer = findInPlace(result, lastUse);
          if (!buffer)
            buffer = makeActivation(storage->root, count++);
        }
    for (Operation &op : trace.getBody().front()) {
      SmallVector<Attribute> buffers;
      for (Value result : op.getResults())
        if (FlatSymbolRefAttr buffer = bound.lookup(storages.get(result)->root))
          buffers.push_back(buffer);
      if (!isa<ViewLikeOpInterface>(op) && !buffers.empty() && buffers.size() == op.getNumResults())
        op.setAttr(attr, ArrayAttr::get(op.getContext(), buffers));
    }
    return success();
  }

private:
  //===--- loops ----------------------------------------------------------------------===//

  /// Adds copies of states that loops read, and of values of loops that become states: no command
  /// of a loop accesses a state.
  void keepStatesOutOfLoops(YieldOp yield) {
    const LoopNest nest(trace.getBody().front());
    if (nest.isEmpty())
      return;
    auto isState = [&](FlatSymbolRefAttr name) {
      auto buffer = name ? symbols.lookup<BufferOp>(name.getAttr()) : BufferOp();
      return buffer && buffer.getKind() == BufferKind::State;
    };
    StringRef attr = TraceOp::getBufferAttrName();
    DenseSet<Value> read; // in loops
    for (Operation &op : trace.getBody().front())
      for (Value operand : op.getOperands())
        if (nest.getLastUser(nullptr, &op) != &op)
          if (std::optional<ValueStorage> storage = getStorage(operand))
            read.insert(storage->root);
    OpBuilder builder = OpBuilder::atBlockBegin(&trace.getBody().front());
    for (BlockArgument argument : trace.getBody().getArguments())
      if (read.contains(argument) &&
          isState(trace.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), attr))) {
        auto copied = CopyOp::create(builder, trace.getLoc(), argument.getType(), argument);
        argument.replaceAllUsesExcept(copied, copied);
      }
    builder.setInsertionPoint(yield);
    for (OpOperand &use : yield->getOpOperands())
      if (isState(trace.getResultAttrOfType<FlatSymbolRefAttr>(use.getOperandNumber(), attr)) &&
          getViewRoot(use.get()).getDefiningOp<LoopEndOp>())
        use.set(CopyOp::create(builder, yield.getLoc(), use.get().getType(), use.get()));
  }

  /// Binds the values of a home to one buffer, in which no other value is.
  void bindHome(ArrayRef<Value> home, int64_t &count) {
    FlatSymbolRefAttr buffer;
    for (Value value : home)
      if (!buffer)
        buffer = bound.lookup(value);
    if (!buffer) {
      buffer = makeActivation(home.front(), count++);
      madeHere.erase(buffer);
    }
    for (Value value : home)
      bound[value] = buffer;
  }

  //===--- constants ------------------------------------------------------------------===//

  /// Adds a copy of each constant that other devices shall read. They do not reach the pages of the
  /// file.
  void copyConstants() {
    StringRef attr = TraceOp::getBufferAttrName();
    for (auto work : llvm::to_vector(trace.getBody().getOps<DeviceWorkOpInterface>())) {
      if (!work.staysInDram() || LoopBeginOp::isMark(work)) // loops have copies already
        continue;
      for (OpOperand &use : work->getOpOperands()) {
        auto argument = dyn_cast<BlockArgument>(getViewRoot(use.get()));
        auto buffer = argument
                          ? trace.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), attr)
                          : FlatSymbolRefAttr();
        auto constant = buffer ? symbols.lookup<BufferOp>(buffer.getAttr()) : BufferOp();
        if (!constant || constant.getKind() != BufferKind::Constant)
          continue;
        OpBuilder builder(work);
        use.set(CopyOp::create(builder, work.getLoc(), use.get().getType(), use.get()));
        ++numConstants;
      }
    }
  }

  //===--- state ----------------------------------------------------------------------===//

  /// Adds a copy, last in the trace, for each next value of a state that cannot be written over the
  /// old one.
  void copyStates(YieldOp yield) {
    StringRef attr = TraceOp::getBufferAttrName();
    for (BlockArgument argument : trace.getBody().getArguments())
      if (auto buffer = trace.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), attr))
        oldValues.try_emplace(buffer, argument);
    for (auto work : trace.getBody().getOps<DeviceWorkOpInterface>())
      note(work);
    DenseMap<Value, Attribute> updating; // roots that are written into a state's buffer
    OpBuilder builder(yield);
    for (OpOperand &use : yield->getOpOperands()) {
      auto buffer = trace.getResultAttrOfType<FlatSymbolRefAttr>(use.getOperandNumber(), attr);
      auto state = buffer ? symbols.lookup<BufferOp>(buffer.getAttr()) : BufferOp();
      if (!state || state.getKind() != BufferKind::State)
        continue;
      Value old = oldValues.lookup(buffer), root = getOldValue(getViewRoot(use.get()));
      if (root == old)
        continue; // it stays as it is
      if (isa<BlockArgument>(root)) {
        // Perhaps another state, which may be updated at any time.
        builder.setInsertionPointToStart(&trace.getBody().front());
        use.set(copy(builder, yield, cloneViews(builder, use.get())));
        builder.setInsertionPoint(yield);
      }
      // If two states get a value, the other one gets a copy.
      root = getViewRoot(use.get());
      auto stored = updating.find(root);
      if (stored == updating.end() && (!old || mayOverwrite(root, old))) {
        updating[root] = buffer;
        ++numUpdates;
        continue;
      }
      if (stored != updating.end() && stored->second == buffer)
        continue; // another view of it
      use.set(copy(builder, yield, use.get()));
      ++numCopies;
    }
  }

  /// The value that stands for all arguments with the same buffer: views of a value, outside of the
  /// trace, are arguments of their own.
  Value getOldValue(Value root) {
    auto argument = dyn_cast<BlockArgument>(root);
    auto buffer = argument ? trace.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(),
                                                                       TraceOp::getBufferAttrName())
                           : FlatSymbolRefAttr();
    return buffer ? oldValues.lookup(buffer) : root;
  }

  /// The value, by clones of its views of an argument.
  static Value cloneViews(OpBuilder &builder, Value value) {
    auto view = value.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return value;
    IRMapping mapping;
    mapping.map(view.getViewSource(), cloneViews(builder, view.getViewSource()));
    return builder.clone(*view, mapping)->getResult(0);
  }

  /// Adds work to the lists of what reads and writes each root.
  void note(Operation *op) {
    for (Value operand : op->getOperands()) {
      std::optional<ValueStorage> storage = storages.get(operand);
      if (storage)
        readers[getOldValue(storage->root)].push_back(op);
      hasUnknownReads |= !storage;
    }
    for (OpResult result : op->getResults())
      if (std::optional<ValueStorage> storage = storages.get(result)) {
        Operation *&writer = firstWriters[storage->root];
        if (!writer || op->isBeforeInBlock(writer))
          writer = op;
      }
  }

  Value copy(OpBuilder &builder, YieldOp yield, Value value) {
    auto copied = CopyOp::create(builder, yield.getLoc(), value.getType(), value);
    note(copied);
    return copied;
  }

  /// Whether all reads of `old` come before the writes of `value`, or are by work that may write
  /// over what it reads. Only work on whole tensors does.
  bool mayOverwrite(Value value, Value old) {
    if (hasUnknownReads)
      return false;
    Operation *writer = firstWriters.lookup(value);
    return !writer || (llvm::none_of(readers.lookup(old),
                                     [&](Operation *op) { return writer->isBeforeInBlock(op); }) &&
                       mayOverwriteOwn(cast<DeviceWorkOpInterface>(writer), value, old));
  }

  /// Whether each operand of the work that is stored in `old` may be overwritten by the result that
  /// is stored in `value`.
  bool mayOverwriteOwn(DeviceWorkOpInterface work, Value value, Value old) {
    SmallVector<unsigned> operands;
    for (OpResult result : work->getResults())
      if (std::optional<ValueStorage> storage = storages.get(result);
          storage && storage->root == value && storage->isWhole())
        work.getInPlaceOperands(result.getResultNumber(), collection, operands);
    return llvm::all_of(work->getOpOperands(), [&](OpOperand &operand) {
      std::optional<ValueStorage> storage = storages.get(operand.get());
      return getOldValue(storage->root) != old ||
             (storage->isWhole() && llvm::is_contained(operands, operand.getOperandNumber()));
    });
  }

  //===--- activations ----------------------------------------------------------------===//

  /// The buffer of an operand that the result may overwrite and that nothing reads later.
  FlatSymbolRefAttr findInPlace(OpResult result,
                                const llvm::SmallDenseMap<Value, Operation *> &lastUse) {
    auto work = cast<DeviceWorkOpInterface>(result.getOwner());
    SmallVector<unsigned> operands;
    work.getInPlaceOperands(result.getResultNumber(), collection, operands);
    for (unsigned index : operands) {
      std::optional<ValueStorage> storage = storages.get(work->getOperand(index));
      FlatSymbolRefAttr buffer = bound.lookup(storage->root);
      if (!storage->isWhole() || !buffer || lastUse.lookup(storage->root) != work ||
          !isActivation(buffer) || !haveSameLayout(storage->root, result))
        continue;
      // No other operand may be stored there, unless it may be overwritten as well.
      bool isFree = llvm::all_of(llvm::enumerate(work->getOperands()), [&](auto operand) {
        std::optional<ValueStorage> other = storages.get(operand.value());
        return bound.lookup(other->root) != buffer ||
               (other->isWhole() && llvm::is_contained(operands, operand.index()));
      });
      // Nor another result.
      isFree &= llvm::none_of(work->getResults(), [&](OpResult other) {
        std::optional<ValueStorage> taken = storages.get(other);
        return taken && bound.lookup(taken->root) == buffer;
      });
      if (!isFree)
        continue;
      ++numInPlace;
      return buffer;
    }
    return {};
  }

  /// Whether the layouts of two tensors request the same memory.
  static bool haveSameLayout(Value a, Value b) {
    return cast<RankedTensorType>(a.getType()).getEncoding() ==
           cast<RankedTensorType>(b.getType()).getEncoding();
  }

  /// Whether only this trace uses the buffer.
  bool isActivation(FlatSymbolRefAttr buffer) { return madeHere.contains(buffer); }

  FlatSymbolRefAttr makeActivation(Value value, int64_t number) {
    OpBuilder builder(trace.getContext());
    auto type = cast<RankedTensorType>(value.getType());
    auto layout = dyn_cast_if_present<LayoutAttr>(type.getEncoding());
    auto buffer = BufferOp::create(
        builder, value.getLoc(), (trace.getSymName() + "_" + Twine(number)).str(),
        BufferKind::Activation, RankedTensorType::get(type.getShape(), type.getElementType()),
        layout ? layout.getMemory() : MemorySpace::Dram);
    if (layout && layout.isSharded() && layout.hasGrid())
      buffer.setShards(layout.getNumShards());
    symbols.insert(buffer, trace->getIterator());
    madeHere.insert(FlatSymbolRefAttr::get(buffer.getSymNameAttr()));
    return FlatSymbolRefAttr::get(buffer.getSymNameAttr());
  }

  TraceOp trace;
  SymbolTable &symbols;
  SymbolTableCollection collection;
  Storages storages;
  DenseMap<Attribute, Value> oldValues; ///< the first argument with each buffer
  // By root.
  DenseMap<Value, SmallVector<Operation *>> readers;
  DenseMap<Value, Operation *> firstWriters;
  bool hasUnknownReads = false;
  DenseMap<Value, FlatSymbolRefAttr> bound; ///< the buffers of roots
  DenseSet<Attribute> madeHere;
};

struct BindBuffers : mlir::ttc::impl::BindBuffersBase<BindBuffers> {
  PassCounter numInPlace{*this, "in-place", "Results that are written over an operand"};
  PassCounter numUpdates{*this, "state-updates", "Next values that are written into their state"};
  PassCounter numCopies{*this, "state-copies", "Next values that are copied into their state"};
  PassCounter numConstants{*this, "constant-copies", "Constants that are copied for other devices"};
  PassCounter numLoopCopies{*this, "loop-copies", "Values that are copied to the homes of loops"};

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto trace : llvm::to_vector(getOperation().getOps<TraceOp>())) {
      if (trace.isEncoded())
        continue;
      Binder binder(trace, symbols);
      if (failed(binder.run()))
        return signalPassFailure();
      numInPlace += binder.numInPlace;
      numUpdates += binder.numUpdates;
      numCopies += binder.numCopies;
      numConstants += binder.numConstants;
      numLoopCopies += binder.numLoopCopies;
    }
  }
};

} // namespace

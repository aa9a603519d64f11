// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shards tensors over the L1s of cores. The layouts of a whole trace are decided first (ShardPlan);
// then dispatches run programs for one shard, and ttc.to_memory converts between different layouts
// of producers and consumers.
#include "ShardPlan.h"
#include "StridedOperands.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/QueueOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include <numeric>

namespace mlir::ttc {
#define GEN_PASS_DEF_SHARDTENSORS
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// The type without shards.
RankedTensorType dropShards(RankedTensorType type) {
  return getShardedLayout(type) ? dropLayout(type) : type;
}

//===--- requests of the IR -----------------------------------------------------------===//

/// Takes the sharded layouts from the types of a trace's values into the plan.
class RequestReader {
public:
  explicit RequestReader(ShardPlan &plan) : plan(plan) {}

  LogicalResult run() {
    TraceOp trace = plan.getTrace();
    for (auto [what, types] : {std::pair("arguments", trace.getArgumentTypes()),
                               std::pair("results", trace.getResultTypes())})
      for (Type type : types)
        if (getShardedLayout(type))
          return trace.emitError("expected ")
                 << what << " without shards, found " << type
                 << "; ttc.to_memory makes shards and joins them inside of the trace";
    for (Operation &op : trace.getBody().front())
      for (OpResult result : op.getResults())
        if (LayoutAttr layout = getShardedLayout(result.getType())) {
          result.setType(dropShards(tensorType(result)));
          if (failed(read(result, layout)))
            return failure();
        }
    return success();
  }

private:
  LogicalResult read(OpResult result, LayoutAttr layout) {
    Operation *op = result.getOwner();
    if (isa<ViewLikeOpInterface>(op))
      return success(); // stored in its source
    std::optional<ValueStorage> storage = getStorage(result);
    if (!isa<DispatchOp, ToMemoryOp>(op) || !storage || !storage->isWhole())
      return op->emitError("expected only results of dispatches and of ttc.to_memory with "
                           "buffers of their own to be sharded, found ")
             << layout;
    if (!layout.hasGrid()) {
      SmallVector<LayoutAttr> possible =
          plan.getPossibleLayouts(tensorType(result), layout.getSharding());
      if (possible.empty())
        return op->emitError("expected a shape that ")
               << stringifySharding(layout.getSharding())
               << " splits into equal parts for the cores of " << plan.getTarget().getName()
               << ", found " << result.getType();
      layout = chooseGrid(result, possible);
    } else if (layout.getNumShards() > getCores(plan.getTarget())) {
      return op->emitError("expected at most ")
             << getCores(plan.getTarget()) << " shards, the cores of " << plan.getTarget().getName()
             << ", found " << layout.getNumShards();
    }
    plan.request(result, layout);
    // A value that is only moved is computed in the target layout.
    if (auto move = dyn_cast<ToMemoryOp>(op))
      if (Value source = move.getInput();
          plan.isCandidate(source) && source.hasOneUse() && !plan.isRequested(source))
        plan.request(source, layout);
    return success();
  }

  /// The most shards that the program can make.
  LayoutAttr chooseGrid(OpResult result, ArrayRef<LayoutAttr> possible) {
    auto dispatch = dyn_cast<DispatchOp>(result.getOwner());
    for (LayoutAttr layout : possible) {
      plan.setLayout(result, layout);
      if (!dispatch || plan.countOwnOperands(dispatch) >= 0)
        return layout;
    }
    return possible.front();
  }

  ShardPlan &plan;
};

//===--- moves ------------------------------------------------------------------------===//

/// Rewrites the ops of a trace according to the plan.
class TraceSharder {
public:
  TraceSharder(ShardPlan &plan, SymbolTable &symbols) : plan(plan), symbols(symbols) {}

  void run() {
    Block &block = plan.getTrace().getBody().front();
    SmallVector<Operation *> ops;
    SmallVector<ShardedDispatch> sharded; // decided before types change
    for (Operation &op : block) {
      ops.push_back(&op);
      auto dispatch = dyn_cast<DispatchOp>(op);
      sharded.push_back(dispatch ? plan.getDispatch(dispatch) : ShardedDispatch());
      if (auto move = dyn_cast<ToMemoryOp>(op))
        sharded.back().wholes.push_back(withLayoutOf(move.getOutput()));
    }
    for (auto [op, how] : llvm::zip_equal(ops, sharded)) {
      if (auto dispatch = dyn_cast<DispatchOp>(op); dispatch && how.program)
        shard(dispatch, how);
      else if (auto move = dyn_cast<ToMemoryOp>(op))
        rewrite(move, how.wholes[0]);
      else if (!isa<ViewLikeOpInterface>(op))
        join(op);
    }
    for (Operation *op : llvm::reverse(ops))
      if (!erased.contains(op) && isa<ViewLikeOpInterface>(op) && op->use_empty())
        op->erase();
  }

  int64_t numSharded = 0, numMoves = 0;

private:
  RankedTensorType withLayoutOf(Value value) {
    LayoutAttr layout = plan.getLayout(value);
    RankedTensorType type = tensorType(value);
    return layout ? RankedTensorType::get(type.getShape(), type.getElementType(), layout) : type;
  }

  void shard(DispatchOp dispatch, const ShardedDispatch &how) {
    for (auto [i, operand] : llvm::enumerate(SmallVector<Value>(dispatch.getInputs())))
      dispatch->setOperand(i, get(operand, how.wholes[i], dispatch));
    ProgramOp program = how.program;
    if (!program->getBlock())
      symbols.insert(program);
    dispatch.setProgramAttr(FlatSymbolRefAttr::get(program.getSymNameAttr()));
    dispatch->getResult(0).setType(how.wholes.back());
    numSharded += static_cast<bool>(getShardedLayout(how.wholes.back()));
  }

  /// Converts the operands of an op that supports no shards.
  void join(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        operand.set(get(operand.get(), dropShards(tensorType(operand.get())), op));
  }

  void rewrite(ToMemoryOp move, RankedTensorType wanted) {
    Value moved = get(move.getInput(), wanted, move);
    move.getOutput().replaceAllUsesWith(moved);
    erased.insert(move);
    move.erase();
  }

  /// The value that replaces `value`, which may be a view, so far.
  Value getMade(Value value, Operation *user) {
    auto view = value.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return value;
    Value source = getMade(view.getViewSource(), user);
    LayoutAttr layout = getViewLayout(tensorType(source), tensorType(value).getShape());
    if (getShardedLayout(source.getType()) && !layout)
      source = move(source, dropShards(tensorType(source)), user);
    if (source == view.getViewSource() && !layout)
      return value;
    Value &made = views[{value, source}];
    if (!made) {
      OpBuilder builder(user);
      Operation *clone = builder.clone(*view);
      clone->setOperand(0, source);
      made = clone->getResult(0);
      if (layout)
        made.setType(RankedTensorType::get(tensorType(value).getShape(),
                                           tensorType(value).getElementType(), layout));
    }
    return made;
  }

  Value get(Value value, RankedTensorType wanted, Operation *user) {
    return move(getMade(value, user), wanted, user);
  }

  Value move(Value value, RankedTensorType wanted, Operation *user) {
    RankedTensorType type = tensorType(value);
    if (type == wanted)
      return value;
    Value &moved = moves[{value, wanted}];
    if (moved)
      return moved;
    OpBuilder builder(user);
    FlatSymbolRefAttr program;
    if (getShardedLayout(type) || getShardedLayout(wanted)) {
      program = getMoveProgram(user->getLoc(), type, wanted);
      if (!program) // not in one step
        value = move(value, dropLayout(type), user);
      if (!program)
        program = getMoveProgram(user->getLoc(), dropLayout(type), wanted);
    }
    Value made = ToMemoryOp::create(builder, user->getLoc(), wanted, value, program);
    ++numMoves;
    return moves[{value, wanted}] = made;
  }

  /// A program with one workgroup for each part that is in a single shard of both layouts.
  FlatSymbolRefAttr getMoveProgram(Location loc, RankedTensorType from, RankedTensorType to) {
    FlatSymbolRefAttr &known = movePrograms[{from, to}];
    if (known)
      return known;
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, from.getRank()));
    ProgramPartition partition;
    for (auto [a, b] : llvm::zip_equal(*getShardParts(from), *getShardParts(to)))
      partition.parts.push_back(std::lcm(a, b));
    for (int64_t &dim : all)
      dim = partition.parts[dim] == 1 ? -1 : dim;
    partition.dims = {all, all};
    ProgramOp copy = makeCopyProgram(loc, getMoveName(to), dropLayout(from));
    ProgramOp program = makePartProgram(copy, partition, {from, to});
    copy.erase();
    if (!program)
      return {};
    symbols.insert(program);
    return known = FlatSymbolRefAttr::get(program.getSymNameAttr());
  }

  /// Named after the target layout and the shape: "to_height_64x768".
  static std::string getMoveName(RankedTensorType to) {
    LayoutAttr layout = getShardedLayout(to);
    std::string name = "to_";
    name += layout ? stringifySharding(layout.getSharding()).split('_').first.str() : "whole";
    auto shape = to.getShape().drop_while([](int64_t size) { return size == 1; });
    llvm::raw_string_ostream stream(name);
    stream << "_";
    llvm::interleave(shape.empty() ? to.getShape().take_back() : shape, stream, "x");
    return name;
  }

  ShardPlan &plan;
  SymbolTable &symbols;
  DenseSet<Operation *> erased;
  DenseMap<std::pair<Value, Value>, Value> views; ///< by view and the source it now has
  DenseMap<std::pair<Value, Type>, Value> moves;
  DenseMap<std::pair<Type, Type>, FlatSymbolRefAttr> movePrograms;
};

//===--- the pass ---------------------------------------------------------------------===//

struct ShardTensors : impl::ShardTensorsBase<ShardTensors> {
  using ShardTensorsBase::ShardTensorsBase;
  PassCounter numSharded{*this, "sharded", "Results of dispatches that are sharded"};
  PassCounter numMoves{*this, "moves", "ttc.to_memory between layouts"};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (shard == ShardKind::None)
      return run(module, [](ShardPlan &) {});
    Sharding kind = shard == ShardKind::Height  ? Sharding::HeightSharded
                    : shard == ShardKind::Width ? Sharding::WidthSharded
                                                : Sharding::BlockSharded;
    for (auto trace : module.getOps<TraceOp>())
      for (auto loop : trace.getBody().getOps<LoopBeginOp>()) {
        loop.emitError("expected a model without loops for --shard, found one: what iterations "
                       "hand on is in DRAM");
        return signalPassFailure();
      }
    bool isAsked = false, isDone = false;
    run(module, [&](ShardPlan &plan) {
      shardEverything(plan, kind);
      isAsked = true;
      isDone |= !plan.getLayouts().empty();
    });
    if (isAsked && !isDone)
      emitWarning(module.getLoc(), "no tensor was sharded by ")
          << stringifySharding(kind).split('_').first << "; remarks give the reasons";
  }

private:
  void run(ModuleOp module, ShardChooser choose) {
    FailureOr<TargetAttr> target = getTarget(module);
    if (failed(target))
      return signalPassFailure();
    SymbolTable symbols(module);
    for (auto program : module.getOps<ProgramOp>())
      dropLayouts(program);
    for (auto trace : module.getOps<TraceOp>()) {
      if (trace.isEncoded())
        continue;
      ShardPlan plan(trace, symbols, *target);
      if (failed(RequestReader(plan).run()))
        return signalPassFailure();
      choose(plan);
      if (plan.getLayouts().empty())
        continue;
      TraceSharder sharder(plan, symbols);
      sharder.run();
      numSharded += sharder.numSharded;
      numMoves += sharder.numMoves;
    }
    eraseUnusedPrograms(module, symbols);
  }

  /// Layouts in the body of a program are requests for the operands of its dispatch; the program
  /// itself has `ttc.shard`.
  static void dropLayouts(ProgramOp program) {
    if (program.getShards())
      return;
    auto drop = [](Type type) -> Type { return dropLayout(cast<RankedTensorType>(type)); };
    program.setFunctionType(FunctionType::get(program.getContext(),
                                              llvm::map_to_vector(program.getArgumentTypes(), drop),
                                              llvm::map_to_vector(program.getResultTypes(), drop)));
    if (!program.hasTensorBody())
      return;
    for (BlockArgument argument : program.getBody().getArguments())
      argument.setType(drop(argument.getType()));
    for (Operation &op : program.getBody().front())
      for (OpResult result : op.getResults())
        if (isa<RankedTensorType>(result.getType()))
          result.setType(drop(result.getType()));
  }
};

} // namespace
} // namespace mlir::ttc

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Signature.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/QueueOps.h"
#include "dialects/Ttc/Traces/StateOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FORMTRACES
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Makes the regions of one function.
class TraceFormer {
public:
  explicit TraceFormer(func::FuncOp function)
      : function(function), block(function.getBody().front()), terminator(block.getTerminator()) {}

  void run() {
    keepOldValues();
    placeHostSteps();
    addTransfers();
    removeRoundTrips();
    formRegions();
  }

private:
  //===--- states ---------------------------------------------------------------------===//

  /// Results that are the values of states before the run, perhaps in another shape, are copied:
  /// the states may be updated before they are read.
  void keepOldValues() {
    for (auto [i, value] : llvm::enumerate(llvm::to_vector(terminator->getOperands()))) {
      Attribute old = getState(getViewRoot(value));
      if (!old || old == function.getResultAttr(i, kStateAttrName))
        continue;
      // As early as possible: the state's update may be in place only after the copy.
      auto first = llvm::find_if(block, [&](Operation &op) {
        return isa<DeviceWorkOpInterface>(op) || &op == terminator;
      });
      OpBuilder builder(&block, first);
      if (Operation *view = value.getDefiningOp(); view && !view->isBeforeInBlock(&*first))
        builder.setInsertionPointAfter(view);
      auto copy = CopyOp::create(builder, value.getLoc(), value.getType(), value);
      terminator->setOperand(i, copy);
    }
  }

  /// The state that the value is before the run, or null.
  Attribute getState(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? function.getArgAttr(argument.getArgNumber(), kStateAttrName) : Attribute();
  }

  //===--- host steps -----------------------------------------------------------------===//

  /// Whether the device's memory is the host's.
  bool isHostsOwn() {
    auto module = function->getParentOfType<ModuleOp>();
    auto target = module ? module->getAttrOfType<TargetAttr>(kTargetAttrName) : TargetAttr();
    return target && target.getName() == "cpu";
  }

  /// Steps that the host computes take their tensors from the device's memory if that is the
  /// host's and the source has no transfers around them.
  void placeHostSteps() {
    if (!isHostsOwn())
      return;
    for (Operation &op : block)
      if (auto step = dyn_cast<EnqueuedOpInterface>(op);
          step && !isa<ToDeviceOp, FromDeviceOp>(op) && !hasTransfers(&op))
        (void)step.takeDeviceMemory();
  }

  static bool hasTransfers(Operation *step) {
    return llvm::any_of(step->getOperands(),
                        [](Value value) {
                          return getViewRoot(value).getDefiningOp<FromDeviceOp>() != nullptr;
                        }) ||
           llvm::any_of(step->getResults(), [](Value value) {
             return anyUse(value, [](OpOperand &use) { return isa<ToDeviceOp>(use.getOwner()); });
           });
  }

  /// Whether `predicate` is true of a use of the value or of a view of it.
  static bool anyUse(Value value, function_ref<bool(OpOperand &)> predicate) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
        return anyUse(view.getViewDest(), predicate);
      return predicate(use);
    });
  }

  //===--- transfers ------------------------------------------------------------------===//

  bool isOnDevice(Value value) {
    value = getViewRoot(value);
    if (isa<BlockArgument>(value))
      return getState(value) != nullptr;
    auto enqueued = value.getDefiningOp<EnqueuedOpInterface>();
    return !enqueued || enqueued.writesOnDevice();
  }

  /// Whether the user of a value, which is no view, needs it in the device's memory.
  bool isNeededOnDevice(OpOperand &use) {
    if (use.getOwner() == terminator)
      return function.getResultAttr(use.getOperandNumber(), kStateAttrName) != nullptr;
    auto enqueued = dyn_cast<EnqueuedOpInterface>(use.getOwner());
    return !enqueued || enqueued.readsOnDevice(use.getOperandNumber());
  }

  void addTransfers() {
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    OpBuilder builder(&block, block.begin());
    for (BlockArgument argument : block.getArguments())
      addToDevice(builder, argument);
    for (Operation *op : ops) {
      if (isa<ViewLikeOpInterface>(op))
        continue; // where its source is
      for (OpOperand &operand : op->getOpOperands())
        if (isOnDevice(operand.get()) && !isNeededOnDevice(operand)) {
          builder.setInsertionPoint(op);
          Location loc = op == terminator ? operand.get().getLoc() : op->getLoc();
          operand.set(FromDeviceOp::create(builder, loc, operand.get().getType(), operand.get()));
        }
      builder.setInsertionPointAfter(op);
      if (op != terminator)
        for (Value result : op->getResults())
          addToDevice(builder, result);
    }
  }

  /// Moves a value of the host's, and its views, if some user needs it on the device.
  void addToDevice(OpBuilder &builder, Value value) {
    if (isOnDevice(value) || !isa<RankedTensorType>(value.getType()) ||
        !anyUse(value, [&](OpOperand &use) { return isNeededOnDevice(use); }))
      return;
    auto transfer = ToDeviceOp::create(builder, value.getLoc(), value.getType(), value);
    value.replaceUsesWithIf(transfer, [&](OpOperand &use) {
      return use.getOwner() != transfer &&
             (isa<ViewLikeOpInterface>(use.getOwner()) || isNeededOnDevice(use));
    });
  }

  void removeRoundTrips() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (!isa<ToDeviceOp, FromDeviceOp>(op))
        continue;
      Operation *first = op.getOperand(0).getDefiningOp();
      if (isa_and_present<ToDeviceOp, FromDeviceOp>(first) && first->getName() != op.getName() &&
          first->getOperand(0).getType() == op.getResult(0).getType())
        op.replaceAllUsesWith(ValueRange{first->getOperand(0)});
      if (op.use_empty())
        op.erase();
    }
  }

  //===--- regions --------------------------------------------------------------------===//

  void formRegions() {
    for (auto begin = block.begin(); begin != terminator->getIterator();) {
      auto end = std::find_if(begin, terminator->getIterator(),
                              [](Operation &op) { return TraceBoundaryOp::separates(&op); });
      if (llvm::any_of(llvm::make_range(begin, end), llvm::IsaPred<DeviceWorkOpInterface>))
        formRegion(begin, end);
      begin = end == terminator->getIterator() ? end : std::next(end);
      if (isa<TraceBoundaryOp>(*end))
        end->erase();
    }
  }

  /// Moves the ops from `begin` to `end` into a region, which yields what others use. Constants
  /// that others use stay before it.
  void formRegion(Block::iterator begin, Block::iterator end) {
    struct Use {
      Operation *user; ///< in the function's block
      size_t number;   ///< among the user's
      OpOperand *operand;
    };
    SmallVector<Use> uses;
    llvm::SetVector<Operation *> constants;
    for (Operation &op : llvm::make_range(begin, end))
      for (OpOperand &use : op.getUses()) {
        Operation *owner = use.getOwner(), *user = block.findAncestorOpInBlock(*owner);
        if (user->isBeforeInBlock(&*end))
          continue;
        if (op.hasTrait<OpTrait::ConstantLike>()) {
          constants.insert(&op);
          continue;
        }
        const size_t number =
            owner == user ? use.getOperandNumber() : user->getNumOperands() + uses.size();
        uses.push_back({user, number, &use});
      }
    // In the order of the function, so that the order of results does not depend on that of uses.
    llvm::sort(uses, [](const Use &a, const Use &b) {
      return a.user == b.user ? a.number < b.number : a.user->isBeforeInBlock(b.user);
    });
    llvm::MapVector<Value, unsigned> results;
    for (const Use &use : uses)
      results.try_emplace(use.operand->get(), results.size());
    for (Operation *constant : constants)
      if (begin == constant->getIterator())
        ++begin;
      else
        constant->moveBefore(&*begin);
    auto values = llvm::map_to_vector(results, [](auto &result) { return result.first; });

    OpBuilder builder(&block, end);
    auto traced = TracedOp::create(builder, function.getLoc(), TypeRange(ValueRange(values)));
    Block &body = traced.getBody().emplaceBlock();
    body.getOperations().splice(body.end(), block.getOperations(), begin, traced->getIterator());
    for (const Use &use : uses)
      use.operand->set(traced.getResult(results.lookup(use.operand->get())));
    builder.setInsertionPointToEnd(&body);
    YieldOp::create(builder, terminator->getLoc(), values);
  }

  func::FuncOp function;
  Block &block;
  Operation *terminator;
};

struct FormTraces : mlir::ttc::impl::FormTracesBase<FormTraces> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || isMarked(function))
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("expected a function of one block, found ")
          << function.getBody().getBlocks().size()
          << ": a trace has no control flow; let the caller choose between functions";
      return signalPassFailure();
    }
    if (failed(verifySignature(function)))
      return signalPassFailure();
    TraceFormer(function).run();
  }

private:
  static bool isMarked(func::FuncOp function) {
    return function.walk([](TracedOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Signature.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/QueueOps.h"
#include "dialects/Ttc/Traces/StateOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FORMTRACES
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

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
    form(function);
  }

private:
  static bool isMarked(func::FuncOp function) {
    return function
        .walk([](Operation *op) {
          return isa<TracedOp, ExecuteOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static void form(func::FuncOp function) {
    Block &block = function.getBody().front();
    Operation *terminator = block.getTerminator();
    OpBuilder builder(terminator);
    auto traced = TracedOp::create(builder, function.getLoc(), terminator->getOperandTypes());
    Block &body = traced.getBody().emplaceBlock();
    body.getOperations().splice(body.end(), block.getOperations(), block.begin(),
                                traced->getIterator());

    builder.setInsertionPointToStart(&body);
    for (BlockArgument argument : block.getArguments()) {
      if (argument.use_empty() || function.getArgAttr(argument.getArgNumber(), kStateAttrName))
        continue; // state is on the device
      auto transfer = ToDeviceOp::create(builder, argument.getLoc(), argument.getType(), argument);
      argument.replaceAllUsesExcept(transfer, transfer);
    }
    builder.setInsertionPointToEnd(&body);
    SmallVector<Value> results;
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      Attribute state = function.getResultAttr(i, kStateAttrName);
      Value result = keepOldValue(builder, function, value, state);
      if (!state)
        result = FromDeviceOp::create(builder, result.getLoc(), result.getType(), result);
      results.push_back(result);
    }
    YieldOp::create(builder, terminator->getLoc(), results);
    terminator->setOperands(traced.getResults());
    placeHostSteps(body, isHostsOwn(function));
  }

  /// A result that is the value of a state before the run, perhaps in another shape, is copied:
  /// the state may be updated before it is read. `state` is the one that the result updates.
  static Value keepOldValue(OpBuilder &builder, func::FuncOp function, Value value,
                            Attribute state) {
    auto argument = dyn_cast<BlockArgument>(getViewRoot(value));
    if (!argument)
      return value;
    Attribute old = function.getArgAttr(argument.getArgNumber(), kStateAttrName);
    if (!old || old == state)
      return value;
    // As early as possible: the state's update may be in place only after the copy.
    OpBuilder::InsertionGuard guard(builder);
    if (Operation *view = value.getDefiningOp())
      builder.setInsertionPointAfter(view);
    else
      builder.setInsertionPointToStart(builder.getBlock());
    return CopyOp::create(builder, value.getLoc(), value.getType(), value);
  }

  /// Whether the device's memory is the host's.
  static bool isHostsOwn(func::FuncOp function) {
    auto module = function->getParentOfType<ModuleOp>();
    auto target = module ? module->getAttrOfType<TargetAttr>(kTargetAttrName) : TargetAttr();
    return target && target.getName() == "cpu";
  }

  /// Steps that the host computes take their tensors from the device's memory if that is the
  /// host's, and otherwise from transfers around them.
  static void placeHostSteps(Block &body, bool isHostsOwn) {
    SmallVector<EnqueuedOpInterface> steps;
    for (Operation &op : body)
      if (auto step = dyn_cast<EnqueuedOpInterface>(op); step && !isa<ToDeviceOp, FromDeviceOp>(op))
        steps.push_back(step);
    if (steps.empty())
      return;
    for (EnqueuedOpInterface step : steps)
      if (!isHostsOwn || !step.takeDeviceMemory())
        addTransfers(step);
    // A transfer there and back is none.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
      if (auto back = dyn_cast<FromDeviceOp>(op))
        if (auto there = back.getInput().getDefiningOp<ToDeviceOp>())
          back.replaceAllUsesWith(there.getInput());
      if (isa<ToDeviceOp, FromDeviceOp>(op) && op.use_empty())
        op.erase();
    }
  }

  static void addTransfers(EnqueuedOpInterface step) {
    OpBuilder builder(step);
    for (OpOperand &operand : step->getOpOperands())
      if (!step.readsOnDevice(operand.getOperandNumber()))
        operand.set(
            FromDeviceOp::create(builder, step->getLoc(), operand.get().getType(), operand.get()));
    if (step.writesOnDevice())
      return;
    builder.setInsertionPointAfter(step);
    for (Value result : step->getResults()) {
      auto transfer = ToDeviceOp::create(builder, step->getLoc(), result.getType(), result);
      result.replaceAllUsesExcept(transfer, transfer);
    }
  }
};

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Untraceable.h"
#include "dialects/Ttc/Traces/QueueOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_INLINETRACED
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// A step that the host computes, which says where it takes its tensors from: no transfer.
bool isHostStep(Operation *op) {
  return isa_and_present<EnqueuedOpInterface>(op) && !isa<ToDeviceOp, FromDeviceOp>(op);
}

bool isUsedByHostStep(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    auto view = dyn_cast<ViewLikeOpInterface>(user);
    return isHostStep(user) || (view && isUsedByHostStep(view.getViewDest()));
  });
}

struct InlineTraced : mlir::ttc::impl::InlineTracedBase<InlineTraced> {
  PassCounter numRegions{*this, "regions", "Traced regions inlined"};
  PassCounter numTransfers{*this, "transfers", "Transfers removed"};

  void runOnOperation() override {
    bool good = true;
    getOperation().walk([&](TracedOp traced) { good &= succeeded(verify(traced)); });
    if (!good)
      return signalPassFailure();
    getOperation().walk([&](TracedOp traced) {
      inlineRegion(traced);
      ++numRegions;
    });
    getOperation().walk([&](Operation *op) {
      if (!isImplied(op))
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
      ++numTransfers;
    });
  }

private:
  static LogicalResult verify(TracedOp traced) {
    bool good = true;
    for (Operation &op : traced.getBody().front().without_terminator()) {
      if (!isa<EventOpInterface>(op) &&
          (isa<DeviceWorkOpInterface, HostWorkOpInterface>(op) ||
           (isMemoryEffectFree(&op) &&
            (op.getNumRegions() == 0 || isa<TtcDialect>(op.getDialect())))))
        continue;
      reportUntraceable(&op);
      good = false;
    }
    return success(good);
  }

  /// Whether the op could be in another trace.
  static bool isWork(Operation &op) {
    return !isa<ToDeviceOp, FromDeviceOp, ViewLikeOpInterface>(op) &&
           !op.hasTrait<OpTrait::ConstantLike>() && !op.hasTrait<OpTrait::IsTerminator>();
  }

  /// A region of all that a function computes needs no boundaries, two regions in a row one.
  static void inlineRegion(TracedOp traced) {
    OpBuilder builder(traced);
    Block &block = *traced->getBlock();
    const Block::iterator place = traced->getIterator();
    Operation *before = traced->getPrevNode();
    while (before && !isWork(*before))
      before = before->getPrevNode();
    const bool isLast = llvm::none_of(llvm::make_range(std::next(place), block.end()), isWork);
    if (before && !isa<TraceBoundaryOp>(before))
      TraceBoundaryOp::create(builder, traced.getLoc());
    Block &body = traced.getBody().front();
    Operation *yield = body.getTerminator();
    traced.replaceAllUsesWith(yield->getOperands());
    yield->erase();
    block.getOperations().splice(place, body.getOperations());
    if (!isLast)
      TraceBoundaryOp::create(builder, traced.getLoc());
    traced.erase();
  }

  /// Whether --ttc-form-traces would make the transfer: it does not change the layout, and no host
  /// step is on its host side.
  static bool isImplied(Operation *op) {
    if (!isa<ToDeviceOp, FromDeviceOp>(op) ||
        op->getOperand(0).getType() != op->getResult(0).getType())
      return false;
    return isa<ToDeviceOp>(op) ? !isHostStep(getViewRoot(op->getOperand(0)).getDefiningOp())
                               : !isUsedByHostStep(op->getResult(0));
  }
};

} // namespace

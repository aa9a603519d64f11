// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Signature.h"
#include "dialects/Ttc/TtcOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
      if (argument.use_empty())
        continue;
      auto transfer = ToDeviceOp::create(builder, argument.getLoc(), argument.getType(), argument);
      argument.replaceAllUsesExcept(transfer, transfer);
    }
    builder.setInsertionPointToEnd(&body);
    SmallVector<Value> results;
    for (Value value : terminator->getOperands())
      results.push_back(FromDeviceOp::create(builder, value.getLoc(), value.getType(), value));
    YieldOp::create(builder, terminator->getLoc(), results);
    terminator->setOperands(traced.getResults());
  }
};

} // namespace

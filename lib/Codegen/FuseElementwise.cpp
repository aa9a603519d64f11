// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TileShape.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Codegen/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

/// Whether the producer of this operand is worth computing inside its consumer.
static bool isWorthFusing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer)
    return true;
  constexpr int64_t kCheap = 4;
  if (bodyCost(producer) <= kCheap)
    return true;
  auto count = [](linalg::LinalgOp op) {
    int64_t product = 1;
    for (int64_t extent : op.getStaticLoopRanges())
      product *= extent;
    return product;
  };
  return producer->hasOneUse() && count(consumer) <= count(producer);
}

namespace {
struct FuseElementwisePass : mlir::ttc::impl::FuseElementwiseBase<FuseElementwisePass> {
  void runOnOperation() override {
    func::FuncOp body = getOperation();
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, isWorthFusing);
    linalg::populateInlineConstantOperandsPatterns(patterns);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(body, std::move(patterns))))
      return signalPassFailure();
    IRRewriter rewriter(context);
    DominanceInfo dominance(body);
    eliminateCommonSubExpressions(rewriter, dominance, body);
  }
};
} // namespace

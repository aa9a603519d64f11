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

/// Whether an op reads the same elements by several operands.
static bool hasEqualInputs(linalg::LinalgOp op) {
  DenseSet<std::pair<Value, AffineMap>> inputs;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return !inputs.insert({input->get(), op.getMatchingIndexingMap(input)}).second;
  });
}

/// Whether computing the producer inside of its consumer costs less than storing its result.
static bool isCheaper(linalg::LinalgOp producer, linalg::LinalgOp consumer) {
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

/// Whether the producer of this operand is to be fused now. Each producer is fused once, however
/// many paths lead to it, or there would be exponentially many copies of it: equal inputs become
/// one first, and the last producer is fused first, because others may be its operands, too.
static bool isWorthFusing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer)
    return true;
  if (!isCheaper(producer, consumer) || hasEqualInputs(consumer))
    return false;
  return llvm::none_of(consumer.getDpsInputOperands(), [&](OpOperand *input) {
    auto other = input->get().getDefiningOp<linalg::LinalgOp>();
    return other && other != producer && other->getBlock() == producer->getBlock() &&
           producer->isBeforeInBlock(other) && linalg::areElementwiseOpsFusable(input) &&
           isCheaper(other, consumer);
  });
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

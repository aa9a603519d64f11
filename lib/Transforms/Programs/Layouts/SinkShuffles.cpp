// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TransposeUtils.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_SINKSHUFFLES
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// The shuffle that makes a value, if it moves elements at run time and nothing else needs it:
/// after its user, it moves no more elements than before.
std::optional<ChannelShuffle> getMovableShuffle(Value value) {
  std::optional<ChannelShuffle> shuffle = getChannelShuffle(value);
  if (!shuffle || !value.hasOneUse() || !value.getDefiningOp<ReshapeOp>().getX().hasOneUse() ||
      isConstantExpression(value))
    return std::nullopt;
  return shuffle;
}

struct CountingPattern {
  explicit CountingPattern(PassCounter &count) : count(count) {}
  PassCounter &count;
};

struct SinkThroughDepthwise : OpRewritePattern<ConvOp>, CountingPattern {
  SinkThroughDepthwise(MLIRContext *context, PassCounter &count)
      : OpRewritePattern(context), CountingPattern(count) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto in = tensorType(op.getX()), out = tensorType(op.getY());
    int64_t channels = in.getShape().back();
    if (!op.getChannelsLast() || op.getGroups() != channels || out.getShape().back() != channels ||
        out.getNumElements() > in.getNumElements() || !isConstantExpression(op.getW()) ||
        (op.getBias() && !isConstantExpression(op.getBias())))
      return failure();
    std::optional<ChannelShuffle> shuffle = getMovableShuffle(op.getX());
    if (!shuffle)
      return failure();
    auto undo = [&](Value ofChannels) {
      return undoChannelShuffle(rewriter, op.getLoc(), ofChannels, 0, shuffle->groups);
    };
    SmallVector<Value> operands{shuffle->x, undo(op.getW())};
    if (op.getBias())
      operands.push_back(undo(op.getBias()));
    Operation *conv = rewriter.clone(*op);
    conv->setOperands(operands);
    rewriter.replaceOp(
        op, createChannelShuffle(rewriter, op.getLoc(), {conv->getResult(0), shuffle->groups}));
    ++count;
    return success();
  }
};

struct SinkThroughElementwise : OpInterfaceRewritePattern<ElementwiseOpInterface>, CountingPattern {
  SinkThroughElementwise(MLIRContext *context, PassCounter &count)
      : OpInterfaceRewritePattern(context), CountingPattern(count) {}

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto shape = tensorType(op->getResult(0)).getShape();
    int64_t groups = 0;
    for (Value operand : op->getOperands())
      if (std::optional<ChannelShuffle> shuffle = getMovableShuffle(operand);
          shuffle && tensorType(operand).getShape() == shape)
        groups = shuffle->groups;
    if (groups == 0)
      return failure();
    // What each operand becomes: null for a constant that is shuffled back.
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto type = tensorType(operand);
      std::optional<ChannelShuffle> shuffle = getMovableShuffle(operand);
      if (shuffle && shuffle->groups == groups && type.getShape() == shape)
        operands.push_back(shuffle->x);
      else if (type.getRank() == 0 || type.getShape().back() == 1)
        operands.push_back(operand);
      else if (isConstantExpression(operand))
        operands.push_back({});
      else
        return failure();
    }
    for (auto [operand, old] : llvm::zip_equal(operands, op->getOperands()))
      if (!operand)
        operand =
            undoChannelShuffle(rewriter, op.getLoc(), old, tensorType(old).getRank() - 1, groups);
    Operation *clone = rewriter.clone(*op);
    clone->setOperands(operands);
    rewriter.replaceOp(op,
                       createChannelShuffle(rewriter, op.getLoc(), {clone->getResult(0), groups}));
    ++count;
    return success();
  }
};

/// Each output channel sums over all input channels, so the order of channels can become that of
/// the weights.
struct AbsorbIntoWeights : OpRewritePattern<ConvOp>, CountingPattern {
  AbsorbIntoWeights(MLIRContext *context, PassCounter &count)
      : OpRewritePattern(context), CountingPattern(count) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    std::optional<ChannelShuffle> shuffle = getChannelShuffle(op.getX());
    if (!op.getChannelsLast() || op.getGroups() != 1 || !shuffle ||
        isConstantExpression(op.getX()) || !isConstantExpression(op.getW()))
      return failure();
    Value weights = undoChannelShuffle(rewriter, op.getLoc(), op.getW(), 1, shuffle->groups);
    rewriter.modifyOpInPlace(op, [&] {
      op.getXMutable().assign(shuffle->x);
      op.getWMutable().assign(weights);
    });
    ++count;
    return success();
  }
};

struct SinkShuffles : impl::SinkShufflesBase<SinkShuffles> {
  PassCounter numSunk{*this, "sunk", "Shuffles that were moved past an op"};
  PassCounter numAbsorbed{*this, "absorbed", "Shuffles that became an order of weights"};

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkThroughDepthwise, SinkThroughElementwise>(&getContext(), numSunk);
    patterns.add<AbsorbIntoWeights>(&getContext(), numAbsorbed);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ttc

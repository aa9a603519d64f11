// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FoldConstants.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// A float that broadcasts to anything.
Value createScalar(OpBuilder &builder, Location loc, Type elementType, double number) {
  auto type = RankedTensorType::get({}, elementType);
  auto value = DenseElementsAttr::get(type, builder.getFloatAttr(elementType, number));
  return ConstantOp::create(builder, loc, value);
}

/// Whether `value` is constant, varies along `channelDim` of `result` only, and broadcasts to
/// the result's shape without changing it.
bool isChannelConstant(Value value, RankedTensorType result, int64_t channelDim) {
  auto type = tensorType(value);
  if (type.getElementType() != result.getElementType() || type.getRank() > result.getRank() ||
      !isConstantExpression(value))
    return false;
  int64_t missing = result.getRank() - type.getRank();
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (size != 1 && static_cast<int64_t>(i) + missing != channelDim)
      return false;
  int64_t count = type.getNumElements();
  return count == 1 || count == result.getDimSize(channelDim);
}

/// Such a value as a vector with an element for each channel.
Value getChannelVector(OpBuilder &builder, Value value, int64_t channels) {
  int64_t count = tensorType(value).getNumElements();
  Value vector = ReshapeOp::create(builder, value.getLoc(), value, count);
  if (count == channels)
    return vector;
  return ExpandOp::create(builder, value.getLoc(), vector, channels);
}

/// batch_norm with constant statistics is a multiplication and an addition for each channel.
struct DecomposeBatchNorm : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    for (Value parameter : op->getOperands().drop_front())
      if (!isConstantExpression(parameter))
        return rewriter.notifyMatchFailure(op, "statistics are not constant");
    Location loc = op.getLoc();
    auto type = tensorType(op.getX());
    SmallVector<int64_t> shape(type.getRank(), 1);
    int64_t channelDim = op.getChannelsLast() ? type.getRank() - 1 : 1;
    shape[channelDim] = type.getDimSize(channelDim);
    Value epsilon =
        createScalar(rewriter, loc, type.getElementType(), op.getEpsilon().convertToDouble());
    Value variance = AddOp::create(rewriter, loc, op.getVar(), epsilon);
    Value deviation = SqrtOp::create(rewriter, loc, variance);
    Value scale = DivOp::create(rewriter, loc, op.getScale(), deviation);
    Value mean = MulOp::create(rewriter, loc, op.getMean(), scale);
    Value shift = SubOp::create(rewriter, loc, op.getBias(), mean);
    Value scaled = MulOp::create(rewriter, loc, op.getX(),
                                 ReshapeOp::create(rewriter, loc, scale, shape).getResult());
    rewriter.replaceOpWithNewOp<AddOp>(op, scaled,
                                       ReshapeOp::create(rewriter, loc, shift, shape).getResult());
    return success();
  }
};

/// Which of a commutative op's operands is constant; null if none or both are.
std::pair<Value, Value> splitConstant(Value a, Value b) {
  bool constantA = isConstantExpression(a), constantB = isConstantExpression(b);
  if (constantA == constantB)
    return {};
  return constantA ? std::pair(b, a) : std::pair(a, b);
}

/// Whether an op's result has the type of this operand: the other one broadcasts to it.
bool keepsShape(Operation *op, Value operand) {
  return op->getResult(0).getType() == operand.getType();
}

/// The op whose weights and bias can take over what `op`, the only user of its result, does
/// to it with the channel constant `parameter`.
AffineWeightsOpInterface getAffineProducer(Operation *op, Value data, Value parameter) {
  auto producer = data.getDefiningOp<AffineWeightsOpInterface>();
  if (!producer || !data.hasOneUse() || op->getResult(0).getType() != data.getType())
    return {};
  Value bias = producer.getChannelBias();
  if ((bias && !isConstantExpression(bias)) ||
      !isChannelConstant(parameter, tensorType(data), producer.getResultChannelDim()))
    return {};
  return producer;
}

/// (x * w + b) * c = x * (w * c) + b * c
void scaleProducer(AffineWeightsOpInterface producer, Operation *op, Value factor,
                   PatternRewriter &rewriter) {
  // The parameter need not dominate the producer; it does where its only user is.
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.moveOpBefore(producer, op);
  rewriter.setInsertionPoint(producer);
  Value data = producer->getResult(0);
  int64_t channels = tensorType(data).getDimSize(producer.getResultChannelDim());
  Value scale = getChannelVector(rewriter, factor, channels);
  Value weights = producer.scaleWeights(rewriter, scale);
  Value bias = producer.getChannelBias();
  if (bias)
    bias = MulOp::create(rewriter, bias.getLoc(), bias, scale);
  rewriter.modifyOpInPlace(producer, [&] {
    producer.getWeights().set(weights);
    if (bias)
      producer.setChannelBias(bias);
    producer->setLoc(rewriter.getFusedLoc({producer.getLoc(), op->getLoc()}));
  });
  rewriter.replaceOp(op, data);
}

/// (x * w + b) + c = x * w + (b + c)
void shiftProducer(AffineWeightsOpInterface producer, Operation *op, Value summand,
                   PatternRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.moveOpBefore(producer, op);
  rewriter.setInsertionPoint(producer);
  Value data = producer->getResult(0);
  int64_t channels = tensorType(data).getDimSize(producer.getResultChannelDim());
  Value shift = getChannelVector(rewriter, summand, channels);
  if (Value bias = producer.getChannelBias())
    shift = AddOp::create(rewriter, bias.getLoc(), bias, shift);
  rewriter.modifyOpInPlace(producer, [&] {
    producer.setChannelBias(shift);
    producer->setLoc(rewriter.getFusedLoc({producer.getLoc(), op->getLoc()}));
  });
  rewriter.replaceOp(op, data);
}

bool isFloat(Value value) { return isa<FloatType>(tensorType(value).getElementType()); }

struct FoldMul : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    auto [data, factor] = splitConstant(op.getA(), op.getB());
    if (!data || !isFloat(data))
      return failure();
    AffineWeightsOpInterface producer = getAffineProducer(op, data, factor);
    if (producer && isConstantExpression(producer.getWeights().get())) {
      scaleProducer(producer, op, factor, rewriter);
      return success();
    }
    if (!data.hasOneUse())
      return failure();
    // (x * a) * b = x * (a * b), where that makes no larger constant.
    if (auto mul = data.getDefiningOp<MulOp>()) {
      auto [inner, innerFactor] = splitConstant(mul.getA(), mul.getB());
      if (!inner || !keepsShape(mul, inner) || !keepsShape(op, data))
        return failure();
      Value product = MulOp::create(rewriter, op.getLoc(), innerFactor, factor);
      rewriter.replaceOpWithNewOp<MulOp>(op, inner, product);
      return success();
    }
    // (x + a) * b = x * b + a * b, so that both can move on.
    if (auto add = data.getDefiningOp<AddOp>()) {
      auto [inner, summand] = splitConstant(add.getA(), add.getB());
      if (!inner || !keepsShape(add, inner) || !keepsShape(op, data))
        return failure();
      Value scaled = MulOp::create(rewriter, op.getLoc(), inner, factor);
      Value shift = MulOp::create(rewriter, op.getLoc(), summand, factor);
      rewriter.replaceOpWithNewOp<AddOp>(op, scaled, shift);
      return success();
    }
    return failure();
  }
};

struct FoldDiv : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    AffineWeightsOpInterface producer = getAffineProducer(op, op.getA(), op.getB());
    if (!isFloat(op.getA()) || !producer || !isConstantExpression(producer.getWeights().get()))
      return failure();
    // The weights are rounded anyway.
    rewriter.moveOpBefore(producer, op);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(producer);
    Value factor = ReciprocalOp::create(rewriter, op.getLoc(), op.getB());
    scaleProducer(producer, op, factor, rewriter);
    return success();
  }
};

struct FoldAdd : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    auto [data, summand] = splitConstant(op.getA(), op.getB());
    if (!data || !isFloat(data))
      return failure();
    if (AffineWeightsOpInterface producer = getAffineProducer(op, data, summand)) {
      shiftProducer(producer, op, summand, rewriter);
      return success();
    }
    // (x + a) + b = x + (a + b)
    auto add = data.getDefiningOp<AddOp>();
    if (!add || !data.hasOneUse() || !keepsShape(op, data))
      return failure();
    auto [inner, innerSummand] = splitConstant(add.getA(), add.getB());
    if (!inner || !keepsShape(add, inner))
      return failure();
    Value sum = AddOp::create(rewriter, op.getLoc(), innerSummand, summand);
    rewriter.replaceOpWithNewOp<AddOp>(op, inner, sum);
    return success();
  }
};

struct FoldSub : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    if (!isFloat(op.getA()) || !isConstantExpression(op.getB()) || isConstantExpression(op.getA()))
      return failure();
    Value summand = NegOp::create(rewriter, op.getLoc(), op.getB());
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getA(), summand);
    return success();
  }
};

/// A split is several slices: each can then be evaluated, or fused with its user, alone.
struct SplitToSlices : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SplitOp op, PatternRewriter &rewriter) const override {
    auto type = tensorType(op.getX());
    SmallVector<int64_t> starts(type.getRank(), 0), steps(type.getRank(), 1);
    SmallVector<Value> slices;
    for (int64_t size : op.getSizes()) {
      SmallVector<int64_t> sizes(type.getShape());
      sizes[op.getAxis()] = size;
      slices.push_back(SliceOp::create(rewriter, op.getLoc(), op.getX(), starts, sizes, steps));
      starts[op.getAxis()] += size;
    }
    rewriter.replaceOp(op, slices);
    return success();
  }
};

} // namespace

void mlir::ttc::populateFoldConstantsPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeBatchNorm, FoldMul, FoldDiv, FoldAdd, FoldSub, SplitToSlices>(
      patterns.getContext());
}

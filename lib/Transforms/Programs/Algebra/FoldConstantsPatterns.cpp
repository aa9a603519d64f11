// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FoldConstants.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"

#include <cfloat>
#include <cmath>

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

/// batch_norm with constant statistics is (x - mean) * (scale / sqrt(var + epsilon)) + bias. Not
/// x * a + b, which is as short, but loses all that a large mean has in common with x.
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
    auto perChannel = [&](Value vector) -> Value {
      return ReshapeOp::create(rewriter, loc, vector, shape);
    };
    Value epsilon =
        createScalar(rewriter, loc, type.getElementType(), op.getEpsilon().convertToDouble());
    Value variance = AddOp::create(rewriter, loc, op.getVar(), epsilon);
    Value deviation = SqrtOp::create(rewriter, loc, variance);
    Value scale = DivOp::create(rewriter, loc, op.getScale(), deviation);
    Value centred = SubOp::create(rewriter, loc, op.getX(), perChannel(op.getMean()));
    Value scaled = MulOp::create(rewriter, loc, centred, perChannel(scale));
    rewriter.replaceOpWithNewOp<AddOp>(op, scaled, perChannel(op.getBias()));
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

/// The op whose weights and bias can take over what `op`, the only user of its result, does
/// to it with the channel constant `parameter`.
AffineWeightsOpInterface getAffineProducer(Operation *op, Value data, Value parameter) {
  auto producer = data.getDefiningOp<AffineWeightsOpInterface>();
  if (!producer || !data.hasOneUse() || op->getResult(0).getType() != data.getType() ||
      !isa<FloatType>(tensorType(data).getElementType()))
    return {};
  Value bias = producer.getChannelBias();
  if ((bias && !isConstantExpression(bias)) ||
      !isChannelConstant(parameter, tensorType(data), producer.getResultChannelDim()))
    return {};
  return producer;
}

/// The magnitudes of a constant's elements.
struct Magnitudes {
  double least = std::numeric_limits<double>::infinity(); ///< of those that are not zero
  double largest = 0;
  bool hasZero = false, hasNaN = false;
};

/// On all devices. Nothing if the elements are not f32 or f64.
std::optional<Magnitudes> getMagnitudes(Value constant) {
  Magnitudes found;
  auto look = [&](auto elements) {
    for (double element : elements) {
      const double magnitude = std::abs(element);
      found.hasNaN |= std::isnan(magnitude);
      found.hasZero |= magnitude == 0;
      found.largest = std::max(found.largest, magnitude);
      found.least = std::min(found.least, magnitude == 0 ? found.least : magnitude);
    }
  };
  SmallVector<ConstantTensor> tensors = evaluateOnDevices(constant.getDefiningOp());
  for (const ConstantTensor &tensor : tensors) {
    Type type = tensor.getType().getElementType();
    if (type.isF32())
      look(tensor.get<float>());
    else if (type.isF64())
      look(tensor.get<double>());
    else
      return std::nullopt;
  }
  return tensors.empty() ? std::nullopt : std::optional(found);
}

/// Those of the weights, if they are constant.
std::optional<Magnitudes> getWeightMagnitudes(AffineWeightsOpInterface producer) {
  Value weights = producer.getWeights().get();
  return isConstantExpression(weights) ? getMagnitudes(weights) : std::nullopt;
}

/// Larger factors are not folded: sums of scaled products would overflow where the sum of the
/// products does not.
constexpr double kMostScale = 0x1p32;

/// Whether weights and bias of an op remain finite, and normal unless they are zero, if they are
/// multiplied by factors of these magnitudes. Then the fold changes no more than the rounding of
/// each of them.
bool keepsRange(AffineWeightsOpInterface producer, const Magnitudes &factors) {
  if (factors.hasNaN || factors.largest > kMostScale)
    return false;
  const bool isF32 = tensorType(producer.getWeights().get()).getElementType().isF32();
  auto isKept = [&](std::optional<Magnitudes> numbers) {
    return numbers && !numbers->hasNaN &&
           numbers->largest * factors.largest <= (isF32 ? FLT_MAX : DBL_MAX) &&
           numbers->least * factors.least >= (isF32 ? FLT_MIN : DBL_MIN);
  };
  Value bias = producer.getChannelBias();
  return isKept(getWeightMagnitudes(producer)) && (!bias || isKept(getMagnitudes(bias)));
}

/// The largest bias, in multiples of what products with inputs of magnitude 1 sum to: sums begin
/// with it, and each of their terms is rounded to its last place.
constexpr double kMostBias = 16;

/// Whether a summand may join the bias of an op. A large one may not: it rounds a sum, or is there
/// to.
bool mayJoinBias(AffineWeightsOpInterface producer, Value summand) {
  Value bias = producer.getChannelBias();
  const std::optional<Magnitudes> summands = getMagnitudes(summand);
  const std::optional<Magnitudes> biases = bias ? getMagnitudes(bias) : Magnitudes{};
  const std::optional<Magnitudes> weights = getWeightMagnitudes(producer);
  if (!summands || !biases || !weights || summands->hasNaN || biases->hasNaN)
    return false;
  const auto result = tensorType(producer->getResult(0));
  const int64_t terms = tensorType(producer.getWeights().get()).getNumElements() /
                        result.getDimSize(producer.getResultChannelDim());
  return std::max(summands->largest, biases->largest) <=
         kMostBias * static_cast<double>(terms) * weights->largest;
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

struct FoldMul : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    auto [data, factor] = splitConstant(op.getA(), op.getB());
    if (!data)
      return failure();
    AffineWeightsOpInterface producer = getAffineProducer(op, data, factor);
    const std::optional<Magnitudes> factors = producer ? getMagnitudes(factor) : std::nullopt;
    if (!factors || !keepsRange(producer, *factors))
      return failure();
    scaleProducer(producer, op, factor, rewriter);
    return success();
  }
};

struct FoldDiv : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    AffineWeightsOpInterface producer = getAffineProducer(op, op.getA(), op.getB());
    const std::optional<Magnitudes> divisors = producer ? getMagnitudes(op.getB()) : std::nullopt;
    if (!divisors || divisors->hasNaN || divisors->hasZero ||
        !keepsRange(producer, {1 / divisors->largest, 1 / divisors->least}))
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
    if (!data)
      return failure();
    AffineWeightsOpInterface producer = getAffineProducer(op, data, summand);
    if (!producer || !mayJoinBias(producer, summand))
      return failure();
    shiftProducer(producer, op, summand, rewriter);
    return success();
  }
};

/// x - c = x + (-c), exactly.
struct FoldSub : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(tensorType(op.getA()).getElementType()) ||
        !isConstantExpression(op.getB()) || isConstantExpression(op.getA()))
      return failure();
    Value summand = NegOp::create(rewriter, op.getLoc(), op.getB());
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getA(), summand);
    return success();
  }
};

/// Whether all elements of a constant of f32 are this number.
bool isFilledWith(Value constant, float number) {
  if (!isConstantExpression(constant) || !tensorType(constant).getElementType().isF32())
    return false;
  SmallVector<ConstantTensor> tensors = evaluateOnDevices(constant.getDefiningOp());
  return !tensors.empty() && llvm::all_of(tensors, [&](const ConstantTensor &tensor) {
    return llvm::all_of(tensor.get<float>(), [&](float x) { return x == number; });
  });
}

/// An instance norm whose channels are the groups of an image's channels, as exporters write a
/// group norm: in layouts that the reshapes do not hide.
struct RaiseGroupNorm : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto norm = op.getX().getDefiningOp<InstanceNormOp>();
    auto split = norm ? norm.getX().getDefiningOp<ReshapeOp>() : ReshapeOp();
    if (!split || norm.getChannelsLast() || split.getX().getType() != op.getType() ||
        !isConstantExpression(norm.getScale()) || !isConstantExpression(norm.getBias()))
      return failure();
    auto shape = tensorType(op.getY()).getShape(), grouped = tensorType(norm.getX()).getShape();
    int64_t groups = grouped[1];
    if (shape.size() < 3 || shape[0] != grouped[0] || groups == 0 || shape[1] % groups != 0)
      return failure();
    auto perChannel = [&](Value vector) -> Value {
      Location loc = op.getLoc();
      Value column = ReshapeOp::create(rewriter, loc, vector, ArrayRef<int64_t>{groups, 1});
      Value spread =
          ExpandOp::create(rewriter, loc, column, ArrayRef<int64_t>{groups, shape[1] / groups});
      return ReshapeOp::create(rewriter, loc, spread, shape[1]);
    };
    Value scale = perChannel(norm.getScale()), bias = perChannel(norm.getBias());
    rewriter.replaceOpWithNewOp<GroupNormOp>(
        op, split.getX(), scale, bias, rewriter.getI64IntegerAttr(groups), norm.getEpsilonAttr());
    return success();
  }
};

/// The factors, or the summands, of the channels of a group norm that has none of its own yet:
/// nothing is reassociated.
template <typename Op> struct FoldIntoGroupNorm : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto [data, parameter] = splitConstant(op.getA(), op.getB());
    auto norm = data ? data.template getDefiningOp<GroupNormOp>() : GroupNormOp();
    if (!norm || !data.hasOneUse() || op.getType() != data.getType())
      return failure();
    int64_t channelDim = norm.getChannelsLast() ? tensorType(data).getRank() - 1 : 1;
    constexpr bool isFactor = std::is_same_v<Op, MulOp>;
    if (!isChannelConstant(parameter, tensorType(data), channelDim) ||
        !isFilledWith(norm.getBias(), 0) || (isFactor && !isFilledWith(norm.getScale(), 1)))
      return failure();
    Value vector = getChannelVector(rewriter, parameter, tensorType(data).getDimSize(channelDim));
    auto attributes = norm->getAttrs();
    Value operands[] = {norm.getX(), isFactor ? vector : norm.getScale(),
                        isFactor ? norm.getBias() : vector};
    rewriter.replaceOpWithNewOp<GroupNormOp>(op, TypeRange{data.getType()}, ValueRange(operands),
                                             attributes);
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
  patterns.add<DecomposeBatchNorm, FoldMul, FoldDiv, FoldAdd, FoldSub, SplitToSlices,
               RaiseGroupNorm, FoldIntoGroupNorm<MulOp>, FoldIntoGroupNorm<AddOp>>(
      patterns.getContext());
}

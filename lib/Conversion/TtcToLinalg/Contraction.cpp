// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products and convolutions that no device kernel takes: plain loops.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

/// Float or integer, to the type that sums are made in.
Value toSum(OpBuilder &b, Location loc, Value v, Type sumType) {
  return isa<FloatType>(sumType) ? convertFloat(b, loc, v, sumType) : v;
}

/// What sums begin with: the broadcast bias, or 0.
Value initialSums(OpBuilder &b, Location loc, RankedTensorType sumType, Value bias) {
  if (!bias)
    return filledTensor(b, loc, sumType, numberAttr(sumType.getElementType(), 0));
  return mapElements(b, loc, sumType, bias, [&](OpBuilder &nested, Location loc, ValueRange e) {
    return toSum(nested, loc, e[0], sumType.getElementType());
  });
}

/// A vector with an element for each channel, to broadcast over an image.
Value channelBias(OpBuilder &b, Location loc, Value bias, int64_t rank, int64_t channel) {
  if (!bias)
    return bias;
  SmallVector<int64_t> shape(rank, 1);
  shape[channel] = tensorType(bias).getDimSize(0);
  return reshapeTensor(b, loc, bias,
                       RankedTensorType::get(shape, tensorType(bias).getElementType()));
}

struct ConvertMatmul : OpConversionPattern<MatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MatmulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    int64_t rank = type.getRank(), row = rank - 2, column = rank - 1, depth = rank;
    Type sum = accumulationType(type.getElementType());
    // One map for each operand: its batch dimensions broadcast, its matrix as transposed.
    auto mapOf = [&](Value operand, int64_t first, int64_t second, bool transposed) {
      ArrayRef<int64_t> shape = tensorType(operand).getShape();
      SmallVector<AffineExpr> exprs(
          broadcastMap(b.getContext(), shape.drop_back(2), type.getShape().drop_back(2))
              .getResults());
      if (transposed)
        std::swap(first, second);
      exprs.push_back(b.getAffineDimExpr(first));
      exprs.push_back(b.getAffineDimExpr(second));
      return AffineMap::get(rank + 1, 0, exprs, b.getContext());
    };
    SmallVector<AffineMap> maps = {
        mapOf(adaptor.getA(), row, depth, op.getTransposeA()),
        mapOf(adaptor.getB(), depth, column, op.getTransposeB()),
        AffineMap::get(rank + 1, 0, b.getMultiDimIdentityMap(rank).getResults(), b.getContext())};
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    auto sumType = withElement(type, sum);
    Value init = initialSums(b, loc, sumType, adaptor.getBias());
    Value result =
        linalg::GenericOp::create(
            b, loc, sumType, ValueRange{adaptor.getA(), adaptor.getB()}, init, maps, iterators,
            [&](OpBuilder &nested, Location loc, ValueRange e) {
              Value product =
                  mulOf(nested, loc, toSum(nested, loc, e[0], sum), toSum(nested, loc, e[1], sum));
              linalg::YieldOp::create(nested, loc, addOf(nested, loc, e[2], product));
            })
            .getResult(0);
    b.replaceOp(op, narrow(b, loc, result, type.getElementType()));
    return success();
  }
};

/// What conv and conv_transpose have in common: a nest over the result's dimensions, then the input
/// channels of a group, then the kernel. The element that a weight is multiplied with is computed;
/// elements outside count as zero.
template <typename Op> struct ConvolutionBase : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  /// The image position along a spatial dimension; out of range where there is none.
  virtual Value imagePosition(OpBuilder &b, Location loc, Op op, int64_t dim, Value at,
                              Value kernelAt) const = 0;
  /// The weights' index for these channels of result and input group.
  virtual std::pair<Value, Value> weightChannels(OpBuilder &b, Location loc, Value outChannel,
                                                 Value group, Value outInGroup, Value inInGroup,
                                                 Value inChannel) const = 0;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType(), weights = tensorType(adaptor.getW());
    Value x = adaptor.getX(), w = adaptor.getW();
    int64_t rank = type.getRank(), spatial = rank - 2;
    bool last = op.getChannelsLast();
    int64_t channel = last ? rank - 1 : 1, firstSpatial = last ? 1 : 2;
    int64_t inPerGroup = tensorType(x).getDimSize(channel) / op.getGroups();
    int64_t outPerGroup = type.getDimSize(channel) / op.getGroups();
    Type sum = accumulationType(type.getElementType());

    // Loops: the result's dimensions, input channels of a group, the kernel's dimensions.
    int64_t numLoops = rank + 1 + spatial;
    SmallVector<AffineExpr> window, write;
    SmallVector<int64_t> windowShape = {inPerGroup};
    llvm::append_range(windowShape, weights.getShape().drop_front(2));
    for (int64_t i = 0; i < 1 + spatial; ++i)
      window.push_back(b.getAffineDimExpr(rank + i));
    for (int64_t i = 0; i < rank; ++i)
      write.push_back(b.getAffineDimExpr(i));
    SmallVector<AffineMap> maps = {AffineMap::get(numLoops, 0, window, b.getContext()),
                                   AffineMap::get(numLoops, 0, write, b.getContext())};
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    iterators.append(1 + spatial, utils::IteratorType::reduction);
    Value windowSizes =
        emptyTensor(b, loc, RankedTensorType::get(windowShape, weights.getElementType()));
    auto sumType = withElement(type, sum);
    Value init =
        initialSums(b, loc, sumType, channelBias(b, loc, adaptor.getBias(), rank, channel));
    auto body = [&](OpBuilder &nested, Location loc, ValueRange e) {
      auto loop = [&](int64_t dim) -> Value { return linalg::IndexOp::create(nested, loc, dim); };
      Value outChannel = loop(channel), inInGroup = loop(rank);
      Value perGroup = indexConstant(nested, loc, outPerGroup);
      Value group = arith::DivUIOp::create(nested, loc, outChannel, perGroup);
      Value outInGroup = arith::RemUIOp::create(nested, loc, outChannel, perGroup);
      Value inChannel = arith::AddIOp::create(
          nested, loc, linearIndex(nested, loc, group, inPerGroup, 0), inInGroup);
      SmallVector<Value> image(rank), kernel(rank);
      image[0] = loop(0);
      image[channel] = inChannel;
      std::tie(kernel[0], kernel[1]) =
          weightChannels(nested, loc, outChannel, group, outInGroup, inInGroup, inChannel);
      SmallVector<int64_t> checked;
      for (int64_t i = 0; i < spatial; ++i) {
        kernel[2 + i] = loop(rank + 1 + i);
        image[firstSpatial + i] =
            imagePosition(nested, loc, op, i, loop(firstSpatial + i), kernel[2 + i]);
        checked.push_back(firstSpatial + i);
      }
      Value zero = number(nested, loc, type.getElementType(), 0);
      Value element = extractOr(nested, loc, x, image, checked, zero);
      Value weight = tensor::ExtractOp::create(nested, loc, w, kernel);
      Value product =
          mulOf(nested, loc, toSum(nested, loc, element, sum), toSum(nested, loc, weight, sum));
      linalg::YieldOp::create(nested, loc, addOf(nested, loc, e[1], product));
    };
    Value result =
        linalg::GenericOp::create(b, loc, sumType, windowSizes, init, maps, iterators, body)
            .getResult(0);
    b.replaceOp(op, narrow(b, loc, result, type.getElementType()));
    return success();
  }
};

struct ConvertConv : ConvolutionBase<ConvOp> {
  using ConvolutionBase::ConvolutionBase;

  Value imagePosition(OpBuilder &b, Location loc, ConvOp op, int64_t dim, Value at,
                      Value kernelAt) const override {
    Value base = linearIndex(b, loc, at, op.getStrides()[dim], -op.getPads()[dim]);
    return arith::AddIOp::create(b, loc, base,
                                 linearIndex(b, loc, kernelAt, op.getDilations()[dim], 0));
  }
  std::pair<Value, Value> weightChannels(OpBuilder &b, Location loc, Value outChannel, Value group,
                                         Value outInGroup, Value inInGroup,
                                         Value inChannel) const override {
    return {outChannel, inInGroup};
  }
};

struct ConvertConvTranspose : ConvolutionBase<ConvTransposeOp> {
  using ConvolutionBase::ConvolutionBase;

  /// (at + pad - kernelAt * dilation) / stride where it divides; else -1, which is outside.
  Value imagePosition(OpBuilder &b, Location loc, ConvTransposeOp op, int64_t dim, Value at,
                      Value kernelAt) const override {
    Value base = linearIndex(b, loc, at, 1, op.getPads()[dim]);
    Value distance = arith::SubIOp::create(
        b, loc, base, linearIndex(b, loc, kernelAt, op.getDilations()[dim], 0));
    int64_t stride = op.getStrides()[dim];
    if (stride == 1)
      return distance;
    Value divisor = indexConstant(b, loc, stride);
    Value quotient = arith::DivSIOp::create(b, loc, distance, divisor);
    Value remainder = arith::RemSIOp::create(b, loc, distance, divisor);
    Value divides = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, remainder,
                                          indexConstant(b, loc, 0));
    return arith::SelectOp::create(b, loc, divides, quotient, indexConstant(b, loc, -1));
  }
  std::pair<Value, Value> weightChannels(OpBuilder &b, Location loc, Value outChannel, Value group,
                                         Value outInGroup, Value inInGroup,
                                         Value inChannel) const override {
    return {inChannel, outInGroup};
  }
};

} // namespace

void to_linalg::populateContraction(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertMatmul, ConvertConv, ConvertConvTranspose>(types, patterns.getContext());
}

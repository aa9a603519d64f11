// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations and softmax. All are computed in f32 at least.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

int64_t channelDim(RankedTensorType type, bool channelsLast) {
  return channelsLast ? type.getRank() - 1 : 1;
}

/// A vector as a tensor of `rank` dimensions that broadcasts along all but `dim`.
Value alongDim(OpBuilder &b, Location loc, Value vector, int64_t rank, int64_t dim) {
  SmallVector<int64_t> shape(rank, 1);
  shape[dim] = tensorType(vector).getDimSize(0);
  return reshapeTensor(b, loc, vector,
                       RankedTensorType::get(shape, tensorType(vector).getElementType()));
}

struct Statistics {
  Value mean;
  Value rest;  ///< the mean of what is above the rounded mean, or null
  Value scale; ///< 1 / sqrt(variance + epsilon)
};

/// 1 / sqrt(variance + epsilon)
Value inverseDeviation(OpBuilder &b, Location loc, Value variances, const APFloat &epsilon) {
  return mapElements(
      b, loc, tensorType(variances), variances,
      [&](OpBuilder &nested, Location loc, ValueRange e) -> Value {
        Type type = e[0].getType();
        Value variance =
            addOf(nested, loc, e[0], number(nested, loc, type, epsilon.convertToFloat()));
        Value root = math::SqrtOp::create(nested, loc, variance);
        return arith::DivFOp::create(nested, loc, number(nested, loc, type, 1), root);
      });
}

/// The mean of all terms along `axes`.
Value averageDims(OpBuilder &b, Location loc, Value terms, ArrayRef<int64_t> axes) {
  double count = 1;
  for (int64_t axis : axes)
    count *= static_cast<double>(tensorType(terms).getDimSize(axis));
  Value total = sumDims(b, loc, terms, axes);
  return mapElements(
      b, loc, tensorType(total), total, [&](OpBuilder &nested, Location loc, ValueRange e) {
        return mulOf(nested, loc, e[0], number(nested, loc, e[0].getType(), 1 / count));
      });
}

/// Mean and variance of the f32 or f64 tensor over `axes`, in two passes: no cancellation. With
/// `corrects`, a pass between them computes by how much the mean was rounded, which for many
/// elements around a large mean is not small against their deviation.
Statistics computeStatistics(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> axes,
                             const APFloat &epsilon, bool corrects = false) {
  auto average = [&](Value terms) { return averageDims(b, loc, terms, axes); };
  Statistics result;
  result.mean = average(x);
  if (corrects)
    result.rest = average(mapElements(b, loc, tensorType(x), {x, result.mean},
                                      [](OpBuilder &nested, Location loc, ValueRange e) -> Value {
                                        return arith::SubFOp::create(nested, loc, e[0], e[1]);
                                      }));
  SmallVector<Value> terms{x, result.mean};
  if (corrects)
    terms.push_back(result.rest);
  Value variances = average(mapElements(b, loc, tensorType(x), terms,
                                        [](OpBuilder &nested, Location loc, ValueRange e) -> Value {
                                          Value d = arith::SubFOp::create(nested, loc, e[0], e[1]);
                                          if (e.size() == 3)
                                            d = arith::SubFOp::create(nested, loc, d, e[2]);
                                          return mulOf(nested, loc, d, d);
                                        }));
  result.scale = inverseDeviation(b, loc, variances, epsilon);
  return result;
}

/// The sums along the last dimension of what the elements are above the number of their row, and of
/// its square, in one pass.
std::pair<Value, Value> sumRows(OpBuilder &b, Location loc, Value x, Value numbers) {
  RankedTensorType type = tensorType(x);
  int64_t rank = type.getRank(), last = rank - 1;
  AffineMap read =
      AffineMap::get(rank + 1, 0, b.getMultiDimIdentityMap(rank).getResults(), b.getContext());
  AffineMap fold = reducedMap(b.getContext(), rank, last);
  Value zeros = filledTensor(b, loc, tensorType(numbers),
                             numberAttr(tensorType(numbers).getElementType(), 0));
  auto sums = linalg::GenericOp::create(
      b, loc, TypeRange{numbers.getType(), numbers.getType()}, ValueRange{x, numbers},
      ValueRange{zeros, zeros}, ArrayRef{read, fold, fold, fold}, reducedIterators(rank, last),
      [](OpBuilder &nested, Location loc, ValueRange e) {
        Value d = arith::SubFOp::create(nested, loc, e[0], e[1]);
        Value sum = addOf(nested, loc, d, e[2]);
        Value squares = addOf(nested, loc, mulOf(nested, loc, d, d), e[3]);
        linalg::YieldOp::create(nested, loc, ValueRange{sum, squares});
      });
  return {sums.getResult(0), sums.getResult(1)};
}

/// As computeStatistics(), over `axes` of which one is the last dimension: of the means and
/// variances of its rows, which need only one pass over all elements. The variance of a row of n
/// elements is computed from sums relative to one of them, which is less than sqrt(n) deviations
/// away from their mean: it loses at most n times the rounding of a sum, and most often nothing.
Statistics combineRows(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> axes,
                       const APFloat &epsilon) {
  RankedTensorType type = tensorType(x);
  int64_t last = type.getRank() - 1;
  auto rowType = RankedTensorType::get(reducedShape(type.getShape(), last), type.getElementType());
  // Of three elements the one in the middle: channels that are far from all others are few.
  auto readMiddle = [&](RankedTensorType of) {
    return pullElements(b, loc, of, [&](OpBuilder &nested, Location loc, ValueRange at) -> Value {
      SmallVector<Value> indices(at);
      auto read = [&](int64_t index) -> Value {
        indices[last] = indexConstant(nested, loc, index);
        return tensor::ExtractOp::create(nested, loc, x, indices);
      };
      int64_t size = type.getDimSize(last);
      Value v = read(0), w = read(size / 2), z = read(size - 1);
      Value low = arith::MinimumFOp::create(nested, loc, v, w);
      Value high = arith::MaximumFOp::create(nested, loc, v, w);
      return arith::MaximumFOp::create(nested, loc, low,
                                       arith::MinimumFOp::create(nested, loc, high, z));
    });
  };
  auto subOf = [](OpBuilder &nested, Location loc, Value v, Value w) -> Value {
    return arith::SubFOp::create(nested, loc, v, w);
  };
  Value middle = readMiddle(rowType);
  auto [sums, squares] = sumRows(b, loc, x, middle);
  const double perElement = 1 / static_cast<double>(type.getDimSize(last));
  // Means are relative to one element, too: their rounding is small against the deviation.
  auto allType = RankedTensorType::get(reducedShape(type.getShape(), axes), type.getElementType());
  Value origin = readMiddle(allType);
  Value means = mapElements(
      b, loc, rowType, {middle, sums, origin}, [&](OpBuilder &nested, Location loc, ValueRange e) {
        Value part = number(nested, loc, e[1].getType(), perElement);
        return addOf(nested, loc, subOf(nested, loc, e[0], e[2]), mulOf(nested, loc, e[1], part));
      });
  Value shift = averageDims(b, loc, means, axes);
  Statistics result;
  result.mean = mapElements(
      b, loc, allType, {origin, shift},
      [](OpBuilder &nested, Location loc, ValueRange e) { return addOf(nested, loc, e[0], e[1]); });
  result.rest = mapElements(b, loc, allType, {origin, shift, result.mean},
                            [&](OpBuilder &nested, Location loc, ValueRange e) {
                              return subOf(nested, loc, e[1], subOf(nested, loc, e[2], e[0]));
                            });
  // What a row's elements are from its mean, and that from the mean of all.
  Value variances = mapElements(
      b, loc, rowType, {sums, squares, means, shift},
      [&](OpBuilder &nested, Location loc, ValueRange e) {
        Value part = number(nested, loc, e[0].getType(), perElement);
        Value mean = mulOf(nested, loc, e[0], part), square = mulOf(nested, loc, e[1], part);
        Value within = subOf(nested, loc, square, mulOf(nested, loc, mean, mean));
        within =
            arith::MaximumFOp::create(nested, loc, within, number(nested, loc, e[0].getType(), 0));
        Value d = subOf(nested, loc, e[2], e[3]);
        return addOf(nested, loc, within, mulOf(nested, loc, d, d));
      });
  result.scale = inverseDeviation(b, loc, averageDims(b, loc, variances, axes), epsilon);
  return result;
}

/// (x - mean) * scale * gain + shift; the last may be missing.
Value normalize(OpBuilder &b, Location loc, Value x, const Statistics &statistics, Value gain,
                Value shift, Type element) {
  SmallVector<Value> inputs = {x, statistics.mean, statistics.scale, gain};
  if (shift)
    inputs.push_back(shift);
  if (statistics.rest)
    inputs.push_back(statistics.rest);
  return mapElements(b, loc, withElement(tensorType(x), element), inputs,
                     [&](OpBuilder &nested, Location loc, ValueRange e) {
                       Type wide = e[0].getType();
                       Value v = arith::SubFOp::create(nested, loc, e[0], e[1]);
                       if (statistics.rest)
                         v = arith::SubFOp::create(nested, loc, v, e.back());
                       v = mulOf(nested, loc, v, e[2]);
                       v = mulOf(nested, loc, v, convertFloat(nested, loc, e[3], wide));
                       if (shift)
                         v = addOf(nested, loc, v, convertFloat(nested, loc, e[4], wide));
                       return convertFloat(nested, loc, v, element);
                     });
}

struct ConvertLayerNorm : OpConversionPattern<LayerNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LayerNormOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = widen(b, loc, adaptor.getX());
    auto axes = llvm::to_vector(llvm::seq<int64_t>(op.getAxis(), tensorType(x).getRank()));
    Statistics statistics = computeStatistics(b, loc, x, axes, op.getEpsilon(), /*corrects=*/true);
    b.replaceOp(op, normalize(b, loc, x, statistics, adaptor.getScale(), adaptor.getBias(),
                              op.getType().getElementType()));
    return success();
  }
};

struct ConvertInstanceNorm : OpConversionPattern<InstanceNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(InstanceNormOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = widen(b, loc, adaptor.getX());
    int64_t rank = tensorType(x).getRank();
    int64_t channel = channelDim(tensorType(x), op.getChannelsLast());
    SmallVector<int64_t> axes;
    for (int64_t i = 1; i < rank; ++i)
      if (i != channel)
        axes.push_back(i);
    Statistics statistics = computeStatistics(b, loc, x, axes, op.getEpsilon(), /*corrects=*/true);
    b.replaceOp(op, normalize(b, loc, x, statistics,
                              alongDim(b, loc, adaptor.getScale(), rank, channel),
                              alongDim(b, loc, adaptor.getBias(), rank, channel),
                              op.getType().getElementType()));
    return success();
  }
};

/// The channels become two dimensions, of groups and of channels in a group.
struct ConvertGroupNorm : OpConversionPattern<GroupNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GroupNormOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType type = tensorType(adaptor.getX());
    int64_t rank = type.getRank(), groups = op.getGroups();
    int64_t channel = channelDim(type, op.getChannelsLast());
    int64_t perGroup = type.getDimSize(channel) / groups;
    SmallVector<int64_t> shape(type.getShape());
    shape[channel] = groups;
    shape.insert(shape.begin() + channel + 1, perGroup);
    auto splitType = RankedTensorType::get(shape, type.getElementType());
    Value x = widen(b, loc, reshapeTensor(b, loc, adaptor.getX(), splitType));
    SmallVector<int64_t> axes;
    for (int64_t i = 1; i <= rank; ++i)
      if (i != channel)
        axes.push_back(i);
    // Rows that are worth a few operations each, and short enough for their sums.
    constexpr int64_t kShortRow = 64, kLongRow = 4096;
    bool hasRows = op.getChannelsLast() && type.getElementType().isF32() && perGroup >= kShortRow &&
                   perGroup <= kLongRow;
    Statistics statistics =
        hasRows ? combineRows(b, loc, x, axes, op.getEpsilon())
                : computeStatistics(b, loc, x, axes, op.getEpsilon(), /*corrects=*/true);
    SmallVector<int64_t> ones(rank + 1, 1);
    ones[channel] = groups;
    ones[channel + 1] = perGroup;
    auto vectorType = RankedTensorType::get(ones, type.getElementType());
    Value result =
        normalize(b, loc, x, statistics, reshapeTensor(b, loc, adaptor.getScale(), vectorType),
                  reshapeTensor(b, loc, adaptor.getBias(), vectorType), type.getElementType());
    b.replaceOp(op, reshapeTensor(b, loc, result, type));
    return success();
  }
};

/// One factor and one term for each channel, then one product and sum for each element.
struct ConvertBatchNorm : OpConversionPattern<BatchNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BatchNormOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type sum = accumulationType(op.getType().getElementType());
    auto vectorType = withElement(tensorType(adaptor.getScale()), sum);
    Value factor = mapElements(
        b, loc, vectorType, {adaptor.getScale(), adaptor.getVar()},
        [&](OpBuilder &nested, Location loc, ValueRange e) -> Value {
          Value variance = convertFloat(nested, loc, e[1], sum);
          variance = addOf(nested, loc, variance,
                           number(nested, loc, sum, op.getEpsilon().convertToFloat()));
          Value root = math::SqrtOp::create(nested, loc, variance);
          return arith::DivFOp::create(nested, loc, convertFloat(nested, loc, e[0], sum), root);
        });
    Value term = mapElements(
        b, loc, vectorType, {adaptor.getBias(), adaptor.getMean(), factor},
        [&](OpBuilder &nested, Location loc, ValueRange e) -> Value {
          Value shift = mulOf(nested, loc, convertFloat(nested, loc, e[1], sum), e[2]);
          return arith::SubFOp::create(nested, loc, convertFloat(nested, loc, e[0], sum), shift);
        });
    RankedTensorType type = tensorType(adaptor.getX());
    int64_t rank = type.getRank(), channel = channelDim(type, op.getChannelsLast());
    Value result = mapElements(
        b, loc, type,
        {adaptor.getX(), alongDim(b, loc, factor, rank, channel),
         alongDim(b, loc, term, rank, channel)},
        [&](OpBuilder &nested, Location loc, ValueRange e) {
          Value v = mulOf(nested, loc, convertFloat(nested, loc, e[0], sum), e[1]);
          return convertFloat(nested, loc, addOf(nested, loc, v, e[2]), type.getElementType());
        });
    b.replaceOp(op, result);
    return success();
  }
};

/// x * (bias + alpha / size * sum)^-beta, with the sum of the squares of a window of channels.
struct ConvertLrn : OpConversionPattern<LrnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LrnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    RankedTensorType type = tensorType(x);
    Type sum = accumulationType(type.getElementType());
    int64_t rank = type.getRank(), channel = channelDim(type, op.getChannelsLast());
    Value squares = paddedSquares(b, loc, x, op.getSize(), channel, sum);
    // A short window is summed in registers: the squares are an operand for each of its elements.
    constexpr int64_t kShortWindow = 16;
    SmallVector<Value> inputs = {x};
    SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(rank)};
    if (op.getSize() > kShortWindow) {
      inputs.push_back(sumsOfWindows(b, loc, squares, type, op.getSize(), channel));
      maps.push_back(maps[0]);
    } else {
      SmallVector<AffineExpr> read(maps[0].getResults());
      for (int64_t i = 0; i < op.getSize(); ++i) {
        inputs.push_back(squares);
        read[channel] = b.getAffineDimExpr(channel) + (kFront + i);
        maps.push_back(AffineMap::get(rank, 0, read, b.getContext()));
      }
    }
    Value result =
        mapElements(b, loc, type, inputs, maps, [&](OpBuilder &nested, Location loc, ValueRange e) {
          Value v = convertFloat(nested, loc, e[0], sum), squares = e[1];
          for (Value square : e.drop_front(2))
            squares = addOf(nested, loc, squares, square);
          v = normalized(nested, loc, op, v, squares);
          return convertFloat(nested, loc, v, type.getElementType());
        });
    b.replaceOp(op, result);
    return success();
  }

  /// One more zero in front: for linalg, what reads a dimension by its index alone has all of it.
  static constexpr int64_t kFront = 1;

  /// The squares with zeros before the first and after the last channel: what a window reads.
  static Value paddedSquares(OpBuilder &b, Location loc, Value x, int64_t size, int64_t channel,
                             Type sum) {
    RankedTensorType type = tensorType(x);
    int64_t before = (size - 1) / 2;
    SmallVector<int64_t> padded(type.getShape());
    padded[channel] += kFront + size - 1;
    return pullElements(b, loc, RankedTensorType::get(padded, sum),
                        [&](OpBuilder &nested, Location loc, ValueRange at) {
                          SmallVector<Value> indices(at);
                          indices[channel] =
                              linearIndex(nested, loc, at[channel], 1, -kFront - before);
                          Value zero = number(nested, loc, type.getElementType(), 0);
                          Value v = extractOr(nested, loc, x, indices, channel, zero);
                          v = convertFloat(nested, loc, v, sum);
                          return mulOf(nested, loc, v, v);
                        });
  }

  /// The sums over a window that slides along the channels.
  static Value sumsOfWindows(OpBuilder &b, Location loc, Value squares, RankedTensorType type,
                             int64_t size, int64_t channel) {
    Type sum = tensorType(squares).getElementType();
    int64_t rank = type.getRank();
    // The window's loop is one more, after the tensor's dimensions.
    SmallVector<AffineExpr> read;
    for (int64_t i = 0; i < rank; ++i)
      read.push_back(b.getAffineDimExpr(i));
    SmallVector<AffineExpr> write = read;
    read[channel] = read[channel] + b.getAffineDimExpr(rank) + kFront;
    SmallVector<AffineMap> maps = {
        AffineMap::get(rank + 1, 0, read, b.getContext()),
        AffineMap::get(rank + 1, 0, b.getAffineDimExpr(rank), b.getContext()),
        AffineMap::get(rank + 1, 0, write, b.getContext())};
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    auto sumType = withElement(type, sum);
    Value window = emptyTensor(b, loc, RankedTensorType::get({size}, sum));
    return linalg::GenericOp::create(
               b, loc, sumType, ValueRange{squares, window},
               filledTensor(b, loc, sumType, numberAttr(sum, 0)), maps, iterators,
               [](OpBuilder &nested, Location loc, ValueRange e) {
                 linalg::YieldOp::create(nested, loc, addOf(nested, loc, e[0], e[2]));
               })
        .getResult(0);
  }

  static Value normalized(OpBuilder &b, Location loc, LrnOp op, Value x, Value squares) {
    Type type = x.getType();
    double alpha = op.getAlpha().convertToFloat(), bias = op.getBias().convertToFloat();
    double beta = op.getBeta().convertToFloat();
    Value factor = number(b, loc, type, alpha / static_cast<double>(op.getSize()));
    Value base = addOf(b, loc, mulOf(b, loc, squares, factor), number(b, loc, type, bias));
    constexpr double kSmallest = 1e-30;
    if (beta == 0.75 && type.isF32() && alpha >= 0 && bias >= kSmallest)
      return mulOf(b, loc, x, inversePower(b, loc, base));
    return arith::DivFOp::create(b, loc, x, power(b, loc, base, beta));
  }

  /// base^beta; the usual exponents are roots.
  static Value power(OpBuilder &b, Location loc, Value base, double beta) {
    if (beta == 1.0)
      return base;
    if (beta == 0.5 || beta == 0.75) {
      Value root = math::SqrtOp::create(b, loc, base);
      return beta == 0.5 ? root : mulOf(b, loc, root, math::SqrtOp::create(b, loc, root));
    }
    Value exponent = number(b, loc, base.getType(), beta);
    return math::PowFOp::create(b, loc, base, exponent);
  }

  /// base^-3/4 of f32 from 1e-30 on, wrong by 1.5e-7 of itself at most, as roots and a quotient
  /// are: those would take the divider longer than the rest of the op takes.
  static Value inversePower(OpBuilder &b, Location loc, Value base) {
    Type type = base.getType(), bits = b.getI32Type();
    auto integer = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, loc, value, 32);
    };
    auto minus = [&](Value x, Value y) -> Value { return arith::SubIOp::create(b, loc, x, y); };
    auto line = [&](Value x, Value slope, double y) {
      return addOf(b, loc, mulOf(b, loc, x, slope), number(b, loc, type, y));
    };
    // The bits of a float are about its logarithm: -3/4 of them give y, wrong by up to 6 %.
    Value logarithm = arith::BitcastOp::create(b, loc, bits, base);
    Value estimate =
        minus(integer(0x6f118000), arith::ShRUIOp::create(b, loc, logarithm, integer(1)));
    estimate = minus(estimate, arith::ShRUIOp::create(b, loc, logarithm, integer(2)));
    Value y = arith::BitcastOp::create(b, loc, type, estimate);
    // e = 1 - base^3 y^4, of products none of which overflows.
    Value product = mulOf(b, loc, mulOf(b, loc, base, y), y);
    product = mulOf(b, loc, mulOf(b, loc, product, product), base);
    Value e = arith::SubFOp::create(b, loc, number(b, loc, type, 1), product);
    // base^-3/4 = y (1 - e)^-1/4 = y + y e q(e), with q fitted for -0.102 <= e <= 0.21.
    Value square = mulOf(b, loc, e, e);
    Value q = addOf(b, loc, mulOf(b, loc, square, number(b, loc, type, 0.11163142323493958)),
                    line(e, number(b, loc, type, 0.0940742939710617), 0.11676935851573944));
    q = addOf(b, loc, mulOf(b, loc, square, q),
              line(e, number(b, loc, type, 0.15626609325408936), 0.25000128149986267));
    y = addOf(b, loc, y, mulOf(b, loc, mulOf(b, loc, y, e), q));
    Value infinity = arith::ConstantOp::create(b, loc, highestAttr(type, false));
    Value isInfinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, base, infinity);
    return arith::SelectOp::create(b, loc, isInfinite, number(b, loc, type, 0), y);
  }
};

/// The largest element is subtracted first; exponentials and their sum are made in one pass.
template <typename Op> struct ConvertSoftmax : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = widen(b, loc, adaptor.getX());
    RankedTensorType type = tensorType(x);
    int64_t axis = op.getAxis();
    Value most = reduceDims(b, loc, x, axis, lowestAttr(type.getElementType(), false),
                            [](OpBuilder &nested, Location loc, ValueRange e) -> Value {
                              // NaN need not win here: the exponentials carry it on.
                              return arith::MaximumFOp::create(nested, loc, e[0], e[1],
                                                               arith::FastMathFlags::nnan |
                                                                   arith::FastMathFlags::nsz);
                            });
    constexpr bool isLog = std::is_same_v<Op, LogSoftmaxOp>;
    Value terms, sum;
    if (isLog) {
      Value powers = mapElements(b, loc, type, {x, most},
                                 [](OpBuilder &nested, Location loc, ValueRange e) -> Value {
                                   Value d = arith::SubFOp::create(nested, loc, e[0], e[1]);
                                   return math::ExpOp::create(nested, loc, d);
                                 });
      sum = sumDims(b, loc, powers, axis);
    } else {
      std::tie(terms, sum) = powersAndSum(b, loc, x, most, axis);
    }
    Value last = mapElements(
        b, loc, tensorType(sum), sum, [&](OpBuilder &nested, Location loc, ValueRange e) -> Value {
          if (isLog)
            return math::LogOp::create(nested, loc, e[0]);
          return arith::DivFOp::create(nested, loc, number(nested, loc, e[0].getType(), 1), e[0]);
        });
    Type element = op.getType().getElementType();
    SmallVector<Value> inputs =
        isLog ? SmallVector<Value>{x, most, last} : SmallVector<Value>{terms, last};
    Value result = mapElements(b, loc, withElement(type, element), inputs,
                               [&](OpBuilder &nested, Location loc, ValueRange e) {
                                 Value v;
                                 if (isLog) {
                                   v = arith::SubFOp::create(nested, loc, e[0], e[1]);
                                   v = arith::SubFOp::create(nested, loc, v, e[2]);
                                 } else {
                                   v = mulOf(nested, loc, e[0], e[1]);
                                 }
                                 return convertFloat(nested, loc, v, element);
                               });
    b.replaceOp(op, result);
    return success();
  }

  static std::pair<Value, Value> powersAndSum(OpBuilder &b, Location loc, Value x, Value most,
                                              int64_t axis) {
    RankedTensorType type = tensorType(x);
    int64_t rank = type.getRank();
    auto sumType =
        RankedTensorType::get(reducedShape(type.getShape(), axis), type.getElementType());
    AffineMap read =
        AffineMap::get(rank + 1, 0, b.getMultiDimIdentityMap(rank).getResults(), b.getContext());
    AffineMap fold = reducedMap(b.getContext(), rank, axis);
    auto both = linalg::GenericOp::create(
        b, loc, TypeRange{type, sumType}, ValueRange{x, most},
        ValueRange{emptyTensor(b, loc, type),
                   filledTensor(b, loc, sumType, numberAttr(type.getElementType(), 0))},
        ArrayRef{read, fold, read, fold}, reducedIterators(rank, axis),
        [](OpBuilder &nested, Location loc, ValueRange e) {
          Value d = arith::SubFOp::create(nested, loc, e[0], e[1]);
          Value power = math::ExpOp::create(nested, loc, d);
          linalg::YieldOp::create(nested, loc, ValueRange{power, addOf(nested, loc, power, e[3])});
        });
    return {both.getResult(0), both.getResult(1)};
  }
};

} // namespace

void to_linalg::populateNormalization(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertLayerNorm, ConvertInstanceNorm, ConvertGroupNorm, ConvertBatchNorm,
               ConvertLrn, ConvertSoftmax<SoftmaxOp>, ConvertSoftmax<LogSoftmaxOp>>(
      types, patterns.getContext());
}

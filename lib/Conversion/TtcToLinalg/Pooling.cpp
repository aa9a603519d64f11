// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools that no device kernel takes.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

/// Where the spatial dimensions of a pool's operand are.
template <typename Op> int64_t firstSpatialDim(Op op) { return op.getChannelsLast() ? 1 : 2; }

/// Folds each window: the nest over the result's dimensions, then the kernel's. `combine` takes
/// the element and whether it is inside the operand by giving `outside` where it does not.
template <typename Op>
Value foldWindows(OpBuilder &b, Op op, Value x, RankedTensorType resultType, TypedAttr init,
                  TypedAttr outside, Body combine) {
  Location loc = op.getLoc();
  int64_t rank = resultType.getRank(), spatial = rank - 2, first = firstSpatialDim(op);
  SmallVector<AffineExpr> window, write;
  for (int64_t i = 0; i < rank; ++i)
    write.push_back(b.getAffineDimExpr(i));
  for (int64_t i = 0; i < spatial; ++i)
    window.push_back(b.getAffineDimExpr(rank + i));
  SmallVector<AffineMap> maps = {AffineMap::get(rank + spatial, 0, window, b.getContext()),
                                 AffineMap::get(rank + spatial, 0, write, b.getContext())};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.append(spatial, utils::IteratorType::reduction);
  Type element = tensorType(x).getElementType();
  Value windowSizes = emptyTensor(b, loc, RankedTensorType::get(op.getKernel(), element));
  return linalg::GenericOp::create(
             b, loc, resultType, windowSizes, filledTensor(b, loc, resultType, init), maps,
             iterators,
             [&](OpBuilder &nested, Location loc, ValueRange e) {
               SmallVector<Value> at;
               SmallVector<int64_t> checked;
               for (int64_t i = 0; i < rank; ++i)
                 at.push_back(linalg::IndexOp::create(nested, loc, i));
               for (int64_t i = 0; i < spatial; ++i) {
                 Value base =
                     linearIndex(nested, loc, at[first + i], op.getStrides()[i], -op.getPads()[i]);
                 Value step =
                     linearIndex(nested, loc, linalg::IndexOp::create(nested, loc, rank + i),
                                 op.getDilations()[i], 0);
                 at[first + i] = arith::AddIOp::create(nested, loc, base, step);
                 checked.push_back(first + i);
               }
               Value missing = arith::ConstantOp::create(nested, loc, outside);
               Value v = extractOr(nested, loc, x, at, checked, missing);
               linalg::YieldOp::create(nested, loc, combine(nested, loc, {v, e[1]}));
             })
      .getResult(0);
}

struct ConvertMaxPool : OpConversionPattern<MaxPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MaxPoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    bool isUnsigned = hasUnsignedElements(op.getX());
    TypedAttr lowest = lowestAttr(type.getElementType(), isUnsigned);
    b.replaceOp(op, foldWindows(b, op, adaptor.getX(), type, lowest, lowest,
                                [&](OpBuilder &nested, Location loc, ValueRange e) {
                                  return maxOf(nested, loc, e[0], e[1], isUnsigned);
                                }));
    return success();
  }
};

struct ConvertAvgPool : OpConversionPattern<AvgPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AvgPoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    Type element = type.getElementType();
    Type sum = accumulationType(element, llvm::product_of(op.getKernel()));
    Value sums =
        foldWindows(b, op, adaptor.getX(), withElement(type, sum), numberAttr(sum, 0),
                    numberAttr(element, 0), [&](OpBuilder &nested, Location loc, ValueRange e) {
                      Value v = convertFloat(nested, loc, e[0], sum);
                      return addOf(nested, loc, v, e[1]);
                    });
    b.replaceOp(op,
                mapElements(b, loc, type, sums, [&](OpBuilder &nested, Location loc, ValueRange e) {
                  Value count = countElements(nested, loc, op, sum);
                  Value mean = arith::DivFOp::create(nested, loc, e[0], count);
                  return convertFloat(nested, loc, mean, element);
                }));
    return success();
  }

  /// How many elements the window of this element of the result counts, as a number of type `sum`.
  static Value countElements(OpBuilder &b, Location loc, AvgPoolOp op, Type sum) {
    RankedTensorType from = tensorType(op.getX()), to = op.getType();
    int64_t first = firstSpatialDim(op), fixed = 1;
    ArrayRef<int64_t> pads = op.getPads();
    Value count;
    for (auto [i, kernel] : llvm::enumerate(op.getKernel())) {
      int64_t size = from.getDimSize(first + i), stride = op.getStrides()[i];
      int64_t dilation = op.getDilations()[i], before = pads[i];
      int64_t after = pads[op.getKernel().size() + i];
      bool withPadding = op.getCountIncludePad();
      int64_t low = withPadding ? -before : 0, high = withPadding ? size + after : size;
      int64_t lastEnd = (to.getDimSize(first + i) - 1) * stride - before + (kernel - 1) * dilation;
      if (-before >= low && lastEnd < high) {
        fixed *= kernel;
        continue;
      }
      // Taps t with low <= start + t * dilation < high.
      Value start =
          linearIndex(b, loc, linalg::IndexOp::create(b, loc, first + i), stride, -before);
      auto tapsBelow = [&](int64_t bound) -> Value {
        Value distance = arith::SubIOp::create(b, loc, indexConstant(b, loc, bound), start);
        Value taps = arith::CeilDivSIOp::create(b, loc, distance, indexConstant(b, loc, dilation));
        taps = arith::MaxSIOp::create(b, loc, taps, indexConstant(b, loc, 0));
        return arith::MinSIOp::create(b, loc, taps, indexConstant(b, loc, kernel));
      };
      Value taps = arith::SubIOp::create(b, loc, tapsBelow(high), tapsBelow(low));
      count = count ? arith::MulIOp::create(b, loc, count, taps).getResult() : taps;
    }
    if (!count)
      return number(b, loc, sum, static_cast<double>(fixed));
    count = linearIndex(b, loc, count, fixed, 0);
    count = arith::IndexCastOp::create(b, loc, b.getI32Type(), count);
    return arith::SIToFPOp::create(b, loc, sum, count);
  }
};

/// The spatial dimensions of a global pool.
template <typename Op> SmallVector<int64_t> pooledDims(Op op) {
  int64_t rank = tensorType(op.getX()).getRank(), first = firstSpatialDim(op);
  return llvm::to_vector(llvm::seq<int64_t>(first, first + rank - 2));
}

struct ConvertGlobalMaxPool : OpConversionPattern<GlobalMaxPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GlobalMaxPoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    bool isUnsigned = hasUnsignedElements(op.getX());
    Type element = tensorType(adaptor.getX()).getElementType();
    b.replaceOp(op, reduceDims(b, op.getLoc(), adaptor.getX(), pooledDims(op),
                               lowestAttr(element, isUnsigned),
                               [&](OpBuilder &nested, Location loc, ValueRange e) {
                                 return maxOf(nested, loc, e[0], e[1], isUnsigned);
                               }));
    return success();
  }
};

struct ConvertGlobalAvgPool : OpConversionPattern<GlobalAvgPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GlobalAvgPoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<int64_t> dims = pooledDims(op);
    double count = 1;
    for (int64_t dim : dims)
      count *= static_cast<double>(tensorType(op.getX()).getDimSize(dim));
    Value sums = sumDims(b, op.getLoc(), adaptor.getX(), dims);
    b.replaceOp(op,
                mapElements(b, op.getLoc(), op.getType(), sums,
                            [&](OpBuilder &nested, Location loc, ValueRange e) {
                              Value mean = mulOf(nested, loc, e[0],
                                                 number(nested, loc, e[0].getType(), 1 / count));
                              return convertFloat(nested, loc, mean, op.getType().getElementType());
                            }));
    return success();
  }
};

} // namespace

void to_linalg::populatePooling(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertMaxPool, ConvertAvgPool, ConvertGlobalMaxPool, ConvertGlobalAvgPool>(
      types, patterns.getContext());
}

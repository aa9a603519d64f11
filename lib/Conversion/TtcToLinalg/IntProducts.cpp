// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of integers that no device kernel takes, and weights that are only known at run time:
// plain loops.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

/// A byte as an i32, by the signedness of the tensor that it is from.
Value toI32(OpBuilder &b, Location loc, Value byte, bool isUnsigned) {
  Type type = b.getI32Type();
  return isUnsigned ? Value(arith::ExtUIOp::create(b, loc, type, byte))
                    : Value(arith::ExtSIOp::create(b, loc, type, byte));
}

/// `byte - zero` in i32.
Value difference(OpBuilder &b, Location loc, Value byte, Value zero, bool isUnsigned) {
  return arith::SubIOp::create(b, loc, toI32(b, loc, byte, isUnsigned),
                               toI32(b, loc, zero, isUnsigned));
}

struct ConvertIntMatmul : OpConversionPattern<IntMatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(IntMatmulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = tensorType(op.getY());
    int64_t rank = type.getRank(), row = rank - 2, column = rank - 1, depth = rank;
    MLIRContext *context = b.getContext();
    // One map for each operand: its batch dimensions broadcast. A zero point is read by the map of
    // its operand, without the dimensions in which it has one element.
    auto mapOf = [&](Value operand, int64_t first, int64_t second) {
      auto shape = tensorType(operand).getShape();
      SmallVector<AffineExpr> exprs(
          broadcastMap(context, shape.drop_back(2), type.getShape().drop_back(2)).getResults());
      exprs.push_back(b.getAffineDimExpr(first));
      exprs.push_back(b.getAffineDimExpr(second));
      return AffineMap::get(rank + 1, 0, exprs, context);
    };
    auto zeroMapOf = [&](Value zero, AffineMap map) {
      auto shape = tensorType(zero).getShape();
      SmallVector<AffineExpr> exprs(map.getResults().take_back(shape.size()));
      for (auto [expr, size] : llvm::zip_equal(exprs, shape))
        if (size == 1)
          expr = b.getAffineConstantExpr(0);
      return AffineMap::get(rank + 1, 0, exprs, context);
    };
    AffineMap aMap = mapOf(adaptor.getA(), row, depth), bMap = mapOf(adaptor.getB(), depth, column);
    SmallVector<AffineMap> maps = {
        aMap, bMap, zeroMapOf(adaptor.getAZero(), aMap), zeroMapOf(adaptor.getBZero(), bMap),
        AffineMap::get(rank + 1, 0, b.getMultiDimIdentityMap(rank).getResults(), context)};
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    Value init = filledTensor(b, loc, type, b.getI32IntegerAttr(0));
    bool isUnsignedA = hasUnsignedElements(op.getA()), isUnsignedB = hasUnsignedElements(op.getB());
    b.replaceOp(op, linalg::GenericOp::create(
                        b, loc, type, adaptor.getOperands(), init, maps, iterators,
                        [&](OpBuilder &nested, Location loc, ValueRange e) {
                          Value product =
                              mulOf(nested, loc, difference(nested, loc, e[0], e[2], isUnsignedA),
                                    difference(nested, loc, e[1], e[3], isUnsignedB));
                          linalg::YieldOp::create(nested, loc, addOf(nested, loc, e[4], product));
                        })
                        .getResults());
    return success();
  }
};

/// A nest over the result's dimensions, the input channels of a group, and the kernel; elements
/// outside of the image count as its zero point.
struct ConvertIntConv : OpConversionPattern<IntConvOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(IntConvOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType type = tensorType(op.getY()), weights = tensorType(adaptor.getW());
    int64_t rank = type.getRank(), spatial = rank - 2;
    bool last = op.getChannelsLast();
    int64_t channel = last ? rank - 1 : 1, firstSpatial = last ? 1 : 2;
    int64_t inPerGroup = weights.getDimSize(1);
    int64_t outPerGroup = type.getDimSize(channel) / op.getGroups();
    int64_t numLoops = rank + 1 + spatial;
    SmallVector<AffineExpr> window, write, zero;
    for (int64_t i = 0; i < 1 + spatial; ++i)
      window.push_back(b.getAffineDimExpr(rank + i));
    for (int64_t i = 0; i < rank; ++i)
      write.push_back(b.getAffineDimExpr(i));
    // The zero point of a weight: that of the result's channel, or of the place in the kernel.
    SmallVector<AffineExpr> weightAt{b.getAffineDimExpr(channel)};
    llvm::append_range(weightAt, window);
    auto zeroShape = tensorType(adaptor.getWZero()).getShape();
    zero = SmallVector<AffineExpr>(ArrayRef(weightAt).take_back(zeroShape.size()));
    for (auto [expr, size] : llvm::zip_equal(zero, zeroShape))
      if (size == 1)
        expr = b.getAffineConstantExpr(0);
    auto mapOf = [&](ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(numLoops, 0, exprs, b.getContext());
    };
    SmallVector<AffineExpr> scalar(tensorType(adaptor.getXZero()).getRank(),
                                   b.getAffineConstantExpr(0));
    SmallVector<AffineMap> maps = {mapOf(weightAt), mapOf(scalar), mapOf(zero), mapOf(write)};
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    iterators.append(1 + spatial, utils::IteratorType::reduction);
    Value init = filledTensor(b, loc, type, b.getI32IntegerAttr(0));
    bool isUnsignedX = hasUnsignedElements(op.getX()), isUnsignedW = hasUnsignedElements(op.getW());
    auto body = [&](OpBuilder &nested, Location loc, ValueRange e) {
      auto loop = [&](int64_t dim) -> Value { return linalg::IndexOp::create(nested, loc, dim); };
      Value group = arith::DivUIOp::create(nested, loc, loop(channel),
                                           indexConstant(nested, loc, outPerGroup));
      SmallVector<Value> image(rank);
      image[0] = loop(0);
      image[channel] = arith::AddIOp::create(
          nested, loc, linearIndex(nested, loc, group, inPerGroup, 0), loop(rank));
      SmallVector<int64_t> checked;
      for (int64_t i = 0; i < spatial; ++i) {
        Value at =
            linearIndex(nested, loc, loop(firstSpatial + i), op.getStrides()[i], -op.getPads()[i]);
        Value tap = linearIndex(nested, loc, loop(rank + 1 + i), op.getDilations()[i], 0);
        image[firstSpatial + i] = arith::AddIOp::create(nested, loc, at, tap);
        checked.push_back(firstSpatial + i);
      }
      Value element = extractOr(nested, loc, adaptor.getX(), image, checked, e[1]);
      Value product = mulOf(nested, loc, difference(nested, loc, element, e[1], isUnsignedX),
                            difference(nested, loc, e[0], e[2], isUnsignedW));
      linalg::YieldOp::create(nested, loc, addOf(nested, loc, e[3], product));
    };
    b.replaceOp(op, linalg::GenericOp::create(
                        b, loc, type,
                        ValueRange{adaptor.getW(), adaptor.getXZero(), adaptor.getWZero()}, init,
                        maps, iterators, body)
                        .getResults());
    return success();
  }
};

} // namespace

void to_linalg::populateIntProducts(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertIntMatmul, ConvertIntConv>(types, patterns.getContext());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that read at places given by a tensor of indices.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

/// The place that an index means: negative ones count from the end, and none is outside.
Value placeOf(OpBuilder &b, Location loc, Value index, int64_t size) {
  Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  Value zero = indexConstant(b, loc, 0);
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, zero);
  at = arith::SelectOp::create(b, loc, isNegative, linearIndex(b, loc, at, 1, size), at);
  at = arith::MaxSIOp::create(b, loc, at, zero);
  return arith::MinSIOp::create(b, loc, at, indexConstant(b, loc, size - 1));
}

SmallVector<Value> loopIndices(OpBuilder &b, Location loc, int64_t rank) {
  SmallVector<Value> indices;
  for (int64_t i = 0; i < rank; ++i)
    indices.push_back(linalg::IndexOp::create(b, loc, i));
  return indices;
}

struct ConvertGather : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value data = adaptor.getData();
    int64_t axis = op.getAxis(), rank = type.getRank();
    int64_t indexRank = tensorType(adaptor.getIndices()).getRank();
    SmallVector<AffineExpr> read;
    for (int64_t i = 0; i < indexRank; ++i)
      read.push_back(b.getAffineDimExpr(axis + i));
    auto map = AffineMap::get(rank, 0, read, b.getContext());
    auto body = [&](OpBuilder &nested, Location loc, ValueRange e) -> Value {
      SmallVector<Value> loops = loopIndices(nested, loc, rank);
      SmallVector<Value> at(loops.begin(), loops.begin() + axis);
      at.push_back(placeOf(nested, loc, e[0], tensorType(data).getDimSize(axis)));
      at.append(loops.begin() + axis + indexRank, loops.end());
      return tensor::ExtractOp::create(nested, loc, data, at);
    };
    b.replaceOp(op, mapElements(b, op.getLoc(), type, adaptor.getIndices(), map, body));
    return success();
  }
};

struct ConvertGatherElements : OpConversionPattern<GatherElementsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value data = adaptor.getData();
    auto body = [&](OpBuilder &nested, Location loc, ValueRange e) -> Value {
      SmallVector<Value> at = loopIndices(nested, loc, type.getRank());
      at[op.getAxis()] = placeOf(nested, loc, e[0], tensorType(data).getDimSize(op.getAxis()));
      return tensor::ExtractOp::create(nested, loc, data, at);
    };
    b.replaceOp(op, mapElements(b, op.getLoc(), type, adaptor.getIndices(),
                                b.getMultiDimIdentityMap(type.getRank()), body));
    return success();
  }
};

struct ConvertGatherNd : OpConversionPattern<GatherNdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherNdOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    int64_t batch = op.getBatchDims(), indexRank = tensorType(indices).getRank();
    int64_t length = tensorType(indices).getShape().back();
    Value result = pullElements(
        b, op.getLoc(), type, [&](OpBuilder &nested, Location loc, ValueRange range) -> Value {
          SmallVector<Value> loops(range);
          SmallVector<Value> at(loops.begin(), loops.begin() + batch);
          SmallVector<Value> vector(loops.begin(), loops.begin() + indexRank - 1);
          for (int64_t i = 0; i < length; ++i) {
            SmallVector<Value> place = vector;
            place.push_back(indexConstant(nested, loc, i));
            Value index = tensor::ExtractOp::create(nested, loc, indices, place);
            at.push_back(placeOf(nested, loc, index, tensorType(data).getDimSize(batch + i)));
          }
          at.append(loops.begin() + indexRank - 1, loops.end());
          return tensor::ExtractOp::create(nested, loc, data, at);
        });
    b.replaceOp(op, result);
    return success();
  }
};

} // namespace

void to_linalg::populateGather(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertGather, ConvertGatherElements, ConvertGatherNd>(types, patterns.getContext());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop nests that ops become, and the arithmetic inside them.
#include "TtcToLinalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::ttc;

namespace mlir::ttc::to_linalg {

Type accumulationType(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type && type.getWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}

Value emptyTensor(OpBuilder &b, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
}

Value filledTensor(OpBuilder &b, Location loc, RankedTensorType type, TypedAttr value) {
  Value scalar = arith::ConstantOp::create(b, loc, value);
  return linalg::FillOp::create(b, loc, scalar, emptyTensor(b, loc, type)).getResult(0);
}

TypedAttr numberAttr(Type type, double value) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    APFloat number(value);
    bool loses;
    number.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
    return FloatAttr::get(type, number);
  }
  return IntegerAttr::get(type, static_cast<int64_t>(value));
}

Value number(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, numberAttr(type, value));
}

TypedAttr lowestAttr(Type type, bool isUnsigned) {
  if (auto floats = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat::getInf(floats.getFloatSemantics(), /*Negative=*/true));
  unsigned width = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, isUnsigned || width == 1 ? APInt::getZero(width)
                                                         : APInt::getSignedMinValue(width));
}

TypedAttr highestAttr(Type type, bool isUnsigned) {
  if (auto floats = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat::getInf(floats.getFloatSemantics()));
  unsigned width = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, isUnsigned || width == 1 ? APInt::getMaxValue(width)
                                                         : APInt::getSignedMaxValue(width));
}

AffineMap broadcastMap(MLIRContext *context, ArrayRef<int64_t> shape, ArrayRef<int64_t> result) {
  SmallVector<AffineExpr> exprs;
  size_t missing = result.size() - shape.size();
  for (auto [i, size] : llvm::enumerate(shape))
    exprs.push_back(size == result[missing + i] ? getAffineDimExpr(missing + i, context)
                                                : getAffineConstantExpr(0, context));
  return AffineMap::get(result.size(), 0, exprs, context);
}

Value mapElements(OpBuilder &b, Location loc, RankedTensorType resultType, ValueRange inputs,
                  ArrayRef<AffineMap> maps, Body body) {
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(b.getMultiDimIdentityMap(resultType.getRank()));
  SmallVector<utils::IteratorType> iterators(resultType.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, resultType, inputs, emptyTensor(b, loc, resultType), allMaps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange elements) {
               linalg::YieldOp::create(nested, loc, body(nested, loc, elements.drop_back()));
             })
      .getResult(0);
}

Value mapElements(OpBuilder &b, Location loc, RankedTensorType resultType, ValueRange inputs,
                  Body body) {
  SmallVector<AffineMap> maps = llvm::map_to_vector(inputs, [&](Value input) {
    return broadcastMap(b.getContext(), tensorType(input).getShape(), resultType.getShape());
  });
  return mapElements(b, loc, resultType, inputs, maps, body);
}

Value pullElements(OpBuilder &b, Location loc, RankedTensorType resultType, Body body) {
  return mapElements(b, loc, resultType, ValueRange(),
                     [&](OpBuilder &nested, Location loc, ValueRange) {
                       SmallVector<Value> indices;
                       for (int64_t i = 0; i < resultType.getRank(); ++i)
                         indices.push_back(linalg::IndexOp::create(nested, loc, i));
                       return body(nested, loc, indices);
                     });
}

Value reduceDims(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes, Value init,
                 Body body) {
  int64_t rank = tensorType(input).getRank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  for (int64_t axis : axes)
    iterators[axis] = utils::IteratorType::reduction;
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < rank; ++i)
    if (iterators[i] == utils::IteratorType::parallel)
      kept.push_back(b.getAffineDimExpr(i));
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(rank),
                                 AffineMap::get(rank, 0, kept, b.getContext())};
  return linalg::GenericOp::create(b, loc, init.getType(), input, init, maps, iterators,
                                   [&](OpBuilder &nested, Location loc, ValueRange elements) {
                                     linalg::YieldOp::create(nested, loc,
                                                             body(nested, loc, elements));
                                   })
      .getResult(0);
}

Value convertFloat(OpBuilder &b, Location loc, Value v, Type element) {
  if (v.getType() == element)
    return v;
  return v.getType().getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth()
             ? arith::ExtFOp::create(b, loc, element, v).getResult()
             : arith::TruncFOp::create(b, loc, element, v).getResult();
}

Value mulOf(OpBuilder &b, Location loc, Value x, Value y) {
  return isa<FloatType>(x.getType()) ? arith::MulFOp::create(b, loc, x, y).getResult()
                                     : arith::MulIOp::create(b, loc, x, y).getResult();
}

Value addOf(OpBuilder &b, Location loc, Value x, Value y) {
  return isa<FloatType>(x.getType()) ? arith::AddFOp::create(b, loc, x, y).getResult()
                                     : arith::AddIOp::create(b, loc, x, y).getResult();
}

Value maxOf(OpBuilder &b, Location loc, Value x, Value y, bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return arith::MaximumFOp::create(b, loc, x, y);
  if (isUnsigned || x.getType().isInteger(1))
    return arith::MaxUIOp::create(b, loc, x, y);
  return arith::MaxSIOp::create(b, loc, x, y);
}

Value minOf(OpBuilder &b, Location loc, Value x, Value y, bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return arith::MinimumFOp::create(b, loc, x, y);
  if (isUnsigned || x.getType().isInteger(1))
    return arith::MinUIOp::create(b, loc, x, y);
  return arith::MinSIOp::create(b, loc, x, y);
}

Value indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value linearIndex(OpBuilder &b, Location loc, Value index, int64_t scale, int64_t offset) {
  if (scale != 1)
    index = arith::MulIOp::create(b, loc, index, indexConstant(b, loc, scale));
  if (offset != 0)
    index = arith::AddIOp::create(b, loc, index, indexConstant(b, loc, offset));
  return index;
}

Value reshapeTensor(OpBuilder &b, Location loc, Value v, RankedTensorType type) {
  RankedTensorType from = tensorType(v);
  if (from == type)
    return v;
  if (from.getRank() != type.getRank())
    if (auto groups = getReassociationIndicesForReshape(from, type))
      return from.getRank() > type.getRank()
                 ? tensor::CollapseShapeOp::create(b, loc, type, v, *groups).getResult()
                 : tensor::ExpandShapeOp::create(b, loc, type, v, *groups).getResult();
  // Through one dimension; rank 0 counts as already collapsed.
  auto flat = RankedTensorType::get({from.getNumElements()}, from.getElementType());
  auto allOf = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank > 0)
      groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  if (from.getRank() == 0)
    v = tensor::ExpandShapeOp::create(b, loc, flat, v, allOf(0));
  else if (from.getRank() > 1)
    v = tensor::CollapseShapeOp::create(b, loc, flat, v, allOf(from.getRank()));
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, type, v, allOf(0));
  if (type.getRank() > 1)
    v = tensor::ExpandShapeOp::create(b, loc, type, v, allOf(type.getRank()));
  return v;
}

} // namespace mlir::ttc::to_linalg

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

Type accumulationType(Type element, int64_t additions) {
  Type sum = accumulationType(element);
  constexpr int64_t kMostInF32 = 512;
  return sum.isF32() && additions > kMostInF32 ? Float64Type::get(element.getContext()) : sum;
}

Type accumulationType(RankedTensorType type, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes) {
    int64_t size = type.getDimSize(axis);
    // Along the last dimension, every lane of a vector adds a part.
    count *= axis == type.getRank() - 1 ? llvm::divideCeil(size, 8) : size;
  }
  return accumulationType(type.getElementType(), count);
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

// A reduced dimension d becomes two loops: the reduction, and a parallel one of one iteration
// (appended after all others) that the result's dimension of size 1 follows.
AffineMap reducedMap(MLIRContext *context, int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < rank; ++i)
    exprs.push_back(getAffineDimExpr(i, context));
  for (auto [number, axis] : llvm::enumerate(axes))
    exprs[axis] = getAffineDimExpr(rank + number, context);
  return AffineMap::get(rank + axes.size(), 0, exprs, context);
}

SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> reduced(shape);
  for (int64_t axis : axes)
    reduced[axis] = 1;
  return reduced;
}

SmallVector<utils::IteratorType> reducedIterators(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<utils::IteratorType> iterators(rank + axes.size(), utils::IteratorType::parallel);
  for (int64_t axis : axes)
    iterators[axis] = utils::IteratorType::reduction;
  return iterators;
}

Value reduceDims(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes, TypedAttr init,
                 Body body) {
  RankedTensorType type = tensorType(input);
  int64_t rank = type.getRank();
  auto resultType = RankedTensorType::get(reducedShape(type.getShape(), axes), init.getType());
  auto read = AffineMap::getMultiDimIdentityMap(rank, b.getContext());
  read = AffineMap::get(rank + axes.size(), 0, read.getResults(), b.getContext());
  SmallVector<AffineMap> maps = {read, reducedMap(b.getContext(), rank, axes)};
  return linalg::GenericOp::create(
             b, loc, resultType, input, filledTensor(b, loc, resultType, init), maps,
             reducedIterators(rank, axes),
             [&](OpBuilder &nested, Location loc, ValueRange elements) {
               linalg::YieldOp::create(nested, loc, body(nested, loc, elements));
             })
      .getResult(0);
}

Value sumDims(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes) {
  Type sum = accumulationType(tensorType(input), axes);
  Value result = reduceDims(b, loc, input, axes, numberAttr(sum, 0),
                            [&](OpBuilder &nested, Location loc, ValueRange e) {
                              Value x = convertFloat(nested, loc, e[0], sum);
                              return addOf(nested, loc, x, e[1]);
                            });
  return narrow(b, loc, result, accumulationType(tensorType(input).getElementType()));
}

Value widen(OpBuilder &b, Location loc, Value input) {
  RankedTensorType type = tensorType(input);
  Type element = accumulationType(type.getElementType());
  if (element == type.getElementType())
    return input;
  return mapElements(b, loc, withElement(type, element), input,
                     [&](OpBuilder &nested, Location loc, ValueRange e) {
                       return convertFloat(nested, loc, e[0], element);
                     });
}

Value narrow(OpBuilder &b, Location loc, Value input, Type element) {
  RankedTensorType type = tensorType(input);
  if (element == type.getElementType())
    return input;
  return mapElements(b, loc, withElement(type, element), input,
                     [&](OpBuilder &nested, Location loc, ValueRange e) {
                       return convertFloat(nested, loc, e[0], element);
                     });
}

Value extractOr(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> indices,
                ArrayRef<int64_t> checked, Value outside) {
  SmallVector<Value> clamped(indices);
  Value zero = indexConstant(b, loc, 0), isInside;
  for (int64_t dim : checked) {
    // Unsigned, so that negative indices are too large.
    Value size = indexConstant(b, loc, tensorType(tensor).getDimSize(dim));
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, indices[dim], size);
    clamped[dim] = arith::SelectOp::create(b, loc, inside, indices[dim], zero);
    isInside = isInside ? arith::AndIOp::create(b, loc, isInside, inside) : inside;
  }
  Value element = tensor::ExtractOp::create(b, loc, tensor, clamped);
  return isInside ? arith::SelectOp::create(b, loc, isInside, element, outside).getResult()
                  : element;
}

bool isWrittenOut(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return !isa<TtcDialect, linalg::LinalgDialect, tensor::TensorDialect>(user->getDialect()) ||
           user->hasTrait<OpTrait::IsTerminator>();
  });
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

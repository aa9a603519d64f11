// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ttc_ExtentOpInterface of ops that read or write by index.
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ExtentRules.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- reads by index ---------------------------------------------------------------===//

LogicalResult mlir::ttc::countFromExtents(Operation *op, OpBuilder &builder, ExtentScope &scope,
                                          OpOperand &data, OpOperand &indices,
                                          ArrayRef<int64_t> axes) {
  auto isPadded = [&](int64_t axis) { return scope.isPadded(data.get(), axis); };
  if (llvm::none_of(axes, isPadded))
    return success();
  const auto count = static_cast<int64_t>(axes.size());
  SmallVector<Extent> extents;
  for (int64_t axis : axes) {
    const int64_t size = tensorType(data.get()).getDimSize(axis);
    FailureOr<Extent> extent = isPadded(axis) ? getValidExtent(op, scope, data.get(), axis)
                                              : scope.getSpace().getConstant(size);
    if (failed(extent))
      return failure();
    extents.push_back(*extent);
  }
  DenseElementsAttr constant;
  if (matchPattern(indices.get(), m_Constant(&constant))) {
    ConstantTensor numbers = ConstantTensor::get(constant);
    bool hasNegative = false;
    for (int64_t i = 0; i < (numbers.isSplat() ? count : numbers.getNumElements()); ++i) {
      if (!isPadded(axes[i % count]))
        continue;
      const int64_t index = numbers.getInteger(i),
                    least = scope.getSpace().getLeast(extents[i % count]);
      hasNegative |= index < 0;
      if (index < -least || (index >= least && !scope.isPadded(indices.get())))
        return emitPaddingError(op, scope, data.get(), axes[i % count])
               << "expected constant indices that are valid in every run, found " << index;
    }
    if (!hasNegative)
      return success();
  }
  Location loc = op->getLoc();
  Type type = tensorType(indices.get()).getElementType();
  SmallVector<Value> sizes;
  for (const Extent &extent : extents)
    sizes.push_back(scope.getExtentValue(extent));
  Value size =
      count == 1 ? sizes.front() : Value(ConcatOp::create(builder, loc, sizes, /*axis=*/0));
  if (type != builder.getI32Type())
    size = CastOp::create(builder, loc, RankedTensorType::get({count}, type), size).getY();
  Value zero = makeNumber(builder, loc, type, 0);
  Value isNegative =
      CompareOp::create(builder, loc, ComparePredicate::LT, indices.get(), zero).getResult();
  Value counted = AddOp::create(builder, loc, indices.get(), size);
  Value index = WhereOp::create(builder, loc, isNegative, counted, indices.get()).getResult();
  if (index.getType() != indices.get().getType())
    index = ReshapeOp::create(builder, loc, index, tensorType(indices.get()).getShape());
  for (int64_t dim = 0; dim < tensorType(index).getRank(); ++dim)
    scope.setPadding(index, dim, scope.getPadding(indices.get(), dim));
  indices.set(index);
  return success();
}

FailureOr<bool> GatherElementsOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const int64_t axis = getAxis();
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(*this, builder, scope, axis);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  if (failed(countFromExtents(*this, builder, scope, (*this)->getOpOperand(0),
                              (*this)->getOpOperand(1), {axis})))
    return failure();
  // Elements of the other dimensions stay where they are.
  for (int64_t dim = 0; dim < tensorType(getY()).getRank(); ++dim)
    if (scope.isPadded(getIndices(), dim))
      scope.setPadding(getY(), dim, scope.getPadding(getIndices(), dim));
    else if (dim != axis && scope.isPadded(getData(), dim))
      return emitPaddingError(*this, scope, getData(), dim) << "expected indices of the same size";
  return false;
}

FailureOr<bool> GatherNdOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const int64_t batch = getBatchDims(), indicesRank = tensorType(getIndices()).getRank(),
                count = tensorType(getIndices()).getShape().back();
  if (scope.isPadded(getIndices(), indicesRank - 1))
    return emitPaddingError(*this, scope, getIndices(), indicesRank - 1)
           << "expected as many indices in every run";
  if (failed(countFromExtents(*this, builder, scope, (*this)->getOpOperand(0),
                              (*this)->getOpOperand(1),
                              llvm::to_vector(llvm::seq<int64_t>(batch, batch + count)))))
    return failure();
  // The dimensions of the result: those of the indices but the last, then what is left of the data.
  for (int64_t dim = 0; dim < tensorType(getY()).getRank(); ++dim) {
    const bool isOfIndices = dim < indicesRank - 1;
    Value from = isOfIndices ? getIndices() : getData();
    const int64_t at = isOfIndices ? dim : dim - (indicesRank - 1) + batch + count;
    if (scope.isPadded(from, at))
      scope.setPadding(getY(), dim, scope.getPadding(from, at));
    else if (dim < batch && scope.isPadded(getData(), dim))
      scope.setPadding(getY(), dim, scope.getPadding(getData(), dim));
  }
  return false;
}

//===--- writes by index --------------------------------------------------------------===//

/// An update whose index is out of range is left out, so padding of the updates has such indices.
/// Along all other dimensions, everything stays in its place.
static LogicalResult followScatter(Operation *op, OpBuilder &builder, ExtentScope &scope,
                                   ArrayRef<int64_t> axes, int64_t outer) {
  OpOperand &data = op->getOpOperand(0), &indices = op->getOpOperand(1);
  Value updates = op->getOperand(2);
  for (Value value : op->getOperands())
    for (int64_t dim = 0; dim < tensorType(value).getRank(); ++dim)
      if (scope.isPadded(value, dim) && failed(getValidExtent(op, scope, value, dim)))
        return failure();
  if (failed(countFromExtents(op, builder, scope, data, indices, axes)))
    return failure();
  for (int64_t dim = 0; dim < outer; ++dim) {
    if (scope.isPadded(updates, dim) && !scope.isPadded(indices.get(), dim))
      return emitPaddingError(op, scope, updates, dim)
             << "expected indices of the same size in each run";
    if (failed(scope.fill(indices, dim, Fill::Lowest)))
      return failure();
  }
  for (int64_t dim = 0; dim < tensorType(data.get()).getRank(); ++dim)
    scope.setPadding(op->getResult(0), dim, scope.getPadding(data.get(), dim));
  return success();
}

FailureOr<bool> ScatterElementsOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  if (failed(followScatter(*this, builder, scope, {static_cast<int64_t>(getAxis())},
                           tensorType(getIndices()).getRank())))
    return failure();
  return false;
}

FailureOr<bool> ScatterNdOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const int64_t outer = tensorType(getIndices()).getRank() - 1,
                count = tensorType(getIndices()).getShape().back();
  if (scope.isPadded(getIndices(), outer))
    return emitPaddingError(*this, scope, getIndices(), outer)
           << "expected as many indices in every run";
  if (failed(followScatter(*this, builder, scope, llvm::to_vector(llvm::seq<int64_t>(0, count)),
                           outer)))
    return failure();
  // The slices that are written have the dimensions that the indices leave.
  for (int64_t dim = count; dim < tensorType(getData()).getRank(); ++dim)
    if (const int64_t own = outer + dim - count;
        scope.isPadded(getUpdates(), own) && !scope.isPadded(getData(), dim))
      return emitPaddingError(*this, scope, getUpdates(), own)
             << "expected slices of the size of the data";
  return false;
}

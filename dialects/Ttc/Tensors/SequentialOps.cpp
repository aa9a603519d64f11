// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "kernels/Params.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;
using ::ttc::kernels::kScatterRank;

/// The first constraint of both scatters.
template <typename Adaptor>
static LogicalResult checkUpdates(const InferenceScope &scope, Adaptor adaptor) {
  if (failed(scope.checkSameElementType("C1", {adaptor.getData(), adaptor.getUpdates()})))
    return failure();
  auto data = tensorType(adaptor.getData());
  if (adaptor.getReduction() != ScatterReduction::None && data.getElementType().isInteger(1))
    return scope.fail("(C1) expected numbers to reduce, found ", data);
  return success();
}

LogicalResult ScatterElementsOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkUpdates(scope, adaptor)))
    return failure();
  auto data = tensorType(adaptor.getData()), indices = tensorType(adaptor.getIndices());
  if (data.getRank() < 1 || data.getRank() > kScatterRank || data.getRank() != indices.getRank())
    return scope.fail("(C2) expected 'data' of 1 to ", kScatterRank,
                      " dimensions and 'indices' of as many, found ", data, " and ", indices);
  int64_t axis = adaptor.getAxis();
  if (failed(scope.checkAxis("C3", axis, data.getRank())))
    return failure();
  auto updates = tensorType(adaptor.getUpdates());
  if (updates.getShape() != indices.getShape())
    return scope.fail("(C4) expected 'updates' of shape ", toString(indices.getShape()), ", found ",
                      updates);
  for (int64_t i = 0; i < data.getRank(); ++i)
    if (i != axis && indices.getDimSize(i) > data.getDimSize(i))
      return scope.fail("(C4) expected 'indices' to be no larger than 'data' in dimension ", i,
                        ", found ", indices, " and ", data);
  types.push_back(data);
  return success();
}

LogicalResult ScatterNdOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  if (failed(checkUpdates(scope, adaptor)))
    return failure();
  auto data = tensorType(adaptor.getData()), indices = tensorType(adaptor.getIndices());
  int64_t most = std::min(data.getRank(), kScatterRank);
  if (indices.getRank() < 1 || indices.getShape().back() < 1 || indices.getShape().back() > most)
    return scope.fail("(C2) expected the last dimension of 'indices' to be from 1 to ", most,
                      ", found ", indices);
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, data.getShape().drop_front(indices.getShape().back()));
  auto updates = tensorType(adaptor.getUpdates());
  if (updates.getShape() != ArrayRef(shape))
    return scope.fail("(C3) expected 'updates' of shape ", toString(shape), ", found ", updates);
  types.push_back(data);
  return success();
}

OpFoldResult ScatterElementsOp::fold(FoldAdaptor) {
  return tensorType(getUpdates()).getNumElements() == 0 ? getData() : OpFoldResult();
}
OpFoldResult ScatterNdOp::fold(FoldAdaptor) {
  return tensorType(getUpdates()).getNumElements() == 0 ? getData() : OpFoldResult();
}

LogicalResult CumulativeOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  if (failed(scope.checkAxis("C1", adaptor.getAxis(), x.getRank())))
    return failure();
  types.push_back(x);
  return success();
}

/// Places and boxes are numbered in 32 bits.
static constexpr int64_t kMostPlaces = (int64_t(1) << 31) - 1;

LogicalResult ArgsortOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  int64_t axis = adaptor.getAxis(), count = adaptor.getCount();
  if (failed(scope.checkAxis("C1", axis, x.getRank())))
    return failure();
  int64_t size = x.getDimSize(axis);
  if (size > kMostPlaces)
    return scope.fail("(C1) expected at most ", kMostPlaces, " elements along 'axis', found ", x);
  if (count < 0 || count > size)
    return scope.fail("(C2) expected a 'count' from 0 to ", size, ", found ", count);
  SmallVector<int64_t> shape(x.getShape());
  shape[axis] = count;
  types.push_back(RankedTensorType::get(shape, IntegerType::get(scope.getContext(), 64)));
  return success();
}

LogicalResult NonMaxSuppressionOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  auto boxes = tensorType(adaptor.getBoxes()), scores = tensorType(adaptor.getScores());
  if (boxes.getRank() != 3 || scores.getRank() != 3 || boxes.getDimSize(2) != 4 ||
      boxes.getDimSize(0) != scores.getDimSize(0) || boxes.getDimSize(1) != scores.getDimSize(2) ||
      boxes.getDimSize(1) > kMostPlaces)
    return scope.fail(
        "(C1) expected boxes [batches, boxes, 4] and scores [batches, classes, boxes], "
        "found ",
        boxes, " and ", scores);
  for (Value limit : adaptor.getOperands().drop_front(2))
    if (tensorType(limit).getNumElements() != 1)
      return scope.fail("(C2) expected limits of one element, found ", limit.getType());
  if (adaptor.getRows() < 0)
    return scope.fail("(C3) expected 'rows' of at least 0, found ", adaptor.getRows());
  types.push_back(
      RankedTensorType::get({adaptor.getRows(), 3}, IntegerType::get(scope.getContext(), 64)));
  return success();
}

LogicalResult DeterminantOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  if (x.getRank() < 2 || x.getShape().back() != x.getShape()[x.getRank() - 2])
    return scope.fail("(C1) expected square matrices in the last two dimensions, found ", x);
  types.push_back(x.clone(x.getShape().drop_back(2)));
  return success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// Ops whose result type is given
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto x = tensorType(getX()), y = tensorType(getY());
  if (x.getElementType() != y.getElementType() || x.getNumElements() != y.getNumElements())
    return emitOpError() << "(C1) expected a result of " << x.getNumElements() << " elements of "
                         << x.getElementType() << ", found " << y;
  return success();
}

LogicalResult ExpandOp::verify() {
  auto x = tensorType(getX()), y = tensorType(getY());
  if (x.getElementType() != y.getElementType())
    return emitOpError() << "(C1) expected a result of element type " << x.getElementType()
                         << ", found " << y;
  SmallVector<int64_t> shape(y.getShape());
  if (failed(broadcastShape(shape, x.getShape())) || ArrayRef(shape) != y.getShape())
    return emitOpError() << "(C2) expected an operand that broadcasts to " << toString(y.getShape())
                         << ", found " << x;
  return success();
}

LogicalResult ResizeOp::verify() {
  auto x = tensorType(getX()), y = tensorType(getY());
  if (x.getElementType() != y.getElementType() || x.getRank() != y.getRank() ||
      x.getNumElements() == 0 || y.getNumElements() == 0)
    return emitOpError() << "(C1) expected a result of " << x.getRank() << " dimensions of "
                         << x.getElementType() << ", none of them empty, found " << y;
  auto isScale = [](float scale) { return scale > 0 && std::isfinite(scale); };
  if (static_cast<int64_t>(getScales().size()) != x.getRank() ||
      !llvm::all_of(getScales(), isScale))
    return emitOpError() << "(C2) expected " << x.getRank() << " positive, finite scales, found "
                         << getScalesAttr();
  return success();
}

//===----------------------------------------------------------------------===//
// Ops whose result type follows from operands and attributes
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (static_cast<int64_t>(permutation.size()) != x.getRank() || !isPermutationVector(permutation))
    return scope.fail("(C1) expected a permutation of ", x.getRank(), " dimensions, found ",
                      toString(permutation));
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(x.getDimSize(dim));
  types.push_back(x.clone(shape));
  return success();
}

LogicalResult ConcatOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                   SmallVectorImpl<Type> &types) {
  ValueRange inputs = adaptor.getInputs();
  if (inputs.empty())
    return scope.fail("(C1) expected at least one operand");
  if (failed(scope.checkSameElementType("C1", inputs)))
    return failure();
  auto first = tensorType(inputs[0]);
  int64_t axis = adaptor.getAxis();
  if (failed(scope.checkAxis("C2", axis, first.getRank())))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : inputs.drop_front()) {
    SmallVector<int64_t> other(tensorType(input).getShape());
    bool sameRank = other.size() == shape.size();
    int64_t size = sameRank ? std::exchange(other[axis], shape[axis]) : 0;
    if (other != shape)
      return scope.fail("(C3) expected operands of one shape but for dimension ", axis, ", found ",
                        first, " and ", input.getType());
    shape[axis] += size;
  }
  types.push_back(first.clone(shape));
  return success();
}

LogicalResult SliceOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                  SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  size_t rank = x.getRank();
  ArrayRef<int64_t> starts = adaptor.getStarts(), sizes = adaptor.getSizes(),
                    steps = adaptor.getSteps();
  if (starts.size() != rank || sizes.size() != rank || steps.size() != rank)
    return scope.fail("(C1) expected ", rank, " starts, sizes and steps, found ", toString(starts),
                      ", ", toString(sizes), " and ", toString(steps));
  for (size_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0 || steps[i] == 0)
      return scope.fail(
          "(C2) expected sizes that are not negative and steps that are not 0, found ",
          toString(sizes), " and ", toString(steps));
    if (sizes[i] == 0)
      continue;
    // In 128 bits, since attributes may have any value.
    __int128 last = starts[i] + static_cast<__int128>(sizes[i] - 1) * steps[i];
    int64_t size = x.getDimSize(i);
    if (starts[i] < 0 || starts[i] >= size || last < 0 || last >= size)
      return scope.fail("(C3) expected elements from 0 to ", size - 1, " of dimension ", i,
                        ", found start ", starts[i], ", size ", sizes[i], ", step ", steps[i]);
  }
  types.push_back(x.clone(sizes));
  return success();
}

LogicalResult SplitOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                  SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  int64_t axis = adaptor.getAxis();
  if (failed(scope.checkAxis("C1", axis, x.getRank())))
    return failure();
  int64_t rest = x.getDimSize(axis);
  SmallVector<int64_t> shape(x.getShape());
  for (int64_t size : adaptor.getSizes()) {
    if (size < 0 || size > rest) {
      rest = -1;
      break;
    }
    rest -= size;
    shape[axis] = size;
    types.push_back(x.clone(shape));
  }
  if (rest != 0)
    return scope.fail("(C2) expected sizes that are not negative and sum up to ",
                      x.getDimSize(axis), ", found ", toString(adaptor.getSizes()));
  return success();
}

LogicalResult PadOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  if (failed(scope.checkArray("C1", "low", low, x.getRank(), 0)) ||
      failed(scope.checkArray("C1", "high", high, x.getRank(), 0)))
    return failure();
  SmallVector<int64_t> shape(x.getShape());
  for (int64_t i = 0; i < x.getRank(); ++i) {
    int64_t widest = std::max(low[i], high[i]);
    bool reflect = adaptor.getMode() == PadMode::Reflect;
    bool repeat = adaptor.getMode() == PadMode::Edge || adaptor.getMode() == PadMode::Wrap;
    if (widest > 0 && ((reflect && widest >= shape[i]) || (repeat && shape[i] == 0)))
      return scope.fail("(C2) expected elements to ", reflect ? "reflect" : "repeat",
                        " in dimension ", i, " of size ", shape[i], ", found padding of ", low[i],
                        " and ", high[i]);
    shape[i] += low[i] + high[i];
  }
  types.push_back(x.clone(shape));
  return success();
}

LogicalResult GatherOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                   SmallVectorImpl<Type> &types) {
  auto data = tensorType(adaptor.getData()), indices = tensorType(adaptor.getIndices());
  int64_t axis = adaptor.getAxis();
  if (failed(scope.checkAxis("C1", axis, data.getRank())))
    return failure();
  SmallVector<int64_t> shape(data.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, data.getShape().drop_front(axis + 1));
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult GatherElementsOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto data = tensorType(adaptor.getData()), indices = tensorType(adaptor.getIndices());
  if (data.getRank() != indices.getRank())
    return scope.fail("(C1) expected 'indices' to have as many dimensions as 'data', ",
                      data.getRank(), ", found ", indices);
  int64_t axis = adaptor.getAxis();
  if (failed(scope.checkAxis("C2", axis, data.getRank())))
    return failure();
  for (int64_t i = 0; i < data.getRank(); ++i)
    if (i != axis && indices.getDimSize(i) > data.getDimSize(i))
      return scope.fail("(C3) expected 'indices' to be no larger than 'data' in dimension ", i,
                        ", found ", indices, " and ", data);
  types.push_back(data.clone(indices.getShape()));
  return success();
}

LogicalResult GatherNdOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  auto data = tensorType(adaptor.getData()), indices = tensorType(adaptor.getIndices());
  int64_t batch = adaptor.getBatchDims();
  if (batch < 0 || batch >= data.getRank() || batch >= indices.getRank() ||
      data.getShape().take_front(batch) != indices.getShape().take_front(batch))
    return scope.fail("(C1) expected batch dimensions that 'data' and 'indices' have in common, "
                      "found batch_dims ",
                      batch, " of ", data, " and ", indices);
  int64_t depth = indices.getShape().back(), most = data.getRank() - batch;
  if (depth < 1 || depth > most)
    return scope.fail("(C2) expected the last dimension of 'indices' to be from 1 to ", most,
                      ", found ", indices);
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, data.getShape().drop_front(batch + depth));
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult TileOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                 SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  if (failed(scope.checkArray("C1", "repeats", adaptor.getRepeats(), x.getRank(), 0)))
    return failure();
  SmallVector<int64_t> shape(x.getShape());
  for (auto [size, repeat] : llvm::zip_equal(shape, adaptor.getRepeats()))
    size = toSize(__int128(size) * repeat);
  types.push_back(x.clone(shape));
  return success();
}

LogicalResult DepthToSpaceOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  if (x.getRank() < 3 || x.getRank() > 5)
    return scope.fail("(C1) expected 'x' to have 3 to 5 dimensions, found ", x);
  const ImageDims dims(x, adaptor.getChannelsLast());
  ArrayRef<int64_t> block = adaptor.getBlock();
  if (failed(scope.checkArray("C2", "block", block, dims.numSpatial, 1)))
    return failure();
  SmallVector<int64_t> shape(x.getShape());
  int64_t &channels = shape[dims.channel];
  for (auto [i, size] : llvm::enumerate(block)) {
    if (channels % size != 0)
      return scope.fail("(C2) expected blocks whose product divides the ",
                        x.getDimSize(dims.channel), " channels, found ", adaptor.getBlockAttr());
    channels /= size;
    shape[dims.firstSpatial + i] = toSize(__int128(shape[dims.firstSpatial + i]) * size);
  }
  types.push_back(x.clone(shape));
  return success();
}

LogicalResult SpaceToDepthOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  if (x.getRank() != 4)
    return scope.fail("(C1) expected 'x' to have 4 dimensions, found ", x);
  ArrayRef<int64_t> shape = x.getShape();
  int64_t block = adaptor.getBlock();
  if (block <= 0 || block > kMostElements || shape[2] % block != 0 || shape[3] % block != 0)
    return scope.fail("(C2) expected a positive block that divides height ", shape[2],
                      " and width ", shape[3], ", found ", block);
  types.push_back(x.clone(
      {shape[0], toSize(__int128(shape[1]) * block * block), shape[2] / block, shape[3] / block}));
  return success();
}

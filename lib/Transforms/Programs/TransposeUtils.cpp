// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TransposeUtils.h"
#include "dialects/Ttc/TtcOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ttc;

SmallVector<int64_t> mlir::ttc::permute(ArrayRef<int64_t> values, ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation, [&](int64_t dim) { return values[dim]; });
}

RankedTensorType mlir::ttc::permute(RankedTensorType type, ArrayRef<int64_t> permutation) {
  return type.clone(permute(type.getShape(), permutation));
}

Permutation mlir::ttc::getToChannelsLast(int64_t rank) {
  Permutation permutation{0};
  for (int64_t dim = 2; dim < rank; ++dim)
    permutation.push_back(dim);
  permutation.push_back(1);
  return permutation;
}

bool mlir::ttc::movesUnitDimsOnly(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) {
  int64_t previous = -1;
  for (int64_t dim : permutation) {
    if (shape[dim] == 1)
      continue;
    if (dim < previous)
      return false;
    previous = dim;
  }
  return true;
}

Value mlir::ttc::createTranspose(OpBuilder &builder, Location loc, Value value,
                                 ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation))
    return value;
  auto type = tensorType(value);
  if (movesUnitDimsOnly(type.getShape(), permutation))
    return createReshape(builder, loc, value, permute(type.getShape(), permutation));
  return TransposeOp::create(builder, loc, value, permutation);
}

Value mlir::ttc::createReshape(OpBuilder &builder, Location loc, Value value,
                               ArrayRef<int64_t> shape) {
  if (tensorType(value).getShape() == shape)
    return value;
  return ReshapeOp::create(builder, loc, value, shape);
}

FailureOr<SmallVector<ReshapeGroup>> mlir::ttc::getReshapeGroups(ArrayRef<int64_t> from,
                                                                 ArrayRef<int64_t> to) {
  SmallVector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    int64_t left = from[i++], right = to[j++];
    while (left != right) {
      if (left < right ? i == from.size() : j == to.size())
        return failure();
      if (left < right)
        left *= from[i++];
      else
        right *= to[j++];
      if (left == 0 || right == 0)
        return failure();
    }
    groups.push_back({static_cast<int64_t>(i), static_cast<int64_t>(j)});
  }
  if (i != from.size() || j != to.size())
    return failure();
  return groups;
}

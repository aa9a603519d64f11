// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TransposeUtils.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
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

std::optional<ChannelShuffle> mlir::ttc::getChannelShuffle(Value value) {
  auto merged = value.getDefiningOp<ReshapeOp>();
  auto transpose = merged ? merged.getX().getDefiningOp<TransposeOp>() : TransposeOp();
  auto split = transpose ? transpose.getX().getDefiningOp<ReshapeOp>() : ReshapeOp();
  if (!split || split.getX().getType() != value.getType() || tensorType(value).getRank() == 0)
    return std::nullopt;
  // [..., groups, C / groups], of which the last two change places.
  auto shape = tensorType(split.getY()).getShape();
  int64_t rank = shape.size(), channels = tensorType(value).getShape().back();
  if (rank < 2 || channels == 0 || shape[rank - 2] * shape[rank - 1] != channels)
    return std::nullopt;
  Permutation swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swap[rank - 2], swap[rank - 1]);
  if (transpose.getPermutation() != ArrayRef(swap))
    return std::nullopt;
  return ChannelShuffle{split.getX(), shape[rank - 2]};
}

/// Splits a dimension in two, transposes them and merges them again.
static Value swapParts(OpBuilder &builder, Location loc, Value value, int64_t dim, int64_t outer) {
  auto shape = tensorType(value).getShape();
  SmallVector<int64_t> split(shape);
  split[dim] = outer;
  split.insert(split.begin() + dim + 1, shape[dim] / outer);
  Permutation swap = llvm::to_vector(llvm::seq<int64_t>(0, split.size()));
  std::swap(swap[dim], swap[dim + 1]);
  Value parts = createTranspose(builder, loc, createReshape(builder, loc, value, split), swap);
  return createReshape(builder, loc, parts, shape);
}

Value mlir::ttc::createChannelShuffle(OpBuilder &builder, Location loc, ChannelShuffle shuffle) {
  return swapParts(builder, loc, shuffle.x, tensorType(shuffle.x).getRank() - 1, shuffle.groups);
}

Value mlir::ttc::undoChannelShuffle(OpBuilder &builder, Location loc, Value value, int64_t dim,
                                    int64_t groups) {
  return swapParts(builder, loc, value, dim, tensorType(value).getDimSize(dim) / groups);
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

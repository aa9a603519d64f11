// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_TRANSPOSEUTILS_H
#define TTC_LIB_TRANSFORMS_TRANSPOSEUTILS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::ttc {

using Permutation = SmallVector<int64_t>;

/// The shape, or any list with a value for each dimension, in permuted order.
SmallVector<int64_t> permute(ArrayRef<int64_t> values, ArrayRef<int64_t> permutation);
RankedTensorType permute(RankedTensorType type, ArrayRef<int64_t> permutation);

/// N, C, spatial... to N, spatial..., C.
Permutation getToChannelsLast(int64_t rank);

/// Whether elements stay where they are: only dimensions of size 1 move.
bool movesUnitDimsOnly(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation);

/// The value with permuted dimensions: itself, a reshape or a transpose.
Value createTranspose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation);
/// The value in this shape: itself or a reshape.
Value createReshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape);

/// A shuffle of channels, the last dimension: `x` seen as [..., groups, C / groups], these two
/// transposed, and merged again. Channel i of the result is channel
/// i % groups * (C / groups) + i / groups of `x`.
struct ChannelShuffle {
  Value x;
  int64_t groups;
};
/// The shuffle that makes a value of the same shape, if there is one.
std::optional<ChannelShuffle> getChannelShuffle(Value value);
Value createChannelShuffle(OpBuilder &builder, Location loc, ChannelShuffle shuffle);
/// Undoes a shuffle of `groups` groups along one dimension of a value.
Value undoChannelShuffle(OpBuilder &builder, Location loc, Value value, int64_t dim,
                         int64_t groups);

/// Splits two shapes of as many elements, neither with dimensions of size 1, into runs of
/// dimensions that hold as many elements in both: run i are the dimensions from
/// groups[i - 1] (or 0) up to groups[i] of each. Fails where there are empty dimensions.
struct ReshapeGroup {
  int64_t fromEnd, toEnd;
};
FailureOr<SmallVector<ReshapeGroup>> getReshapeGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_TRANSPOSEUTILS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PermutableOpInterface: attributes after a permutation of the operands' dimensions.
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"

using namespace mlir;
using namespace mlir::ttc;

/// The new position of dimension `axis`: the i with permutation[i] == axis.
static int64_t permuteAxis(int64_t axis, ArrayRef<int64_t> permutation) {
  return llvm::find(permutation, axis) - permutation.begin();
}

/// One value for each dimension, in the new order.
template <typename T>
static SmallVector<T> permuteValues(ArrayRef<T> values, ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation, [&](int64_t dim) { return values[dim]; });
}

static SmallVector<int64_t> permuteAxes(ArrayRef<int64_t> axes, ArrayRef<int64_t> permutation) {
  auto permuted =
      llvm::map_to_vector(axes, [&](int64_t axis) { return permuteAxis(axis, permutation); });
  llvm::sort(permuted);
  return permuted;
}

/// The order of the remaining dimensions after `axes` are removed.
static SmallVector<int64_t> permuteRemaining(ArrayRef<int64_t> axes,
                                             ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> remaining;
  for (int64_t dim : permutation)
    if (!llvm::is_contained(axes, dim))
      remaining.push_back(dim - llvm::count_if(axes, [=](int64_t axis) { return axis < dim; }));
  return remaining;
}

void ConcatOp::permuteDimensions(ArrayRef<int64_t> permutation) {
  setAxis(permuteAxis(getAxis(), permutation));
}
void SplitOp::permuteDimensions(ArrayRef<int64_t> permutation) {
  setAxis(permuteAxis(getAxis(), permutation));
}
void SliceOp::permuteDimensions(ArrayRef<int64_t> permutation) {
  setStarts(permuteValues(getStarts(), permutation));
  setSizes(permuteValues(getSizes(), permutation));
  setSteps(permuteValues(getSteps(), permutation));
}
void PadOp::permuteDimensions(ArrayRef<int64_t> permutation) {
  setLow(permuteValues(getLow(), permutation));
  setHigh(permuteValues(getHigh(), permutation));
}
void TileOp::permuteDimensions(ArrayRef<int64_t> permutation) {
  setRepeats(permuteValues(getRepeats(), permutation));
}
void ResizeOp::permuteDimensions(ArrayRef<int64_t> permutation) {
  setScales(permuteValues(getScales(), permutation));
}
void SoftmaxOp::permuteDimensions(ArrayRef<int64_t> permutation) {
  setAxis(permuteAxis(getAxis(), permutation));
}
void LogSoftmaxOp::permuteDimensions(ArrayRef<int64_t> permutation) {
  setAxis(permuteAxis(getAxis(), permutation));
}

#define TTC_PERMUTE_REDUCTION(OP)                                                                  \
  void OP::permuteDimensions(ArrayRef<int64_t> permutation) {                                      \
    setAxes(permuteAxes(getAxes(), permutation));                                                  \
  }                                                                                                \
  SmallVector<int64_t> OP::getResultPermutation(ArrayRef<int64_t> permutation) {                   \
    if (getKeepdims())                                                                             \
      return SmallVector<int64_t>(permutation);                                                    \
    return permuteRemaining(getAxes(), permutation);                                               \
  }
TTC_PERMUTE_REDUCTION(ReduceSumOp)
TTC_PERMUTE_REDUCTION(ReduceMeanOp)
TTC_PERMUTE_REDUCTION(ReduceMaxOp)
TTC_PERMUTE_REDUCTION(ReduceMinOp)
TTC_PERMUTE_REDUCTION(ReduceProdOp)
#undef TTC_PERMUTE_REDUCTION

#define TTC_PERMUTE_ARG_REDUCTION(OP)                                                              \
  void OP::permuteDimensions(ArrayRef<int64_t> permutation) {                                      \
    setAxis(permuteAxis(getAxis(), permutation));                                                  \
  }                                                                                                \
  SmallVector<int64_t> OP::getResultPermutation(ArrayRef<int64_t> permutation) {                   \
    if (getKeepdims())                                                                             \
      return SmallVector<int64_t>(permutation);                                                    \
    return permuteRemaining(static_cast<int64_t>(getAxis()), permutation);                         \
  }
TTC_PERMUTE_ARG_REDUCTION(ArgmaxOp)
TTC_PERMUTE_ARG_REDUCTION(ArgminOp)
#undef TTC_PERMUTE_ARG_REDUCTION

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of constants whose index map is separable by dimension. Private to the dialect.
#ifndef TTC_DIALECTS_TTC_CONSTANTEVALUATION_SEPARABLECOPY_H
#define TTC_DIALECTS_TTC_CONSTANTEVALUATION_SEPARABLECOPY_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ttc::detail {

/// Where the elements of a tensor come from, for each dimension: the element at
/// [i, j, ...] is the one at dims[0][i] + dims[1][j] + ... of the source, or `fill` if one of
/// these is negative. Covers transpose, slice, expand, tile and pad.
struct SeparableMap {
  SmallVector<SmallVector<int64_t>> dims;
};

/// The distances between neighbours along each dimension, in elements.
SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape);

/// Fills `result` (elements of `elementSize` bytes) from `source`, on all threads where it is
/// large. `fill` is one element.
void copySeparable(MLIRContext *context, const SeparableMap &map, size_t elementSize,
                   ArrayRef<char> source, ArrayRef<char> fill, MutableArrayRef<char> result);

} // namespace mlir::ttc::detail

#endif // TTC_DIALECTS_TTC_CONSTANTEVALUATION_SEPARABLECOPY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in equal boxes: shards in the cores' L1, and parts for the workgroups of a program.
#ifndef TTC_DIALECTS_TTC_LAYOUT_SHARDS_H
#define TTC_DIALECTS_TTC_LAYOUT_SHARDS_H

#include "dialects/Ttc/Layout/StridedRange.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ttc {

class LayoutAttr;

/// Into how many parts each dimension is cut when a tensor of `shape` becomes `rows` x `cols`
/// boxes: `cols` cut the last dimension, `rows` the others from the outside in. Parts in row-major
/// order are shards in the order of their cores. Nothing where the boxes would not be equal.
std::optional<SmallVector<int64_t>> getShardParts(ArrayRef<int64_t> shape, int64_t rows,
                                                  int64_t cols);
/// The same for a tensor of a sharded layout with a grid; ones for a tensor without shards.
std::optional<SmallVector<int64_t>> getShardParts(RankedTensorType type);

/// The layout of a tensor that is sharded; null where it is not.
LayoutAttr getShardedLayout(Type type);

/// The tensor in one core's L1, of a sharded layout with a grid. Without layout.
RankedTensorType getShardType(RankedTensorType type);

/// The type without its layout.
RankedTensorType dropLayout(RankedTensorType type);

/// A box of `shape / parts` within a row-major tensor of `shape`, as rows; nothing where no
/// rows say it. The offset is 0.
std::optional<StridedRange> getBoxRange(ArrayRef<int64_t> shape, ArrayRef<int64_t> parts);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_LAYOUT_SHARDS_H

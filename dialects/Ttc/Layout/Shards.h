// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitions of tensors into equal boxes: shards in the cores' L1, and parts for workgroups.
#ifndef TTC_DIALECTS_TTC_LAYOUT_SHARDS_H
#define TTC_DIALECTS_TTC_LAYOUT_SHARDS_H

#include "dialects/Ttc/Layout/StridedRange.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ttc {

class LayoutAttr;

/// The number of parts of each dimension when a tensor of `shape` is partitioned into `rows` x
/// `cols` boxes: `cols` divide the last dimension, `rows` the others, outermost first. Parts in
/// row-major order are shards in the order of their cores. Nothing if the boxes would not be equal.
std::optional<SmallVector<int64_t>> getShardParts(ArrayRef<int64_t> shape, int64_t rows,
                                                  int64_t cols);
/// The same for a tensor with a sharded layout that has a grid; ones for a tensor without shards.
std::optional<SmallVector<int64_t>> getShardParts(RankedTensorType type);

/// The layout of a tensor in shards in the L1s of cores, otherwise null. A tensor in shards in DRAM
/// has the addresses of one without.
LayoutAttr getShardedLayout(Type type);

/// The type of one shard, without a layout. The tensor has a sharded layout with a grid.
RankedTensorType getShardType(RankedTensorType type);

/// The type without its layout.
RankedTensorType dropLayout(RankedTensorType type);

/// The range of a box of `shape / parts` within a row-major tensor of `shape`, with offset 0.
/// Nothing if the box is not a strided range.
std::optional<StridedRange> getBoxRange(ArrayRef<int64_t> shape, ArrayRef<int64_t> parts);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_LAYOUT_SHARDS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heads in the columns of queries, keys and values, by which an attention over a cache is divided.
#ifndef TTC_LIB_MESH_HEADSECTIONS_H
#define TTC_LIB_MESH_HEADSECTIONS_H

#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"

namespace mlir::ttc {

/// Columns that hold queries, then keys, then values, or some of them: a device has its heads of
/// each section, one after the other.
struct HeadSections {
  SmallVector<int64_t> sizes; ///< in columns
  int64_t heads = 1;          ///< of keys and values, by which each section is divided
};

/// The sections of the columns of `value`, if products with constant weights in blocks make them
/// for an attention over a cache, and nothing else uses them; nothing otherwise.
std::optional<HeadSections> getHeadSections(Value value);
/// Those of the operand `qkv`.
std::optional<HeadSections> getHeadSections(CachedAttentionOp op);

/// Adapts the loops of a decoder's op: weights in blocks that are constants are divided by rows and
/// blocks, and columns of queries, keys and values by heads, where all of them are.
void divideDecoder(Operation *op, DimensionMap &map);

/// Whether a value has one use, annotations aside.
bool hasOnlyUse(Value value);

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_HEADSECTIONS_H

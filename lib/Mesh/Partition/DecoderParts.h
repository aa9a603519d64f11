// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices have of a decoder's ops: rows and blocks of its weights, the best of its logits.
#ifndef TTC_LIB_MESH_DECODERPARTS_H
#define TTC_LIB_MESH_DECODERPARTS_H

#include "ConstantParts.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"

namespace mlir::ttc {

/// The rows of `columns` that weights in blocks hold.
int64_t getBlockRows(Value w, BlockFormat format, int64_t columns);

/// The weights of one device: its rows of each section, by `rows`, and of them the blocks of its
/// columns, by `columns`.
ElementsAttr getWeightParts(PartsCache &cache, BlockMatmulOp op, const Axes &rows,
                            const Axes &columns, MeshAttr mesh);
/// The bias of its columns.
ElementsAttr getBiasParts(PartsCache &cache, BlockMatmulOp op, const Axes &columns, MeshAttr mesh);
/// The rows of an embedding that one device has.
ElementsAttr getTableParts(PartsCache &cache, BlockGatherOp op, const Axes &rows, MeshAttr mesh);

/// Adds bias and residual after the sum of all devices; rows that do not count are 0. `masks` has,
/// for counts of earlier products, which rows count.
Value addAfterSum(OpBuilder &builder, BlockMatmulOp op, Value sum, Value bias, Value residual,
                  DenseMap<Value, Value> &masks);

/// Rows of an embedding that is divided by `rows`: those that this device has; others are 0.
Value gatherOwnRows(OpBuilder &builder, BlockGatherOp op, Value table, Value tokens,
                    const Axes &rows, MeshAttr mesh);

/// Whether devices have parts of the logits, nothing else needs them whole, and gatherBest()
/// gathers less than all.
bool choosesFromParts(SampleOp op, DimensionClasses &classes);
/// The logits of all devices of which each has a part of the columns, by `axes`: those among the
/// TTRT_SAMPLING_BEST largest, and some more; all others are -infinity.
Value gatherBest(OpBuilder &builder, Location loc, Value logits, const Axes &axes, MeshAttr mesh);

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_DECODERPARTS_H

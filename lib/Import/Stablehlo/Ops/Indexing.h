// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions that are computed at run time: what gather and scatter, and slices at such positions,
// have in common.
#ifndef TTC_LIB_IMPORT_STABLEHLO_INDEXING_H
#define TTC_LIB_IMPORT_STABLEHLO_INDEXING_H

#include "lib/Import/Stablehlo/Core/StablehloOp.h"

namespace mlir::ttc {

/// Which dimensions of an operand the vectors of a tensor of indices address.
struct IndexedDims {
  /// Dimensions of the result of a gather, or of the updates of a scatter, that hold the window.
  SmallVector<int64_t> window;
  /// Dimensions of the operand in which the window has one element, and no dimension.
  SmallVector<int64_t> dropped;
  /// Dimensions of the operand, and those of the indices that they follow.
  SmallVector<int64_t> batching, indicesBatching;
  /// The dimension of the operand that each element of a vector addresses.
  SmallVector<int64_t> map;
  /// The dimension of the indices that holds vectors; their rank if they are single numbers.
  int64_t vectorDim = 0;
};

/// The names of attributes in the specification, and the numbers of its constraints; empty where it
/// has none.
struct IndexedDimsNames {
  StringRef window, dropped, batching, indicesBatching, map;
  StringRef rank, windows, droppedDims, batchingDims, separate, indicesBatchingDims, pairs, mapSize,
      mapDims, vectorDim;
};

LogicalResult checkIndexedDims(StablehloOp &op, const IndexedDims &dims,
                               const IndexedDimsNames &names, ArrayRef<int64_t> operandShape,
                               ArrayRef<int64_t> indicesShape, int64_t windowedRank);

/// The indices without the dimension of vectors.
SmallVector<int64_t> getBatchShape(const IndexedDims &dims, ArrayRef<int64_t> indicesShape);
/// Dimensions of the operand that the window has, in order.
SmallVector<int64_t> getWindowDims(const IndexedDims &dims, int64_t operandRank);

/// Integers of any type as i32 or i64, so that each that no tensor has stays one.
Value makeSignedIndex(StablehloOp &op, Value index);
/// The index within the positions at which a window of `size` elements fits.
Value clampIndex(StablehloOp &op, Value index, int64_t extent, int64_t size);
/// One index a dimension of the operand, of the batch's shape; null where no index addresses it.
SmallVector<Value> splitIndices(StablehloOp &op, Value indices, const IndexedDims &dims,
                                int64_t operandRank);

/// Row-major positions, one for each batch and each element of a window.
class LinearIndices {
public:
  /// `count` positions can be named.
  LinearIndices(StablehloOp &op, ArrayRef<int64_t> batchShape, ArrayRef<int64_t> windowShape,
                int64_t count);
  Type getType() const { return type; }
  /// Adds an index of the batch's shape, times `stride`.
  void add(Value index, int64_t stride);
  /// Adds the place in a dimension of the batch and the window together, times `stride`.
  void addPlace(int64_t dim, int64_t stride);
  /// The sums, of the shape of the batch and the window together.
  Value get();

private:
  Expressions e;
  SmallVector<int64_t> batchShape, shape;
  Type type;
  Value given, places;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_INDEXING_H

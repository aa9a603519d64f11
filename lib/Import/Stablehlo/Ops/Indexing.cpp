// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Indexing.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Whether all are different dimensions of a tensor of this rank.
static bool areDims(ArrayRef<int64_t> dims, int64_t rank) {
  return llvm::all_of(
      dims, [&](int64_t dim) { return dim >= 0 && dim < rank && llvm::count(dims, dim) == 1; });
}

LogicalResult mlir::ttc::checkIndexedDims(StablehloOp &op, const IndexedDims &dims,
                                          const IndexedDimsNames &names,
                                          ArrayRef<int64_t> operandShape,
                                          ArrayRef<int64_t> indicesShape, int64_t windowedRank) {
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of a reduction or a sort";
  const auto rank = static_cast<int64_t>(operandShape.size());
  const auto indicesRank = static_cast<int64_t>(indicesShape.size());
  auto check = [&](bool holds, StringRef constraint, StringRef name, ArrayRef<int64_t> found,
                   int64_t ofRank) -> LogicalResult {
    if (holds)
      return success();
    return op.error() << cite(constraint) << "expected " << name
                      << " to be different dimensions, in order, of a tensor of rank " << ofRank
                      << ", found [" << printList(found) << "]";
  };
  if (static_cast<int64_t>(dims.window.size() + dims.dropped.size() + dims.batching.size()) != rank)
    return op.error() << cite(names.rank) << "expected " << names.window << ", " << names.dropped
                      << " and " << names.batching << " to have " << rank
                      << " elements together, found "
                      << dims.window.size() + dims.dropped.size() + dims.batching.size();
  if (dims.vectorDim < 0 || dims.vectorDim > indicesRank)
    return op.error() << cite(names.vectorDim) << "expected index_vector_dim to be from 0 to "
                      << indicesRank << ", found " << dims.vectorDim;
  if (failed(check(areDims(dims.window, windowedRank) && llvm::is_sorted(dims.window),
                   names.windows, names.window, dims.window, windowedRank)))
    return failure();
  if (failed(check(areDims(dims.dropped, rank) && llvm::is_sorted(dims.dropped), names.droppedDims,
                   names.dropped, dims.dropped, rank)) ||
      failed(check(areDims(dims.batching, rank) && llvm::is_sorted(dims.batching),
                   names.batchingDims, names.batching, dims.batching, rank)) ||
      failed(check(areDims(dims.indicesBatching, indicesRank) &&
                       !llvm::is_contained(dims.indicesBatching, dims.vectorDim),
                   names.indicesBatchingDims, names.indicesBatching, dims.indicesBatching,
                   indicesRank)))
    return failure();
  if (llvm::any_of(dims.batching,
                   [&](int64_t dim) { return llvm::is_contained(dims.dropped, dim); }))
    return op.error() << cite(names.separate) << "expected " << names.batching
                      << " to be no dimensions of " << names.dropped << ", found ["
                      << printList(dims.batching) << "] and [" << printList(dims.dropped) << "]";
  auto haveSameSizes = [&] {
    return dims.batching.size() == dims.indicesBatching.size() &&
           llvm::all_of(llvm::zip_equal(dims.batching, dims.indicesBatching), [&](auto pair) {
             return operandShape[std::get<0>(pair)] == indicesShape[std::get<1>(pair)];
           });
  };
  if (!haveSameSizes())
    return op.error() << cite(names.pairs) << "expected " << names.batching << " and "
                      << names.indicesBatching << " to be dimensions of the same sizes, found ["
                      << printList(dims.batching) << "] and [" << printList(dims.indicesBatching)
                      << "]";
  const int64_t vectorSize = dims.vectorDim < indicesRank ? indicesShape[dims.vectorDim] : 1;
  if (static_cast<int64_t>(dims.map.size()) != vectorSize)
    return op.error() << cite(names.mapSize) << "expected " << names.map << " to have "
                      << vectorSize << " elements, found " << dims.map.size();
  SmallVector<int64_t> addressed(dims.map);
  addressed.append(dims.batching);
  if (!areDims(addressed, rank))
    return op.error() << cite(names.mapDims) << "expected " << names.map
                      << " to be different dimensions of a tensor of rank " << rank
                      << " that are not in " << names.batching << ", found [" << printList(dims.map)
                      << "]";
  return success();
}

SmallVector<int64_t> mlir::ttc::getBatchShape(const IndexedDims &dims,
                                              ArrayRef<int64_t> indicesShape) {
  SmallVector<int64_t> shape(indicesShape);
  if (dims.vectorDim < static_cast<int64_t>(shape.size()))
    shape.erase(shape.begin() + dims.vectorDim);
  return shape;
}

SmallVector<int64_t> mlir::ttc::getWindowDims(const IndexedDims &dims, int64_t operandRank) {
  SmallVector<int64_t> window;
  for (int64_t dim = 0; dim < operandRank; ++dim)
    if (!llvm::is_contained(dims.dropped, dim) && !llvm::is_contained(dims.batching, dim))
      window.push_back(dim);
  return window;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value mlir::ttc::makeSignedIndex(StablehloOp &op, Value index) {
  if (!index)
    return {};
  auto type = dyn_cast<IntegerType>(elementTypeOf(index));
  if (!type || type.getWidth() == 1) {
    op.error() << "expected indices of integers, found " << index.getType();
    return {};
  }
  Builder &builder = op.getBuilder();
  if (type.getWidth() < 32)
    return op.cast(index, builder.getI32Type());
  if (!type.isUnsigned())
    return index;
  // The largest ones would become negative.
  if (type.getWidth() == 64)
    index = Expressions(op).min(index, std::ldexp(1.0, 62));
  return op.cast(index, builder.getI64Type());
}

Value mlir::ttc::clampIndex(StablehloOp &op, Value index, int64_t extent, int64_t size) {
  Expressions e(op);
  return e.min(e.max(index, 0.0), static_cast<double>(extent - size));
}

SmallVector<Value> mlir::ttc::splitIndices(StablehloOp &op, Value indices, const IndexedDims &dims,
                                           int64_t operandRank) {
  SmallVector<Value> split(operandRank);
  indices = makeSignedIndex(op, indices);
  if (!indices)
    return split;
  Expressions e(op);
  for (auto [place, dim] : llvm::enumerate(dims.map))
    split[dim] = dims.vectorDim == rankOf(indices)
                     ? indices
                     : e.take(indices, dims.vectorDim, static_cast<int64_t>(place));
  return split;
}

LinearIndices::LinearIndices(StablehloOp &op, ArrayRef<int64_t> batchShape,
                             ArrayRef<int64_t> windowShape, int64_t count)
    : e(op), batchShape(batchShape), shape(batchShape) {
  shape.append(windowShape.begin(), windowShape.end());
  type = count < std::numeric_limits<int32_t>::max() ? op.getBuilder().getI32Type()
                                                     : op.getBuilder().getI64Type();
}

/// A sum of which either part may be missing.
static Value addTo(Expressions &e, Value sum, Value value) {
  return sum ? e.add(sum, value) : value;
}

void LinearIndices::add(Value index, int64_t stride) {
  if (!index)
    return;
  given = addTo(e, given, e.mul(e.cast(index, type), static_cast<double>(stride)));
}

void LinearIndices::addPlace(int64_t dim, int64_t stride) {
  if (shape[dim] == 1)
    return;
  Value place = e.cast(e.iota(shape[dim], dim, static_cast<int64_t>(shape.size())), type);
  places = addTo(e, places, e.mul(place, static_cast<double>(stride)));
}

Value LinearIndices::get() {
  Value sum = places;
  if (given) {
    // Dimensions of the window are added.
    SmallVector<int64_t> extended(batchShape);
    extended.resize(shape.size(), 1);
    sum = addTo(e, places, e.reshape(given, extended));
  }
  if (!sum)
    sum = e.splat(SmallVector<int64_t>(shape.size(), 1), type, 0);
  return e.expand(sum, shape);
}

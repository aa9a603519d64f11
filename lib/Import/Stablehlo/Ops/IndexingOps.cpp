// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that read elements at positions that are computed at run time.
#include "Indexing.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ttc;

/// Reads a window of `sizes` for each element of the batch. `indices` has one index a dimension of
/// the operand, in range, or null for 0; with `batching`, the dimension follows that dimension of
/// the batch. The result has the dimensions of the operand, of size 1 if not in the window, with
/// those of the batch before the one of them that is returned.
static std::pair<Value, int64_t> readWindows(StablehloOp &op, Value x, ArrayRef<int64_t> sizes,
                                             ArrayRef<Value> indices, ArrayRef<int64_t> batching,
                                             ArrayRef<int64_t> batchShape) {
  if (!x)
    return {};
  Expressions e(op);
  const int64_t rank = rankOf(x);
  SmallVector<int64_t> shape(shapeOf(x));
  auto isIndexed = [&](int64_t dim) { return sizes[dim] != shape[dim]; };
  int64_t first = 0, last = rank - 1;
  while (first < rank && !isIndexed(first))
    ++first;
  while (last > first && !isIndexed(last))
    --last;
  if (first == rank) {
    // The same elements for each.
    SmallVector<int64_t> one(batchShape.size(), 1), repeated(batchShape);
    one.append(shape);
    repeated.append(shape);
    return {e.expand(e.reshape(x, one), repeated), 0};
  }
  // Dimensions from the first to the last that is indexed become one.
  int64_t count = 1;
  SmallVector<int64_t> strides(rank, 0);
  for (int64_t dim = last; dim >= first; --dim) {
    strides[dim] = count;
    count *= shape[dim];
  }
  ArrayRef<int64_t> window = ArrayRef(sizes).slice(first, last - first + 1);
  LinearIndices linear(op, batchShape, window, count);
  const auto batchRank = static_cast<int64_t>(batchShape.size());
  for (int64_t dim = first; dim <= last; ++dim) {
    if (indices[dim] && isIndexed(dim))
      linear.add(indices[dim], strides[dim]);
    if (batching[dim] >= 0)
      linear.addPlace(batching[dim], strides[dim]);
    linear.addPlace(batchRank + dim - first, strides[dim]);
  }
  SmallVector<int64_t> merged(shape.begin(), shape.begin() + first);
  merged.push_back(count);
  merged.append(shape.begin() + last + 1, shape.end());
  return {e.gather(e.reshape(x, merged), linear.get(), first), first};
}

/// All zeros: what is read from has no elements, or what is read.
static Value makeEmpty(StablehloOp &op) {
  return Expressions(op).splat(op.resultType().getShape(), op.resultElementType(), 0);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

namespace {
/// The numbers of constraints of one of the two ops that gather.
struct GatherNames {
  IndexedDimsNames dims;
  StringRef droppedSizes, sizeCount, sizes, shape;
};
} // namespace

static const GatherNames kGatherNames = {
    {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
     "start_index_map", "C1", "C4, C5", "C6, C7, C8", "C6, C10, C11", "C6", "C13, C14, C15",
     "C16, C17", "C3", "C18, C19", "C2"},
    "C9, C12",
    "C20",
    "C21",
    "C22"};
/// The specification has dimensions of batches for the other op only.
static const GatherNames kDynamicGatherNames = {
    {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
     "start_index_map", "C1", "C4, C5", "C6, C7", "", "", "", "", "C3", "C9, C10", "C2"},
    "C8",
    "C11",
    "C12",
    "C13"};

static LogicalResult importGatherOf(StablehloOp &op, const GatherNames &names,
                                    ArrayRef<int64_t> sizes) {
  op.ignoreAttrs({"indices_are_sorted"});
  StablehloFields fields = op.getFields("dimension_numbers", "gather");
  Value x = op.operand(0), indices = op.operand(1);
  if (op.hasFailed())
    return failure();
  StringRef other =
      fields.findOther({"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                        "start_indices_batching_dims", "start_index_map", "index_vector_dim"});
  if (!other.empty())
    return op.error() << "field '" << other << "' of 'dimension_numbers' is not supported";
  auto get = [&](StringRef field) { return SmallVector<int64_t>(fields.getInts(field)); };
  IndexedDims dims{get("offset_dims"),           get("collapsed_slice_dims"),
                   get("operand_batching_dims"), get("start_indices_batching_dims"),
                   get("start_index_map"),       fields.getInt("index_vector_dim", 0)};
  const int64_t rank = rankOf(x);
  RankedTensorType type = op.resultType();
  if (failed(checkIndexedDims(op, dims, names.dims, shapeOf(x), shapeOf(indices), type.getRank())))
    return failure();
  if (static_cast<int64_t>(sizes.size()) != rank)
    return op.error() << cite(names.sizeCount) << "expected " << rank << " slice_sizes, found "
                      << sizes.size();
  for (auto [size, extent] : llvm::zip_equal(sizes, shapeOf(x)))
    if (size < 0 || size > extent)
      return op.error() << cite(names.sizes) << "expected slice_sizes from 0 to the sizes of "
                        << x.getType() << ", found [" << printList(sizes) << "]";
  for (int64_t dim : llvm::concat<int64_t>(dims.dropped, dims.batching))
    if (sizes[dim] > 1)
      return op.error() << cite(names.droppedSizes) << "expected slice size 1 in dimension " << dim
                        << ", found " << sizes[dim];
  SmallVector<int64_t> batchShape = getBatchShape(dims, shapeOf(indices));
  SmallVector<int64_t> windowDims = getWindowDims(dims, rank);
  if (static_cast<int64_t>(batchShape.size() + windowDims.size()) != type.getRank())
    return op.error() << cite(names.shape) << "expected a result of rank "
                      << batchShape.size() + windowDims.size() << ", found " << type;
  SmallVector<int64_t> expected;
  for (int64_t dim = 0, batch = 0, window = 0; dim < type.getRank(); ++dim)
    expected.push_back(llvm::is_contained(dims.window, dim) ? sizes[windowDims[window++]]
                                                            : batchShape[batch++]);
  if (type.getShape() != ArrayRef(expected))
    return op.error() << cite(names.shape) << "expected a result of shape [" << printList(expected)
                      << "], found " << type;
  if (type.getNumElements() == 0)
    return op.results(makeEmpty(op));
  if (tensorType(x).getNumElements() == 0)
    return op.error() << "expected an operand of at least one element, found " << x.getType();

  SmallVector<int64_t> batching(rank, -1);
  for (auto [dim, from] : llvm::zip_equal(dims.batching, dims.indicesBatching))
    batching[dim] = from - (from > dims.vectorDim);
  SmallVector<Value> starts = splitIndices(op, indices, dims, rank);
  for (auto [start, extent, size] : llvm::zip_equal(starts, shapeOf(x), sizes))
    if (start)
      start = clampIndex(op, start, extent, size);
  auto [y, first] = readWindows(op, x, sizes, starts, batching, batchShape);
  // Which dimension of the result each one of `y` is.
  SmallVector<int64_t> places, order(type.getRank()), shape;
  auto addBatch = [&] {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(dims.window, dim))
        places.push_back(dim);
    shape.append(batchShape);
  };
  for (auto [window, dim] : llvm::enumerate(windowDims)) {
    if (dim >= first && places.size() == window)
      addBatch();
    places.push_back(dims.window[window]);
    shape.push_back(sizes[dim]);
  }
  if (places.size() == windowDims.size())
    addBatch();
  for (auto [place, dim] : llvm::enumerate(places))
    order[dim] = static_cast<int64_t>(place);
  Expressions e(op);
  return op.results(e.transpose(e.reshape(y, shape), order));
}

static LogicalResult importGather(StablehloOp &op) {
  if (failed(op.checkOperands(2)))
    return failure();
  return importGatherOf(op, kGatherNames, op.getInts("slice_sizes"));
}

static LogicalResult importDynamicGather(StablehloOp &op) {
  if (failed(op.checkOperands(3)))
    return failure();
  std::optional<SmallVector<int64_t>> sizes = op.constantInts(2);
  if (!sizes)
    return op.error() << "expected constant slice_sizes";
  return importGatherOf(op, kDynamicGatherNames, *sizes);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static LogicalResult importDynamicSlice(StablehloOp &op) {
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of a reduction or a sort";
  if (op.numOperands() == 0)
    return op.error() << "expected an operand";
  Value x = op.operand(0);
  const int64_t rank = rankOf(x);
  SmallVector<int64_t> sizes = op.getInts("slice_sizes");
  if (op.numOperands() != rank + 1 || static_cast<int64_t>(sizes.size()) != rank)
    return op.error() << "(C2) expected as many start indices and slice_sizes as " << x.getType()
                      << " has dimensions, found " << op.numOperands() - 1 << " and "
                      << sizes.size();
  SmallVector<Value> starts(rank);
  SmallVector<int64_t> first(rank, 0), middle(shapeOf(x)), steps(rank, 1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (sizes[dim] < 0 || sizes[dim] > shapeOf(x)[dim])
      return op.error() << "(C4) expected slice_sizes from 0 to the sizes of " << x.getType()
                        << ", found [" << printList(sizes) << "]";
    Value start = op.operand(dim + 1);
    if (rankOf(start) != 0)
      return op.error() << "expected start indices of rank 0, found " << start.getType();
    starts[dim] = clampIndex(op, makeSignedIndex(op, start), shapeOf(x)[dim], sizes[dim]);
    if (std::optional<int64_t> known = getConstantInt(starts[dim])) {
      first[dim] = *known;
      middle[dim] = sizes[dim];
    }
  }
  if (op.resultType().getShape() != ArrayRef(sizes))
    return op.error() << "(C5) expected a result of shape [" << printList(sizes) << "], found "
                      << op.resultType();
  if (op.resultType().getNumElements() == 0)
    return op.results(makeEmpty(op));
  // What is known is cut out first.
  if (ArrayRef(middle) != shapeOf(x))
    x = op.create<SliceOp>(
        x, {op.attr("starts", first), op.attr("sizes", middle), op.attr("steps", steps)});
  return op.results(readWindows(op, x, sizes, starts, SmallVector<int64_t>(rank, -1), {}).first);
}

void mlir::ttc::registerStablehloIndexingOps(StablehloRegistry &registry) {
  registry.add("dynamic_gather", importDynamicGather, OnComplex::ByParts,
               "`slice_sizes` computed at run time");
  registry.add("dynamic_slice", importDynamicSlice, OnComplex::ByParts);
  registry.add("gather", importGather, OnComplex::ByParts);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements to places that are known while compiling.
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult importReshape(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  RankedTensorType type = op.resultType();
  if (op.isBroadened())
    return op.results(op.operand(0));
  if (tensorType(op.operand(0)).getNumElements() != type.getNumElements())
    return op.error() << "(C2) expected as many elements as in " << op.operand(0).getType()
                      << ", found " << type;
  return op.results(op.reshape(op.operand(0), type.getShape()));
}

static LogicalResult importTranspose(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  SmallVector<int64_t> permutation = op.getInts("permutation");
  const int64_t rank = op.resultType().getRank();
  if (static_cast<int64_t>(permutation.size()) != rank || !isPermutationVector(permutation))
    return op.error() << "(C2) expected a permutation of " << rank << " dimensions, found ["
                      << printList(permutation) << "]";
  // In a body, numbers have no dimensions.
  return op.results(op.isBroadened() ? op.operand(0)
                                     : Expressions(op).transpose(op.operand(0), permutation));
}

/// Dimension i of the operand becomes dimension broadcast_dimensions[i]; those of size 1, and the
/// result's others, are repeated.
static LogicalResult importBroadcastInDim(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  RankedTensorType type = op.resultType();
  SmallVector<int64_t> dims = op.getInts("broadcast_dimensions");
  // In a body, a number stays one for all elements of a tensor.
  if (op.isBroadened() && dims.empty() && type.getRank() == 0)
    return op.results(x);
  if (static_cast<int64_t>(dims.size()) != rankOf(x))
    return op.error() << "(C2) expected " << rankOf(x) << " broadcast_dimensions, found "
                      << dims.size();
  SmallVector<int64_t> shape(type.getRank(), 1), order(dims.size());
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= type.getRank() || llvm::count(dims, dim) != 1)
      return op.error() << "(C3, C4) expected broadcast_dimensions to be different dimensions of "
                        << type << ", found " << printList(dims);
    const int64_t size = shapeOf(x)[index];
    if (size != 1 && size != type.getDimSize(dim))
      return op.error() << "(C5) expected dimension " << index << " of " << x.getType()
                        << " to have size 1 or " << type.getDimSize(dim);
    shape[dim] = size;
    order[index] = index;
  }
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  Expressions e(op);
  return op.results(e.expand(e.reshape(e.transpose(x, order), shape), type.getShape()));
}

static LogicalResult importSlice(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  SmallVector<int64_t> starts = op.getInts("start_indices"), limits = op.getInts("limit_indices"),
                       steps = op.getInts("strides", SmallVector<int64_t>(starts.size(), 1));
  const size_t rank = op.isBroadened() ? 0 : rankOf(x);
  if (starts.size() != rank || limits.size() != rank || steps.size() != rank)
    return op.error() << "(C2) expected starts, limits and strides of " << rank << " dimensions";
  SmallVector<int64_t> sizes(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > shapeOf(x)[i] || steps[i] < 1)
      return op.error() << "(C3, C4) expected dimension " << i << " to be sliced within "
                        << shapeOf(x)[i] << " elements by a positive stride, found " << starts[i]
                        << ":" << limits[i] << ":" << steps[i];
    sizes[i] = llvm::divideCeil(limits[i] - starts[i], steps[i]);
    // The element after a large step is in no tensor.
    steps[i] = std::min(steps[i], shapeOf(x)[i] + 1);
  }
  if (op.isBroadened() || (llvm::all_of(steps, [](int64_t step) { return step == 1; }) &&
                           ArrayRef(sizes) == shapeOf(x)))
    return op.results(x);
  return op.results(op.create<SliceOp>(
      x, {op.attr("starts", starts), op.attr("sizes", sizes), op.attr("steps", steps)}));
}

static LogicalResult importConcatenate(StablehloOp &op) {
  if (op.numOperands() == 0)
    return op.error() << "(C3) expected at least one operand";
  const int64_t axis = op.getInt("dimension"), rank = op.resultType().getRank();
  if (axis < 0 || axis >= rank)
    return op.error() << "(C4) expected 'dimension' to be from 0 to " << rank - 1 << ", found "
                      << axis;
  return op.results(Expressions(op).concat(op.allOperands(), axis));
}

static LogicalResult importReverse(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  SmallVector<int64_t> dims = op.getInts("dimensions");
  const int64_t rank = op.resultType().getRank();
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank || llvm::count(dims, dim) != 1)
      return op.error() << "(C2, C3) expected different dimensions of " << rank << ", found "
                        << printList(dims);
  return op.results(Expressions(op).reverse(x, dims));
}

void mlir::ttc::registerStablehloMovementOps(StablehloRegistry &registry) {
  registry.add("reshape", importReshape, OnComplex::ByParts);
  registry.add("transpose", importTranspose, OnComplex::ByParts);
  registry.add("broadcast_in_dim", importBroadcastInDim, OnComplex::ByParts);
  registry.add("slice", importSlice, OnComplex::ByParts);
  registry.add("concatenate", importConcatenate, OnComplex::ByParts);
  registry.add("reverse", importReverse, OnComplex::ByParts);
}

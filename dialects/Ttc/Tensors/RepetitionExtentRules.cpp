// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ttc_ExtentOpInterface of ops that repeat elements.
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ExtentRules.h"

using namespace mlir;
using namespace mlir::ttc;

/// Dimensions of one element that become those of a declared extent.
static LogicalResult broadcastToDeclared(Operation *op, ExtentScope &scope) {
  if (failed(followLoops(op, scope)))
    return failure();
  Value y = op->getResult(0);
  for (int64_t dim = 0; dim < tensorType(y).getRank(); ++dim)
    if (std::optional<Extent> extent = scope.getDeclared(op, dim);
        extent && !scope.isPadded(y, dim))
      scope.setExtent(y, dim, *extent);
  return success();
}

FailureOr<bool> ExpandOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(broadcastToDeclared(*this, scope)))
    return failure();
  return false;
}
bool ExpandOp::needsDims() { return true; }

/// What the importer says that the result has along a dimension, unless all runs have the whole.
static std::optional<Extent> getDeclared(TileOp op, ExtentScope &scope, int64_t dim) {
  std::optional<Extent> declared = scope.getDeclared(op, dim);
  return declared && scope.getSpace().getLeast(*declared) < tensorType(op.getY()).getDimSize(dim)
             ? declared
             : std::nullopt;
}

/// How often a run repeats what is valid of a dimension; nothing if that is no extent.
static std::optional<Extent> getRepetition(TileOp op, ExtentScope &scope, int64_t dim) {
  const ExtentSpace &space = scope.getSpace();
  const int64_t size = tensorType(op.getX()).getDimSize(dim), repeats = op.getRepeats()[dim];
  std::optional<Extent> declared = getDeclared(op, scope, dim);
  if (!declared)
    return space.getConstant(repeats);
  if (scope.isPadded(op.getX(), dim)) {
    std::optional<Extent> product = countValid(scope, op.getX(), dim);
    if (product)
      product = scope.multiply(*product, space.getConstant(repeats));
    return product && space.areEqual(*product, *declared)
               ? std::optional(space.getConstant(repeats))
               : std::nullopt;
  }
  const Extent quotient = space.floorDiv(*declared, size);
  return space.isExact(quotient) ? std::optional(quotient) : std::nullopt;
}

/// Repeats dimensions by adding one before each, so that padding within and after the copies has
/// factors of its own.
static LogicalResult tileByExpanding(TileOp op, OpBuilder &builder, ExtentScope &scope) {
  const ExtentSpace &space = scope.getSpace();
  auto x = tensorType(op.getX());
  SmallVector<int64_t> apart, expanded;
  SmallVector<AffineExpr> dims;
  auto add = [&](int64_t size, int64_t becomes, const Extent &extent) {
    apart.push_back(size);
    expanded.push_back(becomes);
    dims.push_back(space.getExpr(extent, op.getContext()));
  };
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    const int64_t size = x.getDimSize(dim), repeats = op.getRepeats()[dim];
    if (repeats != 1) {
      std::optional<Extent> extent = getRepetition(op, scope, dim);
      if (!extent)
        return op.emitOpError("repeats dimension ")
               << dim << " of " << size << " elements a number of times that differs from run to "
               << "run; expected one that is repeated equally often in all runs, or that has the "
                  "same size in all of them";
      add(1, repeats, *extent);
    }
    add(size, size, space.getConstant(size));
  }
  Value value = ReshapeOp::create(builder, op.getLoc(), op.getX(), apart);
  auto expand = ExpandOp::create(builder, op.getLoc(), value, expanded);
  expand->setAttr(kDimsAttrName, AffineMapAttr::get(AffineMap::get(0, space.getDimensions().size(),
                                                                   dims, op.getContext())));
  value = ReshapeOp::create(builder, op.getLoc(), expand, tensorType(op.getY()).getShape());
  replaceResult(op, value);
  op.erase();
  return success();
}

FailureOr<bool> TileOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  auto x = tensorType(getX());
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (getRepeats()[dim] != 1 && x.getDimSize(dim) != 1 &&
        (scope.isPadded(getX(), dim) || getDeclared(*this, scope, dim))) {
      if (failed(tileByExpanding(*this, builder, scope)))
        return failure();
      return true;
    }
  if (failed(broadcastToDeclared(*this, scope)))
    return failure();
  return false;
}
StringRef TileOp::getSizesName() { return "repeats"; }
bool TileOp::needsDims() { return true; }

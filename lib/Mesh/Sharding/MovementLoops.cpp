// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of ops that move elements.
#include "OpLoops.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

/// Dimensions of operand and result that hold the same elements in row-major order are indexed by
/// loops for their common factors: 12 x 64 and 768 by a loop of 12 and one of 64. What is before a
/// factor that is divided must have one element on each side, so only the outermost loop of a
/// dimension can be.
static bool describeReshape(OpLoops &loops) {
  MLIRContext *context = loops.op->getContext();
  const unsigned values[] = {0, loops.getResult()};
  int64_t dim[] = {0, 0}, left[] = {1, 1};
  AffineExpr expr[2];
  // The next dimension of more than one element.
  auto advance = [&](int side) {
    while (left[side] == 1 && dim[side] < loops.getRank(values[side]))
      if (left[side] = loops.getSize(values[side], dim[side]); left[side] == 1)
        ++dim[side];
      else
        expr[side] = nullptr;
    return left[side] != 1;
  };
  auto take = [&](int side, int64_t factor, int loop) {
    left[side] /= factor;
    AffineExpr term = getAffineDimExpr(loop, context) * left[side];
    expr[side] = expr[side] ? expr[side] + term : term;
    if (left[side] == 1)
      loops.set(values[side], dim[side]++, expr[side]);
  };
  if (loops.getType(0).getNumElements() == 0)
    return true;
  while (advance(0) && advance(1)) {
    int64_t factor = std::min(left[0], left[1]);
    // What is left stays as it is: whole, within a dimension whose outer factors are shared.
    if (left[0] % factor != 0 || left[1] % factor != 0) {
      for (int side : {0, 1})
        if (expr[side])
          take(side, left[side], loops.addParallel());
      return true;
    }
    int loop = loops.addParallel();
    take(0, factor, loop);
    take(1, factor, loop);
  }
  return true;
}

/// All dimensions of operand 0 and the result but `axis` are the same.
static bool describeAllBut(OpLoops &loops, int64_t axis) {
  for (int64_t dim = 0; dim < loops.getRank(0); ++dim) {
    if (dim == axis)
      continue;
    int loop = loops.addParallel();
    for (unsigned value = 0; value < loops.exprs.size(); ++value)
      loops.set(value, dim, loop);
  }
  return true;
}

/// Dimensions of operand 0 and the result for which `isSame` holds.
static bool describeWhere(OpLoops &loops, function_ref<bool(int64_t)> isSame) {
  for (int64_t dim = 0; dim < loops.getRank(0); ++dim)
    if (isSame(dim))
      loops.join(0, dim, loops.getResult(), dim);
  return true;
}

static bool describeGather(OpLoops &loops, int64_t axis) {
  const unsigned y = loops.getResult();
  const int64_t indices = loops.getRank(1);
  loops.joinAll(0, y, 0, axis);
  for (int64_t dim = 0; dim < indices; ++dim)
    loops.join(1, dim, y, axis + dim);
  for (int64_t dim = axis + 1; dim < loops.getRank(0); ++dim)
    loops.join(0, dim, y, dim - 1 + indices);
  return true;
}

static bool describeExpand(OpLoops &loops) {
  SmallVector<int> dims;
  for (int64_t dim = 0; dim < loops.getRank(1); ++dim) {
    dims.push_back(loops.addParallel());
    loops.set(1, dim, dims.back());
  }
  loops.broadcast(0, dims);
  return true;
}

bool mlir::ttc::describeMovement(OpLoops &loops) {
  const auto isWhole = [&](int64_t dim) {
    return loops.getSize(0, dim) == loops.getSize(loops.getResult(), dim);
  };
  return llvm::TypeSwitch<Operation *, bool>(loops.op)
      .Case([&](ReshapeOp) { return describeReshape(loops); })
      .Case([&](TransposeOp op) {
        for (auto [dim, source] : llvm::enumerate(op.getPermutation()))
          loops.join(0, source, 1, dim);
        return true;
      })
      .Case<ConcatOp, SplitOp>([&](auto op) { return describeAllBut(loops, op.getAxis()); })
      .Case([&](SliceOp op) {
        return describeWhere(loops,
                             [&](int64_t dim) { return isWhole(dim) && op.getSteps()[dim] == 1; });
      })
      .Case([&](PadOp op) {
        return describeWhere(
            loops, [&](int64_t dim) { return op.getLow()[dim] == 0 && op.getHigh()[dim] == 0; });
      })
      .Case([&](TileOp op) {
        return describeWhere(loops, [&](int64_t dim) { return op.getRepeats()[dim] == 1; });
      })
      .Case([&](ResizeOp op) {
        return describeWhere(
            loops, [&](int64_t dim) { return isWhole(dim) && op.getScales()[dim] == 1.0F; });
      })
      .Case<DepthToSpaceOp, SpaceToDepthOp>(
          [&](auto) { return describeWhere(loops, [](int64_t dim) { return dim == 0; }); })
      .Case([&](GatherOp op) { return describeGather(loops, op.getAxis()); })
      .Case([&](ExpandOp) { return describeExpand(loops); })
      .Default(false);
}

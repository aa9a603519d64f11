// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DimensionMapOpInterface of device kernels.
#include "dialects/Ttc/Programs/AttentionOps.h"
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"

using namespace mlir;
using namespace mlir::ttc;

/// Whether each pixel of a convolution's result depends on one pixel of its operand.
static bool isPointwise(KernelGemmOp op) {
  auto all = [](std::optional<ArrayRef<int64_t>> values, int64_t expected) {
    return !values || llvm::all_of(*values, [=](int64_t value) { return value == expected; });
  };
  return all(op.getKernel(), 1) && all(op.getStrides(), 1) && all(op.getPads(), 0) &&
         all(op.getInputDilation(), 1);
}

/// The loops of a view's dimensions index the dimensions of its tensor that they divide. Returns
/// the loops that index one; the others see parts of dimensions, or several as one.
static SmallVector<int> indexThroughView(DimensionMap &map, unsigned value, ViewAttr view,
                                         RankedTensorType type, ArrayRef<int> loops) {
  SmallVector<int> found;
  for (auto [dim, dividing] : llvm::enumerate(getDividingDims(view, type))) {
    SmallVector<int> own = llvm::map_to_vector(dividing, [&](int64_t i) { return loops[i]; });
    if (own.empty() || llvm::is_contained(own, DimensionMap::kNone))
      continue;
    map.set(value, dim, own);
    found.append(own);
  }
  return found;
}

/// A loop for each dimension of the logical result, through its view. Loops that index no dimension
/// of the result are kNone. Their parts have other views.
static SmallVector<int> indexResult(DimensionMap &map, ViewAttr view, RankedTensorType type) {
  SmallVector<int> loops;
  for (int64_t size : view.getShape()) {
    loops.push_back(map.addParallel(size));
    map.fix(loops.back());
  }
  SmallVector<int> found = indexThroughView(map, map.getResult(), view, type, loops);
  for (int &loop : loops)
    if (!llvm::is_contained(found, loop))
      loop = DimensionMap::kNone;
  return loops;
}

/// The loops of an operand of a product: batch dimensions broadcast, by NumPy's rules.
static SmallVector<int> getMatrixLoops(ViewAttr view, ArrayRef<int> batch, int row, int column) {
  SmallVector<int> loops(batch.take_back(view.getRank() - 2));
  loops.append({row, column});
  return loops;
}

/// A product with views.
static void describeViewed(KernelGemmOp op, DimensionMap &map) {
  SmallVector<int> out = indexResult(map, op.getResultViewOrIdentity(), op.getResult().getType());
  const int column = out.pop_back_val(), row = out.pop_back_val();
  const ViewAttr a = op.getAViewOrIdentity();
  const int sum = map.addReduction(Combiner::Sum);
  map.fix(sum);
  map.setSize(sum, a.getShape().back());
  indexThroughView(map, 0, a, op.getA().getType(), getMatrixLoops(a, out, row, sum));
  if (op.getPacked())
    return;
  const ViewAttr b = op.getBViewOrIdentity();
  indexThroughView(map, 1, b, op.getB().getType(), getMatrixLoops(b, out, sum, column));
}

void KernelAttentionOp::describeDimensions(DimensionMap &map) {
  const ViewAttr q = getViewOrIdentity(0), k = getViewOrIdentity(1), v = getViewOrIdentity(2);
  SmallVector<int> out = indexResult(map, getViewOrIdentity(3), getResult().getType());
  const int column = out.pop_back_val(), row = out.pop_back_val();
  const int sum = map.addReduction(Combiner::Sum), key = map.addReduction(Combiner::Sum);
  for (auto [loop, size] : {std::pair(sum, q.getShape().back()), {key, k.getShape().back()}}) {
    map.fix(loop);
    map.setSize(loop, size);
  }
  if (getKeys())
    map.setExtent(key, getNumOperands() - 1);
  indexThroughView(map, 0, q, getQ().getType(), getMatrixLoops(q, out, row, sum));
  indexThroughView(map, 1, k, getK().getType(), getMatrixLoops(k, out, sum, key));
  indexThroughView(map, 2, v, getV().getType(), getMatrixLoops(v, out, key, column));
  if (!getMask())
    return;
  out.append({row, key});
  map.broadcast(3, out);
}

void KernelGemmOp::describeDimensions(DimensionMap &map) {
  if (!getKernel() && (getAView() || getBView() || getResultView()))
    return describeViewed(*this, map);
  const unsigned y = map.getResult();
  const int64_t last = map.getRank(y) - 1, columns = map.getSize(y, last);
  SmallVector<int> dims;
  for (int64_t dim = 0; dim < last; ++dim) {
    const bool isWindow = getKernel() && dim > 0 && !isPointwise(*this);
    dims.push_back(getAView() ? map.addWhole()
                   : isWindow ? map.addLoop(LoopKind::Window, Combiner::Sum)
                              : map.addParallel());
  }
  dims.push_back(DimensionMap::kNone); // the sum
  if (!getAView())
    map.broadcast(0, dims);
  if (getPacked()) {
    // Complete panels of columns.
    const int64_t width = getTile()[1];
    if (getGroups() == 1 && columns % width == 0) {
      int panel = map.addParallel(columns / width);
      map.set(1, 1, panel);
      map.set(y, last, {panel, map.addWhole(width)});
    }
  } else {
    SmallVector<int> columnDims(dims);
    columnDims[last - 1] = DimensionMap::kNone;
    columnDims[last] = map.addParallel();
    map.broadcast(1, columnDims);
    map.set(y, last, columnDims[last]);
  }
  for (int64_t dim = 0; dim < last; ++dim)
    map.set(y, dim, dims[dim]);
}

/// Images and channels are independent, pixels are not.
static void describeImages(DimensionMap &map, Combiner combiner, bool hasWeights) {
  const unsigned y = map.getResult();
  const int64_t last = map.getRank(y) - 1;
  map.join(0, 0, y, 0);
  for (int64_t dim = 1; dim < last; ++dim)
    map.join(0, dim, y, dim, LoopKind::Window, combiner);
  int channel = map.addParallel();
  map.set(0, last, channel);
  map.set(y, last, channel);
  if (hasWeights)
    map.set(1, 1, channel);
}

void KernelDepthwiseConvOp::describeDimensions(DimensionMap &map) {
  describeImages(map, Combiner::Sum, /*hasWeights=*/true);
}
void KernelPoolOp::describeDimensions(DimensionMap &map) {
  describeImages(map, getKind() == PoolKind::max ? Combiner::Max : Combiner::Mean,
                 /*hasWeights=*/false);
}

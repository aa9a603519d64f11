// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DimensionMapOpInterface of device kernels.
#include "dialects/Ttc/Programs/KernelOps.h"

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

/// Views apply to whole tensors: dimensions that they rearrange correspond to none of the result.
void KernelGemmOp::describeDimensions(DimensionMap &map) {
  if (getResultView())
    return;
  const unsigned y = map.getResult();
  const int64_t last = map.getRank(y) - 1, columns = map.getSize(y, last);
  SmallVector<int> dims;
  for (int64_t dim = 0; dim < last; ++dim) {
    const bool isWindow = getKernel() && dim > 0 && !isPointwise(*this);
    const bool isViewed = getAView() || (getBView() && dim < last - 1);
    dims.push_back(isViewed   ? map.addWhole()
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
  } else if (!getBView()) {
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

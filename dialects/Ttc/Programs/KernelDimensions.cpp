// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DimensionMapOpInterface of device kernels.
#include "dialects/Ttc/Programs/AttentionOps.h"
#include "dialects/Ttc/Programs/IntKernelOps.h"
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Programs/WinogradOps.h"

using namespace mlir;
using namespace mlir::ttc;

/// Whether all values are this one, or absent.
static bool all(std::optional<ArrayRef<int64_t>> values, int64_t expected) {
  return !values || llvm::all_of(*values, [=](int64_t value) { return value == expected; });
}

/// Whether each pixel of a convolution's result depends on one pixel of its operand.
static bool isPointwise(KernelGemmOp op) {
  return all(op.getKernel(), 1) && all(op.getStrides(), 1) && all(op.getPads(), 0) &&
         all(op.getInputDilation(), 1);
}
static bool isPointwise(KernelIntGemmOp op) {
  return all(op.getKernel(), 1) && all(op.getStrides(), 1) && all(op.getPads(), 0);
}

/// Spatial dimension `i` of an op's window.
template <typename OpTy>
static DimensionMap::Window getWindow(OpTy op, ArrayRef<int64_t> kernel, int64_t i) {
  return {kernelValue(op.getStrides(), i, 1),
          (kernel[i] - 1) * kernelValue(op.getDilations(), i, 1) - kernelValue(op.getPads(), i, 0)};
}

/// Hands the numbers of valid elements to the loops of an image's dimensions.
static void setExtents(DimensionMap &map, WindowKernelOpInterface op) {
  for (auto [dim, operand] : llvm::zip_equal(op.getValidDims(), op.getValidMutable()))
    for (int64_t i = 0; i < map.getRank(0); ++i)
      if (const int loop = map.getLeading(0, i);
          loop != DimensionMap::kNone && op.getSpatialDim(i) == dim)
        map.setExtent(loop, static_cast<int>(operand.getOperandNumber()));
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
    dims.push_back(getAView() && !getKernel() ? map.addWhole()
                   : isWindow                 ? map.addLoop(LoopKind::Window, Combiner::Sum)
                                              : map.addParallel());
    if (getAView())
      map.fix(dims.back());
    if (isWindow) {
      DimensionMap::Window window = getWindow(*this, *getKernel(), dim - 1);
      window.dilation = kernelValue(getInputDilation(), dim - 1, 1);
      map.setWindow(dims.back(), window);
    }
  }
  dims.push_back(DimensionMap::kNone); // the sum
  if (getAView())
    indexThroughView(map, 0, *getAView(), getA().getType(), dims);
  else
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
  setExtents(map, *this);
}

int64_t KernelGemmOp::getNumSpatialDims() {
  return getKernel() && !isPointwise(*this) ? static_cast<int64_t>(getKernel()->size()) : 0;
}
std::optional<int64_t> KernelGemmOp::getSpatialDim(int64_t dim) {
  if (getNumSpatialDims() == 0)
    return std::nullopt;
  const SmallVector<int64_t> dividing =
      getDividingDims(getAViewOrIdentity(), getA().getType())[dim];
  const int64_t last = getAViewOrIdentity().getRank() - 1;
  return dividing.size() == 1 && dividing.front() > 0 && dividing.front() < last
             ? std::optional(dividing.front() - 1)
             : std::nullopt;
}

static ArrayRef<int64_t> getTaps(KernelIntGemmOp op) { return *op.getKernel(); }
template <typename OpTy> static ArrayRef<int64_t> getTaps(OpTy op) { return op.getKernel(); }

/// Images are independent, pixels are not.
template <typename OpTy>
static void describeWindows(DimensionMap &map, OpTy op, Combiner combiner) {
  const unsigned y = map.getResult();
  map.join(0, 0, y, 0);
  for (int64_t dim = 1; dim < map.getRank(y) - 1; ++dim) {
    const int loop = map.addLoop(LoopKind::Window, combiner);
    map.set(0, dim, loop);
    map.set(y, dim, loop);
    map.setWindow(loop, getWindow(op, getTaps(op), dim - 1));
  }
  setExtents(map, op);
}

/// Channels are independent, too.
template <typename OpTy>
static void describeImages(DimensionMap &map, OpTy op, Combiner combiner, bool hasWeights) {
  describeWindows(map, op, combiner);
  const unsigned y = map.getResult();
  const int64_t last = map.getRank(y) - 1;
  int channel = map.addParallel();
  map.set(0, last, channel);
  map.set(y, last, channel);
  if (hasWeights)
    map.set(1, 1, channel);
}

void KernelDepthwiseConvOp::describeDimensions(DimensionMap &map) {
  describeImages(map, *this, Combiner::Sum, /*hasWeights=*/true);
}
void KernelPoolOp::describeDimensions(DimensionMap &map) {
  describeImages(map, *this, getKind() == PoolKind::max ? Combiner::Max : Combiner::Mean,
                 /*hasWeights=*/false);
}

void KernelIntDepthwiseConvOp::describeDimensions(DimensionMap &map) {
  describeWindows(map, *this, Combiner::Sum);
}
void KernelIntDepthwiseDotOp::describeDimensions(DimensionMap &map) {
  describeWindows(map, *this, Combiner::Sum);
}

void KernelIntGemmOp::describeDimensions(DimensionMap &map) {
  if (getKernel() && !isPointwise(*this))
    return describeWindows(map, *this, Combiner::Sum);
  const unsigned y = map.getResult();
  for (int64_t dim = 0; dim < map.getRank(y) - 1; ++dim)
    map.join(0, dim, y, dim);
}
int64_t KernelIntGemmOp::getNumSpatialDims() {
  return getKernel() && !isPointwise(*this) ? static_cast<int64_t>(getKernel()->size()) : 0;
}
std::optional<int64_t> KernelIntGemmOp::getSpatialDim(int64_t dim) {
  return dim >= 1 && dim <= getNumSpatialDims() ? std::optional(dim - 1) : std::nullopt;
}

/// The spatial dimensions of images, of which a part may count: lines alone, or with columns.
template <typename OpTy>
static std::optional<int64_t> getTiledDims(OpTy op, RankedTensorType image) {
  const int64_t dims = image.getRank() - 2;
  return dims == (op.getLine() ? 1 : 2) ? std::optional(dims) : std::nullopt;
}

/// What the tiles are made of is known by the number of valid elements only.
void KernelWinogradInputOp::describeDimensions(DimensionMap &map) {
  const std::optional<int64_t> dims = getTiledDims(*this, getX().getType());
  for (int64_t dim = 1; dims && dim <= *dims; ++dim) {
    const int loop = map.addLoop(LoopKind::Window);
    map.set(0, dim, loop);
    map.setWindow(loop, {.stride = 1, .reach = 0});
  }
  setExtents(map, *this);
}

void KernelWinogradConvOp::describeDimensions(DimensionMap &map) {
  const unsigned y = map.getResult();
  const std::optional<int64_t> dims = getTiledDims(*this, getResult().getType());
  if (!dims)
    return;
  if (getX().getType().getRank() == 2) {
    // A part of the images has other tiles, which are an operand.
    const int images = map.addParallel();
    map.set(y, 0, images);
    map.fix(images);
    return;
  }
  map.join(0, 0, y, 0);
  for (int64_t dim = 1; dim <= *dims; ++dim) {
    const int loop = map.addLoop(LoopKind::Window, Combiner::Sum);
    map.set(0, dim, loop);
    map.set(y, dim, loop);
    // All that a tile reads, also for results that do not count: it reaches the others of the tile.
    const auto edge = static_cast<int64_t>(getOutputs() - 1 + getTaps() - 1);
    map.setWindow(loop, {1, edge * static_cast<int64_t>(getDilation()) - getPads()[dim - 1]});
  }
  setExtents(map, *this);
}

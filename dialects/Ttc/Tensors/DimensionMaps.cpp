// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DimensionMapOpInterface: the loops of ops on tensors, by family.
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ExtentRules.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "kernels/BlockFormats.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- reductions and normalisations ------------------------------------------------===//

/// Dimensions that the result lacks, or has with one element, are reduced.
static void reduce(DimensionMap &map, ArrayRef<int64_t> axes, bool keepdims, Combiner combiner) {
  int64_t next = 0;
  for (int64_t dim = 0; dim < map.getRank(0); ++dim) {
    if (llvm::is_contained(axes, dim)) {
      map.set(0, dim, map.addReduction(combiner));
      next += keepdims;
    } else {
      map.join(0, dim, map.getResult(), next++);
    }
  }
}

#define TTC_DESCRIBE_REDUCTION(OP, COMBINER)                                                       \
  void OP::describeDimensions(DimensionMap &map) {                                                 \
    reduce(map, getAxes(), getKeepdims(), Combiner::COMBINER);                                     \
  }
TTC_DESCRIBE_REDUCTION(ReduceSumOp, Sum)
TTC_DESCRIBE_REDUCTION(ReduceMeanOp, Mean)
TTC_DESCRIBE_REDUCTION(ReduceMaxOp, Max)
TTC_DESCRIBE_REDUCTION(ReduceMinOp, Min)
TTC_DESCRIBE_REDUCTION(ReduceProdOp, Product)
#undef TTC_DESCRIBE_REDUCTION

// Parts would have to combine indices, too.
void ArgmaxOp::describeDimensions(DimensionMap &map) {
  reduce(map, {getAxis()}, getKeepdims(), Combiner::None);
}
void ArgminOp::describeDimensions(DimensionMap &map) {
  reduce(map, {getAxis()}, getKeepdims(), Combiner::None);
}

/// Operand 0 and the result have the same dimensions. Elements along those from `begin` to `end`
/// depend on each other; vectors, the other operands, go along `vectorDim`.
static void normalize(DimensionMap &map, int64_t begin, int64_t end, int64_t vectorDim = -1,
                      Combiner combiner = Combiner::None) {
  for (int64_t dim = 0; dim < map.getRank(0); ++dim) {
    const bool isWhole = dim >= begin && dim < end;
    int loop = isWhole ? map.addLoop(LoopKind::Whole, combiner) : map.addParallel();
    map.set(0, dim, loop);
    map.set(map.getResult(), dim, loop);
    for (unsigned vector = 1; dim == vectorDim && vector < map.getResult(); ++vector)
      map.set(vector, 0, loop);
  }
}

/// The dimension of an image's channels; the spatial ones are from `begin` to `end`.
struct WindowedDims {
  template <typename Op> WindowedDims(const DimensionMap &map, Op op) : end(map.getRank(0)) {
    if (op.getChannelsLast()) {
      --begin;
      channels = --end;
    }
  }
  int64_t channels = 1, begin = 2, end;
};

// The largest number to which the lowest one adds nothing: exp(-inf) is 0.
void SoftmaxOp::describeDimensions(DimensionMap &map) {
  normalize(map, getAxis(), getAxis() + 1, -1, Combiner::Max);
}
void LogSoftmaxOp::describeDimensions(DimensionMap &map) {
  normalize(map, getAxis(), getAxis() + 1, -1, Combiner::Max);
}
void BatchNormOp::describeDimensions(DimensionMap &map) {
  normalize(map, 0, 0, WindowedDims(map, *this).channels);
}
void InstanceNormOp::describeDimensions(DimensionMap &map) {
  WindowedDims dims(map, *this);
  normalize(map, dims.begin, dims.end, dims.channels);
}
void GroupNormOp::describeDimensions(DimensionMap &map) {
  normalize(map, 1, map.getRank(0), WindowedDims(map, *this).channels);
}
void LrnOp::describeDimensions(DimensionMap &map) { normalize(map, 1, map.getRank(0)); }
void LayerNormOp::describeDimensions(DimensionMap &map) {
  const int64_t axis = getAxis();
  normalize(map, axis, map.getRank(0));
  for (unsigned vector = 1; vector < map.getResult(); ++vector)
    map.broadcastTo(0, vector);
}

//===--- products and windows ---------------------------------------------------------===//

/// Batched matrices a, b and the result.
static void multiply(DimensionMap &map, bool transposeA, bool transposeB) {
  const unsigned y = map.getResult();
  SmallVector<int> batch;
  for (int64_t dim = 0; dim < map.getRank(y) - 2; ++dim)
    batch.push_back(map.addParallel());
  int row = map.addParallel(), column = map.addParallel(), sum = map.addReduction(Combiner::Sum);
  auto describe = [&](unsigned value, int first, int second, bool isTransposed) {
    SmallVector<int> dims(batch);
    dims.append({isTransposed ? second : first, isTransposed ? first : second});
    map.broadcast(value, dims);
  };
  describe(0, row, sum, transposeA);
  describe(1, sum, column, transposeB);
  describe(y, row, column, false);
}

void MatmulOp::describeDimensions(DimensionMap &map) {
  multiply(map, getTransposeA(), getTransposeB());
  if (getBias())
    map.broadcastTo(map.getResult(), 2);
}
void IntMatmulOp::describeDimensions(DimensionMap &map) {
  multiply(map, false, false);
  map.broadcastTo(0, 2);
  map.broadcastTo(1, 3);
}

/// Windows of the operand, as many as the result has elements.
static void slideWindows(DimensionMap &map, const WindowedDims &dims, Combiner combiner) {
  for (int64_t dim = dims.begin; dim < dims.end; ++dim)
    map.join(0, dim, map.getResult(), dim, LoopKind::Window, combiner);
}

/// Images are independent, and channels of the result are if they have weights of their own; those
/// of the operand are summed. Groups are parts that are not divided, unless each is one channel.
template <typename Op>
static void convolve(DimensionMap &map, Op op, int64_t resultDim, int64_t sumDim) {
  const unsigned y = map.getResult();
  const WindowedDims dims(map, op);
  map.join(0, 0, y, 0);
  slideWindows(map, dims, Combiner::Sum);
  const bool isDepthwise = op.getGroups() == map.getSize(0, dims.channels) &&
                           op.getGroups() == map.getSize(y, dims.channels);
  if (op.getGroups() != 1 && !isDepthwise)
    return;
  int channel = map.addParallel();
  map.set(y, dims.channels, channel);
  if constexpr (requires { op.getBias(); })
    if (op.getBias())
      map.set(2, 0, channel);
  if (op.getGroups() == 1) {
    int sum = map.addReduction(Combiner::Sum);
    map.set(0, dims.channels, sum);
    map.set(1, sumDim, sum);
    map.set(1, resultDim, channel);
  } else {
    map.set(0, dims.channels, channel);
    map.set(1, 0, channel);
  }
}

void ConvOp::describeDimensions(DimensionMap &map) { convolve(map, *this, 0, 1); }
void ConvTransposeOp::describeDimensions(DimensionMap &map) { convolve(map, *this, 1, 0); }
void IntConvOp::describeDimensions(DimensionMap &map) {
  convolve(map, *this, 0, 1);
  map.broadcastTo(1, 3);
}

/// Groups are divided only if each is one channel.
template <typename Op> static void updateGroups(Op op) {
  auto x = tensorType(op.getX());
  const int64_t channels = x.getDimSize(op.getChannelsLast() ? x.getRank() - 1 : 1);
  if (channels > 0 && channels < op.getGroups())
    op.setGroups(channels);
}
void ConvOp::updateSizes() { updateGroups(*this); }
void ConvTransposeOp::updateSizes() { updateGroups(*this); }
void IntConvOp::updateSizes() { updateGroups(*this); }

/// Images and channels are independent.
static WindowedDims joinImages(DimensionMap &map, const WindowedDims &dims) {
  map.join(0, 0, map.getResult(), 0);
  map.join(0, dims.channels, map.getResult(), dims.channels);
  return dims;
}

void MaxPoolOp::describeDimensions(DimensionMap &map) {
  slideWindows(map, joinImages(map, {map, *this}), Combiner::Max);
}
void AvgPoolOp::describeDimensions(DimensionMap &map) {
  slideWindows(map, joinImages(map, {map, *this}), Combiner::Mean);
}
void GlobalMaxPoolOp::describeDimensions(DimensionMap &map) {
  const WindowedDims dims = joinImages(map, {map, *this});
  for (int64_t dim = dims.begin; dim < dims.end; ++dim)
    map.set(0, dim, map.addReduction(Combiner::Max));
}
void GlobalAvgPoolOp::describeDimensions(DimensionMap &map) {
  const WindowedDims dims = joinImages(map, {map, *this});
  for (int64_t dim = dims.begin; dim < dims.end; ++dim)
    map.set(0, dim, map.addReduction(Combiner::Mean));
}

//===--- data movement ----------------------------------------------------------------===//

/// Dimensions of operand and result that hold the same elements in row-major order are indexed by
/// loops for their common factors: 12 x 64 and 768 by a loop of 12 and one of 64.
void ReshapeOp::describeDimensions(DimensionMap &map) {
  const unsigned values[] = {0, map.getResult()};
  int64_t dim[] = {0, 0}, left[] = {1, 1};
  SmallVector<int> loops[2];
  // The next dimension of more than one element.
  auto advance = [&](int side) {
    for (; left[side] == 1 && dim[side] < map.getRank(values[side]); ++dim[side])
      if (left[side] = map.getSize(values[side], dim[side]); left[side] != 1)
        break;
    return left[side] != 1;
  };
  auto take = [&](int side, int64_t factor, int loop) {
    left[side] /= factor;
    loops[side].push_back(loop);
    if (left[side] == 1) {
      map.set(values[side], dim[side]++, loops[side]);
      loops[side].clear();
    }
  };
  if (getX().getType().getNumElements() == 0)
    return;
  while (advance(0) && advance(1)) {
    const int64_t factor = std::min(left[0], left[1]);
    if (left[0] % factor != 0 || left[1] % factor != 0) {
      // What is left of a dimension whose outer factors correspond.
      for (int side : {0, 1})
        if (!loops[side].empty())
          take(side, left[side], map.addWhole(left[side]));
      return;
    }
    int loop = map.addParallel(factor);
    take(0, factor, loop);
    take(1, factor, loop);
  }
}

void TransposeOp::describeDimensions(DimensionMap &map) {
  for (auto [dim, source] : llvm::enumerate(getPermutation()))
    map.join(0, source, map.getResult(), dim);
}

/// All values have the same dimensions but `axis`.
static void joinAllBut(DimensionMap &map, int64_t axis) {
  for (int64_t dim = 0; dim < map.getRank(0); ++dim)
    if (dim != axis)
      map.joinAll(dim);
}
void ConcatOp::describeDimensions(DimensionMap &map) { joinAllBut(map, getAxis()); }
void SplitOp::describeDimensions(DimensionMap &map) { joinAllBut(map, getAxis()); }

/// The operand and the result have the same dimensions where `isSame` holds.
static void joinWhere(DimensionMap &map, function_ref<bool(int64_t)> isSame) {
  for (int64_t dim = 0; dim < map.getRank(0); ++dim)
    if (isSame(dim) && map.getSize(0, dim) == map.getSize(map.getResult(), dim))
      map.join(0, dim, map.getResult(), dim);
}

/// Both dimensions stay whole, but what an element depends on is known.
static void readWindow(DimensionMap &map, int64_t dim, const DimensionMap::Window &window) {
  map.join(0, dim, map.getResult(), dim, LoopKind::Whole);
  if (const int loop = map.getLeading(0, dim); loop != DimensionMap::kNone)
    map.setWindow(loop, window);
}

void SliceOp::describeDimensions(DimensionMap &map) {
  joinWhere(map, [&](int64_t dim) { return getSteps()[dim] == 1; });
}
void SliceOp::updateSizes() { setSizes(SmallVector<int64_t>(tensorType(getY()).getShape())); }
void PadOp::describeDimensions(DimensionMap &map) {
  joinWhere(map, [&](int64_t dim) { return getLow()[dim] == 0 && getHigh()[dim] == 0; });
}
void TileOp::describeDimensions(DimensionMap &map) {
  joinWhere(map, [&](int64_t dim) { return getRepeats()[dim] == 1; });
}
void ResizeOp::describeDimensions(DimensionMap &map) {
  joinWhere(map, [&](int64_t dim) { return getScales()[dim] == 1.0F; });
  for (auto [dim, scale] : llvm::enumerate(getScales()))
    if (const auto up = static_cast<int64_t>(scale);
        up > 1 && static_cast<float>(up) == scale && !readsBeyond(*this, up) &&
        getCoordinateMode() != CoordinateMode::AlignCorners)
      readWindow(map, static_cast<int64_t>(dim), {.stride = 1, .reach = 0, .dilation = up});
}
/// Pixels of a block are inner factors of the result's dimensions, and factors of the channels.
void DepthToSpaceOp::describeDimensions(DimensionMap &map) {
  const unsigned y = map.getResult();
  const ImageDims dims(getX().getType(), getChannelsLast());
  map.joinAll(0);
  auto addLoop = [&](int64_t size) {
    return size == 1 ? DimensionMap::kNone : map.addParallel(size);
  };
  SmallVector<int> ofChannels;
  for (auto [i, size] : llvm::enumerate(getBlock())) {
    const int64_t dim = dims.firstSpatial + i;
    const int pixel = addLoop(map.getSize(0, dim)), inBlock = addLoop(size);
    SmallVector<int> ofResult{pixel, inBlock};
    llvm::erase(ofResult, DimensionMap::kNone);
    map.set(0, dim, pixel);
    map.set(y, dim, ofResult);
    if (inBlock != DimensionMap::kNone)
      ofChannels.push_back(inBlock);
  }
  const int channel = addLoop(map.getSize(y, dims.channel));
  map.set(y, dims.channel, channel);
  if (channel != DimensionMap::kNone)
    ofChannels.insert(getMode() == DepthToSpaceMode::DCR ? ofChannels.end() : ofChannels.begin(),
                      channel);
  map.set(0, dims.channel, ofChannels);
}
void SpaceToDepthOp::describeDimensions(DimensionMap &map) { map.joinAll(0); }

void GatherOp::describeDimensions(DimensionMap &map) {
  const unsigned y = map.getResult();
  const int64_t axis = getAxis(), rank = map.getRank(1);
  for (int64_t dim = 0; dim < axis; ++dim)
    map.join(0, dim, y, dim);
  for (int64_t dim = 0; dim < rank; ++dim)
    map.join(1, dim, y, axis + dim);
  for (int64_t dim = axis + 1; dim < map.getRank(0); ++dim)
    map.join(0, dim, y, dim - 1 + rank);
}

void ExpandOp::describeDimensions(DimensionMap &map) {
  for (int64_t dim = 0; dim < map.getRank(1); ++dim)
    map.set(1, dim, map.addParallel());
  map.broadcastTo(1, 0);
}

//===--- decoders ---------------------------------------------------------------------===//

/// Columns of the result are rows of the weights, in whose bytes they are outermost, then blocks of
/// the summed columns.
void BlockMatmulOp::describeDimensions(DimensionMap &map) {
  const auto block = ::ttc::kernels::getBlockLayout(static_cast<int64_t>(getFormat()));
  const unsigned y = map.getResult();
  const int64_t blocks = map.getSize(0, 1) / block.columns;
  // What is no sum alone cannot be added up from parts.
  const Combiner combiner = getNorm() || getGated() ? Combiner::None : Combiner::Sum;
  int row = getCount() ? map.addWhole() : map.addParallel(); // rows from the count on are 0
  int column = map.addParallel(map.getSize(y, 1));
  int sum = map.addLoop(LoopKind::Reduction, combiner, blocks);
  int inner = map.addWhole(block.columns);
  map.set(0, 0, row);
  map.set(0, 1, {sum, inner});
  map.set(1, 0, {column, sum, map.addWhole(block.fileBytes * (getGated() ? 2 : 1))});
  if (getGated())
    map.setSections(1, 0, SmallVector<int64_t>(2, map.getSize(1, 0) / 2));
  if (getNorm())
    map.set(getNormMutable().begin()->getOperandNumber(), 0, {sum, inner});
  if (getBias())
    map.set(getBiasMutable().begin()->getOperandNumber(), 0, column);
  if (getResidual())
    map.broadcast(getResidualMutable().begin()->getOperandNumber(), {row, column});
  map.broadcast(y, {row, column});
}

/// Which rows of the weights a column of the result reads is data, and so is where a row of the
/// weights is used.
void ExpertMatmulOp::describeDimensions(DimensionMap &) {}

void BlockGatherOp::describeDimensions(DimensionMap &map) { map.join(1, 0, map.getResult(), 0); }

/// Heads of keys and values, with the queries that share them. `qkv` has a section of each.
void CachedAttentionOp::describeDimensions(DimensionMap &map) {
  const unsigned y = map.getResult();
  const int64_t keys = getKvHeads(), queries = getHeads();
  const int64_t size = map.getSize(y, 1) / queries;
  int head = map.addParallel(keys);
  map.set(0, 1, {head, map.addWhole(map.getSize(0, 1) / keys)});
  map.setSections(0, 1, {queries * size, keys * size, keys * size});
  map.set(y, 1, {head, map.addWhole(map.getSize(y, 1) / keys)});
  for (unsigned cache : {1U, 2U, y + 1, y + 2})
    map.set(cache, map.getRank(cache) - 4, head);
  if (getSinks()) {
    const unsigned sinks = getSinksMutable().begin()->getOperandNumber();
    map.set(sinks, 0, {head, map.addWhole(queries / keys)});
  }
}
void CachedAttentionOp::updateSizes() {
  auto keys = tensorType(getKeys());
  const int64_t heads = keys.getDimSize(keys.getRank() - 4);
  setHeads(getHeads() / getKvHeads() * heads);
  setKvHeads(heads);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools of regions of interest.
#include "PixelSampling.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "mlir/IR/Matchers.h"

#include "onnx/onnx_pb.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

namespace {
struct RoiAlign {
  int64_t rois, channels, height, width, resultHeight, resultWidth;
  /// 0 for as many samples as a region needs.
  int64_t samplingRatio;
  double scale;
  bool halfPixel, isMax;
};

/// One axis of all regions.
struct RoiAxis {
  int64_t size, bins;
  /// Columns of `rois`: the first coordinate of the region, and the last.
  int64_t startColumn, endColumn;
  /// Samples of a bin, at most.
  int64_t samples = 0;
  /// Samples of each region's bins if they differ.
  SmallVector<double> samplesOfRegion;
};
} // namespace

/// The largest size of a result, and the most samples of one of its elements along an axis.
static constexpr int64_t kMostSamples = 1 << 16;

/// Reports images without elements and an absence of regions.
static LogicalResult checkNotEmpty(OnnxNode &node, Value images, Value rois) {
  if (tensorType(images).getNumElements() > 0 && tensorType(rois).getNumElements() > 0)
    return success();
  return node.error() << "expected images with elements and at least one region, found "
                      << images.getType() << " and " << rois.getType();
}

static FailureOr<RoiAlign> readRoiAlign(OnnxNode &node) {
  Value x = node.input(0), rois = node.input(1), batch = node.input(2);
  if (rankOf(x) != 4 || rankOf(rois) != 2 || shapeOf(rois)[1] != 4 || rankOf(batch) != 1 ||
      shapeOf(batch)[0] != shapeOf(rois)[0])
    return node.error() << "expected images of rank 4, regions of shape [N, 4] and N batch "
                           "indices, found "
                        << x.getType() << ", " << rois.getType() << ", " << batch.getType();
  RoiAlign align;
  align.rois = shapeOf(rois)[0];
  align.channels = shapeOf(x)[1];
  align.height = shapeOf(x)[2];
  align.width = shapeOf(x)[3];
  align.resultHeight = node.getInt("output_height", 1);
  align.resultWidth = node.getInt("output_width", 1);
  align.samplingRatio = node.getInt("sampling_ratio", 0);
  align.scale = node.getFloat("spatial_scale", 1.0);
  auto isInside = [](int64_t size, int64_t least) { return size >= least && size <= kMostSamples; };
  if (!isInside(align.resultHeight, 1) || !isInside(align.resultWidth, 1) ||
      !isInside(align.samplingRatio, 0))
    return node.error() << "attributes 'output_height', 'output_width' and 'sampling_ratio' are "
                        << align.resultHeight << ", " << align.resultWidth << " and "
                        << align.samplingRatio << " (supported: sizes from 1 and a ratio from 0 to "
                        << kMostSamples << ")";
  StringRef mode = node.getString("mode", "avg");
  if (mode != "avg" && mode != "max")
    return node.error() << "attribute 'mode' is '" << mode << "' (supported: avg, max)";
  align.isMax = mode == "max";
  StringRef coordinates = node.getString("coordinate_transformation_mode",
                                         node.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return node.error() << "attribute 'coordinate_transformation_mode' is '" << coordinates
                        << "' (supported: half_pixel, output_half_pixel)";
  align.halfPixel = coordinates == "half_pixel";
  if (failed(checkNotEmpty(node, x, rois)))
    return failure();
  return align;
}

/// Sets how many samples the regions need, which constant regions say.
static LogicalResult countSamples(OnnxNode &node, const RoiAlign &align, RoiAxis &axis) {
  if (align.samplingRatio) {
    axis.samples = align.samplingRatio;
    return success();
  }
  if (!matchPattern(node.input(1), m_Constant()))
    return node.error() << "attribute 'sampling_ratio' is 0, by which regions that are computed at "
                           "run time say how many samples they need (supported: 1 and more, or "
                           "constant regions)";
  FailureOr<SmallVector<double>> rois = node.constantNumbers(1, "rois");
  if (failed(rois))
    return failure();
  const double offset = align.halfPixel ? 0.5 : 0.0;
  for (int64_t i = 0; i < align.rois; ++i) {
    // In f32, as the coordinates are computed: a size near a whole number must be rounded alike.
    auto scaled = [&](int64_t column) {
      return static_cast<float>((*rois)[4 * i + column]) * static_cast<float>(align.scale) -
             static_cast<float>(offset);
    };
    float extent = scaled(axis.endColumn) - scaled(axis.startColumn);
    if (!align.halfPixel)
      extent = std::max(extent, 1.0f);
    double samples = std::max(std::ceil(extent / static_cast<float>(axis.bins)), 0.0f);
    if (!(samples <= static_cast<double>(kMostSamples)))
      return node.error() << "expected regions that need at most " << kMostSamples
                          << " samples for an element, found a region of " << extent << " for "
                          << axis.bins << " elements";
    axis.samplesOfRegion.push_back(samples);
    axis.samples = std::max<int64_t>(axis.samples, static_cast<int64_t>(samples));
  }
  axis.samples = std::max<int64_t>(axis.samples, 1);
  return success();
}

/// The taps of an axis: `2, rois, bins * samples`.
static AxisTaps getRoiTaps(OnnxNode &node, const RoiAlign &align, const RoiAxis &axis, Value rois) {
  Expressions e(node);
  Type type = elementTypeOf(rois);
  auto column = [&](int64_t index) {
    Value scaled = e.mul(e.slice(rois, 1, index, 1), align.scale);
    return e.reshape(align.halfPixel ? e.sub(scaled, 0.5) : scaled, {align.rois, 1, 1});
  };
  Value start = column(axis.startColumn);
  Value extent = e.sub(column(axis.endColumn), start);
  if (!align.halfPixel)
    extent = e.max(extent, 1);
  Value binSize = e.div(extent, static_cast<double>(axis.bins));
  auto counted = [&](int64_t size, double offset, ArrayRef<int64_t> shape) {
    SmallVector<double> values;
    for (int64_t i = 0; i < size; ++i)
      values.push_back(static_cast<double>(i) + offset);
    return e.floats(shape, values, type);
  };
  Value bin = counted(axis.bins, 0, {1, axis.bins, 1});
  Value sample = counted(axis.samples, 0.5, {1, 1, axis.samples});
  Value samples = e.floats({}, {static_cast<double>(axis.samples)}, type), counts;
  if (!axis.samplesOfRegion.empty()) {
    samples = e.floats({align.rois, 1, 1}, axis.samplesOfRegion, type);
    // Samples that a region does not have: the last one again for a maximum, none for a mean.
    counts = e.compare(ComparePredicate::LT, sample, samples);
    if (align.isMax)
      counts = e.compare(ComparePredicate::GT, samples, 0);
    sample = e.max(e.min(sample, e.sub(samples, 0.5)), 0.5);
    samples = e.max(samples, 1);
  }
  Value y = e.add(e.add(start, e.mul(binSize, bin)), e.div(e.mul(sample, binSize), samples));
  auto size = static_cast<double>(axis.size);
  Value isInside =
      e.both(e.compare(ComparePredicate::GE, y, -1.0), e.compare(ComparePredicate::LE, y, size));
  if (counts)
    isInside = e.both(isInside, counts);
  const SmallVector<int64_t> flat = {align.rois, axis.bins * axis.samples};
  y = e.reshape(clampPositions(node, y, axis.size), flat);
  AxisTaps taps = getLinearTaps(e, y);
  taps.positions = clampPositions(node, taps.positions, axis.size);
  taps.isInside = e.reshape(isInside, {1, flat[0], flat[1]});
  return taps;
}

/// Samples are interpolated at regular positions in each bin. The maximum is that of the weighted
/// elements, as in ONNX's reference, not of the interpolated samples.
static LogicalResult importRoiAlign(OnnxNode &node) {
  FailureOr<RoiAlign> read = readRoiAlign(node);
  if (failed(read))
    return failure();
  const RoiAlign &align = *read;
  RoiAxis vertical{align.height, align.resultHeight, 1, 3, 0, {}};
  RoiAxis horizontal{align.width, align.resultWidth, 0, 2, 0, {}};
  if (failed(countSamples(node, align, vertical)) || failed(countSamples(node, align, horizontal)))
    return failure();

  Expressions e(node);
  Type elementType = elementTypeOf(node.input(0)), arithmetic = getArithmeticType(elementType);
  Value rois = node.cast(node.input(1), arithmetic);
  Value rows = toRows(e, node.cast(node.input(0), arithmetic));
  if (!rows)
    return failure();
  const int64_t rowCount = vertical.bins * vertical.samples;
  const int64_t columnCount = horizontal.bins * horizontal.samples;
  auto place = [&](AxisTaps taps, int64_t height, int64_t width) {
    for (Value *value : {&taps.positions, &taps.weights, &taps.isInside})
      if (*value)
        *value = e.reshape(*value, {shapeOf(*value)[0], align.rois, height, width});
    return taps;
  };
  SmallVector<AxisTaps> taps = {place(getRoiTaps(node, align, vertical, rois), rowCount, 1),
                                place(getRoiTaps(node, align, horizontal, rois), 1, columnCount)};
  Value firstRows = e.mul(node.cast(node.input(2), getRowType(rows)),
                          static_cast<double>(align.height * align.width));
  Value parts = gatherTaps(node, rows, e.reshape(firstRows, {align.rois, 1, 1}),
                           {align.height, align.width}, taps, {align.rois, rowCount, columnCount});
  parts = e.reshape(parts, {4, align.rois, vertical.bins, vertical.samples, horizontal.bins,
                            horizontal.samples, align.channels});
  Value y;
  if (align.isMax) {
    y = e.maximum(parts, {0, 3, 5});
  } else {
    y = e.sum(parts, {0, 3, 5});
    if (align.samplingRatio) {
      y = e.div(y, static_cast<double>(align.samplingRatio * align.samplingRatio));
    } else {
      SmallVector<double> counts;
      for (auto [a, b] : llvm::zip_equal(vertical.samplesOfRegion, horizontal.samplesOfRegion))
        counts.push_back(std::max(a * b, 1.0));
      y = e.div(y, e.floats({align.rois, 1, 1, 1}, counts, arithmetic));
    }
  }
  return node.results(node.cast(e.transpose(y, {0, 3, 1, 2}), elementType));
}

//===----------------------------------------------------------------------===//
// MaxRoiPool
//===----------------------------------------------------------------------===//

/// Halves away from zero.
static Value roundAway(Expressions &e, OnnxNode &node, Value x) {
  return e.mul(node.create<SignOp>(x), e.floor(e.add(e.abs(x), 0.5)));
}

/// Which elements of an axis are in each bin of each region: `rois, bins, size`.
static Value getBinMask(OnnxNode &node, Value rois, int64_t startColumn, int64_t endColumn,
                        int64_t bins, int64_t size, double scale) {
  Expressions e(node);
  if (!rois)
    return {};
  const int64_t count = shapeOf(rois)[0];
  auto column = [&](int64_t index) {
    Value value = e.reshape(e.slice(rois, 1, index, 1), {count, 1, 1});
    return roundAway(e, node, e.mul(value, scale));
  };
  Value start = column(startColumn);
  Value extent = e.max(e.add(e.sub(column(endColumn), start), 1), 1);
  Value binSize = e.div(extent, static_cast<double>(bins));
  Value bin = e.cast(e.reshape(e.iota(bins, node.getBuilder().getI64Type()), {1, bins, 1}),
                     elementTypeOf(rois));
  Value element = e.cast(e.iota(size, node.getBuilder().getI64Type()), elementTypeOf(rois));
  Value first = e.add(e.floor(e.mul(bin, binSize)), start);
  Value end = e.add(node.create<CeilOp>(e.mul(e.add(bin, 1), binSize)), start);
  return e.both(e.compare(ComparePredicate::GE, element, first),
                e.compare(ComparePredicate::LT, element, end));
}

/// The maximum of the elements in each bin, 0 if it has none: along one axis, then the other.
static LogicalResult importMaxRoiPool(OnnxNode &node) {
  Value x = node.input(0), rois = node.input(1);
  SmallVector<int64_t> bins = node.getInts("pooled_shape");
  const double scale = node.getFloat("spatial_scale", 1.0);
  if (bins.size() != 2 ||
      llvm::any_of(bins, [](int64_t size) { return size < 1 || size > kMostSamples; }))
    return node.error() << "expected attribute 'pooled_shape' to be two sizes from 1 to "
                        << kMostSamples << ", found [" << printList(bins) << "]";
  if (rankOf(x) != 4 || rankOf(rois) != 2 || shapeOf(rois)[1] != 5)
    return node.error() << "expected images of rank 4 and regions of shape [N, 5], found "
                        << x.getType() << " and " << rois.getType();
  Expressions e(node);
  const int64_t count = shapeOf(rois)[0], channels = shapeOf(x)[1];
  const int64_t height = shapeOf(x)[2], width = shapeOf(x)[3];
  if (failed(checkNotEmpty(node, x, rois)))
    return failure();
  Value corners = node.cast(rois, getArithmeticType(elementTypeOf(rois)));
  Value batch = node.cast(e.reshape(e.slice(rois, 1, 0, 1), count), node.getBuilder().getI64Type());
  Value inRow = getBinMask(node, corners, 1, 3, bins[1], width, scale);
  Value inColumn = getBinMask(node, corners, 2, 4, bins[0], height, scale);
  const double lowest = -std::numeric_limits<double>::infinity();
  Value images = e.reshape(e.gather(x, batch, 0), {count, channels, height, 1, width});
  Value y =
      e.where(e.reshape(inRow, {count, 1, 1, bins[1], width}), images, e.number(images, lowest));
  y = e.reshape(e.maximum(y, 4), {count, channels, 1, height, bins[1]});
  y = e.where(e.reshape(inColumn, {count, 1, bins[0], height, 1}), y, e.number(y, lowest));
  y = e.maximum(y, 3);
  // An image that holds -inf is not an empty bin.
  Type i32 = node.getBuilder().getI32Type();
  auto isAny = [&](Value mask, ArrayRef<int64_t> shape) {
    Value any = e.maximum(e.cast(mask, i32), 2);
    return e.reshape(e.compare(ComparePredicate::GT, any, 0), shape);
  };
  Value hasElements =
      e.both(isAny(inColumn, {count, 1, bins[0], 1}), isAny(inRow, {count, 1, 1, bins[1]}));
  return node.results(e.where(hasElements, y, e.number(y, 0)));
}

void mlir::ttc::registerRoiOps(OnnxRegistry &registry) {
  registry.add("MaxRoiPool", {2, 2}, importMaxRoiPool);
  registry.add("RoiAlign", {3, 3}, importRoiAlign, {10},
               "constant `rois` if `sampling_ratio` is 0");
}

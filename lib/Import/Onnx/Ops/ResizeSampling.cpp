// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ResizeSampling.h"
#include "PixelSampling.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

namespace {
/// The elements of the operand that an axis of the result is made of: `count` for each element of
/// the result, in `positions` and `weights`.
struct WeightedElements {
  int64_t count = 0;
  SmallVector<int64_t> positions;
  SmallVector<double> weights;
  /// Elements of the result that are not computed from the operand.
  SmallVector<bool> isOutside;
};
} // namespace

/// The coordinate in the operand of element `i` of the result.
static double getCoordinate(const ResizeSampling &sampling, const ResizeAxis &axis, double i) {
  const double operandSize = static_cast<double>(axis.operandSize);
  const double last = operandSize - 1;
  // The size that the scale asks for; the result has the whole elements of it.
  const double width = axis.scale * operandSize;
  if (sampling.crops) {
    double extent = (axis.end - axis.start) * last;
    return axis.start * last + (width == 1 ? extent / 2 : i * extent / (width - 1));
  }
  switch (sampling.coordinates) {
  case CoordinateMode::HalfPixel:
    return (i + 0.5) / axis.scale - 0.5;
  case CoordinateMode::PytorchHalfPixel:
    return width == 1 ? -0.5 : (i + 0.5) / axis.scale - 0.5;
  case CoordinateMode::AlignCorners:
    return width == 1 ? 0 : i * last / (width - 1);
  case CoordinateMode::Asymmetric:
    return i / axis.scale;
  case CoordinateMode::HalfPixelSymmetric: {
    double adjustment = static_cast<double>(axis.resultSize) / width;
    return operandSize / 2 * (1 - adjustment) + (i + 0.5) / axis.scale - 0.5;
  }
  }
  llvm_unreachable("all modes are handled");
}

/// The cubic convolution kernel at a distance.
static double cubicKernel(double distance, double a) {
  double x = std::abs(distance);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

/// The weights of consecutive elements for a coordinate that is `ratio` (in (0, 1]) past an
/// element. The kernel is stretched by 1 / stretch to smooth where the result has fewer elements.
static SmallVector<double> getWeights(const ResizeSampling &sampling, double ratio,
                                      double stretch) {
  if (sampling.mode == SampleMode::Nearest) {
    bool isUpper = ratio == 1;
    if (!isUpper)
      switch (sampling.rounding) {
      case NearestMode::RoundPreferFloor:
        isUpper = ratio > 0.5;
        break;
      case NearestMode::RoundPreferCeil:
        isUpper = ratio >= 0.5;
        break;
      case NearestMode::Floor:
        break;
      case NearestMode::Ceil:
        isUpper = true;
        break;
      }
    return isUpper ? SmallVector<double>{0, 1} : SmallVector<double>{1, 0};
  }
  const bool isCubic = sampling.mode == SampleMode::Cubic;
  const double radius = isCubic ? 2 : 1;
  const auto first = static_cast<int64_t>(std::floor(-radius / stretch)) + 1;
  SmallVector<double> weights;
  double sum = 0;
  for (int64_t i = first; i < 2 - first; ++i) {
    double distance = (static_cast<double>(i) - ratio) * stretch;
    weights.push_back(isCubic ? cubicKernel(distance, sampling.cubicCoefficient)
                              : std::max(1 - std::abs(distance), 0.0));
    sum += weights.back();
  }
  if (sampling.antialias)
    for (double &weight : weights)
      weight /= sum;
  return weights;
}

/// Weights of one axis; more would take long to compute.
static constexpr double kMostWeights = 1 << 26;

static FailureOr<WeightedElements> getTaps(OnnxNode &node, const ResizeSampling &sampling,
                                           const ResizeAxis &axis) {
  WeightedElements taps;
  const int64_t last = axis.operandSize - 1;
  const double stretch = sampling.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const double weightCount = static_cast<double>(axis.resultSize) * (4 / stretch + 2);
  if (!(weightCount <= kMostWeights))
    return node.error() << "expected at most " << static_cast<int64_t>(kMostWeights)
                        << " weights for an axis, found " << weightCount << " to resize from "
                        << axis.operandSize << " to " << axis.resultSize;
  for (int64_t i = 0; i < axis.resultSize; ++i) {
    double coordinate = getCoordinate(sampling, axis, static_cast<double>(i));
    taps.isOutside.push_back(sampling.crops &&
                             !(coordinate >= 0 && coordinate <= static_cast<double>(last)));
    if (taps.isOutside.back())
      coordinate = 0;
    // An element counts as 1 past the one before it.
    double below = std::ceil(coordinate) - 1;
    SmallVector<double> weights = getWeights(sampling, coordinate - below, stretch);
    taps.count = weights.size();
    const int64_t first = static_cast<int64_t>(below) - taps.count / 2 + 1;
    if (sampling.excludeOutside) {
      double sum = 0;
      for (auto [k, weight] : llvm::enumerate(weights)) {
        int64_t position = first + static_cast<int64_t>(k);
        if (position < 0 || position > last)
          weight = 0;
        sum += weight;
      }
      for (double &weight : weights)
        weight /= sum == 0 ? 1 : sum;
    }
    for (auto [k, weight] : llvm::enumerate(weights)) {
      taps.positions.push_back(std::clamp<int64_t>(first + static_cast<int64_t>(k), 0, last));
      taps.weights.push_back(weight);
    }
  }
  if (sampling.mode != SampleMode::Nearest)
    return taps;
  // One of each pair of elements has the weight 1.
  WeightedElements nearest;
  nearest.count = 1;
  nearest.isOutside = taps.isOutside;
  for (auto [position, weight] : llvm::zip_equal(taps.positions, taps.weights))
    if (weight == 1)
      nearest.positions.push_back(position);
  return nearest;
}

/// The weighted sum of the elements of one axis.
static Value applyTaps(OnnxNode &node, Value x, int64_t axis, const WeightedElements &taps) {
  Expressions e(node);
  const int64_t results = taps.isOutside.size();
  Type i32 = node.getBuilder().getI32Type();
  if (taps.count == 1)
    return e.gather(x, e.ints(results, taps.positions, i32), axis);
  if (!x)
    return {};
  SmallVector<int64_t> weightShape(rankOf(x) + 1, 1);
  weightShape[axis] = results;
  weightShape[axis + 1] = taps.count;
  Value weights = e.floats(weightShape, taps.weights, elementTypeOf(x));
  Value parts = e.gather(x, e.ints({results, taps.count}, taps.positions, i32), axis);
  return e.sum(e.mul(parts, weights), axis + 1);
}

//===----------------------------------------------------------------------===//
// Scales and regions that are computed at run time
//===----------------------------------------------------------------------===//

/// getCoordinate() for all elements of the result, in f64.
static Value computeCoordinates(OnnxNode &node, const ResizeSampling &sampling,
                                const ResizeAxis &axis) {
  Expressions e(node);
  Type f64 = node.getBuilder().getF64Type();
  auto valueOr = [&](Value computed, double known) {
    return computed ? computed : e.floats({}, known, f64);
  };
  Value scale = valueOr(axis.computedScale, axis.scale);
  const auto size = static_cast<double>(axis.operandSize);
  const double last = size - 1;
  Value i = e.iota(axis.resultSize, f64);
  Value width = e.mul(scale, size);
  Value isOne = e.compare(ComparePredicate::EQ, width, 1);
  Value steps = e.sub(width, 1);
  if (sampling.crops) {
    Value start = valueOr(axis.computedStart, axis.start),
          end = valueOr(axis.computedEnd, axis.end);
    Value extent = e.mul(e.sub(end, start), last);
    Value inside = e.where(isOne, e.div(extent, 2), e.div(e.mul(i, extent), steps));
    return e.add(inside, e.mul(start, last));
  }
  Value centered = e.sub(e.div(e.add(i, 0.5), scale), 0.5);
  switch (sampling.coordinates) {
  case CoordinateMode::HalfPixel:
    return centered;
  case CoordinateMode::PytorchHalfPixel:
    return e.where(isOne, e.number(centered, -0.5), centered);
  case CoordinateMode::AlignCorners:
    return e.where(isOne, e.number(i, 0), e.div(e.mul(i, last), steps));
  case CoordinateMode::Asymmetric:
    return e.div(i, scale);
  case CoordinateMode::HalfPixelSymmetric: {
    Value results = e.floats({}, static_cast<double>(axis.resultSize), f64);
    Value adjustment = e.div(results, width);
    return e.add(e.mul(e.sub(e.number(width, 1), adjustment), size / 2), centered);
  }
  }
  llvm_unreachable("all modes are handled");
}

/// cubicKernel() or its linear counterpart.
static Value computeKernel(Expressions &e, const ResizeSampling &sampling, Value distance) {
  Value x = e.abs(distance);
  if (sampling.mode == SampleMode::Linear)
    return e.max(e.sub(e.number(x, 1), x), 0);
  Value weights = getCubicWeights(e, x, sampling.cubicCoefficient);
  return e.where(e.compare(ComparePredicate::LT, x, 2), weights, 0.0);
}

/// The element below each coordinate, or the one above if the rounding says so.
static Value computeNearest(Expressions &e, const ResizeSampling &sampling, Value coordinates,
                            Value below) {
  Value ratio = e.sub(coordinates, below);
  // A coordinate that is a whole number is 1 past the element below it.
  auto [predicate, limit] = [&]() -> std::pair<ComparePredicate, double> {
    switch (sampling.rounding) {
    case NearestMode::RoundPreferFloor:
      return {ComparePredicate::GT, 0.5};
    case NearestMode::RoundPreferCeil:
      return {ComparePredicate::GE, 0.5};
    case NearestMode::Floor:
      return {ComparePredicate::GE, 1.0};
    case NearestMode::Ceil:
      return {ComparePredicate::GE, 0.0};
    }
    llvm_unreachable("all modes are handled");
  }();
  return e.where(e.compare(predicate, ratio, limit), e.add(below, 1), below);
}

/// Resamples an axis by positions and weights that are computed. Sets `isOutside` where the region
/// extends past the operand.
static Value applyComputedTaps(OnnxNode &node, Value x, int64_t index,
                               const ResizeSampling &sampling, const ResizeAxis &axis,
                               Value &isOutside) {
  Expressions e(node);
  const int64_t results = axis.resultSize;
  const auto last = static_cast<double>(axis.operandSize - 1);
  Type i32 = node.getBuilder().getI32Type();
  Value coordinates = computeCoordinates(node, sampling, axis);
  if (!x || !coordinates)
    return {};
  if (sampling.crops) {
    Value isInside = e.both(e.compare(ComparePredicate::GE, coordinates, 0),
                            e.compare(ComparePredicate::LE, coordinates, last));
    isOutside = node.create<NotOp>(isInside);
    coordinates = e.where(isInside, coordinates, e.number(coordinates, 0));
  }
  Value below = e.sub(node.create<CeilOp>(coordinates), 1);
  auto clamp = [&](Value positions) { return e.cast(e.min(e.max(positions, 0), last), i32); };
  if (sampling.mode == SampleMode::Nearest)
    return e.gather(x, clamp(computeNearest(e, sampling, coordinates, below)), index);

  // The result's size is the one that the scale asks for, rounded, so the scale is no smaller.
  const double least =
      std::min((static_cast<double>(results) - 0.5) / static_cast<double>(axis.operandSize), 1.0);
  const double radius = sampling.mode == SampleMode::Cubic ? 2 : 1;
  const double reach = sampling.antialias && results > 0 ? std::ceil(radius / least) : radius;
  if (!(static_cast<double>(results) * reach <= kMostWeights)) {
    node.error() << "expected at most " << static_cast<int64_t>(kMostWeights)
                 << " weights for an axis, found " << results << " times " << 2 * reach;
    return {};
  }
  const auto count = static_cast<int64_t>(2 * reach);
  SmallVector<double> offsets;
  for (int64_t k = 0; k < count; ++k)
    offsets.push_back(static_cast<double>(k + 1) - reach);
  Value positions =
      e.add(e.reshape(below, {results, 1}), e.floats(count, offsets, elementTypeOf(below)));
  Value distances = e.sub(positions, e.reshape(coordinates, {results, 1}));
  if (sampling.antialias)
    distances = axis.computedScale ? e.mul(distances, e.min(axis.computedScale, 1))
                                   : e.mul(distances, std::min(axis.scale, 1.0));
  Value weights = computeKernel(e, sampling, distances);
  if (sampling.excludeOutside) {
    Value isInside = e.both(e.compare(ComparePredicate::GE, positions, 0),
                            e.compare(ComparePredicate::LE, positions, last));
    weights = e.where(isInside, weights, e.number(weights, 0));
  }
  if (sampling.excludeOutside || sampling.antialias)
    weights = e.div(weights, e.sum(weights, 1, /*keepDims=*/true));
  SmallVector<int64_t> weightShape(rankOf(x) + 1, 1);
  weightShape[index] = results;
  weightShape[index + 1] = count;
  weights = e.reshape(e.cast(weights, elementTypeOf(x)), weightShape);
  return e.sum(e.mul(e.gather(x, clamp(positions), index), weights), index + 1);
}

Value mlir::ttc::resizeBySampling(OnnxNode &node, Value x, const ResizeSampling &sampling,
                                  ArrayRef<ResizeAxis> axes) {
  Expressions e(node);
  Type elementType = elementTypeOf(x);
  if (sampling.mode != SampleMode::Nearest)
    x = node.cast(x, getArithmeticType(elementType));
  Value isOutside;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    auto merge = [&](Value mask) {
      isOutside = isOutside ? node.create<OrOp>({isOutside, mask}) : mask;
    };
    SmallVector<int64_t> shape(axes.size(), 1);
    shape[i] = axis.resultSize;
    if (axis.isIdentity())
      continue;
    if (axis.isComputed()) {
      Value mask;
      x = applyComputedTaps(node, x, static_cast<int64_t>(i), sampling, axis, mask);
      if (mask)
        merge(e.reshape(mask, shape));
      continue;
    }
    FailureOr<WeightedElements> taps = getTaps(node, sampling, axis);
    if (failed(taps))
      return {};
    x = applyTaps(node, x, static_cast<int64_t>(i), *taps);
    if (!llvm::is_contained(taps->isOutside, true))
      continue;
    auto type = RankedTensorType::get(shape, node.getBuilder().getI1Type());
    merge(node.constant(DenseElementsAttr::get(type, ArrayRef<bool>(taps->isOutside))));
  }
  if (isOutside)
    x = e.where(isOutside, e.number(x, sampling.extrapolation), x);
  return castSaturated(node, x, elementType);
}

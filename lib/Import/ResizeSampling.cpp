// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ResizeSampling.h"
#include "TensorMath.h"

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
  // Of each pair of elements one has the weight 1.
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
  TensorMath math(node);
  const int64_t results = taps.isOutside.size();
  Type i32 = node.getBuilder().getI32Type();
  if (taps.count == 1)
    return math.gather(x, math.ints(results, taps.positions, i32), axis);
  if (!x)
    return {};
  SmallVector<int64_t> weightShape(rankOf(x) + 1, 1);
  weightShape[axis] = results;
  weightShape[axis + 1] = taps.count;
  Value weights = math.floats(weightShape, taps.weights, elementTypeOf(x));
  Value parts = math.gather(x, math.ints({results, taps.count}, taps.positions, i32), axis);
  return math.sum(math.mul(parts, weights), axis + 1);
}

Value mlir::ttc::resizeBySampling(OnnxNode &node, Value x, const ResizeSampling &sampling,
                                  ArrayRef<ResizeAxis> axes) {
  TensorMath math(node);
  Type elementType = elementTypeOf(x);
  if (sampling.mode != SampleMode::Nearest)
    x = node.cast(x, getArithmeticType(elementType));
  Value isOutside;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis.isIdentity())
      continue;
    FailureOr<WeightedElements> taps = getTaps(node, sampling, axis);
    if (failed(taps))
      return {};
    x = applyTaps(node, x, static_cast<int64_t>(i), *taps);
    if (!llvm::is_contained(taps->isOutside, true))
      continue;
    SmallVector<int64_t> shape(axes.size(), 1);
    shape[i] = axis.resultSize;
    auto type = RankedTensorType::get(shape, node.getBuilder().getI1Type());
    Value mask = node.constant(DenseElementsAttr::get(type, ArrayRef<bool>(taps->isOutside)));
    isOutside = isOutside ? node.create<OrOp>({isOutside, mask}) : mask;
  }
  if (isOutside)
    x = math.where(isOutside, math.number(x, sampling.extrapolation), x);
  return castSaturated(node, x, elementType);
}

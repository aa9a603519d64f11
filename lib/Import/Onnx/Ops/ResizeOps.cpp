// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize and its predecessor Upsample.
#include "ResizeSampling.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct Resize {
  ResizeSampling sampling;
  /// For all dimensions; one of the two is empty.
  SmallVector<double> scales;
  SmallVector<int64_t> sizes;
  /// For all dimensions, starts then ends; empty without a region of interest.
  SmallVector<double> region;
  /// The same where they are computed at run time, by dimension: scalars of f64, or null.
  SmallVector<Value> computedScales, computedRegion;
};
} // namespace

static FailureOr<SampleMode> readMode(OnnxNode &node) {
  StringRef text = node.getString("mode", "nearest");
  if (text == "nearest")
    return SampleMode::Nearest;
  if (text == "linear" || text == "bilinear" || text == "trilinear") // the latter in old files
    return SampleMode::Linear;
  if (text == "cubic")
    return SampleMode::Cubic;
  return node.error() << "attribute 'mode' is '" << text << "' (supported: nearest, linear, cubic)";
}

/// The axes of the result. Scales are those of the file where it has any.
static FailureOr<SmallVector<ResizeAxis>> getAxes(OnnxNode &node, const Resize &resize) {
  ArrayRef<int64_t> operandShape = shapeOf(node.input(0));
  const size_t rank = operandShape.size();
  SmallVector<ResizeAxis> axes;
  if (resize.sizes.empty() && resize.scales.size() != rank)
    return node.error() << "expected scales to have one element for each dimension of "
                        << node.input(0).getType() << ", found " << resize.scales.size();
  for (auto [i, from] : llvm::enumerate(operandShape)) {
    ResizeAxis axis;
    axis.operandSize = axis.resultSize = from;
    if (!resize.scales.empty()) {
      axis.scale = resize.scales[i];
      if (!(axis.scale > 0) || !(axis.scale < 1e6))
        return node.error() << "a scale of " << axis.scale << " is not possible";
      axis.resultSize = static_cast<int64_t>(std::floor(static_cast<double>(from) * axis.scale));
    }
    if (!resize.sizes.empty()) {
      axis.resultSize = resize.sizes[i];
      if (resize.scales.empty() && from)
        axis.scale = static_cast<double>(axis.resultSize) / static_cast<double>(from);
    }
    if (!resize.region.empty()) {
      axis.start = resize.region[i];
      axis.end = resize.region[rank + i];
    }
    if (!resize.computedScales.empty())
      axis.computedScale = resize.computedScales[i];
    if (!resize.computedRegion.empty()) {
      axis.computedStart = resize.computedRegion[i];
      axis.computedEnd = resize.computedRegion[rank + i];
    }
    axes.push_back(axis);
  }
  return axes;
}

/// Whether ttc.resize, whose scales are f32, computes f64 coordinates by this scale: by one of a
/// file, or by the quotient of the sizes, of which it takes the sizes.
static bool isExactInF32(const ResizeAxis &axis) {
  return axis.scale == static_cast<double>(static_cast<float>(axis.scale)) ||
         axis.scale == static_cast<double>(axis.resultSize) / static_cast<double>(axis.operandSize);
}

/// Whether ttc.resize does the same.
static bool isPlain(const ResizeSampling &sampling, ArrayRef<ResizeAxis> axes, Type element) {
  if (sampling.mode == SampleMode::Cubic || sampling.crops || sampling.antialias ||
      sampling.excludeOutside ||
      llvm::any_of(axes, [](const ResizeAxis &axis) { return axis.isComputed(); }))
    return false;
  if (element.isF64() && !llvm::all_of(axes, isExactInF32))
    return false;
  // It takes the result's size where the scale asks for a size that is no whole number.
  return sampling.coordinates != CoordinateMode::AlignCorners ||
         llvm::all_of(axes, [](const ResizeAxis &axis) {
           return std::abs(axis.scale * static_cast<double>(axis.operandSize) -
                           static_cast<double>(axis.resultSize)) < 1e-3;
         });
}

static LogicalResult createResize(OnnxNode &node, const Resize &resize) {
  Value x = node.input(0);
  FailureOr<SmallVector<ResizeAxis>> axes = getAxes(node, resize);
  if (failed(axes))
    return failure();
  SmallVector<int64_t> shape =
      llvm::map_to_vector(*axes, [](const ResizeAxis &axis) { return axis.resultSize; });
  if (!getNumElementsChecked(shape))
    return node.error() << "impossible size [" << printList(shape) << "]";
  if (llvm::all_of(*axes, [](const ResizeAxis &axis) { return axis.isIdentity(); }))
    return node.results(x);
  const ResizeSampling &sampling = resize.sampling;
  if (!isPlain(sampling, *axes, elementTypeOf(x))) {
    if (tensorType(x).getNumElements() == 0)
      return node.error() << "an operand without elements cannot be resized: " << x.getType();
    return node.results(resizeBySampling(node, x, sampling, *axes));
  }
  MLIRContext *context = node.context();
  auto mode = sampling.mode == SampleMode::Linear ? ResizeMode::Linear : ResizeMode::Nearest;
  SmallVector<float> scales = llvm::map_to_vector(
      *axes, [](const ResizeAxis &axis) { return static_cast<float>(axis.scale); });
  return node.results(node.createAs<ResizeOp>(
      RankedTensorType::get(shape, elementTypeOf(x)), x,
      {node.attr("mode", ResizeModeAttr::get(context, mode)),
       node.attr("coordinate_mode", CoordinateModeAttr::get(context, sampling.coordinates)),
       node.attr("nearest_mode", NearestModeAttr::get(context, sampling.rounding)),
       node.attr("scales", node.getBuilder().getDenseF32ArrayAttr(scales))}));
}

/// The specification of Upsample, and of Resize in opset 10, does not define how coordinates are
/// computed. This follows ONNX Runtime: no offset, rounded towards the nearer pixels of the
/// operand.
static LogicalResult importUpsample(OnnxNode &node) {
  Resize resize;
  FailureOr<SampleMode> mode = readMode(node);
  if (failed(mode))
    return failure();
  resize.sampling.mode = *mode;
  resize.sampling.coordinates = CoordinateMode::Asymmetric;
  resize.sampling.rounding = NearestMode::Floor;
  if (node.opset() < 9) {
    SmallVector<float> scales = node.getFloats("scales");
    resize.scales.assign(scales.begin(), scales.end());
  } else {
    FailureOr<SmallVector<double>> scales = node.constantNumbers(1, "scales");
    if (failed(scales))
      return failure();
    resize.scales = *scales;
  }
  if (llvm::any_of(resize.scales, [](double scale) { return scale < 1; }))
    resize.sampling.rounding = NearestMode::Ceil;
  return createResize(node, resize);
}

/// Expands values that are given for some axes only (opset 18) to all axes.
template <typename T>
static SmallVector<T> spreadOverAxes(ArrayRef<T> values, ArrayRef<int64_t> axes,
                                     SmallVector<T> all) {
  for (auto [value, axis] : llvm::zip_equal(values, axes))
    all[axis] = value;
  return all;
}

/// Reads the attributes of opset 11 and later.
static LogicalResult readSampling(OnnxNode &node, ResizeSampling &sampling) {
  FailureOr<SampleMode> mode = readMode(node);
  if (failed(mode))
    return failure();
  sampling.mode = *mode;
  StringRef coordinates = node.getString("coordinate_transformation_mode", "half_pixel");
  sampling.crops = coordinates == "tf_crop_and_resize";
  std::optional<CoordinateMode> coordinateMode = symbolizeCoordinateMode(coordinates);
  if (coordinateMode)
    sampling.coordinates = *coordinateMode;
  else if (!sampling.crops)
    return node.error() << "attribute 'coordinate_transformation_mode' is '" << coordinates
                        << "' (supported: half_pixel, half_pixel_symmetric, pytorch_half_pixel, "
                           "align_corners, asymmetric, tf_crop_and_resize)";
  StringRef rounding = node.getString("nearest_mode", "round_prefer_floor");
  std::optional<NearestMode> nearestMode = symbolizeNearestMode(rounding);
  if (!nearestMode)
    return node.error() << "attribute 'nearest_mode' is '" << rounding
                        << "' (supported: round_prefer_floor, round_prefer_ceil, floor, ceil)";
  sampling.rounding = *nearestMode;
  sampling.cubicCoefficient = node.getFloat("cubic_coeff_a", -0.75);
  sampling.extrapolation = node.getFloat("extrapolation_value", 0);
  // Neither changes which element is nearest.
  const bool sums = sampling.mode != SampleMode::Nearest;
  sampling.excludeOutside = node.getInt("exclude_outside", 0) && sums;
  sampling.antialias = node.getInt("antialias", 0) && sums;
  return success(!node.hasFailed());
}

enum class AspectRatio { Stretch, NotLarger, NotSmaller };

static FailureOr<AspectRatio> readAspectRatio(OnnxNode &node) {
  StringRef policy = node.getString("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch")
    return AspectRatio::Stretch;
  if (policy == "not_larger")
    return AspectRatio::NotLarger;
  if (policy == "not_smaller")
    return AspectRatio::NotSmaller;
  return node.error() << "attribute 'keep_aspect_ratio_policy' is '" << policy
                      << "' (supported: stretch, not_larger, not_smaller)";
}

/// Replaces sizes by those of one scale for all of `axes`: the smallest or the largest.
static LogicalResult keepAspectRatio(OnnxNode &node, Resize &resize, ArrayRef<int64_t> axes) {
  FailureOr<AspectRatio> policy = readAspectRatio(node);
  if (failed(policy))
    return failure();
  if (*policy == AspectRatio::Stretch || resize.sizes.empty())
    return success();
  ArrayRef<int64_t> shape = shapeOf(node.input(0));
  std::optional<double> common;
  for (int64_t axis : axes) {
    if (shape[axis] == 0)
      return node.error() << "an operand without elements has no aspect ratio: "
                          << node.input(0).getType();
    double scale = static_cast<double>(resize.sizes[axis]) / static_cast<double>(shape[axis]);
    if (!common || (*policy == AspectRatio::NotLarger ? scale < *common : scale > *common))
      common = scale;
  }
  resize.scales.assign(shape.size(), 1.0);
  resize.sizes.assign(shape.begin(), shape.end());
  for (int64_t axis : axes) {
    resize.scales[axis] = *common;
    // Halves up.
    double size = std::floor(*common * static_cast<double>(shape[axis]) + 0.5);
    if (!(size >= 0 && size < 1e12))
      return node.error() << "a size of " << size << " is not possible";
    resize.sizes[axis] = static_cast<int64_t>(size);
  }
  return success();
}

/// The elements of an input as scalars of f64.
static SmallVector<Value> splitElements(OnnxNode &node, Value vector) {
  Expressions e(node);
  vector = node.cast(vector, node.getBuilder().getF64Type());
  SmallVector<Value> elements;
  for (int64_t i = 0; vector && i < shapeOf(vector)[0]; ++i)
    elements.push_back(e.reshape(e.slice(vector, 0, i, 1), {}));
  return elements;
}

/// Reads sizes or scales that are computed at run time: the result has the declared shape.
static LogicalResult readComputed(OnnxNode &node, Resize &resize, ArrayRef<int64_t> axes,
                                  unsigned input) {
  Expressions e(node);
  Value values = node.input(input);
  ArrayRef<int64_t> from = shapeOf(node.input(0));
  resize.sizes = *node.declaredShape(0);
  if (resize.sizes.size() != from.size() ||
      shapeOf(values) != ArrayRef<int64_t>(static_cast<int64_t>(axes.size())))
    return node.error() << "sizes or scales " << values.getType() << " and the declared shape ["
                        << printList(resize.sizes) << "] do not fit " << axes.size() << " axes of "
                        << node.input(0).getType();
  FailureOr<AspectRatio> policy = readAspectRatio(node);
  if (failed(policy))
    return failure();
  const bool areSizes = input == 3;
  if (areSizes && *policy == AspectRatio::Stretch) {
    SmallVector<int64_t> sizes;
    for (int64_t axis : axes)
      sizes.push_back(resize.sizes[axis]);
    return requireElements(node, input, sizes);
  }
  SmallVector<Value> elements = splitElements(node, values);
  if (node.hasFailed())
    return failure();
  resize.computedScales.assign(from.size(), Value());
  Value common;
  for (auto [axis, element] : llvm::zip_equal(axes, elements)) {
    if (!areSizes) {
      // One element stays one, whatever the scale.
      if (from[axis] != 1 || resize.sizes[axis] != 1 || resize.sampling.crops)
        resize.computedScales[axis] = element;
      if (resize.sampling.crops)
        continue;
      // The size is from * scale, rounded down; in which precision is not said.
      const auto size = static_cast<double>(resize.sizes[axis]);
      Value product = e.mul(element, static_cast<double>(from[axis]));
      node.require(e.both(e.compare(ComparePredicate::GE, product, size * (1 - 1e-6)),
                          e.compare(ComparePredicate::LT, product, size + 1)),
                   describeContradiction(resize.sizes));
      continue;
    }
    Value scale = e.div(element, static_cast<double>(std::max<int64_t>(from[axis], 1)));
    if (!common)
      common = scale;
    else
      common = *policy == AspectRatio::NotLarger ? e.min(common, scale) : e.max(common, scale);
  }
  if (areSizes)
    for (int64_t axis : axes)
      resize.computedScales[axis] = common;
  return success(!node.hasFailed());
}

static LogicalResult readRegion(OnnxNode &node, Resize &resize, ArrayRef<int64_t> axes) {
  if (!resize.sampling.crops)
    return success();
  const int64_t rank = rankOf(node.input(0));
  if (node.hasInput(1) && !node.isConstantInput(1) && rankOf(node.input(1)) == 1 &&
      shapeOf(node.input(1))[0] == static_cast<int64_t>(2 * axes.size())) {
    SmallVector<Value> elements = splitElements(node, node.input(1));
    if (node.hasFailed())
      return failure();
    resize.computedRegion.assign(2 * rank, Value());
    for (auto [i, axis] : llvm::enumerate(axes)) {
      resize.computedRegion[axis] = elements[i];
      resize.computedRegion[rank + axis] = elements[axes.size() + i];
    }
    return success();
  }
  FailureOr<SmallVector<double>> region = node.constantNumbers(1, "roi");
  if (failed(region))
    return failure();
  if (region->size() != 2 * axes.size())
    return node.error() << "expected roi to have " << 2 * axes.size() << " elements, found "
                        << region->size();
  resize.region.assign(rank, 0.0);
  resize.region.append(rank, 1.0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    resize.region[axis] = (*region)[i];
    resize.region[rank + axis] = (*region)[axes.size() + i];
  }
  return success();
}

static LogicalResult importResize(OnnxNode &node) {
  if (node.opset() == 10)
    return importUpsample(node);
  Resize resize;
  Value x = node.input(0);
  SmallVector<int64_t> axes = node.getInts("axes");
  if (failed(readSampling(node, resize.sampling)) || failed(node.normalizeAxes(axes, rankOf(x))))
    return failure();
  if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  // An input that is present but empty counts as omitted.
  auto isGiven = [&](unsigned index) {
    return node.hasInput(index) && tensorType(node.input(index)).getNumElements() > 0;
  };
  if (isGiven(2) == isGiven(3))
    return node.error() << "expected either scales or sizes, found "
                        << (isGiven(2) ? "both" : "neither");
  const unsigned shaping = isGiven(3) ? 3 : 2;
  const bool isDeclared = isShapedByDeclaration(node, shaping);
  if (isDeclared) {
    if (failed(readComputed(node, resize, axes, shaping)))
      return failure();
  } else if (isGiven(3)) {
    FailureOr<SmallVector<int64_t>> sizes = node.constantInts(3, "sizes");
    if (failed(sizes))
      return failure();
    if (sizes->size() != axes.size())
      return node.error() << "expected sizes to have " << axes.size() << " elements, found "
                          << sizes->size();
    resize.sizes = spreadOverAxes<int64_t>(*sizes, axes, SmallVector<int64_t>(shapeOf(x)));
  } else {
    FailureOr<SmallVector<double>> scales = node.constantNumbers(2, "scales");
    if (failed(scales))
      return failure();
    if (scales->size() != axes.size())
      return node.error() << "expected scales to have " << axes.size() << " elements, found "
                          << scales->size();
    resize.scales = spreadOverAxes<double>(*scales, axes, SmallVector<double>(rankOf(x), 1.0));
  }
  if (failed(readRegion(node, resize, axes)))
    return failure();
  if (!isDeclared && failed(keepAspectRatio(node, resize, axes)))
    return failure();
  return createResize(node, resize);
}

void mlir::ttc::registerResizeOps(OnnxRegistry &registry) {
  registry.add("Resize", {1, 4}, importResize, {10},
               "constant `scales` or `sizes`, or a declared shape");
  registry.add("Upsample", {1, 2}, importUpsample, {7, 9}, "constant `scales`");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize and its predecessor Upsample.
#include "OnnxNode.h"
#include "OnnxRegistry.h"

#include "dialects/Ttc/TtcOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct Resize {
  ResizeMode mode = ResizeMode::Nearest;
  CoordinateMode coordinates = CoordinateMode::Asymmetric;
  NearestMode rounding = NearestMode::Floor;
  SmallVector<double> scales;
  SmallVector<int64_t> sizes;
};
} // namespace

static FailureOr<ResizeMode> readMode(OnnxNode &node) {
  StringRef text = node.getString("mode", "nearest");
  if (text == "bilinear" || text == "trilinear") // old files
    text = "linear";
  if (std::optional<ResizeMode> mode = symbolizeResizeMode(text))
    return *mode;
  return node.error() << "attribute 'mode' is '" << text << "' (supported: nearest, linear)";
}

static LogicalResult createResize(OnnxNode &node, const Resize &resize) {
  Value x = node.input(0);
  int64_t rank = rankOf(x);
  SmallVector<float> scales;
  SmallVector<int64_t> shape;
  if (!resize.sizes.empty()) {
    shape = resize.sizes;
    for (auto [size, from] : llvm::zip_equal(shape, shapeOf(x)))
      scales.push_back(from ? static_cast<float>(static_cast<double>(size) / from) : 1.0f);
  } else {
    if (static_cast<int64_t>(resize.scales.size()) != rank)
      return node.error() << "scales must have one element for each dimension of " << x.getType()
                          << ", but have " << resize.scales.size();
    for (auto [scale, from] : llvm::zip_equal(resize.scales, shapeOf(x))) {
      if (!(scale > 0) || !(scale < 1e6))
        return node.error() << "a scale of " << scale << " is not possible";
      scales.push_back(static_cast<float>(scale));
      shape.push_back(static_cast<int64_t>(std::floor(static_cast<double>(from) * scale)));
    }
  }
  if (!getNumElementsChecked(shape))
    return node.error() << "impossible size [" << printList(shape) << "]";
  if (ArrayRef<int64_t>(shape) == shapeOf(x) &&
      llvm::all_of(scales, [](float scale) { return scale == 1.0f; }))
    return node.results(x);
  MLIRContext *context = node.context();
  return node.results(node.createAs<ResizeOp>(
      RankedTensorType::get(shape, elementTypeOf(x)), x,
      {node.attr("mode", ResizeModeAttr::get(context, resize.mode)),
       node.attr("coordinate_mode", CoordinateModeAttr::get(context, resize.coordinates)),
       node.attr("nearest_mode", NearestModeAttr::get(context, resize.rounding)),
       node.attr("scales", node.getBuilder().getDenseF32ArrayAttr(scales))}));
}

/// The specification of Upsample, and of Resize in opset 10, does not define how coordinates are
/// computed. This follows ONNX Runtime: no offset, rounded towards the nearer pixels of the
/// operand.
static LogicalResult importUpsample(OnnxNode &node) {
  Resize resize;
  FailureOr<ResizeMode> mode = readMode(node);
  if (failed(mode))
    return failure();
  resize.mode = *mode;
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
    resize.rounding = NearestMode::Ceil;
  return createResize(node, resize);
}

/// Expands values that are given for some axes only (opset 18) to all axes.
template <typename T>
static SmallVector<T> spreadOverAxes(ArrayRef<T> values, ArrayRef<int64_t> axes,
                                     SmallVector<T> all) {
  if (axes.empty())
    return SmallVector<T>(values);
  for (auto [value, axis] : llvm::zip_equal(values, axes))
    all[axis] = value;
  return all;
}

static LogicalResult importResize(OnnxNode &node) {
  if (node.opset() == 10)
    return importUpsample(node);
  Resize resize;
  FailureOr<ResizeMode> mode = readMode(node);
  if (failed(mode))
    return failure();
  resize.mode = *mode;

  StringRef coordinates = node.getString("coordinate_transformation_mode", "half_pixel");
  std::optional<CoordinateMode> coordinateMode = symbolizeCoordinateMode(coordinates);
  if (!coordinateMode)
    return node.error() << "attribute 'coordinate_transformation_mode' is '" << coordinates
                        << "' (supported: half_pixel, half_pixel_symmetric, pytorch_half_pixel, "
                           "align_corners, asymmetric)";
  resize.coordinates = *coordinateMode;
  StringRef rounding = node.getString("nearest_mode", "round_prefer_floor");
  std::optional<NearestMode> nearestMode = symbolizeNearestMode(rounding);
  if (!nearestMode)
    return node.error() << "attribute 'nearest_mode' is '" << rounding
                        << "' (supported: round_prefer_floor, round_prefer_ceil, floor, ceil)";
  resize.rounding = *nearestMode;
  node.ignoreAttrs({"cubic_coeff_a", "extrapolation_value"}); // of modes that are rejected above
  for (StringRef name : {"exclude_outside", "antialias"})
    if (node.getInt(name, 0))
      return node.error() << "attribute '" << name << "' is 1 (supported: 0)";
  StringRef policy = node.getString("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch")
    return node.error() << "attribute 'keep_aspect_ratio_policy' is '" << policy
                        << "' (supported: stretch)";

  Value x = node.input(0);
  SmallVector<int64_t> axes = node.getInts("axes");
  if (node.hasFailed() || failed(node.normalizeAxes(axes, rankOf(x))))
    return failure();
  size_t count = axes.empty() ? rankOf(x) : axes.size();
  // An input that is present but empty counts as omitted.
  auto isGiven = [&](unsigned index) {
    return node.hasInput(index) && tensorType(node.input(index)).getNumElements() > 0;
  };
  if (isGiven(2) == isGiven(3))
    return node.error() << "expected either scales or sizes";
  if (isGiven(3)) {
    FailureOr<SmallVector<int64_t>> sizes = node.constantInts(3, "sizes");
    if (failed(sizes))
      return failure();
    if (sizes->size() != count)
      return node.error() << "sizes must have " << count << " elements, but have " << sizes->size();
    resize.sizes = spreadOverAxes<int64_t>(*sizes, axes, SmallVector<int64_t>(shapeOf(x)));
  } else {
    FailureOr<SmallVector<double>> scales = node.constantNumbers(2, "scales");
    if (failed(scales))
      return failure();
    if (scales->size() != count)
      return node.error() << "scales must have " << count << " elements, but have "
                          << scales->size();
    resize.scales = spreadOverAxes<double>(*scales, axes, SmallVector<double>(rankOf(x), 1.0));
  }
  return createResize(node, resize);
}

void mlir::ttc::registerResizeOps(OnnxRegistry &registry) {
  registry.add("Resize", {1, 4}, importResize, {10},
               "constant `scales` or `sizes`; modes `nearest`, `linear`; no `tf_crop_and_resize`, "
               "`antialias`, `exclude_outside`; `keep_aspect_ratio_policy` = `stretch`");
  registry.add("Upsample", {1, 2}, importUpsample, {7, 9},
               "constant `scales`; modes `nearest`, `linear`");
}

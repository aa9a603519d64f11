// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that read an image at computed coordinates: GridSample, AffineGrid, DeformConv.
#include "PixelSampling.h"
#include "Window.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {
enum class GridPadding { Zeros, Border, Reflection };

struct GridSampling {
  enum Mode { Nearest, Linear, Cubic } mode = Linear;
  GridPadding padding = GridPadding::Zeros;
  bool alignCorners = false;
};
} // namespace

static FailureOr<GridSampling> readGridSampling(OnnxNode &node) {
  GridSampling sampling;
  StringRef mode = node.getString("mode", node.opset() < 20 ? "bilinear" : "linear");
  if (mode == "nearest")
    sampling.mode = GridSampling::Nearest;
  else if (mode == "cubic" || mode == "bicubic")
    sampling.mode = GridSampling::Cubic;
  else if (mode != "linear" && mode != "bilinear")
    return node.error() << "attribute 'mode' is '" << mode
                        << "' (supported: linear, nearest, cubic)";
  StringRef padding = node.getString("padding_mode", "zeros");
  if (padding == "border")
    sampling.padding = GridPadding::Border;
  else if (padding == "reflection")
    sampling.padding = GridPadding::Reflection;
  else if (padding != "zeros")
    return node.error() << "attribute 'padding_mode' is '" << padding
                        << "' (supported: zeros, border, reflection)";
  sampling.alignCorners = node.getInt("align_corners", 0);
  if (node.hasFailed())
    return failure();
  return sampling;
}

/// The borders that reflect: the centres of the outermost elements, or their edges.
static std::pair<double, double> getBorders(const GridSampling &sampling, int64_t size) {
  auto last = static_cast<double>(size - 1);
  return sampling.alignCorners ? std::pair(0.0, last) : std::pair(-0.5, last + 0.5);
}

/// `x` reflected at the borders until it is between them.
static Value reflect(Expressions &e, Value x, double low, double high) {
  const double range = high - low;
  if (range == 0)
    return e.add(e.mul(x, 0), low);
  // A way there and back is one period.
  Value distance = e.fmod(e.abs(e.sub(x, low)), 2 * range);
  Value isBack = e.compare(ComparePredicate::GT, distance, range);
  Value back = e.sub(e.number(distance, 2 * range), distance);
  return e.add(e.where(isBack, back, distance), low);
}

/// The taps of an axis of this size at normalised coordinates: -1 and 1 are its ends.
static AxisTaps getGridTaps(OnnxNode &node, const GridSampling &sampling, Value normalized,
                            int64_t size) {
  Expressions e(node);
  const auto length = static_cast<double>(size);
  auto [low, high] = getBorders(sampling, size);
  Value fromStart = e.add(normalized, 1);
  Value x = sampling.alignCorners ? e.mul(e.div(fromStart, 2), length - 1)
                                  : e.div(e.sub(e.mul(fromStart, length), 1), 2);
  if (sampling.mode == GridSampling::Nearest)
    x = e.round(x);
  // The elements of a cubic kernel are at the border each by itself, as in PyTorch and ONNX
  // Runtime; ONNX's reference moves the kernel as a whole.
  const bool isByElement =
      sampling.mode == GridSampling::Cubic && sampling.padding == GridPadding::Border;
  if (sampling.padding != GridPadding::Zeros && !isByElement) {
    Value isOut = node.create<OrOp>(
        {e.compare(ComparePredicate::LT, x, low), e.compare(ComparePredicate::GT, x, high)});
    Value moved = sampling.padding == GridPadding::Border ? clampPositions(node, x, size)
                                                          : reflect(e, x, low, high);
    x = e.where(isOut, moved, x);
  }
  AxisTaps taps;
  if (sampling.mode == GridSampling::Linear) {
    taps = getLinearTaps(e, x);
  } else if (sampling.mode == GridSampling::Cubic) {
    taps = getCubicTaps(e, x);
  } else if (x) {
    SmallVector<int64_t> shape(shapeOf(x));
    shape.insert(shape.begin(), 1);
    taps.positions = e.reshape(x, shape);
  }
  if (sampling.padding == GridPadding::Zeros)
    taps.isInside = arePositionsInside(e, taps.positions, size);
  if (sampling.padding == GridPadding::Reflection)
    taps.positions = reflect(e, taps.positions, low, high);
  taps.positions = clampPositions(node, taps.positions, size);
  return taps;
}

static LogicalResult importGridSample(OnnxNode &node) {
  Value x = node.input(0), grid = node.input(1);
  FailureOr<GridSampling> sampling = readGridSampling(node);
  if (failed(sampling))
    return failure();
  const int64_t spatial = rankOf(x) - 2;
  if (spatial < 1 || spatial > 3)
    return node.error() << "expected the input to have 1 to 3 spatial dimensions, found "
                        << x.getType();
  ArrayRef<int64_t> sizes = shapeOf(x).drop_front(2);
  if (rankOf(grid) != rankOf(x) || shapeOf(grid).front() != shapeOf(x)[0] ||
      shapeOf(grid).back() != spatial)
    return node.error() << "expected the grid to have the number of images of " << x.getType()
                        << " and vectors of " << spatial << " coordinates, found "
                        << grid.getType();
  const int64_t pixels = llvm::product_of(sizes);
  if (pixels == 0)
    return node.error() << "an image without elements cannot be sampled: " << x.getType();

  Expressions e(node);
  const int64_t images = shapeOf(x)[0], channels = shapeOf(x)[1];
  ArrayRef<int64_t> resultSizes = shapeOf(grid).drop_front().drop_back();
  const int64_t points = llvm::product_of(resultSizes);
  if (failed(checkCount(node, images)))
    return failure();
  Type elementType = elementTypeOf(x);
  Value image =
      sampling->mode == GridSampling::Nearest ? x : node.cast(x, getArithmeticType(elementType));
  Value coordinates =
      e.reshape(node.cast(grid, getArithmeticType(elementTypeOf(grid))), {images, points, spatial});
  SmallVector<AxisTaps> taps;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    // The last coordinate of the grid is that of the first spatial dimension.
    int64_t place = spatial - 1 - static_cast<int64_t>(i);
    Value axis = e.reshape(e.slice(coordinates, 2, place, 1), {images, points});
    taps.push_back(getGridTaps(node, *sampling, axis, size));
  }
  if (!image)
    return failure();
  Value rows = toRows(e, image);
  if (!rows)
    return failure();
  SmallVector<int64_t> firstRows;
  for (int64_t i = 0; i < images; ++i)
    firstRows.push_back(i * pixels);
  Value parts = gatherTaps(node, rows, e.ints({images, 1}, firstRows, getRowType(rows)), sizes,
                           taps, {images, points});
  Value y = sampling->mode == GridSampling::Nearest ? e.reshape(parts, {images, points, channels})
                                                    : e.sum(parts, 0);
  SmallVector<int64_t> shape = {images, channels};
  llvm::append_range(shape, resultSizes);
  y = e.reshape(e.transpose(y, {0, 2, 1}), shape);
  return node.results(castSaturated(node, y, elementType));
}

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

static LogicalResult importAffineGrid(OnnxNode &node) {
  Value theta = node.input(0);
  FailureOr<SmallVector<int64_t>> size = SmallVector<int64_t>();
  if (isShapedByDeclaration(node, 1)) {
    // The grid has the sizes of the images, and does not depend on their channels.
    size = *node.declaredShape(0);
    if (size->size() < 2)
      return node.error()
             << "expected a grid of rank 4 or 5 as the declared result, found the shape ["
             << printList(*size) << "]";
    size->pop_back();
    SmallVector<SmallVector<int64_t, 3>> allowed{{size->front()}, {}};
    for (int64_t dim : ArrayRef(*size).drop_front())
      allowed.push_back({dim});
    if (failed(requireElements(node, 1, allowed)))
      return failure();
    size->insert(size->begin() + 1, 1);
  } else {
    size = node.constantInts(1, "size");
  }
  const bool alignCorners = node.getInt("align_corners", 0);
  if (failed(size))
    return failure();
  const int64_t spatial = static_cast<int64_t>(size->size()) - 2;
  if ((spatial != 2 && spatial != 3) || !getNumElementsChecked(*size))
    return node.error() << "expected size to have the four or five sizes of images, found ["
                        << printList(*size) << "]";
  const int64_t images = size->front();
  if (shapeOf(theta) != ArrayRef<int64_t>({images, spatial, spatial + 1}))
    return node.error() << "expected theta to have the shape [" << images << ", " << spatial << ", "
                        << spatial + 1 << "] for images of [" << printList(*size) << "], found "
                        << theta.getType();
  ArrayRef<int64_t> sizes = ArrayRef<int64_t>(*size).drop_front(2);
  const int64_t points = llvm::product_of(sizes), columns = spatial + 1;
  Type f32 = node.getBuilder().getF32Type();
  if (failed(node.checkGenerated(RankedTensorType::get({points, columns}, f32))))
    return failure();
  // Homogeneous coordinates of each point: the last dimension's first.
  SmallVector<double> base(points * columns, 1.0);
  for (int64_t point = 0; point < points; ++point) {
    int64_t rest = point;
    for (int64_t column = 0; column < spatial; ++column) {
      int64_t length = sizes[spatial - 1 - column];
      auto i = static_cast<double>(rest % length), n = static_cast<double>(length);
      rest /= length;
      // A single element that is aligned with both corners is at the first.
      base[point * columns + column] =
          alignCorners ? (length == 1 ? -1.0 : -1 + 2 * i / (n - 1)) : (2 * i + 1) / n - 1;
    }
  }
  Expressions e(node);
  Type elementType = elementTypeOf(theta), arithmetic = getArithmeticType(elementType);
  Value grid = node.create<MatmulOp>(
      {e.floats({points, columns}, base, arithmetic), node.cast(theta, arithmetic)},
      node.flag("transpose_b"));
  SmallVector<int64_t> shape = {images};
  llvm::append_range(shape, sizes);
  shape.push_back(spatial);
  return node.results(node.cast(e.reshape(grid, shape), elementType));
}

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a DeformConv.
struct Deformation {
  Window window;
  int64_t images, channels, resultChannels, spatial, groups, offsetGroups;
  SmallVector<int64_t> sizes, resultSizes;
  /// Elements of a kernel, and of one channel of an image and of a result.
  int64_t taps, pixels, points;
};
} // namespace

static FailureOr<Deformation> readDeformation(OnnxNode &node) {
  Value x = node.input(0), w = node.input(1), offset = node.input(2);
  Deformation d;
  d.spatial = rankOf(x) - 2;
  if (d.spatial < 1 || d.spatial > 3)
    return node.error() << "expected the input to have 1 to 3 spatial dimensions, found "
                        << x.getType();
  if (rankOf(w) != rankOf(x) || rankOf(offset) != rankOf(x))
    return node.error() << "expected weights and offsets to have as many dimensions as the input "
                        << x.getType() << ", found " << w.getType() << " and " << offset.getType();
  FailureOr<Window> window = readWindow(node, d.spatial, shapeOf(w).drop_front(2));
  if (failed(window))
    return failure();
  d.window = *window;
  d.images = shapeOf(x)[0];
  d.channels = shapeOf(x)[1];
  d.resultChannels = shapeOf(w)[0];
  d.groups = node.getInt("group", 1);
  d.offsetGroups = node.getInt("offset_group", 1);
  d.sizes.assign(shapeOf(x).begin() + 2, shapeOf(x).end());
  d.resultSizes.assign(shapeOf(offset).begin() + 2, shapeOf(offset).end());
  d.taps = llvm::product_of(window->kernel);
  d.pixels = llvm::product_of(d.sizes);
  d.points = llvm::product_of(d.resultSizes);
  if (node.hasFailed())
    return failure();
  if (llvm::is_contained({d.images, d.channels, d.pixels, d.points}, 0))
    return node.error() << "expected operands with elements, found the input " << x.getType()
                        << " and the offsets " << offset.getType();
  if (d.groups < 1 || d.channels % d.groups || d.resultChannels % d.groups ||
      shapeOf(w)[1] != d.channels / d.groups)
    return node.error() << "attribute 'group' is " << d.groups << ", which does not fit the input "
                        << x.getType() << " and the weights " << w.getType();
  if (d.offsetGroups < 1 || d.channels % d.offsetGroups)
    return node.error() << "expected attribute 'offset_group' to divide the channels of "
                        << x.getType() << ", found " << d.offsetGroups;
  SmallVector<int64_t> expected = {d.images, d.offsetGroups * d.taps * d.spatial};
  for (int64_t i = 0; i < d.spatial; ++i) {
    int64_t room = d.sizes[i] + d.window.pads[i] + d.window.pads[d.spatial + i] -
                   dilatedSize(d.window.kernel[i], d.window.dilations[i]);
    expected.push_back(room < 0 ? 0 : room / d.window.strides[i] + 1);
  }
  if (shapeOf(offset) != ArrayRef<int64_t>(expected))
    return node.error() << "expected the offsets to have the shape [" << printList(expected)
                        << "], found " << offset.getType();
  expected[1] = d.offsetGroups * d.taps;
  if (node.hasInput(4) && shapeOf(node.input(4)) != ArrayRef<int64_t>(expected))
    return node.error() << "expected the mask to have the shape [" << printList(expected)
                        << "], found " << node.input(4).getType();
  return d;
}

/// Where the taps of a plain convolution are along one axis: `taps, points`.
static Value getRegularPositions(Expressions &e, const Deformation &d, int64_t axis,
                                 Type elementType) {
  int64_t tapStride = 1, pointStride = 1;
  for (int64_t i = axis + 1; i < d.spatial; ++i) {
    tapStride *= d.window.kernel[i];
    pointStride *= d.resultSizes[i];
  }
  auto positions = [&](int64_t count, int64_t stride, int64_t size, int64_t factor, int64_t start) {
    SmallVector<double> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<double>(i / stride % size * factor + start));
    return values;
  };
  Value ofTaps = e.floats(
      {d.taps, 1}, positions(d.taps, tapStride, d.window.kernel[axis], d.window.dilations[axis], 0),
      elementType);
  Value ofPoints = e.floats(d.points,
                            positions(d.points, pointStride, d.resultSizes[axis],
                                      d.window.strides[axis], -d.window.pads[axis]),
                            elementType);
  return e.add(ofTaps, ofPoints);
}

static LogicalResult importDeformConv(OnnxNode &node) {
  FailureOr<Deformation> deformation = readDeformation(node);
  if (failed(deformation))
    return failure();
  const Deformation &d = *deformation;
  Expressions e(node);
  Type elementType = elementTypeOf(node.input(0)), arithmetic = getArithmeticType(elementType);
  auto operand = [&](unsigned index) { return node.cast(node.input(index), arithmetic); };

  // The channels of an offset group are an image of their own.
  const int64_t images = d.images * d.offsetGroups, channels = d.channels / d.offsetGroups;
  if (failed(checkCount(node, std::max({images, d.taps, d.points}))))
    return failure();
  SmallVector<int64_t> imageShape = {images, channels};
  llvm::append_range(imageShape, d.sizes);
  Value rows = toRows(e, e.reshape(operand(0), imageShape));
  if (!rows)
    return failure();
  Value offsets = e.reshape(operand(2), {images, d.taps, d.spatial, d.points});
  SmallVector<AxisTaps> taps;
  for (int64_t i = 0; i < d.spatial; ++i) {
    Value offset = e.reshape(e.slice(offsets, 2, i, 1), {images, d.taps, d.points});
    AxisTaps axis = getLinearTaps(e, e.add(offset, getRegularPositions(e, d, i, arithmetic)));
    axis.isInside = arePositionsInside(e, axis.positions, d.sizes[i]);
    axis.positions = clampPositions(node, axis.positions, d.sizes[i]);
    taps.push_back(axis);
  }
  SmallVector<int64_t> firstRows;
  for (int64_t i = 0; i < images; ++i)
    firstRows.push_back(i * d.pixels);
  Value parts = gatherTaps(node, rows, e.ints({images, 1, 1}, firstRows, getRowType(rows)), d.sizes,
                           taps, {images, d.taps, d.points});
  Value columns = e.sum(parts, 0);
  if (node.hasInput(4))
    columns = e.mul(columns, e.reshape(operand(4), {images, d.taps, d.points, 1}));

  // The convolution is now a product: of weights and, for each point, the values below the kernel.
  const int64_t depth = d.channels / d.groups * d.taps;
  columns = e.reshape(e.transpose(columns, {0, 3, 1, 2}), {d.images, d.groups, depth, d.points});
  Value weights = e.reshape(operand(1), {d.groups, d.resultChannels / d.groups, depth});
  SmallVector<int64_t> shape = {d.images, d.resultChannels};
  llvm::append_range(shape, d.resultSizes);
  Value y = e.reshape(e.matmul(weights, columns), shape);
  if (node.hasInput(3)) {
    SmallVector<int64_t> biasShape(shape.size(), 1);
    biasShape[1] = d.resultChannels;
    if (shapeOf(node.input(3)) != ArrayRef<int64_t>(d.resultChannels))
      return node.error() << "expected the bias to have " << d.resultChannels << " elements, found "
                          << node.input(3).getType();
    y = e.add(y, e.reshape(operand(3), biasShape));
  }
  return node.results(node.cast(y, elementType));
}

void mlir::ttc::registerGridOps(OnnxRegistry &registry) {
  registry.add("AffineGrid", {2, 2}, importAffineGrid, {20},
               "constant `size`, or a declared shape");
  registry.add("DeformConv", {3, 5}, importDeformConv, {19}, "1 to 3 spatial dimensions");
  registry.add("com.microsoft.GridSample", {2, 2}, importGridSample, {},
               "1 to 3 spatial dimensions");
  registry.add("GridSample", {2, 2}, importGridSample, {16}, "1 to 3 spatial dimensions");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ttc_ExtentOpInterface: what padding means to ops, by family.
#include "dialects/Ttc/Tensors/ExtentRules.h"
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Interfaces/Extents.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"

#include <variant>

using namespace mlir;
using namespace mlir::ttc;

//===--- helpers ----------------------------------------------------------------------===//

LogicalResult mlir::ttc::followOtherLoops(Operation *op, ExtentScope &scope, unsigned operand,
                                          ArrayRef<int64_t> dims) {
  const DimensionMap map = getDimensionMap(op);
  SmallVector<int> own;
  for (int64_t dim : dims)
    llvm::append_range(own, map.getIndex(operand, dim).loops);
  return followLoops(op, scope, [&](int loop) { return llvm::is_contained(own, loop); });
}

FailureOr<Extent> mlir::ttc::getValidExtent(Operation *op, ExtentScope &scope, Value value,
                                            int64_t dim) {
  if (std::optional<Extent> extent = scope.getExtent(value, dim))
    return *extent;
  return emitPaddingError(op, scope, value, dim)
         << "it merges dimensions, and the op needs them apart";
}

std::optional<Extent> mlir::ttc::countValid(ExtentScope &scope, Value value, int64_t dim) {
  const ExtentSpace &space = scope.getSpace();
  if (!scope.isPadded(value, dim))
    return space.getConstant(tensorType(value).getDimSize(dim));
  std::optional<Extent> count = space.getConstant(1);
  for (const PaddingFactor &factor : scope.getPadding(value, dim))
    if (count)
      count = scope.multiply(*count, factor.extent.value_or(space.getConstant(factor.size)));
  return count;
}

Value mlir::ttc::makeNumber(OpBuilder &builder, Location loc, Type elementType, double number) {
  auto type = RankedTensorType::get({}, elementType);
  Attribute value = isa<FloatType>(elementType)
                        ? Attribute(FloatAttr::get(elementType, number))
                        : Attribute(IntegerAttr::get(elementType, static_cast<int64_t>(number)));
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
}

static Value convert(OpBuilder &builder, Location loc, Value value, Type elementType) {
  auto type = tensorType(value);
  if (type.getElementType() == elementType)
    return value;
  return CastOp::create(builder, loc, type.clone(elementType), value).getY();
}

/// The type in which sums and numbers of elements fit.
static Type getSumType(Type type) {
  return isa<Float16Type, BFloat16Type>(type) ? Float32Type::get(type.getContext()) : type;
}

//===--- reductions -------------------------------------------------------------------===//

/// Replaces a mean by a sum, and a division by the number of valid elements.
static FailureOr<bool> replaceMean(OpBuilder &builder, ExtentScope &scope, Operation *op,
                                   ArrayRef<int64_t> axes, bool keepdims) {
  Value x = op->getOperand(0);
  Type elementType = tensorType(x).getElementType(), type = getSumType(elementType);
  Value count = scope.buildCount(builder, op->getLoc(), x, axes, type);
  Value sum = ReduceSumOp::create(builder, op->getLoc(), convert(builder, op->getLoc(), x, type),
                                  axes, keepdims)
                  .getY();
  Value mean = DivOp::create(builder, op->getLoc(), sum, count);
  op->getResult(0).replaceAllUsesWith(convert(builder, op->getLoc(), mean, elementType));
  op->erase();
  return true;
}

static bool isAnyPadded(const ExtentScope &scope, Value value, ArrayRef<int64_t> dims) {
  return llvm::any_of(dims, [&](int64_t dim) { return scope.isPadded(value, dim); });
}

FailureOr<bool> ReduceMeanOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  if (!isAnyPadded(scope, getX(), getAxes())) {
    if (failed(followLoops(*this, scope)))
      return failure();
    return false;
  }
  return replaceMean(builder, scope, *this, getAxes(), getKeepdims());
}

static SmallVector<int64_t> getSpatialDims(Value x, bool channelsLast) {
  const int64_t rank = tensorType(x).getRank();
  return llvm::to_vector(channelsLast ? llvm::seq<int64_t>(1, rank - 1)
                                      : llvm::seq<int64_t>(2, rank));
}

FailureOr<bool> GlobalAvgPoolOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  SmallVector<int64_t> dims = getSpatialDims(getX(), getChannelsLast());
  if (!isAnyPadded(scope, getX(), dims)) {
    if (failed(followLoops(*this, scope)))
      return failure();
    return false;
  }
  return replaceMean(builder, scope, *this, dims, /*keepdims=*/true);
}

FailureOr<bool> GlobalMaxPoolOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(followLoops(*this, scope)))
    return failure();
  return false;
}

/// The first of several equal elements is never padding.
template <typename Op>
static FailureOr<bool> followArgReduce(Op op, OpBuilder &builder, ExtentScope &scope, Fill fill) {
  const int64_t axis = op.getAxis();
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(op, builder, scope, axis);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  if (failed(followOtherLoops(op, scope, 0, {axis})))
    return failure();
  if (!scope.isPadded(op.getX(), axis))
    return false;
  if (op.getSelectLast())
    return emitPaddingError(op, scope, op.getX(), axis)
           << "the last of several equal elements might be padding; expected no 'select_last'";
  if (failed(scope.fill(op->getOpOperand(0), axis, fill)))
    return failure();
  return false;
}
FailureOr<bool> ArgmaxOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  return followArgReduce(*this, builder, scope, Fill::Lowest);
}
FailureOr<bool> ArgminOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  return followArgReduce(*this, builder, scope, Fill::Highest);
}

//===--- normalisations ---------------------------------------------------------------===//

FailureOr<bool> SoftmaxOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(followLoops(*this, scope)))
    return failure();
  // exp(-inf) is 0.
  if (scope.isPadded(getX(), getAxis()))
    scope.setFilled(getY(), getAxis(), Fill::Zero);
  return false;
}
FailureOr<bool> LogSoftmaxOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(followLoops(*this, scope)))
    return failure();
  return false;
}

/// Replaces a normalisation of groups of channels by ops that count valid pixels only. `x` is N, C,
/// spatial...
template <typename Op>
static bool replaceGroupNorm(Op op, OpBuilder &builder, ExtentScope &scope, int64_t groups) {
  Location loc = op.getLoc();
  Value x = op.getX();
  auto type = tensorType(x);
  Type elementType = getSumType(type.getElementType());
  const int64_t channels = type.getDimSize(1);
  SmallVector<int64_t> grouped = {type.getDimSize(0), groups, channels / groups};
  llvm::append_range(grouped, type.getShape().drop_front(2));
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(2, grouped.size()));
  // The padding of the reshaped operand is asked for by buildCount() through that of `x`.
  Value count = scope.buildCount(builder, loc, x,
                                 ArrayRef(dims).drop_front().empty()
                                     ? ArrayRef<int64_t>()
                                     : ArrayRef<int64_t>(getSpatialDims(x, false)),
                                 elementType);
  count =
      MulOp::create(builder, loc, count,
                    makeNumber(builder, loc, elementType, static_cast<double>(channels / groups)));
  Value reshaped = ReshapeOp::create(builder, loc, convert(builder, loc, x, elementType), grouped);
  Value sum = ReduceSumOp::create(builder, loc, reshaped, dims, /*keepdims=*/true).getY();
  Value mean = DivOp::create(builder, loc, sum, count);
  Value centred = SubOp::create(builder, loc, reshaped, mean);
  Value squares = MulOp::create(builder, loc, centred, centred);
  Value squareSum = ReduceSumOp::create(builder, loc, squares, dims, /*keepdims=*/true).getY();
  Value variance = DivOp::create(builder, loc, squareSum, count);
  Value deviation = SqrtOp::create(
      builder, loc,
      AddOp::create(builder, loc, variance,
                    makeNumber(builder, loc, elementType, op.getEpsilon().convertToDouble())));
  Value normal = DivOp::create(builder, loc, centred, deviation);
  Value y = ReshapeOp::create(builder, loc, normal, type.getShape());
  SmallVector<int64_t> vector(type.getRank() - 1, 1);
  vector[0] = channels;
  auto perChannel = [&](Value number) -> Value {
    return ReshapeOp::create(builder, loc, convert(builder, loc, number, elementType), vector);
  };
  y = MulOp::create(builder, loc, y, perChannel(op.getScale()));
  y = AddOp::create(builder, loc, y, perChannel(op.getBias()));
  y = convert(builder, loc, y, type.getElementType());
  op.getY().replaceAllUsesWith(y);
  op.erase();
  return true;
}

template <typename Op>
static FailureOr<bool> followNormalization(Op op, OpBuilder &builder, ExtentScope &scope,
                                           int64_t groups) {
  const bool channelsLast = op.getChannelsLast();
  if (isAnyPadded(scope, op.getX(), getSpatialDims(op.getX(), channelsLast)) && !channelsLast)
    return replaceGroupNorm(op, builder, scope, groups);
  if (failed(followLoops(op, scope)))
    return failure();
  return false;
}
FailureOr<bool> GroupNormOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  return followNormalization(*this, builder, scope, getGroups());
}
FailureOr<bool> InstanceNormOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  return followNormalization(*this, builder, scope, tensorType(getX()).getDimSize(1));
}

/// Only channels are combined.
FailureOr<bool> LrnOp::followExtents(OpBuilder &, ExtentScope &scope) {
  SmallVector<int64_t> dims = getSpatialDims(getX(), getChannelsLast());
  if (failed(followOtherLoops(*this, scope, 0, dims)))
    return failure();
  for (int64_t dim : dims)
    if (scope.isPadded(getX(), dim))
      scope.setPadding(getY(), dim, scope.getPadding(getX(), dim));
  return false;
}

//===--- windows ----------------------------------------------------------------------===//

namespace {
/// One spatial dimension of a window.
struct Window {
  int64_t dim, size, stride, low, high; ///< size: of the dilated kernel
};
} // namespace

template <typename Op> static SmallVector<Window> getWindows(Op op, ArrayRef<int64_t> kernel) {
  SmallVector<Window> windows;
  SmallVector<int64_t> dims = getSpatialDims(op.getX(), op.getChannelsLast());
  for (auto [i, dim] : llvm::enumerate(dims))
    windows.push_back({dim, (kernel[i] - 1) * op.getDilations()[i] + 1, op.getStrides()[i],
                       op.getPads()[i], op.getPads()[dims.size() + i]});
  return windows;
}

/// With 'ceil_mode', a last window may extend past the end, but not start there: as if there were
/// this much more padding.
static int64_t getCeilPadding(const Window &window) {
  return std::min(window.stride - 1, window.size - window.high - 1);
}

static SmallVector<int64_t> getDims(ArrayRef<Window> windows) {
  return llvm::map_to_vector(windows, [](const Window &window) { return window.dim; });
}

/// The extents of what windows compute. `fill` is what those at the end may see beyond the operand;
/// `inTiles` if kernels may compute neighbouring windows together, from all that one of them sees.
static FailureOr<bool> slide(Operation *op, OpBuilder &builder, ExtentScope &scope,
                             ArrayRef<Window> windows, std::variant<Fill, Value> fill,
                             bool ceilMode = false, bool inTiles = false) {
  const SmallVector<int64_t> dims = getDims(windows);
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(op, builder, scope, dims);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  const ExtentSpace &space = scope.getSpace();
  Value x = op->getOperand(0), y = op->getResult(0);
  if (failed(followOtherLoops(op, scope, 0, dims)))
    return failure();
  for (const Window &window : windows) {
    if (!scope.isPadded(x, window.dim))
      continue;
    FailureOr<Extent> extent = getValidExtent(op, scope, x, window.dim);
    if (failed(extent))
      return failure();
    const Extent slack = space.add(*extent, window.low + window.high - window.size);
    if (space.getLeast(slack) < 0)
      return FailureOr<bool>(emitPaddingError(op, scope, x, window.dim)
                             << "the smallest is less than the window of " << window.size);
    const int64_t more = ceilMode ? getCeilPadding(window) : 0;
    const bool seesEnd =
        window.high + more > 0 || (inTiles && window.stride == 1 && window.size > 1);
    if (seesEnd && std::holds_alternative<Value>(fill))
      scope.fillWith(op->getOpOperand(0), window.dim, std::get<Value>(fill));
    else if (seesEnd && failed(scope.fill(op->getOpOperand(0), window.dim, std::get<Fill>(fill))))
      return failure();
    Extent count = space.floorDiv(space.add(slack, more), window.stride);
    scope.setExtent(y, window.dim, space.add(count, 1));
  }
  return false;
}

FailureOr<bool> ConvOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  return slide(*this, builder, scope,
               getWindows(*this, tensorType(getW()).getShape().drop_front(2)), Fill::Zero,
               /*ceilMode=*/false, /*inTiles=*/true);
}

/// Products of bytes subtract a zero point, so in their sums it is what 0 is elsewhere: it counts
/// as the fill that followLoops() demands.
static void fillWithZeroPoint(ExtentScope &scope, OpOperand &operand, int64_t dim,
                              Value zeroPoint) {
  if (!scope.isPadded(operand.get(), dim))
    return;
  scope.fillWith(operand, dim, zeroPoint);
  scope.setFilled(operand.get(), dim, Fill::Zero);
}

FailureOr<bool> IntMatmulOp::followExtents(OpBuilder &, ExtentScope &scope) {
  fillWithZeroPoint(scope, getAMutable(), tensorType(getA()).getRank() - 1, getAZero());
  fillWithZeroPoint(scope, getBMutable(), tensorType(getB()).getRank() - 2, getBZero());
  if (failed(followLoops(*this, scope)))
    return failure();
  return false;
}

FailureOr<bool> IntConvOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  if (getGroups() == 1) {
    const int64_t rank = tensorType(getX()).getRank();
    fillWithZeroPoint(scope, getXMutable(), getChannelsLast() ? rank - 1 : 1, getXZero());
    fillWithZeroPoint(scope, getWMutable(), 1, getWZero());
  }
  return slide(*this, builder, scope,
               getWindows(*this, tensorType(getW()).getShape().drop_front(2)), getXZero());
}

FailureOr<bool> ConvTransposeOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const ExtentSpace &space = scope.getSpace();
  SmallVector<Window> windows = getWindows(*this, tensorType(getW()).getShape().drop_front(2));
  const SmallVector<int64_t> dims = getDims(windows);
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(*this, builder, scope, dims);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  if (failed(followOtherLoops(*this, scope, 0, dims)))
    return failure();
  for (auto [window, extra] : llvm::zip_equal(windows, getOutputPadding())) {
    if (!scope.isPadded(getX(), window.dim))
      continue;
    FailureOr<Extent> extent = getValidExtent(*this, scope, getX(), window.dim);
    if (failed(extent))
      return failure();
    std::optional<Extent> last =
        scope.multiply(space.add(*extent, -1), space.getConstant(window.stride));
    if (!last)
      return emitPaddingError(*this, scope, getX(), window.dim)
             << "expected at least one element in every run";
    // Whether the window of the first element of padding overlaps the result, or those of a tile
    // that a kernel computes together do.
    if (window.stride < std::max(window.size, window.size - window.high + extra) &&
        failed(scope.fill((*this)->getOpOperand(0), window.dim, Fill::Zero)))
      return failure();
    scope.setExtent(getY(), window.dim,
                    space.add(*last, window.size - window.low - window.high + extra));
  }
  return false;
}

FailureOr<bool> MaxPoolOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  return slide(*this, builder, scope, getWindows(*this, getKernel()), Fill::Lowest, getCeilMode());
}

FailureOr<bool> AvgPoolOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  SmallVector<Window> windows = getWindows(*this, getKernel());
  // Such a mean divides by as much of the window as is inside of the padded operand.
  if (getCeilMode() && getCountIncludePad())
    for (const Window &window : windows)
      if (scope.isPadded(getX(), window.dim))
        return FailureOr<bool>(emitPaddingError(*this, scope, getX(), window.dim)
                               << "expected no 'ceil_mode' together with 'count_include_pad'");
  const bool dividesByValid =
      !getCountIncludePad() && llvm::any_of(windows, [&](const Window &window) {
        return (window.high > 0 || getCeilMode()) && scope.isPadded(getX(), window.dim);
      });
  if (!dividesByValid)
    return slide(*this, builder, scope, windows, Fill::Zero, getCeilMode());
  const SmallVector<int64_t> spatial = getDims(windows);
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(*this, builder, scope, spatial);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  // Both means divide by all elements of a window, and their quotient by the valid ones.
  auto type = tensorType(getX());
  SmallVector<int64_t> shape(type.getRank(), 1);
  for (const Window &window : windows)
    shape[window.dim] = type.getDimSize(window.dim);
  Value one = makeNumber(builder, getLoc(), type.getElementType(), 1);
  Value ones = ExpandOp::create(builder, getLoc(), one, shape);
  const ExtentSpace &space = scope.getSpace();
  SmallVector<AffineExpr> dims;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    std::optional<Extent> extent =
        size == 1 ? space.getConstant(1) : scope.getExtent(getX(), static_cast<int64_t>(dim));
    dims.push_back(space.getExpr(*extent, getContext()));
  }
  ones.getDefiningOp()->setAttr(
      kDimsAttrName,
      AffineMapAttr::get(AffineMap::get(0, space.getDimensions().size(), dims, getContext())));
  SmallVector<int64_t> pads(getPads());
  if (getCeilMode())
    for (auto [index, window] : llvm::enumerate(windows))
      pads[windows.size() + index] += getCeilPadding(window);
  auto average = [&](Value x) {
    auto copy = cast<AvgPoolOp>(builder.clone(**this));
    copy.getXMutable().assign(x);
    copy.setCountIncludePad(true);
    copy.setCeilMode(false);
    copy.setPads(pads);
    if (x != getX())
      copy->removeAttr(kProbedAttrName); // of the counts' shape
    SmallVector<int64_t> result(tensorType(copy.getY()).getShape());
    if (x != getX())
      for (auto [dim, size] : llvm::enumerate(result))
        if (!llvm::is_contained(spatial, static_cast<int64_t>(dim)))
          size = 1;
    copy.getY().setType(type.clone(result));
    return copy.getY();
  };
  Value sums = average(getX()), counts = average(ones);
  getY().replaceAllUsesWith(DivOp::create(builder, getLoc(), sums, counts));
  erase();
  return true;
}

//===--- blocks ----------------------------------------------------------------------===//

/// Blocks of `up` pixels of the result along `dim` for each pixel of the operand, or of `down` of
/// the operand for each of the result.
static FailureOr<bool> followBlocks(Operation *op, OpBuilder &builder, ExtentScope &scope,
                                    ArrayRef<int64_t> dims, ArrayRef<int64_t> up,
                                    ArrayRef<int64_t> down) {
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(op, builder, scope, dims);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  Value x = op->getOperand(0), y = op->getResult(0);
  if (failed(followOtherLoops(op, scope, 0, dims)))
    return failure();
  for (auto [dim, times, divisor] : llvm::zip_equal(dims, up, down)) {
    if (!scope.isPadded(x, dim))
      continue;
    FailureOr<Extent> extent = getValidExtent(op, scope, x, dim);
    if (failed(extent))
      return failure();
    std::optional<Extent> size = scope.multiply(*extent, scope.getSpace().getConstant(times));
    if (size)
      size = scope.getSpace().floorDiv(*size, divisor);
    if (!size || !scope.getSpace().isExact(*size))
      return FailureOr<bool>(emitPaddingError(op, scope, x, dim)
                             << "expected a size that blocks divide");
    scope.setExtent(y, dim, *size);
  }
  return false;
}
FailureOr<bool> DepthToSpaceOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const ImageDims image(getX().getType(), getChannelsLast());
  auto dims = llvm::to_vector(llvm::seq(image.firstSpatial, image.firstSpatial + image.numSpatial));
  return followBlocks(*this, builder, scope, dims, getBlock(),
                      SmallVector<int64_t>(dims.size(), 1));
}
FailureOr<bool> SpaceToDepthOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  return followBlocks(*this, builder, scope, {2, 3}, {1, 1}, {getBlock(), getBlock()});
}

//===--- in order ---------------------------------------------------------------------===//

/// All dimensions but `axis` are independent.
static void keepOtherPadding(ExtentScope &scope, Value x, Value y, int64_t axis) {
  for (int64_t dim = 0; dim < tensorType(x).getRank(); ++dim)
    if (dim != axis && scope.isPadded(x, dim))
      scope.setPadding(y, dim, scope.getPadding(x, dim));
}

FailureOr<bool> CumulativeOp::followExtents(OpBuilder &, ExtentScope &scope) {
  const int64_t axis = getAxis();
  keepOtherPadding(scope, getX(), getY(), axis);
  if (!scope.isPadded(getX(), axis))
    return false;
  // Padding comes first, or between valid elements.
  const bool countsPadding = getReverse() || !scope.getExtent(getX(), axis);
  if (countsPadding &&
      failed(scope.fill((*this)->getOpOperand(0), axis,
                        getKind() == CumulativeKind::Sum ? Fill::Zero : Fill::One)))
    return failure();
  scope.setPadding(getY(), axis, scope.getPadding(getX(), axis));
  return false;
}

FailureOr<bool> ArgsortOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const int64_t axis = getAxis();
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(*this, builder, scope, axis);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  keepOtherPadding(scope, getX(), getY(), axis);
  if (!scope.isPadded(getX(), axis))
    return false;
  FailureOr<Extent> extent = getValidExtent(*this, scope, getX(), axis);
  if (failed(extent))
    return failure();
  // NaN is larger than what would fill the end.
  if (!getLargest() && isa<FloatType>(tensorType(getX()).getElementType()))
    return emitPaddingError(*this, scope, getX(), axis)
           << "the smallest elements are sorted first, and NaN after its padding";
  if (scope.getSpace().getLeast(*extent) < static_cast<int64_t>(getCount()))
    return emitPaddingError(*this, scope, getX(), axis)
           << "expected at least as many valid elements in every run as are sorted (" << getCount()
           << ")";
  if (failed(
          scope.fill((*this)->getOpOperand(0), axis, getLargest() ? Fill::Lowest : Fill::Highest)))
    return failure();
  return false;
}

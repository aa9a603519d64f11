// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ttc_ExtentOpInterface: what padding means to ops, by family.
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Interfaces/Extents.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- helpers ----------------------------------------------------------------------===//

/// followLoops() for all dimensions of operands but these, of one operand.
static LogicalResult followOtherLoops(Operation *op, ExtentScope &scope, unsigned operand,
                                      ArrayRef<int64_t> dims) {
  const DimensionMap map = getDimensionMap(op);
  SmallVector<int> own;
  for (int64_t dim : dims)
    llvm::append_range(own, map.getIndex(operand, dim).loops);
  return followLoops(op, scope, [&](int loop) { return llvm::is_contained(own, loop); });
}

/// The extent of a dimension; an error if padding lies between its elements.
static FailureOr<Extent> getExtent(Operation *op, ExtentScope &scope, Value value, int64_t dim) {
  if (std::optional<Extent> extent = scope.getExtent(value, dim))
    return *extent;
  return emitPaddingError(op, scope, value, dim)
         << "it merges dimensions, and the op needs them apart";
}

static Value makeConstant(OpBuilder &builder, Location loc, Type elementType, double number) {
  auto type = RankedTensorType::get({}, elementType);
  Attribute value = isa<FloatType>(elementType)
                        ? Attribute(FloatAttr::get(elementType, number))
                        : Attribute(IntegerAttr::get(elementType, static_cast<int64_t>(number)));
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
}

/// 0, 1, ... along one dimension.
static Value makeIota(OpBuilder &builder, Location loc, int64_t size) {
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(size)));
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({size}, builder.getI32Type()),
                             ArrayRef<int32_t>(numbers)));
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
static FailureOr<bool> followArgReduce(Op op, ExtentScope &scope, Fill fill) {
  const int64_t axis = op.getAxis();
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
FailureOr<bool> ArgmaxOp::followExtents(OpBuilder &, ExtentScope &scope) {
  return followArgReduce(*this, scope, Fill::Lowest);
}
FailureOr<bool> ArgminOp::followExtents(OpBuilder &, ExtentScope &scope) {
  return followArgReduce(*this, scope, Fill::Highest);
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
  count = MulOp::create(
      builder, loc, count,
      makeConstant(builder, loc, elementType, static_cast<double>(channels / groups)));
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
                    makeConstant(builder, loc, elementType, op.getEpsilon().convertToDouble())));
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

/// The extents of what windows compute. `fill` is what those at the end may see beyond the operand.
static LogicalResult slide(Operation *op, ExtentScope &scope, ArrayRef<Window> windows, Fill fill,
                           bool ceilMode = false) {
  const ExtentSpace &space = scope.getSpace();
  Value x = op->getOperand(0), y = op->getResult(0);
  SmallVector<int64_t> dims =
      llvm::map_to_vector(windows, [](const Window &window) { return window.dim; });
  if (failed(followOtherLoops(op, scope, 0, dims)))
    return failure();
  for (const Window &window : windows) {
    if (!scope.isPadded(x, window.dim))
      continue;
    FailureOr<Extent> extent = getExtent(op, scope, x, window.dim);
    if (failed(extent))
      return failure();
    Extent slack = space.add(*extent, window.low + window.high - window.size);
    if (space.getLeast(slack) < 0)
      return emitPaddingError(op, scope, x, window.dim)
             << "the smallest is less than the window of " << window.size;
    Extent count = space.floorDiv(slack, window.stride);
    if (ceilMode && !space.isExact(count))
      return emitPaddingError(op, scope, x, window.dim)
             << "with 'ceil_mode', expected strides that divide it";
    if (window.high > 0 && failed(scope.fill(op->getOpOperand(0), window.dim, fill)))
      return failure();
    scope.setExtent(y, window.dim, space.add(count, 1));
  }
  return success();
}

FailureOr<bool> ConvOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(slide(*this, scope, getWindows(*this, tensorType(getW()).getShape().drop_front(2)),
                   Fill::Zero)))
    return failure();
  return false;
}

FailureOr<bool> ConvTransposeOp::followExtents(OpBuilder &, ExtentScope &scope) {
  const ExtentSpace &space = scope.getSpace();
  SmallVector<Window> windows = getWindows(*this, tensorType(getW()).getShape().drop_front(2));
  SmallVector<int64_t> dims =
      llvm::map_to_vector(windows, [](const Window &window) { return window.dim; });
  if (failed(followOtherLoops(*this, scope, 0, dims)))
    return failure();
  for (auto [window, extra] : llvm::zip_equal(windows, getOutputPadding())) {
    if (!scope.isPadded(getX(), window.dim))
      continue;
    FailureOr<Extent> extent = ::getExtent(*this, scope, getX(), window.dim);
    if (failed(extent))
      return failure();
    std::optional<Extent> last = space.multiply(space.add(*extent, -1), window.stride);
    if (!last)
      return emitPaddingError(*this, scope, getX(), window.dim)
             << "expected a size that is never rounded";
    // Whether the window of the first element of padding overlaps the result.
    if (window.stride < window.size - window.high + extra &&
        failed(scope.fill((*this)->getOpOperand(0), window.dim, Fill::Zero)))
      return failure();
    scope.setExtent(getY(), window.dim,
                    space.add(*last, window.size - window.low - window.high + extra));
  }
  return false;
}

FailureOr<bool> MaxPoolOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(slide(*this, scope, getWindows(*this, getKernel()), Fill::Lowest, getCeilMode())))
    return failure();
  return false;
}

FailureOr<bool> AvgPoolOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  SmallVector<Window> windows = getWindows(*this, getKernel());
  const bool dividesByValid =
      !getCountIncludePad() && llvm::any_of(windows, [&](const Window &window) {
        return window.high > 0 && scope.isPadded(getX(), window.dim);
      });
  if (!dividesByValid) {
    if (failed(slide(*this, scope, windows, Fill::Zero, getCeilMode())))
      return failure();
    return false;
  }
  // Both means divide by all elements of a window, and their quotient by the valid ones.
  auto type = tensorType(getX());
  SmallVector<int64_t> shape(type.getRank(), 1);
  for (const Window &window : windows)
    shape[window.dim] = type.getDimSize(window.dim);
  Value one = makeConstant(builder, getLoc(), type.getElementType(), 1);
  Value ones = ExpandOp::create(builder, getLoc(), one, shape);
  const ExtentSpace &space = scope.getSpace();
  SmallVector<AffineExpr> dims;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    std::optional<Extent> extent =
        size == 1 ? space.getConstant(1) : scope.getExtent(getX(), static_cast<int64_t>(dim));
    if (!extent)
      return FailureOr<bool>(emitPaddingError(*this, scope, getX(), static_cast<int64_t>(dim))
                             << "it merges dimensions, and the op needs them apart");
    dims.push_back(space.getExpr(*extent, getContext()));
  }
  ones.getDefiningOp()->setAttr(
      kDimsAttrName,
      AffineMapAttr::get(AffineMap::get(0, space.getDimensions().size(), dims, getContext())));
  auto average = [&](Value x) {
    auto copy = cast<AvgPoolOp>(builder.clone(**this));
    copy.getXMutable().assign(x);
    copy.setCountIncludePad(true);
    SmallVector<int64_t> result(tensorType(copy.getY()).getShape());
    if (x != getX())
      for (auto [dim, size] : llvm::enumerate(result))
        if (shape[dim] == 1)
          size = 1;
    copy.getY().setType(type.clone(result));
    return copy.getY();
  };
  Value sums = average(getX()), counts = average(ones);
  getY().replaceAllUsesWith(DivOp::create(builder, getLoc(), sums, counts));
  erase();
  return true;
}

//===--- data movement ----------------------------------------------------------------===//

/// Computes a constant whose elements are functions of the extents.
static void replaceNumbers(ConstantOp op, AffineMap numbers, OpBuilder &builder,
                           ExtentScope &scope) {
  auto type = tensorType(op.getOutput());
  Type elementType = type.getElementType();
  SmallVector<Value> elements;
  for (AffineExpr expr : numbers.getResults()) {
    Value element = scope.getExtentValue(*scope.getSpace().fromExpr(expr));
    if (elementType != builder.getI32Type())
      element =
          CastOp::create(builder, op.getLoc(), RankedTensorType::get({1}, elementType), element)
              .getY();
    elements.push_back(element);
  }
  Value value = elements.size() == 1
                    ? elements.front()
                    : Value(ConcatOp::create(builder, op.getLoc(), elements, /*axis=*/0));
  if (tensorType(value).getNumElements() == type.getNumElements())
    value = ReshapeOp::create(builder, op.getLoc(), value, type.getShape());
  else
    value = ExpandOp::create(builder, op.getLoc(),
                             ReshapeOp::create(builder, op.getLoc(), value, ArrayRef<int64_t>()),
                             type.getShape());
  op.getOutput().replaceAllUsesWith(value);
  op.erase();
}

FailureOr<bool> ConstantOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  if (auto numbers = (*this)->getAttrOfType<AffineMapAttr>(kNumbersAttrName)) {
    replaceNumbers(*this, numbers.getValue(), builder, scope);
    return true;
  }
  for (int64_t dim = 0; dim < tensorType(getOutput()).getRank(); ++dim)
    if (std::optional<Extent> extent = scope.getDeclared(*this, dim))
      scope.setExtent(getOutput(), dim, *extent);
  return false;
}

/// Dimensions of one element that become those of a declared extent.
static LogicalResult broadcastToDeclared(Operation *op, ExtentScope &scope) {
  if (failed(followLoops(op, scope)))
    return failure();
  Value y = op->getResult(0);
  for (int64_t dim = 0; dim < tensorType(y).getRank(); ++dim)
    if (std::optional<Extent> extent = scope.getDeclared(op, dim);
        extent && !scope.isPadded(y, dim))
      scope.setExtent(y, dim, *extent);
  return success();
}
FailureOr<bool> ExpandOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(broadcastToDeclared(*this, scope)))
    return failure();
  return false;
}
FailureOr<bool> TileOp::followExtents(OpBuilder &, ExtentScope &scope) {
  auto x = tensorType(getX());
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (x.getDimSize(dim) != 1 && scope.getDeclared(*this, dim) && getRepeats()[dim] != 1)
      return emitOpError() << "repeats dimension " << dim << " of " << x.getDimSize(dim)
                           << " elements a number of times that differs from run to run; expected "
                              "a dimension of one element";
  if (failed(broadcastToDeclared(*this, scope)))
    return failure();
  return false;
}
StringRef TileOp::getSizesName() { return "repeats"; }

/// Sets the extent of a part of a dimension. `size` is that of the part.
static LogicalResult takePart(Operation *op, ExtentScope &scope, Value x, Value part, int64_t dim,
                              int64_t start, int64_t step, int64_t size) {
  const ExtentSpace &space = scope.getSpace();
  std::optional<Extent> declared =
      op->getNumResults() == 1 ? scope.getDeclared(op, dim) : std::nullopt;
  if (declared && declared->isConstant())
    declared.reset();
  if (!scope.isPadded(x, dim) && !declared)
    return success();
  if (!declared && start == 0 && step == 1 && size == tensorType(x).getDimSize(dim)) {
    scope.setPadding(part, dim, scope.getPadding(x, dim));
    return success();
  }
  FailureOr<Extent> extent = getExtent(op, scope, x, dim);
  if (failed(extent))
    return failure();
  // What is left of the valid elements after the last one taken.
  Extent taken = declared ? *declared : space.getConstant(size);
  std::optional<Extent> first = space.add(*extent, -start - 1);
  std::optional<Extent> span = space.multiply(space.add(taken, -1), -step);
  std::optional<Extent> rest = first && span ? space.add(*first, *span) : std::nullopt;
  if (step < 0) {
    // From the first element backwards: that must be valid.
    rest = first;
  }
  if (!rest || space.getLeast(*rest) < 0)
    return emitPaddingError(op, scope, x, dim)
           << "expected a part that is valid in every run, found "
           << (declared ? space.print(*declared) : std::to_string(size)) << " elements from "
           << start << " on";
  if (declared)
    scope.setExtent(part, dim, *declared);
  return success();
}

FailureOr<bool> SliceOp::followExtents(OpBuilder &, ExtentScope &scope) {
  for (int64_t dim = 0; dim < tensorType(getX()).getRank(); ++dim)
    if (failed(takePart(*this, scope, getX(), getY(), dim, getStarts()[dim], getSteps()[dim],
                        getSizes()[dim])))
      return failure();
  return false;
}
StringRef SliceOp::getSizesName() { return "sizes"; }

FailureOr<bool> SplitOp::followExtents(OpBuilder &, ExtentScope &scope) {
  const int64_t axis = getAxis();
  if (failed(followOtherLoops(*this, scope, 0, {axis})))
    return failure();
  if (!scope.isPadded(getX(), axis))
    return false;
  FailureOr<Extent> extent = ::getExtent(*this, scope, getX(), axis);
  if (failed(extent))
    return failure();
  // All parts but the last one are valid in every run.
  const ExtentSpace &space = scope.getSpace();
  int64_t start = 0;
  for (int64_t size : getSizes().drop_back())
    start += size;
  if (space.getLeast(*extent) < start)
    return emitPaddingError(*this, scope, getX(), axis)
           << "expected all parts but the last one to be valid in every run";
  scope.setExtent(getOutputs().back(), axis, space.add(*extent, -start));
  return false;
}
StringRef SplitOp::getSizesName() { return "sizes"; }

FailureOr<bool> ConcatOp::followExtents(OpBuilder &, ExtentScope &scope) {
  const int64_t axis = getAxis();
  const DimensionMap map = getDimensionMap(*this);
  SmallVector<int> own;
  for (unsigned operand = 0; operand < getNumOperands(); ++operand)
    llvm::append_range(own, map.getIndex(operand, axis).loops);
  if (failed(followLoops(*this, scope, [&](int loop) { return llvm::is_contained(own, loop); })))
    return failure();
  int64_t start = 0;
  for (Value input : getInputs().drop_back()) {
    if (scope.isPadded(input, axis))
      return emitPaddingError(*this, scope, input, axis)
             << "what follows it would begin at another place in each run; expected it to be the "
                "last operand";
    start += tensorType(input).getDimSize(axis);
  }
  Value last = getInputs().back();
  if (!scope.isPadded(last, axis))
    return false;
  FailureOr<Extent> extent = ::getExtent(*this, scope, last, axis);
  if (failed(extent))
    return failure();
  scope.setExtent(getY(), axis, scope.getSpace().add(*extent, start));
  return false;
}

FailureOr<bool> PadOp::followExtents(OpBuilder &, ExtentScope &scope) {
  SmallVector<int64_t> changed;
  for (int64_t dim = 0; dim < tensorType(getX()).getRank(); ++dim)
    if (getLow()[dim] != 0 || getHigh()[dim] != 0)
      changed.push_back(dim);
  if (failed(followOtherLoops(*this, scope, 0, changed)))
    return failure();
  for (int64_t dim : changed) {
    if (!scope.isPadded(getX(), dim))
      continue;
    FailureOr<Extent> extent = ::getExtent(*this, scope, getX(), dim);
    if (failed(extent))
      return failure();
    if (getHigh()[dim] > 0) {
      const double value = getValue().convertToDouble();
      const bool isLowest = std::isinf(value) && value < 0;
      if (getMode() != PadMode::Constant || (value != 0 && !isLowest))
        return emitPaddingError(*this, scope, getX(), dim)
               << "expected mode 'constant' with a value of 0 or -inf at its end";
      if (failed(scope.fill((*this)->getOpOperand(0), dim, isLowest ? Fill::Lowest : Fill::Zero)))
        return failure();
    } else if (getMode() == PadMode::Wrap) {
      return emitPaddingError(*this, scope, getX(), dim) << "the mode 'wrap' begins at its end";
    }
    scope.setExtent(getY(), dim, scope.getSpace().add(*extent, getLow()[dim] + getHigh()[dim]));
  }
  return false;
}

/// Lets negative indices count from the end of what is valid.
static LogicalResult countFromExtent(Operation *op, OpBuilder &builder, ExtentScope &scope,
                                     OpOperand &data, OpOperand &indices, int64_t axis) {
  FailureOr<Extent> extent = getExtent(op, scope, data.get(), axis);
  if (failed(extent))
    return failure();
  DenseElementsAttr constant;
  if (matchPattern(indices.get(), m_Constant(&constant))) {
    ConstantTensor numbers = ConstantTensor::get(constant);
    for (int64_t i = 0; i < (numbers.isSplat() ? 1 : numbers.getNumElements()); ++i)
      if (int64_t index = numbers.getInteger(i);
          index < 0 ||
          (index >= scope.getSpace().getLeast(*extent) && !scope.isPadded(indices.get())))
        return emitPaddingError(op, scope, data.get(), axis)
               << "expected constant indices that are valid in every run, found " << index;
    return success();
  }
  Location loc = op->getLoc();
  Type type = tensorType(indices.get()).getElementType();
  Value size = scope.getExtentValue(*extent);
  if (type != builder.getI32Type())
    size = CastOp::create(builder, loc, RankedTensorType::get({1}, type), size).getY();
  Value zero = makeConstant(builder, loc, type, 0);
  Value isNegative =
      CompareOp::create(builder, loc, ComparePredicate::LT, indices.get(), zero).getResult();
  Value counted = AddOp::create(builder, loc, indices.get(), size);
  Value index = WhereOp::create(builder, loc, isNegative, counted, indices.get()).getResult();
  if (index.getType() != indices.get().getType())
    index = ReshapeOp::create(builder, loc, index, tensorType(indices.get()).getShape());
  for (int64_t dim = 0; dim < tensorType(index).getRank(); ++dim)
    scope.setPadding(index, dim, scope.getPadding(indices.get(), dim));
  indices.set(index);
  return success();
}

FailureOr<bool> GatherOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  if (scope.isPadded(getData(), getAxis()) &&
      failed(countFromExtent(*this, builder, scope, (*this)->getOpOperand(0),
                             (*this)->getOpOperand(1), getAxis())))
    return failure();
  if (failed(followOtherLoops(*this, scope, 0, {static_cast<int64_t>(getAxis())})))
    return failure();
  return false;
}

FailureOr<bool> GatherElementsOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const int64_t axis = getAxis();
  if (scope.isPadded(getData(), axis) &&
      failed(countFromExtent(*this, builder, scope, (*this)->getOpOperand(0),
                             (*this)->getOpOperand(1), axis)))
    return failure();
  // Elements of the other dimensions stay where they are.
  for (int64_t dim = 0; dim < tensorType(getY()).getRank(); ++dim)
    if (scope.isPadded(getIndices(), dim))
      scope.setPadding(getY(), dim, scope.getPadding(getIndices(), dim));
    else if (dim != axis && scope.isPadded(getData(), dim))
      return emitPaddingError(*this, scope, getData(), dim) << "expected indices of the same size";
  return false;
}

/// Whether elements of the result within the extent depend on elements beyond that of the operand.
static bool readsBeyond(ResizeOp op, int64_t scale) {
  if (op.getMode() != ResizeMode::Nearest)
    return true;
  if (op.getNearestMode() == NearestMode::Floor || scale == 1)
    return false;
  return op.getCoordinateMode() == CoordinateMode::Asymmetric ||
         op.getNearestMode() == NearestMode::Ceil;
}

FailureOr<bool> ResizeOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const ExtentSpace &space = scope.getSpace();
  SmallVector<int64_t> changed;
  for (int64_t dim = 0; dim < tensorType(getX()).getRank(); ++dim)
    if (getScales()[dim] != 1.0F)
      changed.push_back(dim);
  if (failed(followOtherLoops(*this, scope, 0, changed)))
    return failure();
  for (int64_t dim : changed) {
    if (!scope.isPadded(getX(), dim))
      continue;
    const double scale = getScales()[dim];
    const auto up = static_cast<int64_t>(std::llround(scale)),
               down = static_cast<int64_t>(std::llround(1 / scale));
    FailureOr<Extent> extent = ::getExtent(*this, scope, getX(), dim);
    if (failed(extent))
      return failure();
    std::optional<Extent> size;
    if (scale >= 1 && static_cast<double>(up) == scale)
      size = space.multiply(*extent, up);
    else if (scale < 1 && static_cast<float>(1.0 / static_cast<double>(down)) == getScales()[dim])
      size = space.floorDiv(*extent, down);
    if (!size || getCoordinateMode() == CoordinateMode::AlignCorners ||
        getCoordinateMode() == CoordinateMode::HalfPixelSymmetric)
      return emitPaddingError(*this, scope, getX(), dim)
             << "expected a scale that is an integer, or one over an integer, and coordinates that "
                "do not depend on the size";
    if (scale < 1 || readsBeyond(*this, up)) {
      // Beyond the extent, the last valid element again.
      const int64_t elements = tensorType(getX()).getDimSize(dim);
      Value last = SubOp::create(builder, getLoc(), scope.getExtentValue(*extent),
                                 makeConstant(builder, getLoc(), builder.getI32Type(), 1));
      Value places = MinOp::create(builder, getLoc(), makeIota(builder, getLoc(), elements), last);
      Value clamped = GatherOp::create(builder, getLoc(), getX(), places, dim);
      for (int64_t other = 0; other < tensorType(getX()).getRank(); ++other)
        if (other != dim)
          scope.setPadding(clamped, other, scope.getPadding(getX(), other));
        else
          scope.setPadding(clamped, other, scope.getPadding(getX(), dim));
      (*this)->setOperand(0, clamped);
    }
    scope.setExtent(getY(), dim, *size);
  }
  return false;
}

/// Blocks of `block` pixels of the result for each pixel of the operand, or the reverse.
static LogicalResult followBlocks(Operation *op, ExtentScope &scope, int64_t up, int64_t down) {
  Value x = op->getOperand(0), y = op->getResult(0);
  if (failed(followOtherLoops(op, scope, 0, {2, 3})))
    return failure();
  for (int64_t dim : {2, 3}) {
    if (!scope.isPadded(x, dim))
      continue;
    FailureOr<Extent> extent = getExtent(op, scope, x, dim);
    if (failed(extent))
      return failure();
    std::optional<Extent> size = scope.getSpace().multiply(*extent, up);
    if (size)
      size = scope.getSpace().floorDiv(*size, down);
    if (!size || !scope.getSpace().isExact(*size))
      return emitPaddingError(op, scope, x, dim) << "expected a size that blocks divide";
    scope.setExtent(y, dim, *size);
  }
  return success();
}
FailureOr<bool> DepthToSpaceOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(followBlocks(*this, scope, getBlock(), 1)))
    return failure();
  return false;
}
FailureOr<bool> SpaceToDepthOp::followExtents(OpBuilder &, ExtentScope &scope) {
  if (failed(followBlocks(*this, scope, 1, getBlock())))
    return failure();
  return false;
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
  if (getReverse() && failed(scope.fill((*this)->getOpOperand(0), axis,
                                        getKind() == CumulativeKind::Sum ? Fill::Zero : Fill::One)))
    return failure();
  scope.setPadding(getY(), axis, scope.getPadding(getX(), axis));
  return false;
}

FailureOr<bool> ArgsortOp::followExtents(OpBuilder &, ExtentScope &scope) {
  const int64_t axis = getAxis();
  keepOtherPadding(scope, getX(), getY(), axis);
  if (!scope.isPadded(getX(), axis))
    return false;
  FailureOr<Extent> extent = ::getExtent(*this, scope, getX(), axis);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ttc_ExtentOpInterface of ops that move elements.
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ExtentRules.h"

using namespace mlir;
using namespace mlir::ttc;

/// 0, 1, ... along one dimension.
static Value makeIota(OpBuilder &builder, Location loc, int64_t size) {
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(size)));
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({size}, builder.getI32Type()),
                             ArrayRef<int32_t>(numbers)));
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

bool ConstantOp::needsDims() { return true; }

/// On an op that a rule has made or seen: what lies between valid elements stays, and its users
/// leave it out. On a gather: its indices are those of valid elements.
static constexpr StringLiteral kGapsAttrName = "gaps";

/// The elements of a dimension that are no padding (kReadsAttrName); null if all are.
static WithinAttr getReads(Value value, int64_t dim, ExtentScope &scope) {
  MLIRContext *context = value.getContext();
  const ExtentSpace &space = scope.getSpace();
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> bounds;
  for (const PaddingFactor &factor : scope.getPadding(value, dim)) {
    sizes.push_back(factor.size);
    bounds.push_back(factor.extent ? space.getExpr(*factor.extent, context)
                                   : getAffineConstantExpr(factor.size, context));
  }
  return sizes.empty()
             ? WithinAttr()
             : WithinAttr::get(context, /*argument=*/0, sizes,
                               AffineMap::get(0, space.getDimensions().size(), bounds, context));
}

//===--- parts that begin at another place in each run --------------------------------------===//

namespace {

/// Indices along a dimension, computed from the extents: i32 tensors of as many elements as the
/// dimension has, or of one.
class IndexBuilder {
public:
  IndexBuilder(Operation *op, OpBuilder &builder, ExtentScope &scope)
      : builder(builder), scope(scope), loc(op->getLoc()) {}

  /// 0, 1, ..., of which the elements below the extent are valid.
  Value iota(int64_t size, const std::optional<Extent> &extent) {
    Value numbers = makeIota(builder, loc, size);
    if (extent)
      scope.setExtent(numbers, 0, *extent);
    return numbers;
  }
  Value number(int64_t value) { return makeNumber(builder, loc, builder.getI32Type(), value); }
  Value extent(const Extent &extent) { return scope.getExtentValue(extent); }
  Value add(Value a, Value b) { return AddOp::create(builder, loc, a, b); }
  Value subtract(Value a, Value b) { return SubOp::create(builder, loc, a, b); }
  Value multiply(Value a, int64_t factor) {
    return factor == 1 ? a : Value(MulOp::create(builder, loc, a, number(factor)));
  }
  Value times(Value a, Value b) { return MulOp::create(builder, loc, a, b); }
  Value divide(Value a, Value b) { return DivOp::create(builder, loc, a, b); }
  /// Where index < bound.
  Value below(Value index, Value bound) {
    return CompareOp::create(builder, loc, ComparePredicate::LT, index, bound).getResult();
  }
  Value choose(Value condition, Value a, Value b) {
    return WhereOp::create(builder, loc, condition, a, b).getResult();
  }
  /// Element i along the dimension of the result is element index[i] of `data`.
  Value gather(Value data, Value index, int64_t dim) {
    auto gather = GatherOp::create(builder, loc, data, index, dim);
    gather->setAttr(kGapsAttrName, builder.getUnitAttr());
    if (WithinAttr reads = getReads(data, dim, scope))
      gather->setAttr(kReadsAttrName, reads);
    return gather;
  }

private:
  OpBuilder &builder;
  ExtentScope &scope;
  Location loc;
};

} // namespace

void mlir::ttc::replaceResult(Operation *op, Value value, Operation *except) {
  if (Attribute probed = op->removeAttr(kProbedAttrName))
    value.getDefiningOp()->setAttr(kProbedAttrName, probed);
  op->getResult(0).replaceUsesWithIf(value,
                                     [&](OpOperand &use) { return use.getOwner() != except; });
}

FailureOr<Value> mlir::ttc::closeGaps(Operation *op, OpBuilder &builder, ExtentScope &scope,
                                      Value value, int64_t dim) {
  const Padding padding = scope.getPadding(value, dim);
  std::optional<Extent> all = countValid(scope, value, dim);
  if (!all)
    return emitPaddingError(op, scope, value, dim)
           << "expected dimensions whose product can be computed";
  // The digits of a number, whose bases are the extents, become those of one whose bases are the
  // sizes.
  IndexBuilder indices(op, builder, scope);
  Value rest = indices.iota(tensorType(value).getDimSize(dim), all), index;
  int64_t stride = 1;
  for (auto [number, factor] : llvm::enumerate(llvm::reverse(padding))) {
    Value digit = rest;
    if (number + 1 != padding.size()) {
      Value base = factor.extent ? indices.extent(*factor.extent) : indices.number(factor.size);
      rest = indices.divide(digit, base);
      digit = indices.subtract(digit, indices.times(rest, base));
    }
    digit = indices.multiply(digit, stride);
    index = index ? indices.add(index, digit) : digit;
    stride *= factor.size;
  }
  return indices.gather(value, index, dim);
}

FailureOr<bool> mlir::ttc::closeGapsOfOperand(Operation *op, OpBuilder &builder, ExtentScope &scope,
                                              ArrayRef<int64_t> dims) {
  Value x = op->getOperand(0);
  for (int64_t dim : dims) {
    if (!scope.isPadded(x, dim) || scope.getExtent(x, dim))
      continue;
    FailureOr<Value> closed = closeGaps(op, builder, scope, x, dim);
    if (failed(closed))
      return failure();
    op->setOperand(0, *closed);
    return true; // the next dimension when the paddings of the new ops are known
  }
  return false;
}

/// Takes the dimensions whose parts begin at a computed place by index, the others by a slice.
static LogicalResult takeComputedParts(SliceOp op, AffineMap starts, OpBuilder &builder,
                                       ExtentScope &scope) {
  const ExtentSpace &space = scope.getSpace();
  IndexBuilder indices(op, builder, scope);
  auto x = tensorType(op.getX());
  SmallVector<int64_t> own(op.getStarts()), sizes(op.getSizes()), steps(op.getSteps());
  // What the importer says of the dimensions of the result.
  SmallVector<AffineExpr> dims;
  Value value = op.getX();
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    dims.push_back(space.getExpr(scope.getDeclared(op, dim).value_or(space.getConstant(sizes[dim])),
                                 op.getContext()));
    std::optional<Extent> start = space.fromExpr(starts.getResult(dim));
    if (start && start->isConstant())
      continue;
    FailureOr<Extent> extent = getValidExtent(op, scope, op.getX(), dim);
    if (failed(extent))
      return failure();
    // The first and the last element must be valid in every run.
    const int64_t step = steps[dim];
    Extent taken = scope.getDeclared(op, dim).value_or(space.getConstant(sizes[dim]));
    auto isInside = [&] {
      // The place of the lower one, and of what follows the higher one.
      const auto before = step > 0 ? space.getLeastSum({{*start, 1}})
                                   : space.getLeastSum({{*start, 1}, {taken, step}});
      const auto after =
          space.getLeastSum({{*extent, 1}, {*start, -1}, {taken, -std::max<int64_t>(step, 0)}});
      return before && after && *before >= std::min<int64_t>(step, 0) &&
             *after >= 1 - std::max<int64_t>(step, 0);
    };
    // A dimension of one element cannot be empty in some runs.
    const bool isEmpty = sizes[dim] == 1 && space.getLeast(taken) < 1;
    if (!start || isEmpty || !isInside())
      return emitPaddingError(op, scope, op.getX(), dim)
             << "expected a part that is valid in every run, found " << space.print(taken)
             << " elements from " << (start ? space.print(*start) : "somewhere") << " on";
    Value index = indices.iota(sizes[dim], taken);
    index = indices.add(indices.multiply(index, step), indices.extent(*start));
    value = indices.gather(value, index, dim);
    own[dim] = 0;
    steps[dim] = 1;
    dims[dim] = space.getExpr(taken, op.getContext());
  }
  if (ArrayRef<int64_t>(sizes) != tensorType(value).getShape() ||
      llvm::any_of(steps, [](int64_t step) { return step != 1; })) {
    auto rest = SliceOp::create(builder, op.getLoc(), value, own, sizes, steps);
    rest->setAttr(kDimsAttrName, AffineMapAttr::get(AffineMap::get(0, space.getDimensions().size(),
                                                                   dims, op.getContext())));
    value = rest;
  }
  replaceResult(op, value);
  op.erase();
  return success();
}

/// What the importer says that the part has along a dimension, unless it is the same in all runs.
static std::optional<Extent> getDeclaredPart(SliceOp op, ExtentScope &scope, int64_t dim) {
  std::optional<Extent> declared = scope.getDeclared(op, dim);
  return declared && !declared->isConstant() ? declared : std::nullopt;
}

/// Whether the part has all that is valid along a dimension.
static bool takesAll(SliceOp op, ExtentScope &scope, int64_t dim) {
  std::optional<Extent> declared = getDeclaredPart(op, scope, dim),
                        valid = declared ? countValid(scope, op.getX(), dim) : std::nullopt;
  return op.getStarts()[dim] == 0 && op.getSteps()[dim] == 1 &&
         op.getSizes()[dim] == tensorType(op.getX()).getDimSize(dim) &&
         (!declared || (valid && scope.getSpace().areEqual(*declared, *valid)));
}

/// Sets the extent of a part of a dimension.
static LogicalResult takePart(SliceOp op, ExtentScope &scope, int64_t dim) {
  const ExtentSpace &space = scope.getSpace();
  Value x = op.getX(), part = op.getY();
  const int64_t start = op.getStarts()[dim], step = op.getSteps()[dim], size = op.getSizes()[dim];
  std::optional<Extent> declared = getDeclaredPart(op, scope, dim);
  if (!scope.isPadded(x, dim) && !declared)
    return success();
  if (takesAll(op, scope, dim)) {
    scope.setPadding(part, dim, scope.getPadding(x, dim));
    return success();
  }
  FailureOr<Extent> extent = getValidExtent(op, scope, x, dim);
  if (failed(extent))
    return failure();
  // What is left of the valid elements after the last one taken.
  Extent taken = declared ? *declared : space.getConstant(size);
  // From the first element backwards: that must be valid.
  std::optional<int64_t> rest =
      step < 0 ? space.getLeast(*extent) : space.getLeastSum({{*extent, 1}, {taken, -step}});
  if (!rest || *rest + std::max<int64_t>(step, 0) < start + 1)
    return emitPaddingError(op, scope, x, dim)
           << "expected a part that is valid in every run, found "
           << (declared ? space.print(*declared) : std::to_string(size)) << " elements from "
           << start << " on"
           << (declared ? ""
                        : "; a size of its own in each run is a sum of multiples of the "
                          "dimensions, rounded down at most once");
  if (declared)
    scope.setExtent(part, dim, *declared);
  return success();
}

FailureOr<bool> SliceOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  for (int64_t dim = 0; dim < tensorType(getX()).getRank(); ++dim)
    if (FailureOr<bool> hasClosed =
            takesAll(*this, scope, dim) ? false : closeGapsOfOperand(*this, builder, scope, dim);
        failed(hasClosed) || *hasClosed)
      return hasClosed;
  if (auto starts = (*this)->getAttrOfType<AffineMapAttr>(kNumbersAttrName)) {
    if (failed(takeComputedParts(*this, starts.getValue(), builder, scope)))
      return failure();
    return true;
  }
  for (int64_t dim = 0; dim < tensorType(getX()).getRank(); ++dim)
    if (failed(takePart(*this, scope, dim)))
      return failure();
  return false;
}
StringRef SliceOp::getSizesName() { return "sizes"; }
bool SliceOp::needsDims() { return true; }

FailureOr<bool> SplitOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const int64_t axis = getAxis();
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(*this, builder, scope, axis);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  if (failed(followOtherLoops(*this, scope, 0, {axis})))
    return failure();
  if (!scope.isPadded(getX(), axis))
    return false;
  FailureOr<Extent> extent = getValidExtent(*this, scope, getX(), axis);
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

/// Closes the gaps between the parts of a concatenation: element i of the result is element
/// i + (gap after part k, of all parts that end at or before i).
static LogicalResult closeGapsAfter(ConcatOp op, OpBuilder &builder, ExtentScope &scope) {
  const ExtentSpace &space = scope.getSpace();
  const int64_t axis = op.getAxis();
  SmallVector<Extent> extents;
  Extent all = space.getConstant(0);
  for (Value input : op.getInputs()) {
    FailureOr<Extent> extent = scope.isPadded(input, axis)
                                   ? getValidExtent(op, scope, input, axis)
                                   : space.getConstant(tensorType(input).getDimSize(axis));
    if (failed(extent))
      return failure();
    extents.push_back(*extent);
    std::optional<Extent> sum = scope.add(all, *extent);
    if (!sum)
      return emitPaddingError(op, scope, input, axis)
             << "expected parts whose sizes are never negative";
    all = *sum;
  }
  builder.setInsertionPointAfter(op);
  IndexBuilder indices(op, builder, scope);
  const Value place = indices.iota(tensorType(op.getY()).getDimSize(axis), all);
  Value index = place;
  Extent end = space.getConstant(0);
  for (auto [input, extent] :
       llvm::zip_equal(op.getInputs().drop_back(), ArrayRef(extents).drop_back())) {
    end = *scope.add(end, extent);
    if (!scope.isPadded(input, axis))
      continue;
    std::optional<Extent> gap = scope.multiply(extent, space.getConstant(-1));
    if (!gap)
      return emitPaddingError(op, scope, input, axis)
             << "expected parts whose sizes are never negative";
    gap = space.add(*gap, tensorType(input).getDimSize(axis));
    index = indices.choose(indices.below(place, indices.extent(end)), index,
                           indices.add(index, indices.extent(*gap)));
  }
  op->setAttr(kReadsAttrName,
              builder.getArrayAttr(llvm::map_to_vector(op.getInputs(), [&](Value input) {
                WithinAttr reads = getReads(input, axis, scope);
                return reads ? Attribute(reads) : builder.getUnitAttr();
              })));
  Value closed = indices.gather(op.getY(), index, axis);
  replaceResult(op, closed, closed.getDefiningOp());
  op->setAttr(kGapsAttrName, builder.getUnitAttr());
  return success();
}

FailureOr<bool> ConcatOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const int64_t axis = getAxis();
  const DimensionMap map = getDimensionMap(*this);
  SmallVector<int> own;
  for (unsigned operand = 0; operand < getNumOperands(); ++operand)
    llvm::append_range(own, map.getIndex(operand, axis).loops);
  if (failed(followLoops(*this, scope, [&](int loop) { return llvm::is_contained(own, loop); })))
    return failure();
  if ((*this)->removeAttr(kGapsAttrName))
    return false;
  for (OpOperand &input : (*this)->getOpOperands())
    if (scope.isPadded(input.get(), axis) && !scope.getExtent(input.get(), axis)) {
      FailureOr<Value> closed = mlir::ttc::closeGaps(*this, builder, scope, input.get(), axis);
      if (failed(closed))
        return failure();
      input.set(*closed);
      return true;
    }
  int64_t start = 0;
  for (Value input : getInputs().drop_back()) {
    if (scope.isPadded(input, axis)) {
      if (failed(closeGapsAfter(*this, builder, scope)))
        return failure();
      return true;
    }
    start += tensorType(input).getDimSize(axis);
  }
  Value last = getInputs().back();
  if (!scope.isPadded(last, axis))
    return false;
  FailureOr<Extent> extent = getValidExtent(*this, scope, last, axis);
  if (failed(extent))
    return failure();
  scope.setExtent(getY(), axis, scope.getSpace().add(*extent, start));
  return false;
}

/// Elements beyond a padded dimension that are elements of it again, by index.
static LogicalResult padByIndex(PadOp op, ArrayRef<int64_t> dims, OpBuilder &builder,
                                ExtentScope &scope) {
  const ExtentSpace &space = scope.getSpace();
  IndexBuilder indices(op, builder, scope);
  Value value = op.getX();
  SmallVector<int64_t> low(op.getLow()), high(op.getHigh());
  for (int64_t dim : dims) {
    FailureOr<Extent> extent = getValidExtent(op, scope, op.getX(), dim);
    if (failed(extent))
      return failure();
    Value at = indices.iota(tensorType(op.getY()).getDimSize(dim),
                            space.add(*extent, low[dim] + high[dim]));
    at = indices.add(at, indices.number(-low[dim]));
    Value size = indices.extent(*extent), last = indices.add(size, indices.number(-1));
    Value before = indices.number(0), after = last;
    if (op.getMode() == PadMode::Reflect) {
      before = indices.multiply(at, -1);
      after = indices.subtract(indices.multiply(last, 2), at);
    } else if (op.getMode() == PadMode::Wrap) {
      before = indices.add(at, size);
      after = indices.subtract(at, size);
    }
    at = indices.choose(indices.below(at, indices.number(0)), before,
                        indices.choose(indices.below(at, size), at, after));
    value = indices.gather(value, at, dim);
    low[dim] = high[dim] = 0;
  }
  if (llvm::any_of(low, [](int64_t n) { return n != 0; }) ||
      llvm::any_of(high, [](int64_t n) { return n != 0; }))
    value = PadOp::create(builder, op.getLoc(), op.getType(), value, low, high, op.getMode(),
                          op.getValue());
  replaceResult(op, value);
  op.erase();
  return success();
}

/// Writes another number than 0 after what is valid of each padded dimension.
static LogicalResult padByMask(PadOp op, ArrayRef<int64_t> dims, OpBuilder &builder,
                               ExtentScope &scope) {
  const ExtentSpace &space = scope.getSpace();
  builder.setInsertionPointAfter(op);
  IndexBuilder indices(op, builder, scope);
  auto type = tensorType(op.getY());
  Value value = op.getY();
  Operation *first = nullptr;
  Value number =
      makeNumber(builder, op.getLoc(), type.getElementType(), op.getValue().convertToDouble());
  for (int64_t dim : dims) {
    FailureOr<Extent> extent = getValidExtent(op, scope, op.getX(), dim);
    if (failed(extent))
      return failure();
    const Extent end = space.add(*extent, op.getLow()[dim]);
    Value at = indices.iota(type.getDimSize(dim), space.add(end, op.getHigh()[dim]));
    SmallVector<int64_t> shape(type.getRank() - dim, 1);
    shape.front() = type.getDimSize(dim);
    Value inside =
        ReshapeOp::create(builder, op.getLoc(), indices.below(at, indices.extent(end)), shape);
    value = indices.choose(inside, value, number);
    if (!first)
      first = value.getDefiningOp();
  }
  replaceResult(op, value, first);
  op->setAttr(kGapsAttrName, builder.getUnitAttr());
  return success();
}

FailureOr<bool> PadOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const bool isMasked = (*this)->removeAttr(kGapsAttrName) != nullptr;
  const double value = getValue().convertToDouble();
  const bool isConstant = getMode() == PadMode::Constant;
  const bool isLowest = std::isinf(value) && value < 0;
  SmallVector<int64_t> changed, computed;
  for (int64_t dim = 0; dim < tensorType(getX()).getRank(); ++dim) {
    if (getLow()[dim] == 0 && getHigh()[dim] == 0)
      continue;
    changed.push_back(dim);
    if (scope.isPadded(getX(), dim) && (getHigh()[dim] > 0 || getMode() == PadMode::Wrap) &&
        (!isConstant || (value != 0 && !isLowest)))
      computed.push_back(dim);
  }
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(*this, builder, scope, changed);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  if (!computed.empty() && !isMasked) {
    if (failed(isConstant ? padByMask(*this, computed, builder, scope)
                          : padByIndex(*this, computed, builder, scope)))
      return failure();
    return true;
  }
  if (failed(followOtherLoops(*this, scope, 0, changed)))
    return failure();
  for (int64_t dim : changed) {
    if (!scope.isPadded(getX(), dim))
      continue;
    FailureOr<Extent> extent = getValidExtent(*this, scope, getX(), dim);
    if (failed(extent))
      return failure();
    if (getHigh()[dim] > 0 && !isMasked &&
        failed(scope.fill((*this)->getOpOperand(0), dim, isLowest ? Fill::Lowest : Fill::Zero)))
      return failure();
    scope.setExtent(getY(), dim, scope.getSpace().add(*extent, getLow()[dim] + getHigh()[dim]));
  }
  return false;
}

FailureOr<bool> GatherOp::followExtents(OpBuilder &builder, ExtentScope &scope) {
  const bool isComputed = (*this)->removeAttr(kGapsAttrName) != nullptr;
  if (!isComputed)
    if (FailureOr<bool> hasClosed =
            closeGapsOfOperand(*this, builder, scope, static_cast<int64_t>(getAxis()));
        failed(hasClosed) || *hasClosed)
      return hasClosed;
  if (!isComputed &&
      failed(countFromExtents(*this, builder, scope, (*this)->getOpOperand(0),
                              (*this)->getOpOperand(1), {static_cast<int64_t>(getAxis())})))
    return failure();
  if (failed(followOtherLoops(*this, scope, 0, {static_cast<int64_t>(getAxis())})))
    return failure();
  return false;
}

bool mlir::ttc::readsBeyond(ResizeOp op, int64_t scale) {
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
  if (FailureOr<bool> hasClosed = closeGapsOfOperand(*this, builder, scope, changed);
      failed(hasClosed) || *hasClosed)
    return hasClosed;
  if (failed(followOtherLoops(*this, scope, 0, changed)))
    return failure();
  for (int64_t dim : changed) {
    if (!scope.isPadded(getX(), dim))
      continue;
    const double scale = getScales()[dim];
    const auto up = static_cast<int64_t>(std::llround(scale)),
               down = static_cast<int64_t>(std::llround(1 / scale));
    FailureOr<Extent> extent = getValidExtent(*this, scope, getX(), dim);
    if (failed(extent))
      return failure();
    std::optional<Extent> size;
    if (scale >= 1 && static_cast<double>(up) == scale)
      size = scope.multiply(*extent, space.getConstant(up));
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
                                 makeNumber(builder, getLoc(), builder.getI32Type(), 1));
      Value places = MinOp::create(builder, getLoc(), makeIota(builder, getLoc(), elements), last);
      auto gather = GatherOp::create(builder, getLoc(), getX(), places, dim);
      gather->setAttr(kReadsAttrName, getReads(getX(), dim, scope));
      Value clamped = gather;
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

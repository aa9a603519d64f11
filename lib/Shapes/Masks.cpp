// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Masks.h"
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"

using namespace mlir;
using namespace mlir::ttc;

Masks::Masks(func::FuncOp function, ExtentSpace space, Value extents)
    : function(function), space(std::move(space)), extents(extents) {}

const Padding &Masks::getPadding(Value value, int64_t dim) const {
  static const Padding none;
  auto found = paddings.find(value);
  return found == paddings.end() || found->second.empty() ? none : found->second[dim];
}

void Masks::setPadding(Value value, int64_t dim, Padding padding) {
  // Factors that are always whole say nothing.
  bool isPadded = false;
  for (PaddingFactor &factor : padding) {
    if (factor.extent && space.getLeast(*factor.extent) >= factor.size)
      factor.extent.reset();
    isPadded |= factor.extent.has_value();
  }
  if (!isPadded)
    padding.clear();
  SmallVector<Padding> &dims = paddings[value];
  dims.resize(cast<RankedTensorType>(value.getType()).getRank());
  dims[dim] = std::move(padding);
}

std::optional<Extent> Masks::getDeclared(Operation *op, int64_t dim) const {
  auto declared = op->getAttrOfType<AffineMapAttr>(kDimsAttrName);
  if (!declared || dim >= declared.getValue().getNumResults())
    return std::nullopt;
  return space.fromExpr(declared.getValue().getResult(dim));
}

//===--- the prologue -----------------------------------------------------------------===//

template <typename Op, typename... Args> Op Masks::prologue(Args &&...args) {
  OpBuilder builder(function.getContext());
  if (lastOfPrologue)
    builder.setInsertionPointAfter(lastOfPrologue);
  else
    builder.setInsertionPointToStart(&function.getBody().front());
  auto op = Op::create(builder, function.getLoc(), std::forward<Args>(args)...);
  lastOfPrologue = op;
  return op;
}

static DenseElementsAttr makeI32(MLIRContext *context, ArrayRef<int32_t> numbers) {
  return DenseElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(numbers.size())}, IntegerType::get(context, 32)),
      numbers);
}

Value Masks::getExtentValue(const Extent &extent) {
  if (Value known = computed.lookup(space.print(extent)))
    return known;
  MLIRContext *context = function.getContext();
  auto number = [&](int64_t number) -> Value {
    return prologue<ConstantOp>(makeI32(context, static_cast<int32_t>(number)));
  };
  Value sum;
  for (auto [index, multiplier] : llvm::enumerate(extent.multipliers)) {
    if (multiplier == 0)
      continue;
    Value term = extents;
    if (const auto *factors = space.getFactors(index)) {
      // Before the others: they are built at the end of the prologue, too.
      Value left = getExtentValue(factors->first), right = getExtentValue(factors->second);
      term = prologue<MulOp>(left, right);
    } else if (space.getDimensions().size() > 1) {
      const int64_t one = 1, start = static_cast<int64_t>(index);
      term = prologue<SliceOp>(extents, start, one, one).getY();
    }
    if (multiplier != 1)
      term = prologue<MulOp>(term, number(multiplier));
    sum = sum ? Value(prologue<AddOp>(sum, term)) : term;
  }
  if (!sum)
    sum = number(extent.offset);
  else if (extent.offset != 0)
    sum = prologue<AddOp>(sum, number(extent.offset));
  // Extents are not negative, so rounding towards zero is rounding down.
  if (extent.divisor != 1)
    sum = prologue<DivOp>(sum, number(extent.divisor));
  return computed[space.print(extent)] = sum;
}

SmallVector<Value> Masks::getValid(const Padding &padding) {
  SmallVector<Value> masks;
  MLIRContext *context = function.getContext();
  SmallVector<int64_t> factors =
      llvm::map_to_vector(padding, [](const PaddingFactor &factor) { return factor.size; });
  const int64_t total = llvm::product_of(factors);
  for (auto [index, factor] : llvm::enumerate(padding)) {
    if (!factor.extent)
      continue;
    std::string key = space.print(*factor.extent) + " of";
    for (auto [at, size] : llvm::enumerate(factors))
      key += " " + std::to_string(size) + (at == index ? "*" : "");
    if (Value known = computed.lookup(key)) {
      masks.push_back(known);
      continue;
    }
    Value extent = getExtentValue(*factor.extent);
    auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(factor.size)));
    Value iota = prologue<ConstantOp>(makeI32(context, numbers));
    Value valid = prologue<CompareOp>(ComparePredicate::LT, iota, extent);
    if (factors.size() > 1) {
      SmallVector<int64_t> shape(factors.size(), 1);
      shape[index] = factor.size;
      valid = prologue<ReshapeOp>(valid, shape);
      valid = prologue<ExpandOp>(valid, factors);
      valid = prologue<ReshapeOp>(valid, ArrayRef(total));
    }
    masks.push_back(computed[key] = valid);
  }
  return masks;
}

Value Masks::buildCount(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> dims,
                        Type elementType) {
  int64_t whole = 1;
  Value product;
  auto multiply = [&](Value factor) {
    product = product ? Value(MulOp::create(builder, loc, product, factor)) : factor;
  };
  for (int64_t dim : dims) {
    const Padding &padding = getPadding(value, dim);
    if (padding.empty())
      whole *= cast<RankedTensorType>(value.getType()).getDimSize(dim);
    for (const PaddingFactor &factor : padding)
      if (factor.extent)
        multiply(getExtentValue(*factor.extent));
      else
        whole *= factor.size;
  }
  if (whole != 1 || !product)
    multiply(ConstantOp::create(builder, loc,
                                makeI32(builder.getContext(), static_cast<int32_t>(whole))));
  product = ReshapeOp::create(builder, loc, product, ArrayRef<int64_t>());
  if (elementType == builder.getI32Type())
    return product;
  return CastOp::create(builder, loc, RankedTensorType::get({}, elementType), product).getY();
}

//===--- masks ------------------------------------------------------------------------===//

bool Masks::isFilled(Value value, int64_t dim, Fill fill) const {
  auto found = fills.find(value);
  return found != fills.end() && llvm::is_contained(found->second, std::pair(dim, fill));
}

void Masks::setFilled(Value result, int64_t dim, Fill number) {
  if (!isFilled(result, dim, number))
    fills[result].push_back({dim, number});
}

/// The number in a type.
static TypedAttr getNumber(Fill fill, Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    switch (fill) {
    case Fill::Zero:
      return FloatAttr::get(floats, 0.0);
    case Fill::One:
      return FloatAttr::get(floats, 1.0);
    case Fill::Lowest:
      return FloatAttr::get(floats, APFloat::getInf(semantics, /*Negative=*/true));
    case Fill::Highest:
      return FloatAttr::get(floats, APFloat::getInf(semantics));
    }
  }
  auto integers = cast<IntegerType>(type);
  const unsigned width = integers.getWidth();
  const bool isUnsigned = integers.isUnsigned() || width == 1;
  switch (fill) {
  case Fill::Zero:
    return IntegerAttr::get(type, APInt::getZero(width));
  case Fill::One:
    return IntegerAttr::get(type, APInt(width, 1));
  case Fill::Lowest:
    return IntegerAttr::get(type,
                            isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width));
  case Fill::Highest:
    return IntegerAttr::get(type, isUnsigned ? APInt::getAllOnes(width)
                                             : APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("unexpected fill");
}

LogicalResult Masks::fill(OpOperand &operand, int64_t dim, Fill fill) {
  Value value = operand.get();
  if (isFilled(value, dim, fill) || getPadding(value, dim).empty())
    return success();
  // Another op may have demanded another number there, and keeps it.
  const bool isShared = llvm::any_of(
      fills[value], [&](const std::pair<int64_t, Fill> &known) { return known.first == dim; });
  // Dimensions may be one in a source, which cannot hold two numbers for the same user.
  const bool hasOthers = llvm::any_of(
      fills[value], [&](const std::pair<int64_t, Fill> &known) { return known.second != fill; });
  if (std::optional<LogicalResult> result =
          isShared || hasOthers ? std::nullopt : fillSources(value, dim, fill)) {
    setFilled(operand.get(), dim, fill);
    return *result;
  }
  Type type = tensorType(value).getElementType();
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IntegerType>(type))
    return emitPaddingError(operand.getOwner(), *this, value, dim)
           << "expected a type that can be masked, found " << type;
  Value number = prologue<ConstantOp>(
      DenseElementsAttr::get(RankedTensorType::get({}, type), getNumber(fill, type)));
  Value masked = mask(value, dim, number, /*forAll=*/!isShared);
  setFilled(masked, dim, fill);
  // A use before the mask, of another one, keeps the value.
  operand.set(masked);
  return success();
}

std::optional<LogicalResult> Masks::fillSources(Value value, int64_t dim, Fill fill) {
  Operation *op = value.getDefiningOp();
  if (auto dequantize = dyn_cast_or_null<DequantizeOp>(op)) {
    // Zero is the zero point.
    if (fill != Fill::Zero || getPadding(dequantize.getX(), dim).empty())
      return std::nullopt;
    fillWith(dequantize.getXMutable(), dim, dequantize.getZeroPoint());
    return success();
  }
  if (!isa_and_present<ReshapeOp, TransposeOp, ConcatOp, SplitOp, SliceOp>(op))
    return std::nullopt;
  // A source holds the padding of all results: another one may have been given another number.
  for (Value other : op->getResults())
    if (auto known = fills.find(other);
        known != fills.end() &&
        llvm::any_of(known->second, [&](const auto &filled) { return filled.second != fill; }))
      return std::nullopt;
  const DimensionMap map = getDimensionMap(op);
  const unsigned result = map.getResult(cast<OpResult>(value).getResultNumber());
  ArrayRef<int> loops = map.getIndex(result, dim).loops;
  // Where the padding comes from: dimensions of operands that the same parallel loops index.
  SmallVector<std::pair<OpOperand *, int64_t>> sources;
  SmallVector<int> found;
  for (OpOperand &operand : op->getOpOperands())
    for (int64_t source = 0; source < map.getRank(operand.getOperandNumber()); ++source) {
      ArrayRef<int> own = map.getIndex(operand.getOperandNumber(), source).loops;
      if (getPadding(operand.get(), source).empty() ||
          llvm::none_of(own, [&](int loop) { return llvm::is_contained(loops, loop); }))
        continue;
      sources.push_back({&operand, source});
      llvm::append_range(found, own);
    }
  for (int loop : loops)
    if (map.getLoops()[loop].kind != LoopKind::Parallel)
      return std::nullopt;
  if (sources.empty())
    return std::nullopt;
  for (auto [operand, source] : sources)
    if (failed(this->fill(*operand, source, fill)))
      return failure();
  return success();
}

void Masks::fillWith(OpOperand &operand, int64_t dim, Value number) {
  if (!getPadding(operand.get(), dim).empty())
    operand.set(mask(operand.get(), dim, number, /*forAll=*/false, operand.getOwner()));
}

Value Masks::mask(Value value, int64_t dim, Value number, bool forAll, Operation *before) {
  auto type = cast<RankedTensorType>(value.getType());
  const Padding padding = getPadding(value, dim);
  SmallVector<Value> valid = getValid(padding);
  OpBuilder builder(function.getContext());
  Value masked = value;
  SmallPtrSet<Operation *, 4> own;
  SmallVector<int64_t> shape(type.getRank() - dim, 1);
  shape[0] = type.getDimSize(dim);
  for (Value condition : valid) {
    if (before)
      builder.setInsertionPoint(before);
    else if (Operation *op = masked.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointAfter(lastOfPrologue);
    if (shape.size() > 1) {
      auto reshape = ReshapeOp::create(builder, value.getLoc(), condition, shape);
      own.insert(reshape);
      condition = reshape;
    }
    auto where = WhereOp::create(builder, value.getLoc(), condition, masked, number);
    own.insert(where);
    masked = where;
    ++numMasks;
  }
  paddings[masked] = SmallVector<Padding>(paddings[value]);
  SmallVector<std::pair<int64_t, Fill>> others;
  for (const auto &known : fills[value])
    if (known.first != dim)
      others.push_back(known);
  fills[masked] = std::move(others);
  // Uses that have demanded nothing along the dimension may have it, too: only padding differs.
  if (forAll)
    value.replaceUsesWithIf(masked, [&](OpOperand &use) { return !own.contains(use.getOwner()); });
  return masked;
}

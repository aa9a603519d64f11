// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bodies.h"

#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

Value mlir::ttc::mapParts(StablehloOp &op, Value value, llvm::function_ref<Value(Value)> function) {
  if (!value)
    return {};
  return op.isComplex(value)
             ? op.complex(function(op.realOf(value)), function(op.imaginaryOf(value)))
             : function(value);
}

Value mlir::ttc::mapParts(StablehloOp &op, ArrayRef<Value> values,
                          llvm::function_ref<Value(ArrayRef<Value>)> function) {
  if (llvm::is_contained(values, Value()))
    return {};
  if (llvm::none_of(values, [](Value value) { return StablehloOp::isComplex(value); }))
    return function(values);
  SmallVector<Value> real, imaginary;
  for (Value value : values) {
    real.push_back(op.realOf(value));
    imaginary.push_back(op.imaginaryOf(value));
  }
  return op.complex(function(real), function(imaginary));
}

static bool isBoolTensor(Value value) {
  return !StablehloOp::isComplex(value) && elementTypeOf(value).isInteger(1);
}

std::string mlir::ttc::printBody(Block &block) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::DenseMap<Value, std::string> names;
  for (BlockArgument argument : block.getArguments())
    names[argument] = "a" + std::to_string(argument.getArgNumber());
  unsigned number = 0;
  for (Operation &op : block) {
    StringRef name = op.getName().getStringRef();
    name.consume_front("stablehlo.");
    os << name;
    // Another attribute, such as one that makes an order total, is another body.
    DictionaryAttr attrs = dyn_cast_if_present<DictionaryAttr>(op.getPropertiesAsAttribute());
    for (NamedAttribute attr : attrs ? attrs : DictionaryAttr::get(op.getContext())) {
      StringRef type = parseStablehloEnum(attr.getValue(), "comparison_type");
      if (type == "FLOAT" || type == "SIGNED" || type == "UNSIGNED")
        continue;
      StringRef direction = parseStablehloEnum(attr.getValue(), "comparison_direction");
      if (direction.empty())
        return "";
      os << " " << direction;
    }
    if (op.getNumRegions() != 0 || !op.getDiscardableAttrs().empty())
      return "";
    for (Value operand : op.getOperands()) {
      auto it = names.find(operand);
      if (it == names.end())
        return "";
      os << " " << it->second;
    }
    os << ";";
    if (op.getNumResults() > 1)
      return "";
    if (op.getNumResults() == 1)
      names[op.getResult(0)] = std::to_string(number++);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

static BodyKind getBodyKind(Block &block, bool isBool) {
  std::string text = printBody(block);
  StringRef name = StringRef(text).split(' ').first;
  if (text != (name + " a0 a1;return 0;").str() && text != (name + " a1 a0;return 0;").str())
    return BodyKind::Other;
  return llvm::StringSwitch<BodyKind>(name)
      .Case("add", isBool ? BodyKind::Or : BodyKind::Add)
      .Case("multiply", isBool ? BodyKind::And : BodyKind::Multiply)
      .Case("maximum", isBool ? BodyKind::Or : BodyKind::Maximum)
      .Case("minimum", isBool ? BodyKind::And : BodyKind::Minimum)
      .Case("and", BodyKind::And)
      .Case("or", BodyKind::Or)
      .Case("xor", BodyKind::Xor)
      .Default(BodyKind::Other);
}

Reducer::Reducer(StablehloOp &op, unsigned body, unsigned count, StringRef constraint)
    : op(op), body(body), count(count), constraint(constraint) {}

/// Whether the elements of one type are elements of the other, too, in a wider form.
static bool isPromotable(Type from, Type to) {
  if (auto complex = dyn_cast<ComplexType>(from))
    return isa<ComplexType>(to) &&
           isPromotable(complex.getElementType(), cast<ComplexType>(to).getElementType());
  const bool areAlike =
      (isa<FloatType>(from) && isa<FloatType>(to)) ||
      (isa<IntegerType>(from) && isa<IntegerType>(to) && from.isInteger(1) == to.isInteger(1));
  return areAlike && from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
}

LogicalResult Reducer::check(ArrayRef<Value> inputs) {
  Block *block = op.body(body, 2 * count);
  if (!block)
    return failure();
  for (BlockArgument argument : block->getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() != 0)
      return op.error() << "expected the arguments of body " << body
                        << " to be tensors of rank 0, found " << argument.getType();
  }
  SmallVector<Type> types;
  for (unsigned index = 0; index < count; ++index) {
    Type type = types.emplace_back(block->getArgument(index).getType());
    Type from = StablehloOp::sourceTypeOf(inputs[index]).getElementType(),
         other = block->getArgument(count + index).getType();
    if (other != type || !isPromotable(from, getElementTypeOrSelf(type)))
      return op.error() << cite(constraint) << "expected two arguments of body " << body
                        << " of one type that " << from << " can be promoted to, found " << type
                        << " and " << other;
  }
  if (failed(op.checkReturned(*block, types, constraint)))
    return failure();
  if (count == 1)
    kind = getBodyKind(
        *block,
        cast<RankedTensorType>(block->getArgument(0).getType()).getElementType().isInteger(1));
  return success();
}

SmallVector<Value> Reducer::convert(ArrayRef<Value> values) {
  SmallVector<Value> converted(values);
  Block *block = op.body(body, 2 * count);
  for (unsigned i = 0; block && i < count; ++i) {
    Type type = cast<RankedTensorType>(block->getArgument(i).getType()).getElementType();
    if (!op.isComplex(converted[i]) && !isa<ComplexType>(type))
      converted[i] = op.cast(converted[i], type);
  }
  return converted;
}

bool Reducer::isNeutral(ArrayRef<Value> initial) const {
  DenseElementsAttr attr;
  if (kind == BodyKind::Other || op.isComplex(initial.front()) ||
      !matchPattern(initial.front(), m_Constant(&attr)) || !attr.isSplat())
    return false;
  Type type = attr.getElementType();
  if (isa<FloatType>(type)) {
    APFloat value = attr.getSplatValue<APFloat>();
    switch (kind) {
    case BodyKind::Add:
      return value.isZero();
    case BodyKind::Multiply:
      return value.isExactlyValue(1.0);
    case BodyKind::Maximum:
      return value.isInfinity() && value.isNegative();
    case BodyKind::Minimum:
      return value.isInfinity() && !value.isNegative();
    default:
      return false;
    }
  }
  APInt value = attr.getSplatValue<APInt>();
  switch (kind) {
  case BodyKind::Add:
  case BodyKind::Or:
  case BodyKind::Xor:
    return value.isZero();
  case BodyKind::Multiply:
    return value.isOne();
  case BodyKind::And:
    return value.isAllOnes();
  case BodyKind::Maximum:
    return type.isUnsignedInteger() ? value.isZero() : value.isMinSignedValue();
  case BodyKind::Minimum:
    return type.isUnsignedInteger() ? value.isAllOnes() : value.isMaxSignedValue();
  default:
    return false;
  }
}

Value Reducer::makeNeutral(Value like) {
  if (!like || kind == BodyKind::Other)
    return {};
  Expressions e(op);
  if (op.isComplex(like)) {
    Value part = op.realOf(like);
    return op.complex(e.number(part, kind == BodyKind::Multiply ? 1 : 0), e.number(part, 0));
  }
  auto type = RankedTensorType::get({}, elementTypeOf(like));
  if (isa<FloatType>(type.getElementType())) {
    const bool isExtremum = kind == BodyKind::Maximum || kind == BodyKind::Minimum;
    return e.number(like, isExtremum ? (kind == BodyKind::Maximum ? -HUGE_VAL : HUGE_VAL)
                                     : (kind == BodyKind::Multiply ? 1 : 0));
  }
  const unsigned width = type.getElementTypeBitWidth();
  const bool isUnsigned = type.getElementType().isUnsignedInteger();
  APInt number = APInt::getZero(width);
  if (kind == BodyKind::Multiply)
    number = APInt(width, 1);
  else if (kind == BodyKind::And)
    number = APInt::getAllOnes(width);
  else if (kind == BodyKind::Maximum)
    number = isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  else if (kind == BodyKind::Minimum)
    number = isUnsigned ? APInt::getAllOnes(width) : APInt::getSignedMaxValue(width);
  return op.constant(DenseElementsAttr::get(type, number));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<Value> Reducer::combine(ArrayRef<Value> left, ArrayRef<Value> right) {
  if (op.hasFailed() || left.size() != count || right.size() != count)
    return {};
  SmallVector<Value> arguments(left);
  arguments.append(right.begin(), right.end());
  if (llvm::is_contained(arguments, Value()))
    return {};
  FailureOr<SmallVector<Value>> values = op.importBody(body, arguments, /*broadened=*/true);
  if (failed(values))
    return {};
  Expressions e(op);
  // What does not depend on an argument is one number.
  for (auto [value, like] : llvm::zip_equal(*values, left)) {
    ArrayRef<int64_t> shape = shapeOf(op.realOf(like));
    value = mapParts(op, value, [&](Value part) { return e.expand(part, shape); });
  }
  return *values;
}

SmallVector<Value> Reducer::reduceInOrder(SmallVector<Value> values, int64_t axis) {
  Expressions e(op);
  auto take = [&](int64_t start, int64_t size, int64_t step) {
    return llvm::map_to_vector(values, [&](Value value) {
      return mapParts(op, value,
                      [&](Value part) { return e.slice(part, axis, start, size, step); });
    });
  };
  while (!values.empty() && values.front()) {
    const int64_t size = shapeOf(op.realOf(values.front()))[axis], half = size / 2;
    if (size < 2)
      return values;
    // Halves lie together; a body that may not commute gets neighbours.
    const bool commutes = kind != BodyKind::Other;
    SmallVector<Value> left = take(0, half, commutes ? 1 : 2),
                       right = take(commutes ? half : 1, half, commutes ? 1 : 2),
                       rest = take(2 * half, size % 2, 1);
    values = combine(left, right);
    if (size % 2 != 0)
      for (auto [value, last] : llvm::zip(values, rest))
        value = mapParts(op, {value, last},
                         [&](ArrayRef<Value> parts) { return e.concat(parts, axis); });
  }
  return {};
}

Value Reducer::reduceKnown(Value x, ArrayRef<int64_t> axes, bool keepDims) {
  if (op.isComplex(x))
    return kind == BodyKind::Add
               ? mapParts(op, x,
                          [&](Value part) { return Expressions(op).sum(part, axes, keepDims); })
               : Value();
  Expressions e(op);
  auto reduce = [&]<typename OpTy>(Value value) {
    return keepDims ? e.reduce<OpTy>(value, axes) : e.reduceAway<OpTy>(value, axes);
  };
  const bool isBool = isBoolTensor(x);
  Type i1 = op.getBuilder().getI1Type(),
       byte = op.getBuilder().getIntegerType(8, /*isSigned=*/false);
  switch (kind) {
  case BodyKind::Add:
    return reduce.template operator()<ReduceSumOp>(x);
  case BodyKind::Multiply:
    return reduce.template operator()<ReduceProdOp>(x);
  case BodyKind::Maximum:
    return reduce.template operator()<ReduceMaxOp>(x);
  case BodyKind::Minimum:
    return reduce.template operator()<ReduceMinOp>(x);
  case BodyKind::And:
    return isBool ? op.cast(reduce.template operator()<ReduceMinOp>(op.cast(x, byte)), i1)
                  : Value();
  case BodyKind::Or:
    return isBool ? op.cast(reduce.template operator()<ReduceMaxOp>(op.cast(x, byte)), i1)
                  : Value();
  case BodyKind::Xor: {
    if (!isBool)
      return {};
    // The low bit of their number.
    Value sum = reduce.template operator()<ReduceSumOp>(op.cast(x, op.getBuilder().getI32Type()));
    return sum ? op.cast(op.create<BitAndOp>({sum, e.number(sum, 1)}), i1) : Value();
  }
  case BodyKind::Other:
    return {};
  }
  return {};
}

SmallVector<Value> Reducer::applyInitial(ArrayRef<Value> initial, SmallVector<Value> values) {
  if (values.empty() || llvm::is_contained(values, Value()) || isNeutral(initial))
    return values;
  Expressions e(op);
  SmallVector<Value> left;
  for (auto [number, value] : llvm::zip_equal(initial, values)) {
    ArrayRef<int64_t> shape = shapeOf(op.realOf(value));
    left.push_back(mapParts(op, number, [&](Value part) { return e.expand(part, shape); }));
  }
  return combine(left, values);
}

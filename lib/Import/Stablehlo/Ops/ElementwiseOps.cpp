// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on the elements of real tensors. Complex numbers are in ComplexOps.cpp.
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "ElementwiseMath.h"
#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ttc;

static bool isBool(Value value) { return value && elementTypeOf(value).isInteger(1); }
static bool isFloat(Value value) { return value && isa<FloatType>(elementTypeOf(value)); }
static bool isUnsigned(Value value) { return value && elementTypeOf(value).isUnsignedInteger(); }

/// An operand that is one number everywhere, as a tensor of rank 0: ttc's ops broadcast, and its
/// rewrites look for numbers. The other operand must have the shape of the result.
static Value shrink(StablehloOp &op, Value value, Value other) {
  if (!value || !other || rankOf(value) == 0 || shapeOf(other) != shapeOf(value))
    return value;
  DenseElementsAttr attr;
  if (matchPattern(value, m_Constant(&attr)) && attr.isSplat())
    return op.constant(DenseElementsAttr::get(RankedTensorType::get({}, attr.getElementType()),
                                              attr.getSplatValue<Attribute>()));
  return value;
}

/// The two operands. One constant of them may have rank 0, though the other has not.
/// `constraint` is that on their shapes.
static std::pair<Value, Value> operandPair(StablehloOp &op, StringRef constraint = "C1") {
  if (failed(op.checkOperands(2)) || failed(op.checkSameShape(constraint)))
    return {};
  Value a = op.operand(0), b = op.operand(1);
  Value small = shrink(op, b, a);
  return small != b ? std::pair(a, small) : std::pair(shrink(op, a, b), b);
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult importUnary(StablehloOp &op) {
  // What approximation is used is a hint: all of ours have the accuracy of docs/onnx-import.md.
  op.ignoreAttrs({"result_accuracy"});
  if (failed(op.checkOperands(1)))
    return failure();
  return op.results(op.create<OpTy>(op.operand(0)));
}

using MathFunction = Value (*)(TensorBuilder &, Value);

/// A function that ttc has no op for.
template <MathFunction function> static LogicalResult importMath(StablehloOp &op) {
  op.ignoreAttrs({"result_accuracy"});
  if (failed(op.checkOperands(1)))
    return failure();
  return op.results(function(op, op.operand(0)));
}

static LogicalResult importAbs(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  return op.results(isUnsigned(x) ? x : op.create<AbsOp>(x));
}

/// Modulo 2^n.
static LogicalResult importNegate(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  return op.results(isUnsigned(x) ? op.create<SubOp>({op.scalarLike(x, 0), x})
                                  : op.create<NegOp>(x));
}

static LogicalResult importNot(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  return op.results(isBool(x) ? op.create<NotOp>(x) : op.create<BitNotOp>(x));
}

static LogicalResult importIsFinite(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Expressions e(op);
  Value x = op.operand(0);
  if (!isFloat(x))
    return op.error() << "expected floats, found " << x.getType();
  return op.results(e.compare(ComparePredicate::LT, e.abs(x),
                              op.scalarLike(x, std::numeric_limits<double>::infinity())));
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult importBinary(StablehloOp &op) {
  auto [a, b] = operandPair(op);
  return op.results(op.create<OpTy>({a, b}));
}

/// The sum of bools is their disjunction, the product their conjunction; `and` and the like are
/// about bits of integers.
template <typename OpTy, typename BoolOp> static LogicalResult importBoolOr(StablehloOp &op) {
  auto [a, b] = operandPair(op);
  return op.results(isBool(a) ? op.create<BoolOp>({a, b}) : op.create<OpTy>({a, b}));
}

/// Whether the second operand is a constant without zeros.
static bool isNeverZero(StablehloOp &op) {
  std::optional<SmallVector<int64_t>> values = op.constantInts(1);
  return values && !llvm::is_contained(*values, 0);
}

/// Integers: what the specification leaves open is as in XLA. A quotient by zero is -1, a remainder
/// by zero the dividend.
static LogicalResult importDivide(StablehloOp &op) {
  auto [a, b] = operandPair(op);
  Value quotient = op.create<DivOp>({a, b});
  if (!quotient || isFloat(a) || isNeverZero(op))
    return op.results(quotient);
  Expressions e(op);
  Value ones = isUnsigned(a) ? op.create<BitNotOp>(op.scalarLike(a, 0)) : op.scalarLike(a, -1);
  return op.results(e.where(e.compare(ComparePredicate::EQ, b, 0.0), ones, quotient));
}

/// With the sign of the dividend.
static LogicalResult importRemainder(StablehloOp &op) {
  auto [a, b] = operandPair(op);
  Value remainder = op.create<ModOp>({a, b}, op.flag("fmod"));
  if (!remainder || isFloat(a) || isNeverZero(op))
    return op.results(remainder);
  Expressions e(op);
  return op.results(e.where(e.compare(ComparePredicate::EQ, b, 0.0), a, remainder));
}

/// Bits that leave on one side are lost: a count of the width or more leaves none.
template <typename OpTy, bool asUnsigned> static LogicalResult importShift(StablehloOp &op) {
  auto [a, b] = operandPair(op);
  if (!a || !b)
    return op.results(Value());
  Type type = elementTypeOf(a);
  const unsigned width = type.getIntOrFloatBitWidth();
  Type wanted = IntegerType::get(op.context(), width,
                                 asUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  auto convert = [&](Value value, Type to) {
    return elementTypeOf(value) == to
               ? value
               : op.createAs<BitcastOp>(RankedTensorType::get(shapeOf(value), to), value);
  };
  Value shifted = op.create<OpTy>({convert(a, wanted), convert(b, wanted)});
  return op.results(shifted ? convert(shifted, type) : Value());
}

static LogicalResult importAtan2(StablehloOp &op) {
  op.ignoreAttrs({"result_accuracy"});
  if (failed(op.checkOperands(2)) || failed(op.checkSameShape("C1")))
    return failure();
  return op.results(makeAtan2(op, op.operand(0), op.operand(1)));
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// The order in which elements of the type may be compared.
static bool isOrderOf(StringRef order, Type type) {
  if (order == "NOTYPE")
    return true;
  if (isa<FloatType>(type))
    return order == "FLOAT" || order == "TOTALORDER";
  return order == (type.isUnsignedInteger() || type.isInteger(1) ? "UNSIGNED" : "SIGNED");
}

static LogicalResult importCompare(StablehloOp &op) {
  auto [a, b] = operandPair(op, "C2");
  StringRef direction = op.getEnum("comparison_direction", "comparison_direction");
  StringRef type = op.getEnum("compare_type", "comparison_type", "NOTYPE");
  std::optional<ComparePredicate> predicate = symbolizeComparePredicate(direction.lower());
  if (op.hasFailed())
    return failure();
  if (!predicate)
    return op.error() << "expected comparison_direction to be EQ, NE, GE, GT, LE or LT, found "
                      << direction;
  if (!isOrderOf(type, elementTypeOf(a)))
    return op.error() << "(C3) expected a compare_type of " << elementTypeOf(a) << ", found "
                      << type;
  if (type == "TOTALORDER") {
    a = makeTotalOrder(op, a);
    b = makeTotalOrder(op, b);
  }
  return op.results(Expressions(op).compare(*predicate, a, b));
}

/// Reports an operand that is neither of one shape with another nor, unless that is `isWhole`, one
/// number.
static LogicalResult checkAlike(StablehloOp &op, Value value, Value like, StringRef constraint,
                                bool isWhole = false) {
  if (op.isBroadened() || shapeOf(value) == shapeOf(like) || (!isWhole && rankOf(value) == 0))
    return success();
  return op.error() << cite(constraint) << "expected a tensor of the shape of " << like.getType()
                    << (isWhole ? "" : ", or of rank 0") << ", found " << value.getType();
}

static LogicalResult importSelect(StablehloOp &op) {
  if (failed(op.checkOperands(3)))
    return failure();
  Value condition = op.operand(0), a = op.operand(1), b = op.operand(2);
  if (failed(checkAlike(op, condition, a, "C1")) ||
      failed(checkAlike(op, b, a, "C2", /*isWhole=*/true)))
    return failure();
  // One of the three keeps the shape.
  Value smallA = shrink(op, a, condition), smallB = shrink(op, b, condition);
  return op.results(op.create<WhereOp>({condition, smallA, smallB}));
}

static LogicalResult importClamp(StablehloOp &op) {
  if (failed(op.checkOperands(3)))
    return failure();
  Value x = op.operand(1);
  if (failed(checkAlike(op, op.operand(0), x, "C1")) ||
      failed(checkAlike(op, op.operand(2), x, "C2")))
    return failure();
  Expressions e(op);
  return op.results(e.min(e.max(x, shrink(op, op.operand(0), x)), shrink(op, op.operand(2), x)));
}

void mlir::ttc::registerStablehloElementwiseOps(StablehloRegistry &registry) {
  registry.add("abs", importAbs);
  registry.add("negate", importNegate, OnComplex::ByParts);
  registry.add("not", importNot);
  registry.add("is_finite", importIsFinite);
  registry.add("sign", importUnary<SignOp>);
  registry.add("exponential", importUnary<ExpOp>);
  registry.add("log", importUnary<LogOp>);
  registry.add("logistic", importUnary<SigmoidOp>);
  registry.add("tanh", importUnary<TanhOp>);
  registry.add("sine", importUnary<SinOp>);
  registry.add("cosine", importUnary<CosOp>);
  registry.add("sqrt", importUnary<SqrtOp>);
  registry.add("rsqrt", importUnary<RsqrtOp>);
  registry.add("ceil", importUnary<CeilOp>);
  registry.add("floor", importUnary<FloorOp>);
  registry.add("round_nearest_even", importUnary<RoundOp>);
  registry.add("exponential_minus_one", importMath<makeExpm1>);
  registry.add("log_plus_one", importMath<makeLog1p>);
  registry.add("tan", importMath<makeTan>);
  registry.add("cbrt", importMath<makeCbrt>);
  registry.add("round_nearest_afz", importMath<makeRoundAwayFromZero>);
  registry.add("popcnt", importMath<makePopulationCount>);
  registry.add("count_leading_zeros", importMath<makeLeadingZeros>);
  registry.add("chlo.erf", importUnary<ErfOp>);
  registry.add("chlo.asin", importUnary<AsinOp>);
  registry.add("chlo.acos", importUnary<AcosOp>);
  registry.add("chlo.atan", importUnary<AtanOp>);
  registry.add("chlo.sinh", importUnary<SinhOp>);
  registry.add("chlo.cosh", importUnary<CoshOp>);
  registry.add("chlo.tan", importMath<makeTan>);
  registry.add("chlo.asinh", importUnary<AsinhOp>);
  registry.add("chlo.acosh", importUnary<AcoshOp>);
  registry.add("chlo.atanh", importUnary<AtanhOp>);

  registry.add("add", importBoolOr<AddOp, OrOp>, OnComplex::ByParts);
  registry.add("subtract", importBinary<SubOp>, OnComplex::ByParts);
  registry.add("multiply", importBoolOr<MulOp, AndOp>);
  registry.add("divide", importDivide);
  registry.add("maximum", importBoolOr<MaxOp, OrOp>);
  registry.add("minimum", importBoolOr<MinOp, AndOp>);
  registry.add("power", importBinary<PowOp>);
  registry.add("remainder", importRemainder);
  registry.add("and", importBoolOr<BitAndOp, AndOp>);
  registry.add("or", importBoolOr<BitOrOp, OrOp>);
  registry.add("xor", importBoolOr<BitXorOp, XorOp>);
  registry.add("shift_left", importShift<ShiftLeftOp, true>);
  registry.add("shift_right_logical", importShift<ShiftRightOp, true>);
  registry.add("shift_right_arithmetic", importShift<ShiftRightOp, false>);
  registry.add("atan2", importAtan2);

  registry.add("compare", importCompare, OnComplex::Refused, "the order of complex numbers");
  registry.add("select", importSelect, OnComplex::ByParts);
  registry.add("clamp", importClamp);
}

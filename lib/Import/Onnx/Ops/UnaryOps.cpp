// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops with one tensor operand.
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// ONNX ops with an equivalent ttc op that has no attributes.
template <typename OpTy> static LogicalResult importUnary(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"}); // of opset 1, still present in old files
  return node.results(node.create<OpTy>(node.input(0)));
}

static LogicalResult importIdentity(OnnxNode &node) { return node.results(node.input(0)); }

static LogicalResult importDropout(OnnxNode &node) {
  node.ignoreAttrs({"ratio", "seed", "is_test", "consumed_inputs"});
  if (node.hasInput(2)) {
    FailureOr<double> training = node.constantNumber(2, "training_mode");
    if (failed(training))
      return failure();
    double ratio = 0;
    if (*training != 0) {
      FailureOr<double> given = node.hasInput(1) ? node.constantNumber(1, "ratio") : 0.5;
      if (failed(given))
        return failure();
      ratio = *given;
    }
    if (ratio != 0)
      return node.error() << "training mode with the ratio " << ratio
                          << " drops random elements (supported: ratio 0, inference)";
  }
  if (!node.wantsOutput(1))
    return node.results(node.input(0));
  // Nothing is dropped: the mask is all true (before opset 10, of the input's type).
  Value x = node.input(0);
  OpBuilder &b = node.getBuilder();
  Type elementType = node.opset() < 10 ? elementTypeOf(x) : b.getI1Type();
  Attribute one = isa<FloatType>(elementType) ? Attribute(b.getFloatAttr(elementType, 1.0))
                                              : Attribute(b.getIntegerAttr(elementType, 1));
  Value mask =
      node.constant(DenseElementsAttr::get(RankedTensorType::get(shapeOf(x), elementType), one));
  return node.results({x, mask});
}

static LogicalResult importGelu(OnnxNode &node) {
  StringRef approximate = node.getString("approximate", "none");
  std::optional<GeluApproximation> kind = symbolizeGeluApproximation(approximate);
  if (!kind)
    return node.error() << "attribute 'approximate' is '" << approximate
                        << "' (supported: none, tanh)";
  return node.results(Expressions(node).gelu(node.input(0), *kind));
}

template <typename OpTy> static Value createAlpha(OnnxNode &node, Value x, double alpha) {
  return node.create<OpTy>(x, node.f32("alpha", alpha));
}

static LogicalResult importLeakyRelu(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  return node.results(createAlpha<LeakyReluOp>(node, node.input(0), node.getFloat("alpha", 0.01)));
}

static LogicalResult importElu(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  return node.results(createAlpha<EluOp>(node, node.input(0), node.getFloat("alpha", 1.0)));
}

/// celu(x) = alpha * elu(x / alpha)
static LogicalResult importCelu(OnnxNode &node) {
  double alpha = node.getFloat("alpha", 1.0);
  if (!(alpha > 0))
    return node.error() << "expected attribute 'alpha' to be positive, found " << alpha;
  Value x = node.input(0);
  Value a = node.scalarLike(x, alpha);
  Value elu = createAlpha<EluOp>(node, node.create<DivOp>({x, a}), 1.0);
  return node.results(node.create<MulOp>({elu, a}));
}

static LogicalResult importSelu(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  return node.results(node.create<SeluOp>(
      node.input(0), {node.f32("alpha", node.getFloat("alpha", 1.67326319217681884765625)),
                      node.f32("gamma", node.getFloat("gamma", 1.05070102214813232421875))}));
}

static LogicalResult importHardSigmoid(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  return node.results(
      node.create<HardSigmoidOp>(node.input(0), {node.f32("alpha", node.getFloat("alpha", 0.2)),
                                                 node.f32("beta", node.getFloat("beta", 0.5))}));
}

static LogicalResult importMish(OnnxNode &node) {
  Value x = node.input(0);
  Value gate = node.create<TanhOp>(node.create<SoftplusOp>(x));
  return node.results(node.create<MulOp>({x, gate}));
}

static LogicalResult importSwish(OnnxNode &node) {
  Value x = node.input(0);
  double alpha = node.getFloat("alpha", 1.0);
  Expressions e(node);
  return node.results(e.mul(x, e.unary<SigmoidOp>(e.mul(x, alpha))));
}

static LogicalResult importTan(OnnxNode &node) {
  Value x = node.input(0);
  return node.results(node.create<DivOp>({node.create<SinOp>(x), node.create<CosOp>(x)}));
}

static LogicalResult importThresholdedRelu(OnnxNode &node) {
  Value x = node.input(0);
  Expressions e(node);
  Value above = e.compare(ComparePredicate::GT, x, node.getFloat("alpha", 1.0));
  return node.results(e.where(above, x, 0.0));
}

/// x < -lambd: x + bias; x > lambd: x - bias; else 0. The attributes are floats; a result that is
/// an integer is rounded towards zero.
static LogicalResult importShrink(OnnxNode &node) {
  Type element = elementTypeOf(node.input(0));
  Value x = node.input(0);
  if (!isa<FloatType>(element))
    x = node.cast(x, Float32Type::get(element.getContext()));
  Expressions e(node);
  double lambd = node.getFloat("lambd", 0.5);
  Value bias = e.number(x, node.getFloat("bias", 0.0));
  Value below = e.compare(ComparePredicate::LT, x, -lambd);
  Value above = e.compare(ComparePredicate::GT, x, lambd);
  Value high = e.where(above, e.sub(x, bias), 0.0);
  Value y = e.where(below, e.add(x, bias), high);
  return node.results(node.cast(y, element));
}

static LogicalResult importIsNaN(OnnxNode &node) {
  Value x = node.input(0);
  return node.results(Expressions(node).compare(ComparePredicate::NE, x, x));
}

static LogicalResult importIsInf(OnnxNode &node) {
  Value x = node.input(0);
  bool negative = node.getInt("detect_negative", 1), positive = node.getInt("detect_positive", 1);
  // For both signs, compare the magnitude; for none, the comparison is never true.
  double infinity = std::numeric_limits<double>::infinity();
  if (negative && positive)
    x = node.create<AbsOp>(x);
  else if (negative)
    infinity = -infinity;
  ComparePredicate predicate = negative || positive ? ComparePredicate::EQ : ComparePredicate::GT;
  return node.results(Expressions(node).compare(predicate, x, infinity));
}

/// Bounds are attributes before opset 11 and inputs later, which may be computed.
static LogicalResult importClip(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  Value x = node.input(0);
  // A clamp has bounds of f32.
  bool isNarrowEnough = isa<FloatType>(elementTypeOf(x)) && !elementTypeOf(x).isF64();
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  if (node.opset() < 11) {
    if (isNarrowEnough || node.hasAttr("min"))
      low = node.getFloat("min", std::numeric_limits<float>::lowest());
    if (isNarrowEnough || node.hasAttr("max"))
      high = node.getFloat("max", std::numeric_limits<float>::max());
  } else {
    bool areNumbers = isNarrowEnough;
    for (auto [index, bound] : {std::pair(1u, &low), std::pair(2u, &high)}) {
      if (!node.hasInput(index))
        continue;
      if (!(areNumbers &= node.isConstantInput(index)))
        break;
      FailureOr<double> number = node.constantNumber(index, index == 1 ? "min" : "max");
      if (failed(number))
        return failure();
      *bound = *number;
      areNumbers = !std::isnan(*number); // of which none is a clamp's
    }
    if (!areNumbers) {
      if (node.hasInput(1))
        x = node.create<MaxOp>({x, node.input(1)});
      if (node.hasInput(2))
        x = node.create<MinOp>({x, node.input(2)});
      return node.results(x);
    }
  }
  // What is above the larger bound is at most the smaller one.
  Expressions e(node);
  if (low > high)
    x = e.clamp(x, low, std::numeric_limits<double>::infinity());
  return node.results(
      e.clamp(x, low > high ? -std::numeric_limits<double>::infinity() : low, high));
}

/// Casts the first input. The attributes concern floats of 8 bits only.
static LogicalResult castTo(OnnxNode &node, Type elementType) {
  const bool saturate = node.getInt("saturate", 1);
  StringRef roundMode = node.getString("round_mode", "up");
  std::optional<PowerRounding> rounding = symbolizePowerRounding(roundMode);
  if (!rounding)
    return node.error() << "attribute 'round_mode' is '" << roundMode
                        << "' (supported: up, down, nearest)";
  Value x = node.input(0);
  if (elementTypeOf(x) == elementType)
    return node.results(x);
  return node.results(node.createAs<CastOp>(
      tensorType(x).clone(elementType), x,
      {node.attr("saturate", node.getBuilder().getBoolAttr(saturate)),
       node.attr("rounding", PowerRoundingAttr::get(node.context(), *rounding))}));
}

static LogicalResult importCast(OnnxNode &node) {
  int64_t dataType = node.getInt("to", 0);
  Type elementType = getOnnxElementType(node.context(), dataType);
  if (!elementType)
    return node.error() << "cast to " << getOnnxTypeName(dataType)
                        << " is not supported (supported: " << getSupportedOnnxTypes() << ")";
  return castTo(node, elementType);
}

static LogicalResult importCastLike(OnnxNode &node) {
  return castTo(node, elementTypeOf(node.input(1)));
}

void mlir::ttc::registerUnaryOps(OnnxRegistry &registry) {
  registry.add("Abs", {1, 1}, importUnary<AbsOp>);
  registry.add("Acos", {1, 1}, importUnary<AcosOp>, {7});
  registry.add("Acosh", {1, 1}, importUnary<AcoshOp>, {9});
  registry.add("Asin", {1, 1}, importUnary<AsinOp>, {7});
  registry.add("Asinh", {1, 1}, importUnary<AsinhOp>, {9});
  registry.add("Atan", {1, 1}, importUnary<AtanOp>, {7});
  registry.add("Atanh", {1, 1}, importUnary<AtanhOp>, {9});
  registry.add("Cast", {1, 1}, importCast, {}, "to the element types above");
  registry.add("CastLike", {2, 2}, importCastLike, {15}, "to the element types above");
  registry.add("Ceil", {1, 1}, importUnary<CeilOp>);
  registry.add("Celu", {1, 1}, importCelu, {12});
  registry.add("Clip", {1, 3}, importClip);
  registry.add("Cos", {1, 1}, importUnary<CosOp>, {7});
  registry.add("Cosh", {1, 1}, importUnary<CoshOp>, {9});
  registry.add("Dropout", {1, 3}, importDropout, {},
               "inference, or training with the constant ratio 0");
  registry.add("Elu", {1, 1}, importElu);
  registry.add("Erf", {1, 1}, importUnary<ErfOp>, {9});
  registry.add("Exp", {1, 1}, importUnary<ExpOp>);
  registry.add("Floor", {1, 1}, importUnary<FloorOp>);
  registry.add("Gelu", {1, 1}, importGelu, {20});
  registry.add("HardSigmoid", {1, 1}, importHardSigmoid);
  registry.add("HardSwish", {1, 1}, importUnary<HardSwishOp>, {14});
  registry.add("Identity", {1, 1}, importIdentity, {}, "", /*takesSequences=*/true);
  registry.add("IsInf", {1, 1}, importIsInf, {10});
  registry.add("IsNaN", {1, 1}, importIsNaN, {9});
  registry.add("LeakyRelu", {1, 1}, importLeakyRelu);
  registry.add("Log", {1, 1}, importUnary<LogOp>);
  registry.add("Mish", {1, 1}, importMish, {18});
  registry.add("Neg", {1, 1}, importUnary<NegOp>);
  registry.add("Not", {1, 1}, importUnary<NotOp>);
  registry.add("Reciprocal", {1, 1}, importUnary<ReciprocalOp>);
  registry.add("Relu", {1, 1}, importUnary<ReluOp>);
  registry.add("Round", {1, 1}, importUnary<RoundOp>, {11});
  registry.add("Selu", {1, 1}, importSelu);
  registry.add("Shrink", {1, 1}, importShrink, {9});
  registry.add("Sigmoid", {1, 1}, importUnary<SigmoidOp>);
  registry.add("Sign", {1, 1}, importUnary<SignOp>, {9});
  registry.add("Sin", {1, 1}, importUnary<SinOp>, {7});
  registry.add("Sinh", {1, 1}, importUnary<SinhOp>, {9});
  registry.add("Softplus", {1, 1}, importUnary<SoftplusOp>);
  registry.add("Softsign", {1, 1}, importUnary<SoftsignOp>);
  registry.add("Sqrt", {1, 1}, importUnary<SqrtOp>);
  registry.add("Swish", {1, 1}, importSwish, {24});
  registry.add("Tan", {1, 1}, importTan, {7});
  registry.add("Tanh", {1, 1}, importUnary<TanhOp>);
  registry.add("ThresholdedRelu", {1, 1}, importThresholdedRelu, {10});
}

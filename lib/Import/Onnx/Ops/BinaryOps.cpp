// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops with several tensor operands that broadcast.
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// Before opset 7 the second operand broadcasts only if the node requests it, and its dimensions
/// are aligned with those of the first from `axis` on. Reshapes it to broadcast by NumPy's rules.
static Value alignLegacyOperand(OnnxNode &node, Value a, Value b) {
  if (node.opset() >= 7)
    return b;
  node.ignoreAttrs({"consumed_inputs"});
  bool broadcast = node.getInt("broadcast", 0);
  int64_t axis = node.getInt("axis", rankOf(a) - rankOf(b));
  if (!broadcast || rankOf(b) > rankOf(a))
    return b;
  if (axis < 0)
    axis += rankOf(a);
  int64_t trailing = rankOf(a) - rankOf(b) - axis;
  if (axis < 0 || trailing < 0) {
    node.error() << "axis " << axis << " does not fit operands " << a.getType() << " and "
                 << b.getType();
    return nullptr;
  }
  SmallVector<int64_t> shape(shapeOf(b));
  if (trailing > 0)
    shape.append(trailing, 1);
  return node.reshape(b, shape);
}

template <typename OpTy> static LogicalResult importBinary(OnnxNode &node) {
  Value a = node.input(0);
  return node.results(node.create<OpTy>({a, alignLegacyOperand(node, a, node.input(1))}));
}

template <ComparePredicate predicate> static LogicalResult importCompare(OnnxNode &node) {
  Value a = node.input(0);
  Value b = alignLegacyOperand(node, a, node.input(1));
  return node.results(Expressions(node).compare(predicate, a, b));
}

/// The type in which a power of mixed types is computed: one that holds both operands, as numpy
/// chooses it.
static Type getPowerType(OnnxNode &node, Type base, Type exponent) {
  const unsigned baseWidth = base.getIntOrFloatBitWidth(), width = exponent.getIntOrFloatBitWidth();
  OpBuilder &builder = node.getBuilder();
  if (isa<IntegerType>(base) && isa<IntegerType>(exponent)) {
    const bool holdsSign = !base.isUnsignedInteger() || exponent.isUnsignedInteger();
    return holdsSign && width < baseWidth ? base : builder.getI64Type();
  }
  auto isInF32 = [](Type type, unsigned bits) {
    return isa<FloatType>(type) ? bits <= 32 : bits <= 16;
  };
  return isInF32(base, baseWidth) && isInF32(exponent, width) ? builder.getF32Type()
                                                              : builder.getF64Type();
}

/// The result has the type of the base; the exponent may have another type (opset 12).
static LogicalResult importPow(OnnxNode &node) {
  Value a = node.input(0);
  Value b = alignLegacyOperand(node, a, node.input(1));
  if (!b)
    return failure();
  Type base = elementTypeOf(a), exponent = elementTypeOf(b);
  if (base == exponent)
    return node.results(node.create<PowOp>({a, b}));
  // Small integers, such as those of a square, are numbers of every float type.
  if (isa<FloatType>(base) && isa<IntegerType>(exponent) && node.isConstantInput(1) &&
      tensorType(b).getNumElements() == 1) {
    FailureOr<double> number = node.constantNumber(1, "exponent");
    if (succeeded(number) && std::abs(*number) <= 128)
      return node.results(node.create<PowOp>({a, node.cast(b, base)}));
  }
  Type type = getPowerType(node, base, exponent);
  Value power = node.create<PowOp>({node.cast(a, type), node.cast(b, type)});
  return node.results(node.cast(power, base));
}

static LogicalResult importMod(OnnxNode &node) {
  SmallVector<NamedAttribute> attrs;
  if (node.getInt("fmod", 0))
    attrs.push_back(node.flag("fmod"));
  return node.results(node.create<ModOp>({node.input(0), node.input(1)}, attrs));
}

template <typename OpTy> static Value foldOperands(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  Value result = node.input(0);
  for (unsigned i = 1; i < node.numInputs(); ++i)
    result = node.create<OpTy>({result, node.input(i)});
  return result;
}

template <typename OpTy> static LogicalResult importVariadic(OnnxNode &node) {
  return node.results(foldOperands<OpTy>(node));
}

static LogicalResult importMean(OnnxNode &node) {
  Value sum = foldOperands<AddOp>(node);
  if (node.numInputs() == 1)
    return node.results(sum);
  return node.results(node.create<DivOp>({sum, node.scalarLike(sum, node.numInputs())}));
}

static LogicalResult importWhere(OnnxNode &node) {
  return node.results(node.create<WhereOp>(node.allInputs()));
}

/// x < 0 ? slope * x : x
static Value createPRelu(OnnxNode &node, Value x, Value slope) {
  if (!x || isa<FloatType>(elementTypeOf(x)))
    return node.create<PReluOp>({x, slope});
  Value negative = Expressions(node).compare(ComparePredicate::LT, x, 0.0);
  return node.create<WhereOp>({negative, node.create<MulOp>({x, slope}), x});
}

static LogicalResult importPRelu(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  Value x = node.input(0), slope = node.input(1);
  // Before opset 7 the slope is one number or one per channel; later it broadcasts from the right.
  if (node.opset() < 7 && rankOf(slope) == 1 && rankOf(x) > 2 && shapeOf(slope)[0] != 1) {
    SmallVector<int64_t> shape(rankOf(x) - 1, 1);
    shape[0] = shapeOf(slope)[0];
    slope = node.reshape(slope, shape);
  }
  Value result = createPRelu(node, x, slope);
  if (result && result.getType() != x.getType())
    return node.error() << "expected a slope that broadcasts to " << x.getType() << ", found "
                        << slope.getType();
  return node.results(result);
}

void mlir::ttc::registerBinaryOps(OnnxRegistry &registry) {
  registry.add("Add", {2, 2}, importBinary<AddOp>);
  registry.add("And", {2, 2}, importBinary<AndOp>);
  registry.add("Div", {2, 2}, importBinary<DivOp>);
  registry.add("Equal", {2, 2}, importCompare<ComparePredicate::EQ>);
  registry.add("Greater", {2, 2}, importCompare<ComparePredicate::GT>);
  registry.add("GreaterOrEqual", {2, 2}, importCompare<ComparePredicate::GE>, {12});
  registry.add("Less", {2, 2}, importCompare<ComparePredicate::LT>);
  registry.add("LessOrEqual", {2, 2}, importCompare<ComparePredicate::LE>, {12});
  registry.add("Max", {1, Arity::kAny}, importVariadic<MaxOp>);
  registry.add("Mean", {1, Arity::kAny}, importMean);
  registry.add("Min", {1, Arity::kAny}, importVariadic<MinOp>);
  registry.add("Mod", {2, 2}, importMod, {10});
  registry.add("Mul", {2, 2}, importBinary<MulOp>);
  registry.add("Or", {2, 2}, importBinary<OrOp>);
  registry.add("Pow", {2, 2}, importPow);
  registry.add("PRelu", {2, 2}, importPRelu);
  registry.add("Sub", {2, 2}, importBinary<SubOp>);
  registry.add("Sum", {1, Arity::kAny}, importVariadic<AddOp>);
  registry.add("Where", {3, 3}, importWhere, {9});
  registry.add("Xor", {2, 2}, importBinary<XorOp>);
}

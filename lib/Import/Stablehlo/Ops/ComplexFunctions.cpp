// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of complex numbers, in terms of functions of their parts.
#include "ComplexMath.h"
#include "ElementwiseMath.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct Parts {
  Value real, imaginary;
};
using PartsFunction = Parts (*)(TensorBuilder &, Parts);
} // namespace

/// exp(a) (cos b, sin b); a real number stays one where exp(a) is infinite.
static Parts makeComplexExp(TensorBuilder &builder, Parts x) {
  Expressions e(builder);
  Value size = e.unary<ExpOp>(x.real);
  Value isReal = e.compare(ComparePredicate::EQ, x.imaginary, 0.0);
  return {e.where(isReal, size, e.mul(size, e.unary<CosOp>(x.imaginary))),
          e.where(isReal, x.imaginary, e.mul(size, e.unary<SinOp>(x.imaginary)))};
}

// cos b - 1 is -2 sin(b / 2)^2, without the difference.
static Parts makeComplexExpm1(TensorBuilder &builder, Parts x) {
  Expressions e(builder);
  Value half = e.unary<SinOp>(e.mul(x.imaginary, 0.5));
  Value cosine = e.unary<CosOp>(x.imaginary);
  Value isReal = e.compare(ComparePredicate::EQ, x.imaginary, 0.0);
  Value grown = makeExpm1(builder, x.real);
  Value real = e.sub(e.mul(grown, cosine), e.mul(e.square(half), 2.0));
  return {e.where(isReal, grown, real), makeComplexExp(builder, x).imaginary};
}

/// The logarithm of the absolute value. Near 1 it is that of the square, whose distance from 1 is
/// computed.
static Value makeLogAbs(TensorBuilder &builder, Parts x) {
  Expressions e(builder);
  Value a = e.abs(x.real), b = e.abs(x.imaginary);
  Value larger = e.max(a, b), smaller = e.min(a, b);
  Value ratio = e.div(smaller, larger);
  Value far = e.add(e.unary<LogOp>(larger), e.mul(makeLog1p(builder, e.square(ratio)), 0.5));
  Value excess = e.add(e.mul(e.sub(larger, 1.0), e.add(larger, 1.0)), e.square(smaller));
  Value near = e.mul(makeLog1p(builder, excess), 0.5);
  Value isNear = e.both(e.compare(ComparePredicate::GT, larger, 0.5),
                        e.compare(ComparePredicate::LT, larger, 2.0));
  Value result = e.where(isNear, near, far);
  // 0 / 0 and inf / inf.
  result =
      e.where(e.compare(ComparePredicate::EQ, larger, 0.0), e.number(result, -HUGE_VAL), result);
  Value isInfinite = builder.create<OrOp>(
      {e.compare(ComparePredicate::EQ, a, HUGE_VAL), e.compare(ComparePredicate::EQ, b, HUGE_VAL)});
  return e.where(isInfinite, e.number(result, HUGE_VAL), result);
}

static Parts makeComplexLog(TensorBuilder &builder, Parts x) {
  return {makeLogAbs(builder, x), makeAtan2(builder, x.imaginary, x.real)};
}

static Parts makeComplexLog1p(TensorBuilder &builder, Parts x) {
  Expressions e(builder);
  Value shifted = e.add(x.real, 1.0);
  Value small = e.add(e.mul(x.real, e.add(x.real, 2.0)), e.square(x.imaginary));
  Value isSmall = e.both(e.compare(ComparePredicate::LT, e.abs(x.real), 0.5),
                         e.compare(ComparePredicate::LT, e.abs(x.imaginary), 0.5));
  Value real = e.where(isSmall, e.mul(makeLog1p(builder, small), 0.5),
                       makeLogAbs(builder, {shifted, x.imaginary}));
  return {real, makeAtan2(builder, x.imaginary, shifted)};
}

static Parts makeComplexSin(TensorBuilder &builder, Parts x) {
  Expressions e(builder);
  return {e.mul(e.unary<SinOp>(x.real), e.unary<CoshOp>(x.imaginary)),
          e.mul(e.unary<CosOp>(x.real), e.unary<SinhOp>(x.imaginary))};
}

static Parts makeComplexCos(TensorBuilder &builder, Parts x) {
  Expressions e(builder);
  return {e.mul(e.unary<CosOp>(x.real), e.unary<CoshOp>(x.imaginary)),
          e.unary<NegOp>(e.mul(e.unary<SinOp>(x.real), e.unary<SinhOp>(x.imaginary)))};
}

// (sinh a cosh a, sin b cos b) / (sinh(a)^2 + cos(b)^2). Beyond the limits the real part is 1, and
// squares would overflow.
static Parts makeComplexTanh(TensorBuilder &builder, Parts x) {
  Expressions e(builder);
  if (!x.real)
    return {};
  const double most = elementTypeOf(x.real).isF64() ? 300 : elementTypeOf(x.real).isF32() ? 40 : 5;
  Value a = e.max(e.min(x.real, most), -most);
  Value sinh = e.unary<SinhOp>(a), cosh = e.unary<CoshOp>(a);
  Value sin = e.unary<SinOp>(x.imaginary), cos = e.unary<CosOp>(x.imaginary);
  Value scale = e.add(e.square(sinh), e.square(cos));
  Value turned = e.mul(sin, cos);
  Value isFar = e.compare(ComparePredicate::GT, e.abs(x.real), most);
  Value isInfinite = e.compare(ComparePredicate::EQ, e.abs(x.real), HUGE_VAL);
  Value imaginary = e.where(isFar, e.mul(turned, e.number(turned, 0)), e.div(turned, scale));
  return {e.where(isInfinite, e.unary<SignOp>(x.real), e.div(e.mul(sinh, cosh), scale)),
          e.where(isInfinite, e.number(turned, 0), imaginary)};
}

/// -i tanh(i x)
static Parts makeComplexTan(TensorBuilder &builder, Parts x) {
  Expressions e(builder);
  Parts turned = makeComplexTanh(builder, {e.unary<NegOp>(x.imaginary), x.real});
  return {turned.imaginary, e.unary<NegOp>(turned.real)};
}

template <PartsFunction function> static LogicalResult importComplexFunction(StablehloOp &op) {
  op.ignoreAttrs({"result_accuracy"});
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  Parts made = function(op, {op.realOf(x), op.imaginaryOf(x)});
  return op.results(op.complex(made.real, made.imaginary));
}

// The larger part is sqrt((|a| + |x|) / 2), computed of halves, and the product of both is b / 2.
static Value makeComplexSqrt(StablehloOp &op, Value x) {
  Expressions e(op);
  Value a = op.realOf(x), b = op.imaginaryOf(x);
  Value half = e.add(e.mul(e.abs(a), 0.5), e.mul(makeComplexAbs(op, x), 0.5));
  Value larger = e.unary<SqrtOp>(half);
  Value smaller = e.div(e.mul(b, 0.5), larger);
  smaller = e.where(e.compare(ComparePredicate::EQ, b, 0.0), b, smaller);
  Value isNegative = e.compare(ComparePredicate::LT, a, 0.0);
  // As in XLA, -0 counts as 0.
  Value isBelow = e.compare(ComparePredicate::LT, b, 0.0);
  Value signedLarger = e.where(isBelow, e.unary<NegOp>(larger), larger);
  Value real = e.where(isNegative, e.abs(smaller), larger);
  Value imaginary = e.where(isNegative, signedLarger, smaller);
  Value isInfinite = e.compare(ComparePredicate::EQ, e.abs(b), HUGE_VAL);
  return op.complex(e.where(isInfinite, e.number(real, HUGE_VAL), real),
                    e.where(isInfinite, b, imaginary));
}

static LogicalResult importComplexSqrt(StablehloOp &op) {
  op.ignoreAttrs({"result_accuracy"});
  if (failed(op.checkOperands(1)))
    return failure();
  return op.results(makeComplexSqrt(op, op.operand(0)));
}

static Value makeComplexOne(StablehloOp &op, Value like) {
  Expressions e(op);
  Value part = op.realOf(like);
  return part ? op.complex(e.expand(e.number(part, 1), shapeOf(part)),
                           e.expand(e.number(part, 0), shapeOf(part)))
              : Value();
}

static LogicalResult importComplexRsqrt(StablehloOp &op) {
  op.ignoreAttrs({"result_accuracy"});
  if (failed(op.checkOperands(1)))
    return failure();
  Value root = makeComplexSqrt(op, op.operand(0));
  return op.results(makeComplexDiv(op, makeComplexOne(op, root), root));
}

static LogicalResult importComplexLogistic(StablehloOp &op) {
  op.ignoreAttrs({"result_accuracy"});
  if (failed(op.checkOperands(1)))
    return failure();
  Expressions e(op);
  Value x = op.operand(0);
  Parts grown =
      makeComplexExp(op, {e.unary<NegOp>(op.realOf(x)), e.unary<NegOp>(op.imaginaryOf(x))});
  Value sum = op.complex(e.add(grown.real, 1.0), grown.imaginary);
  return op.results(makeComplexDiv(op, makeComplexOne(op, sum), sum));
}

/// A unit, or 0.
static LogicalResult importComplexSign(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Expressions e(op);
  Value x = op.operand(0), size = makeComplexAbs(op, x);
  Value isZero = e.compare(ComparePredicate::EQ, size, 0.0);
  auto part = [&](Value value) { return e.where(isZero, value, e.div(value, size)); };
  return op.results(op.complex(part(op.realOf(x)), part(op.imaginaryOf(x))));
}

// |x|^c exp(-d angle), turned by d log|x| + c angle, for the exponent c + i d.
static LogicalResult importComplexPower(StablehloOp &op) {
  op.ignoreAttrs({"result_accuracy"});
  if (failed(op.checkOperands(2)) || failed(op.checkSameShape("C1")))
    return failure();
  Expressions e(op);
  Value x = op.operand(0), y = op.operand(1);
  Value c = op.realOf(y), d = op.imaginaryOf(y);
  Value size = makeComplexAbs(op, x);
  Parts log = makeComplexLog(op, {op.realOf(x), op.imaginaryOf(x)});
  Value scale =
      e.mul(op.create<PowOp>({size, c}), e.unary<ExpOp>(e.unary<NegOp>(e.mul(d, log.imaginary))));
  Value angle = e.add(e.mul(d, log.real), e.mul(c, log.imaginary));
  Value real = e.mul(scale, e.unary<CosOp>(angle)), imaginary = e.mul(scale, e.unary<SinOp>(angle));
  // To the power of 0 all is 1; other powers of 0 are 0, or infinite.
  Value isZero = e.compare(ComparePredicate::EQ, size, 0.0);
  Value isNothing =
      e.both(e.compare(ComparePredicate::EQ, c, 0.0), e.compare(ComparePredicate::EQ, d, 0.0));
  real = e.where(isZero, op.create<PowOp>({size, c}), real);
  imaginary = e.where(isZero, e.number(imaginary, 0), imaginary);
  return op.results(op.complex(e.where(isNothing, e.number(real, 1), real),
                               e.where(isNothing, e.number(imaginary, 0), imaginary)));
}

static LogicalResult importComplexCompare(StablehloOp &op) {
  StringRef direction = op.getEnum("comparison_direction", "comparison_direction");
  StringRef type = op.getEnum("compare_type", "comparison_type", "FLOAT");
  if (op.hasFailed() || failed(op.checkOperands(2)) || failed(op.checkSameShape("C2")))
    return failure();
  if (type != "FLOAT" && type != "NOTYPE")
    return op.error() << "(C3) expected compare_type FLOAT for complex numbers, found " << type;
  if (direction != "EQ" && direction != "NE")
    return op.error() << "expected complex numbers to be compared by EQ or NE, found " << direction;
  Expressions e(op);
  auto compare = [&](auto partOf) {
    return e.compare(ComparePredicate::EQ, partOf(op.operand(0)), partOf(op.operand(1)));
  };
  Value equal = e.both(compare(StablehloOp::realOf), compare(StablehloOp::imaginaryOf));
  return op.results(direction == "EQ" ? equal : op.create<NotOp>(equal));
}

void mlir::ttc::registerStablehloComplexFunctions(StablehloRegistry &registry) {
  registry.addComplex("compare", importComplexCompare);
  registry.addComplex("cosine", importComplexFunction<makeComplexCos>);
  registry.addComplex("exponential", importComplexFunction<makeComplexExp>);
  registry.addComplex("exponential_minus_one", importComplexFunction<makeComplexExpm1>);
  registry.addComplex("log", importComplexFunction<makeComplexLog>);
  registry.addComplex("log_plus_one", importComplexFunction<makeComplexLog1p>);
  registry.addComplex("logistic", importComplexLogistic);
  registry.addComplex("power", importComplexPower);
  registry.addComplex("rsqrt", importComplexRsqrt);
  registry.addComplex("sign", importComplexSign);
  registry.addComplex("sine", importComplexFunction<makeComplexSin>);
  registry.addComplex("sqrt", importComplexSqrt);
  registry.addComplex("tan", importComplexFunction<makeComplexTan>);
  registry.addComplex("tanh", importComplexFunction<makeComplexTanh>);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the dialect CHLO that ttc has no op for.
#include "ElementwiseMath.h"
#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::ttc;

/// Horner's scheme, from the highest power.
static Value makePolynomial(Expressions &e, Value x, ArrayRef<double> coefficients) {
  Value sum = e.number(x, coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = e.add(e.mul(sum, x), coefficient);
  return sum;
}

//===----------------------------------------------------------------------===//
// Error functions
//===----------------------------------------------------------------------===//

// M. Giles, Approximating the erfinv function: polynomials of w = -log(1 - x^2).
static Value makeErfInv(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  if (!x)
    return {};
  constexpr double center[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                               -4.39150654e-06, 0.00021858087,  -0.00125372503,
                               -0.00417768164,  0.246640727,    1.50140941};
  constexpr double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                             -0.00367342844,  0.00573950773,  -0.0076224613,
                             0.00943887047,   1.00167406,     2.83297682};
  constexpr double wideCenter[] = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
      1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
      6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
      2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
      4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
      0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
      0.24015818242558961693,     1.6536545626831027356};
  constexpr double wideMiddle[] = {
      2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
      1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
      2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
      6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
      0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
      -0.0037512085075692412107, 0.005370914553590063617,   1.0052589676941592334,
      3.0838856104922207635};
  constexpr double wideTail[] = {
      -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
      -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
      2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
      -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
      7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
      1.0103004648645343977,      4.8499064014085844221};
  Value w = e.unary<NegOp>(makeLog1p(builder, e.unary<NegOp>(e.square(x))));
  auto below = [&](double limit) { return e.compare(ComparePredicate::LT, w, limit); };
  Value root = e.unary<SqrtOp>(w);
  Value factor;
  if (elementTypeOf(x).isF64())
    factor = e.where(below(6.25), makePolynomial(e, e.sub(w, 3.125), wideCenter),
                     e.where(below(16), makePolynomial(e, e.sub(root, 3.25), wideMiddle),
                             makePolynomial(e, e.sub(root, 5.0), wideTail)));
  else
    factor = e.where(below(5), makePolynomial(e, e.sub(w, 2.5), center),
                     makePolynomial(e, e.sub(root, 3.0), tail));
  Value isEnd = e.compare(ComparePredicate::EQ, e.abs(x), 1.0);
  return e.mul(e.where(isEnd, e.number(x, HUGE_VAL), factor), x);
}

// Rational approximations of the Cephes library, by S. L. Moshier; below 1, what erf leaves.
static Value makeErfc(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  if (!x)
    return {};
  Value a = e.abs(x);
  Value scale = e.unary<ExpOp>(e.unary<NegOp>(e.square(x)));
  Value y;
  if (elementTypeOf(x).isF64()) {
    constexpr double p[] = {
        2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687,
        4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
        9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
    constexpr double q[] = {1,
                            1.32281951154744992508e1,
                            8.67072140885989742329e1,
                            3.54937778887819891062e2,
                            9.75708501743205489753e2,
                            1.82390916687909736289e3,
                            2.24633760818710981792e3,
                            1.65666309194161350182e3,
                            5.57535340817727675546e2};
    constexpr double r[] = {5.64189583547755073984e-1, 1.27536670759978104416,
                            5.01905042251180477414,    6.16021097993053585195,
                            7.40974269950448939160,    2.97886665372100240670};
    constexpr double s[] = {1,
                            2.26052863220117276590,
                            9.39603524938001434673,
                            1.20489539808096656605e1,
                            1.70814450747565897222e1,
                            9.60896809063285878198,
                            3.36907645100081516050};
    Value near = e.div(makePolynomial(e, a, p), makePolynomial(e, a, q));
    Value far = e.div(makePolynomial(e, a, r), makePolynomial(e, a, s));
    y = e.mul(scale, e.where(e.compare(ComparePredicate::LT, a, 8.0), near, far));
  } else {
    constexpr double p[] = {2.326819970068386e-2,  -1.387039388740657e-1, 3.687424674597105e-1,
                            -5.824733027278666e-1, 6.210004621745983e-1,  -4.944515323274145e-1,
                            3.404879937665872e-1,  -2.741127028184656e-1, 5.638259427386472e-1};
    constexpr double r[] = {-1.047766399936249e+1, 1.297719955372516e+1, -7.495518717768503,
                            2.921019019210786,     -1.015265279202700,   4.218463358204948e-1,
                            -2.820767439740514e-1, 5.641895067754075e-1};
    Value q = e.div(e.number(a, 1), a);
    Value square = e.square(q);
    Value factor = e.where(e.compare(ComparePredicate::LT, a, 2.0), makePolynomial(e, square, p),
                           makePolynomial(e, square, r));
    y = e.mul(e.mul(scale, q), factor);
  }
  // Far away the polynomials overflow, and the product is 0.
  y = e.where(e.compare(ComparePredicate::EQ, scale, 0.0), e.number(y, 0), y);
  Value tail = e.where(e.compare(ComparePredicate::LT, x, 0.0), e.sub(2.0, y), y);
  return e.where(e.compare(ComparePredicate::LT, a, 1.0), e.sub(1.0, e.unary<ErfOp>(x)), tail);
}

//===----------------------------------------------------------------------===//
// Gamma functions
//===----------------------------------------------------------------------===//

// C. Lanczos, A precision approximation of the gamma function.
static constexpr double kLanczosGamma = 7;
static constexpr double kLanczosBase = 0.99999999999980993227684700473478;
static constexpr double kLanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

/// log(z + 7.5)
static Value makeLanczosLog(TensorBuilder &builder, Value z) {
  Expressions e(builder);
  constexpr double shift = kLanczosGamma + 0.5;
  return e.add(makeLog1p(builder, e.div(z, shift)), std::log(shift));
}

/// `x` where x < 1/2 is reflected, less 1.
static std::pair<Value, Value> reflect(Expressions &e, Value x) {
  Value isReflected = e.compare(ComparePredicate::LT, x, 0.5);
  return {isReflected, e.where(isReflected, e.unary<NegOp>(x), e.sub(x, 1.0))};
}

static Value makeLgamma(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  if (!x)
    return {};
  auto [isReflected, z] = reflect(e, x);
  Value sum = e.number(z, kLanczosBase);
  for (auto [i, coefficient] : llvm::enumerate(kLanczos))
    sum = e.add(sum, e.div(e.number(z, coefficient), e.add(z, static_cast<double>(i) + 1)));
  Value log = makeLanczosLog(builder, z);
  Value shifted = e.add(z, kLanczosGamma + 0.5);
  Value y = e.mul(e.sub(e.add(z, 0.5), e.div(shifted, log)), log);
  y = e.add(y, e.add(e.unary<LogOp>(sum), std::log(2 * std::numbers::pi) / 2));
  // log(pi / |sin(pi x)|), of the distance to the nearest integer.
  Value a = e.abs(x);
  Value rest = e.sub(a, e.floor(a));
  rest = e.where(e.compare(ComparePredicate::GT, rest, 0.5), e.sub(1.0, rest), rest);
  Value sine = e.unary<LogOp>(e.unary<SinOp>(e.mul(rest, std::numbers::pi)));
  Value isFinite = e.compare(ComparePredicate::LT, e.abs(sine), HUGE_VAL);
  Value reflected =
      e.where(isFinite, e.sub(e.sub(std::log(std::numbers::pi), sine), y), e.unary<NegOp>(sine));
  Value result = e.where(isReflected, reflected, y);
  Value isInfinite = e.compare(ComparePredicate::EQ, a, HUGE_VAL);
  return e.where(isInfinite, e.number(result, HUGE_VAL), result);
}

static Value makeDigamma(TensorBuilder &builder, Value x) {
  Expressions e(builder);
  if (!x)
    return {};
  auto [isReflected, z] = reflect(e, x);
  Value numerator = e.number(z, 0), sum = e.number(z, kLanczosBase);
  for (auto [i, coefficient] : llvm::enumerate(kLanczos)) {
    Value shifted = e.add(z, static_cast<double>(i) + 1);
    Value part = e.div(e.number(z, coefficient), shifted);
    sum = e.add(sum, part);
    numerator = e.sub(numerator, e.div(part, shifted));
  }
  Value y = e.add(makeLanczosLog(builder, z), e.div(numerator, sum));
  y = e.sub(y, e.div(e.number(z, kLanczosGamma), e.add(z, kLanczosGamma + 0.5)));
  // pi / tan(pi x) is computed of what x is beyond the nearest integer.
  Value reduced = e.add(x, e.abs(e.floor(e.add(x, 0.5))));
  Value angle = e.mul(reduced, std::numbers::pi);
  Value cotangent = e.div(e.mul(e.unary<CosOp>(angle), std::numbers::pi), e.unary<SinOp>(angle));
  Value result = e.where(isReflected, e.sub(y, cotangent), y);
  Value isPole = e.both(e.compare(ComparePredicate::LE, x, 0.0),
                        e.compare(ComparePredicate::EQ, x, e.floor(x)));
  return e.where(isPole, e.number(result, NAN), result);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// In f32 for narrower types.
template <Value (*function)(TensorBuilder &, Value)>
static LogicalResult importSpecial(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  Type type = elementTypeOf(x);
  if (!isa<FloatType>(type))
    return op.error() << "expected floats, found " << x.getType();
  return op.results(op.cast(function(op, op.cast(x, getArithmeticType(type))), type));
}

static LogicalResult importSquare(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  return op.results(Expressions(op).square(op.operand(0)));
}

template <int sign> static LogicalResult importIsInf(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  if (!isa<FloatType>(elementTypeOf(op.operand(0))))
    return op.error() << "expected floats, found " << op.operand(0).getType();
  Expressions e(op);
  Value x = sign ? op.operand(0) : e.abs(op.operand(0));
  return op.results(e.compare(ComparePredicate::EQ, x, sign < 0 ? -HUGE_VAL : HUGE_VAL));
}

/// The next number of the type in the direction of the second operand.
static LogicalResult importNextAfter(StablehloOp &op) {
  if (failed(op.checkOperands(2)) || failed(op.checkSameShape("")))
    return failure();
  Value x = op.operand(0), y = op.operand(1);
  Type type = elementTypeOf(x);
  if (!isa<FloatType>(type))
    return op.error() << "expected floats, found " << x.getType();
  Expressions e(op);
  const unsigned width = type.getIntOrFloatBitWidth();
  Type integer = op.getBuilder().getIntegerType(width);
  Value bits = op.createAs<BitcastOp>(RankedTensorType::get(shapeOf(x), integer), x);
  auto number = [&](const APInt &value) {
    return op.constant(DenseElementsAttr::get(RankedTensorType::get({}, integer), value));
  };
  // Away from zero the bits grow, whatever the sign.
  Value isPositive = e.compare(ComparePredicate::GE, bits, 0.0);
  Value isUp = e.compare(ComparePredicate::LT, x, y);
  Value grows = e.compare(ComparePredicate::EQ, isPositive, isUp);
  Value next = e.where(grows, e.add(bits, 1.0), e.sub(bits, 1.0));
  // From zero, the smallest number of the sign of y.
  Value smallest = e.where(e.compare(ComparePredicate::GT, y, 0.0), number(APInt(width, 1)),
                           number(APInt::getSignedMinValue(width) + 1));
  next = e.where(e.compare(ComparePredicate::EQ, x, 0.0), smallest, next);
  Value made = op.createAs<BitcastOp>(RankedTensorType::get(shapeOf(x), type), next);
  made = e.where(e.compare(ComparePredicate::EQ, x, y), y, made);
  Value areNumbers =
      e.both(e.compare(ComparePredicate::EQ, x, x), e.compare(ComparePredicate::EQ, y, y));
  return op.results(e.where(areNumbers, made, e.number(made, NAN)));
}

void mlir::ttc::registerStablehloSpecialFunctions(StablehloRegistry &registry) {
  registry.add("chlo.digamma", importSpecial<makeDigamma>);
  registry.add("chlo.erf_inv", importSpecial<makeErfInv>);
  registry.add("chlo.erfc", importSpecial<makeErfc>);
  registry.add("chlo.is_inf", importIsInf<0>);
  registry.add("chlo.is_neg_inf", importIsInf<-1>);
  registry.add("chlo.is_pos_inf", importIsInf<1>);
  registry.add("chlo.lgamma", importSpecial<makeLgamma>);
  registry.add("chlo.next_after", importNextAfter);
  registry.add("chlo.square", importSquare);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers, and what only they have.
#include "ComplexMath.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ttc;

Value mlir::ttc::makeComplexMul(StablehloOp &op, Value a, Value b) {
  if (!op.isComplex(a) || !op.isComplex(b))
    return {};
  Expressions e(op);
  Value ar = op.realOf(a), ai = op.imaginaryOf(a), br = op.realOf(b), bi = op.imaginaryOf(b);
  return op.complex(e.sub(e.mul(ar, br), e.mul(ai, bi)), e.add(e.mul(ar, bi), e.mul(ai, br)));
}

// R. L. Smith's form: both parts are divided by the larger part of `b` first, so that no square
// overflows.
Value mlir::ttc::makeComplexDiv(StablehloOp &op, Value a, Value b) {
  if (!op.isComplex(a) || !op.isComplex(b))
    return {};
  Expressions e(op);
  Value ar = op.realOf(a), ai = op.imaginaryOf(a), br = op.realOf(b), bi = op.imaginaryOf(b);
  Value isReal = e.compare(ComparePredicate::GE, e.abs(br), e.abs(bi));
  Value larger = e.where(isReal, br, bi), smaller = e.where(isReal, bi, br);
  Value ratio = e.div(smaller, larger);
  Value scale = e.add(larger, e.mul(smaller, ratio));
  // (ar + ai r, ai - ar r) where the real part is larger, else (ar r + ai, ai r - ar)
  Value real = e.where(isReal, e.add(ar, e.mul(ai, ratio)), e.add(e.mul(ar, ratio), ai));
  Value imaginary = e.where(isReal, e.sub(ai, e.mul(ar, ratio)), e.sub(e.mul(ai, ratio), ar));
  return op.complex(e.div(real, scale), e.div(imaginary, scale));
}

Value mlir::ttc::makeComplexAbs(StablehloOp &op, Value x) {
  if (!op.isComplex(x))
    return {};
  Expressions e(op);
  Value real = e.abs(op.realOf(x)), imaginary = e.abs(op.imaginaryOf(x));
  Value larger = e.max(real, imaginary), smaller = e.min(real, imaginary);
  Value ratio = e.div(smaller, larger);
  Value scaled = e.mul(larger, e.unary<SqrtOp>(e.add(e.square(ratio), 1.0)));
  // 0 / 0 and inf / inf; an infinite part makes the number infinite, whatever the other one is.
  scaled = e.where(e.compare(ComparePredicate::EQ, larger, 0.0), larger, scaled);
  Value infinity = e.number(real, HUGE_VAL);
  scaled = e.where(e.compare(ComparePredicate::EQ, real, infinity), infinity, scaled);
  return e.where(e.compare(ComparePredicate::EQ, imaginary, infinity), infinity, scaled);
}

static LogicalResult importComplex(StablehloOp &op) {
  if (failed(op.checkOperands(2)))
    return failure();
  Type real = op.getSource()->getOperand(0).getType(),
       imaginary = op.getSource()->getOperand(1).getType();
  if (real != imaginary || !isa<FloatType>(getElementTypeOrSelf(real)))
    return op.error() << "(C1) expected parts of one type of floats, found " << real << " and "
                      << imaginary;
  return op.results(op.complex(op.operand(0), op.operand(1)));
}

static LogicalResult importReal(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  return op.results(op.realOf(op.operand(0)));
}

/// Of a real number it is 0.
static LogicalResult importImaginary(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  return op.results(op.isComplex(x) ? op.imaginaryOf(x)
                                    : Expressions(op).splat(shapeOf(x), elementTypeOf(x), 0));
}

static LogicalResult importComplexAbs(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  return op.results(makeComplexAbs(op, op.operand(0)));
}

template <Value (*function)(StablehloOp &, Value, Value)>
static LogicalResult importComplexBinary(StablehloOp &op) {
  if (failed(op.checkOperands(2)) || failed(op.checkSameShape("C1")))
    return failure();
  return op.results(function(op, op.operand(0), op.operand(1)));
}

void mlir::ttc::registerStablehloComplexOps(StablehloRegistry &registry) {
  registry.addComplex("abs", importComplexAbs);
  registry.addComplex("divide", importComplexBinary<makeComplexDiv>);
  registry.addComplex("multiply", importComplexBinary<makeComplexMul>);
  registry.add("complex", importComplex, OnComplex::Handled);
  registry.add("real", importReal, OnComplex::Handled);
  registry.add("imag", importImaginary, OnComplex::Handled);
}

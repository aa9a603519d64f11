// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of floats as straight arithmetic on scalars or vectors: no branches, no calls, no
// table, so that loops over them vectorise on any target.
#ifndef TTC_DIALECTS_TTC_FUNCTIONS_MATHAPPROXIMATION_H
#define TTC_DIALECTS_TTC_FUNCTIONS_MATHAPPROXIMATION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

namespace mlir::ttc {

/// Arithmetic on values of one shape. Products and sums may be contracted, which expandFunction()
/// does.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Location loc, Type like) : b(loc, builder), like(like) {}

  Value f32(double value) { return constant(b.getF32FloatAttr(value)); }
  Value f64(double value) { return constant(b.getF64FloatAttr(value)); }
  Value i32(int64_t value) { return constant(b.getI32IntegerAttr(static_cast<int32_t>(value))); }
  Value i64(int64_t value) { return constant(b.getI64IntegerAttr(value)); }
  Value i16(int64_t value) { return constant(b.getI16IntegerAttr(static_cast<int16_t>(value))); }

  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y, contract()); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y, contract()); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y, contract()); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value muli(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value addi(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value subi(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value andi(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value ori(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value xori(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value shl(Value x, Value y) { return arith::ShLIOp::create(b, x, y); }
  Value shr(Value x, Value y) { return arith::ShRSIOp::create(b, x, y); }
  Value shru(Value x, Value y) { return arith::ShRUIOp::create(b, x, y); }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }
  Value cmp(arith::CmpFPredicate p, Value x, Value y) { return arith::CmpFOp::create(b, p, x, y); }
  Value cmpi(arith::CmpIPredicate p, Value x, Value y) { return arith::CmpIOp::create(b, p, x, y); }
  Value less(Value x, Value y) { return cmp(arith::CmpFPredicate::OLT, x, y); }
  /// The same bits as another element type of the same width.
  Value bits(Value x, Type element) { return arith::BitcastOp::create(b, typed(element), x); }
  Value bitsI32(Value x) { return bits(x, b.getI32Type()); }
  Value bitsF32(Value x) { return bits(x, b.getF32Type()); }
  /// To another element type; see the ops for rounding.
  template <typename Op> Value convert(Value x, Type element) {
    return Op::create(b, typed(element), x);
  }

  /// x between low and high; NaN stays NaN.
  Value clamp(Value x, double low, double high) {
    x = select(less(x, f32(low)), f32(low), x);
    return select(less(f32(high), x), f32(high), x);
  }
  Value abs(Value x) { return bitsF32(andi(bitsI32(x), i32(0x7fffffff))); }
  /// |x| with the sign of `sign`, for x >= 0.
  Value withSign(Value x, Value sign) {
    return bitsF32(ori(bitsI32(x), andi(bitsI32(sign), i32(0x80000000))));
  }
  /// coefficients[0] * x^n + ... + coefficients[n], by Horner's rule.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    bool isDouble = getElementTypeOrSelf(x.getType()).isF64();
    auto number = [&](double value) { return isDouble ? f64(value) : f32(value); };
    Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = add(mul(sum, x), number(coefficient));
    return sum;
  }

  ImplicitLocOpBuilder &builder() { return b; }

private:
  arith::FastMathFlags contract() { return arith::FastMathFlags::contract; }
  Type typed(Type element) {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Value constant(TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(typed(value.getType())))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(value)));
    return arith::ConstantOp::create(b, value);
  }

  ImplicitLocOpBuilder b;
  Type like;
};

Value emitExp(Arithmetic &a, Value x);
Value emitExp2(Arithmetic &a, Value x);
Value emitExpM1(Arithmetic &a, Value x);
Value emitLog(Arithmetic &a, Value x);
Value emitLog1p(Arithmetic &a, Value x);
Value emitTanh(Arithmetic &a, Value x);
Value emitErf(Arithmetic &a, Value x);
Value emitSin(Arithmetic &a, Value x);
Value emitCos(Arithmetic &a, Value x);
Value emitPow(Arithmetic &a, Value x, Value y);

/// Emits before `op`, of the math dialect, what it computes; null if the op has no approximation.
/// All arithmetic is IEEE 754's and has the same bits wherever it is evaluated: the sum of a
/// product that nothing else uses is a math.fma, and nothing is left to contract.
Value expandFunction(RewriterBase &rewriter, Operation *op);

/// The parts of it, before products are contracted: functions of f32 and f64, and among them the
/// inverse trigonometric and hyperbolic ones.
Value emitFunction(Arithmetic &a, Operation *op);
Value emitFunctionF64(Arithmetic &a, Operation *op);
Value emitTrigonometry(Arithmetic &a, Operation *op);
Value emitTrigonometryF64(Arithmetic &a, Operation *op);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_FUNCTIONS_MATHAPPROXIMATION_H

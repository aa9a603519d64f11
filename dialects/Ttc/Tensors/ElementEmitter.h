// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the meanings of elementwise ops are written with. Private to the dialect.
#ifndef TTC_DIALECTS_TTC_TENSORS_ELEMENTEMITTER_H
#define TTC_DIALECTS_TTC_TENSORS_ELEMENTEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::ttc::detail {

using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// Short names for the ops that the definitions use. A value is a scalar or a vector; a constant
/// takes the type of the value that it is combined with.
struct Emitter {
  OpBuilder &builder;
  Location loc;

  template <typename OpTy, typename... Args> Value op(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }
  /// `elementType` in the shape of `like`.
  static Type shaped(Value like, Type elementType) {
    if (auto shape = dyn_cast<ShapedType>(like.getType()))
      return shape.clone(elementType);
    return elementType;
  }
  Value splat(Value like, TypedAttr element) {
    if (auto shape = dyn_cast<ShapedType>(like.getType()))
      return op<arith::ConstantOp>(DenseElementsAttr::get(shape, element));
    return op<arith::ConstantOp>(element);
  }
  Value number(Value like, double number) {
    Type type = getElementTypeOrSelf(like.getType());
    if (isa<FloatType>(type))
      return splat(like, builder.getFloatAttr(type, number));
    return splat(like, builder.getIntegerAttr(type, static_cast<int64_t>(number)));
  }
  Value cmp(CmpFPredicate predicate, Value a, Value b) {
    return op<arith::CmpFOp>(predicate, a, b);
  }
  Value cmp(CmpIPredicate predicate, Value a, Value b) {
    return op<arith::CmpIOp>(predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) { return op<arith::SelectOp>(condition, a, b); }
  Value add(Value a, Value b) { return op<arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return op<arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return op<arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return op<arith::DivFOp>(a, b); }

  /// `x < low ? low : x` and `x > high ? high : x`: one instruction each, and NaN stays NaN.
  Value atLeast(Value x, double low) {
    Value bound = number(x, low);
    return select(cmp(CmpFPredicate::OLT, x, bound), bound, x);
  }
  Value atMost(Value x, double high) {
    Value bound = number(x, high);
    return select(cmp(CmpFPredicate::OGT, x, bound), bound, x);
  }
  /// `x > 0 ? x : 0` and so on are wrong for NaN; `x < 0 ? negative : x` is not.
  Value ifNegative(Value x, Value negative, Value otherwise) {
    return select(cmp(CmpFPredicate::OLT, x, number(x, 0)), negative, otherwise);
  }
  Value sigmoid(Value x) {
    Value one = number(x, 1);
    return div(one, add(one, op<math::ExpOp>(op<arith::NegFOp>(x))));
  }
  /// `alpha * (exp(x) - 1)`. The argument is bounded, so that the branch that is not taken does
  /// not overflow.
  Value expMinusOne(Value x, double alpha) {
    return mul(number(x, alpha), op<math::ExpM1Op>(atMost(x, 0)));
  }
};

/// Whether a signless integer value represents an unsigned element.
inline bool isUnsigned(Value operand) {
  Type type = getElementTypeOrSelf(operand.getType());
  return type.isUnsignedInteger() || type.isInteger(1);
}
inline bool isFloat(Value element) {
  return isa<FloatType>(getElementTypeOrSelf(element.getType()));
}

} // namespace mlir::ttc::detail

#endif // TTC_DIALECTS_TTC_TENSORS_ELEMENTEMITTER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the families of TOSA patterns share.
#ifndef TTC_LIB_CONVERSION_TOSATOTTC_PATTERNS_H
#define TTC_LIB_CONVERSION_TOSATOTTC_PATTERNS_H

#include "dialects/Ttc/TtcAttributes.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::ttc {

void populateTosaElementwisePatterns(RewritePatternSet &patterns);
void populateTosaDensePatterns(RewritePatternSet &patterns);
void populateTosaReductionPatterns(RewritePatternSet &patterns);
void populateTosaDataMovementPatterns(RewritePatternSet &patterns);

namespace tosa_to_ttc {

/// An op with its result type given; all attributes are named.
template <typename OpTy>
Value make(OpBuilder &b, Location loc, Type type, ValueRange operands,
           ArrayRef<NamedAttribute> attrs = {}) {
  return OpTy::create(b, loc, TypeRange(type), operands, attrs)->getResult(0);
}

inline NamedAttribute i64s(OpBuilder &b, StringRef name, ArrayRef<int64_t> values) {
  return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
}
inline NamedAttribute i64(OpBuilder &b, StringRef name, int64_t value) {
  return b.getNamedAttr(name, b.getI64IntegerAttr(value));
}
inline NamedAttribute f32(OpBuilder &b, StringRef name, double value) {
  return b.getNamedAttr(name, b.getF32FloatAttr(static_cast<float>(value)));
}
inline NamedAttribute flag(OpBuilder &b, StringRef name) {
  return b.getNamedAttr(name, b.getUnitAttr());
}

/// The values of an operand that must be a tosa.const_shape.
FailureOr<SmallVector<int64_t>> getConstShape(Value shape, ConversionPatternRewriter &rewriter,
                                              Operation *op, StringRef what);
/// The one element of a constant operand.
FailureOr<double> getConstScalar(Value value, ConversionPatternRewriter &rewriter, Operation *op,
                                 StringRef what);
/// Zero points belong to quantised tensors, which ttc does not have: they must be zero.
LogicalResult checkZeroPoints(ValueRange zeroPoints, ConversionPatternRewriter &rewriter,
                              Operation *op);
/// ttc propagates NaN, as TOSA does by default.
LogicalResult checkNanMode(tosa::NanPropagationMode mode, ConversionPatternRewriter &rewriter,
                           Operation *op);

Value transpose(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> permutation);
Value reshape(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> shape);
Value castTo(OpBuilder &b, Location loc, Value x, Type elementType);

} // namespace tosa_to_ttc
} // namespace mlir::ttc

#endif // TTC_LIB_CONVERSION_TOSATOTTC_PATTERNS_H

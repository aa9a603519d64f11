// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of element types.
#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

using namespace mlir;
using namespace mlir::ttc;

/// Integers are rounded towards zero. What is too large becomes the largest integer, which may be
/// no number of the float type; the smallest is one.
static Value makeSaturatedCast(StablehloOp &op, Value x, Type type) {
  auto integer = cast<IntegerType>(type);
  const bool isUnsigned = integer.isUnsigned();
  const unsigned width = integer.getWidth();
  APInt most = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  Value largest = op.constant(DenseElementsAttr::get(RankedTensorType::get({}, type), most));
  Expressions e(op);
  Value tooLarge =
      e.compare(ComparePredicate::GE, x, std::ldexp(1.0, isUnsigned ? width : width - 1));
  return e.where(tooLarge, largest, castSaturated(op, x, type));
}

/// To integers: floats are rounded towards zero and saturate, and NaN becomes 0, as in XLA.
static LogicalResult importConvert(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  Type type = op.resultElementType();
  Expressions e(op);
  // The imaginary part is left out; a real number has 0.
  if (op.hasComplexResult()) {
    Value imaginary =
        op.isComplex(x) ? e.cast(op.imaginaryOf(x), type) : e.splat(shapeOf(x), type, 0);
    return op.results(op.complex(e.cast(op.realOf(x), type), imaginary));
  }
  x = op.realOf(x);
  if (x && isa<FloatType>(elementTypeOf(x)) && isa<IntegerType>(type) && !type.isInteger(1)) {
    Value isNumber = e.compare(ComparePredicate::EQ, x, x);
    x = e.where(isNumber, x, 0.0);
    return op.results(makeSaturatedCast(op, x, type));
  }
  return op.results(e.cast(x, type));
}

/// Wider elements are vectors of narrower ones, the lowest bits first, in a last dimension.
static LogicalResult importBitcastConvert(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  Type type = op.resultElementType();
  const unsigned from = elementTypeOf(x).getIntOrFloatBitWidth();
  const unsigned to = type.getIntOrFloatBitWidth();
  auto bitcast = [&](Value value, Type as) {
    return !value || elementTypeOf(value) == as
               ? value
               : op.createAs<BitcastOp>(RankedTensorType::get(shapeOf(value), as), value);
  };
  if (from == to)
    return op.results(bitcast(x, type));
  const unsigned narrow = std::min(from, to), wide = std::max(from, to);
  if (narrow < 8 || op.isBroadened())
    return op.error() << "expected elements of the same width, or of at least 8 bits, found "
                      << elementTypeOf(x) << " and " << type;
  const int64_t count = wide / narrow;
  SmallVector<int64_t> shape(shapeOf(from > to ? x : op.getSource()->getResult(0)));
  if (from > to)
    shape.push_back(count);
  else if (!shapeOf(x).empty())
    shape.push_back(shapeOf(x).back());
  if (shape.empty() || shape.back() != count ||
      ArrayRef(shape) != (from > to ? op.resultType().getShape() : shapeOf(x)))
    return op.error() << "(C1) expected " << count << " elements of " << narrow
                      << " bits in the last dimension for each one of " << wide << ", found "
                      << x.getType() << " and " << op.resultType();
  Expressions e(op);
  auto getUnsigned = [&](unsigned width) {
    return IntegerType::get(op.context(), width, IntegerType::Unsigned);
  };
  Value bits = bitcast(x, getUnsigned(from));
  Value places = e.mul(e.iota(count, getUnsigned(wide)), narrow);
  if (from > to) {
    bits = op.create<ShiftRightOp>({e.unsqueeze(bits, rankOf(x)), places});
    return op.results(bitcast(e.cast(bits, getUnsigned(to)), type));
  }
  bits = op.create<ShiftLeftOp>({e.cast(bits, getUnsigned(to)), places});
  return op.results(bitcast(e.sum(bits, rankOf(x) - 1), type));
}

void mlir::ttc::registerStablehloTypeOps(StablehloRegistry &registry) {
  registry.add("convert", importConvert, OnComplex::Handled);
  registry.add("bitcast_convert", importBitcastConvert, OnComplex::Refused,
               "elements of less than 8 bits as others of another width");
}

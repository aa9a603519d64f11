// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "dialects/Ttc/TtcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

/// An integer in every element of a value of the type of `like`.
static Value integer(OpBuilder &b, Location loc, Value like, int64_t value) {
  Type type = like.getType();
  TypedAttr element = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    element = DenseElementsAttr::get(shaped, Attribute(element));
  return arith::ConstantOp::create(b, loc, element);
}

Value BitAndOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return arith::AndIOp::create(builder, loc, elements[0], elements[1]);
}

Value BitOrOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return arith::OrIOp::create(builder, loc, elements[0], elements[1]);
}

Value BitXorOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return arith::XOrIOp::create(builder, loc, elements[0], elements[1]);
}

Value BitNotOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return arith::XOrIOp::create(builder, loc, elements[0], integer(builder, loc, elements[0], -1));
}

/// Whether `count`, as an unsigned number, is below the element's width. The machine and arith
/// leave other shifts undefined.
static Value isBelowWidth(OpBuilder &b, Location loc, Value count) {
  int64_t width = getElementTypeOrSelf(count.getType()).getIntOrFloatBitWidth();
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, count,
                               integer(b, loc, count, width));
}

/// `value` shifted by `count`, or 0 if `count` is too large.
template <typename ShiftOp>
static Value shiftOrZero(OpBuilder &b, Location loc, Value value, Value count) {
  Value zero = integer(b, loc, value, 0), below = isBelowWidth(b, loc, count);
  count = arith::SelectOp::create(b, loc, below, count, zero);
  Value shifted = ShiftOp::create(b, loc, value, count);
  return arith::SelectOp::create(b, loc, below, shifted, zero);
}

Value ShiftLeftOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return shiftOrZero<arith::ShLIOp>(builder, loc, elements[0], elements[1]);
}

Value ShiftRightOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Type type = tensorType(getA()).getElementType();
  if (type.isUnsignedInteger())
    return shiftOrZero<arith::ShRUIOp>(builder, loc, elements[0], elements[1]);
  Value most = integer(builder, loc, elements[1], type.getIntOrFloatBitWidth() - 1);
  Value count = arith::MinUIOp::create(builder, loc, elements[1], most);
  return arith::ShRSIOp::create(builder, loc, elements[0], count);
}

//===----------------------------------------------------------------------===//
// ttc.bitcast
//===----------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  auto x = tensorType(getX()), y = tensorType(getY());
  if (x.getShape() != y.getShape())
    return emitOpError() << "(C1) expected a result of shape " << toString(x.getShape())
                         << ", found " << y;
  Type from = x.getElementType(), to = y.getElementType();
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "(C2) expected element types of the same width, found " << from
                         << " and " << to;
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<BitcastOp>(); inner && inner.getX().getType() == getType())
    return inner.getX();
  return {};
}

Value BitcastOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Value x = elements[0];
  Type to = tensorType(getY()).getElementType();
  if (isa<IntegerType>(to))
    to = builder.getIntegerType(to.getIntOrFloatBitWidth());
  if (auto shaped = dyn_cast<ShapedType>(x.getType()))
    to = shaped.clone(to);
  return to == x.getType() ? x : arith::BitcastOp::create(builder, loc, to, x).getResult();
}

// Not by emitElement(): the evaluator holds 16-bit floats as f32, which keeps no payload of a NaN.
LogicalResult BitcastOp::evaluateConstant(ArrayRef<ArrayRef<char>> operands,
                                          MutableArrayRef<char> result) {
  std::memcpy(result.data(), operands[0].data(), result.size());
  return success();
}

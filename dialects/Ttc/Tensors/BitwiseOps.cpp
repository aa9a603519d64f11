// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "dialects/Ttc/Tensors/ElementEmitter.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

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
  Emitter e{builder, loc};
  return e.op<arith::XOrIOp>(elements[0], e.number(elements[0], -1));
}

/// Whether `count`, as an unsigned number, is below the element's width. The machine and arith
/// leave other shifts undefined.
static Value isBelowWidth(Emitter &e, Value count) {
  unsigned width = getElementTypeOrSelf(count.getType()).getIntOrFloatBitWidth();
  return e.cmp(CmpIPredicate::ult, count, e.number(count, width));
}

/// `value` shifted by `count`, or 0 if `count` is too large.
template <typename ShiftOp> static Value shiftOrZero(Emitter &e, Value value, Value count) {
  Value zero = e.number(value, 0), below = isBelowWidth(e, count);
  Value shifted = e.op<ShiftOp>(value, e.select(below, count, zero));
  return e.select(below, shifted, zero);
}

Value ShiftLeftOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  return shiftOrZero<arith::ShLIOp>(e, elements[0], elements[1]);
}

Value ShiftRightOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  Emitter e{builder, loc};
  Type type = tensorType(getA()).getElementType();
  if (type.isUnsignedInteger())
    return shiftOrZero<arith::ShRUIOp>(e, elements[0], elements[1]);
  Value most = e.number(elements[1], type.getIntOrFloatBitWidth() - 1);
  return e.op<arith::ShRSIOp>(elements[0], e.op<arith::MinUIOp>(elements[1], most));
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
  llvm::copy(operands[0], result.data());
  return success();
}

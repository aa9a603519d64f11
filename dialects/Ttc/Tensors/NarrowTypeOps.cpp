// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/NarrowTypeOps.h"
#include "dialects/Ttc/Tensors/NarrowFloats.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

Value DecodeFloatOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return emitDecodeFloat(builder, loc, elements[0], cast<FloatType>(getFormat()));
}

Value EncodeFloatOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return emitEncodeFloat(builder, loc, elements[0], cast<FloatType>(getFormat()), getSaturate(),
                         getRounding());
}

LogicalResult WrapIntegerOp::verify() {
  const auto width = static_cast<int64_t>(getWidth());
  if (width < 1 || width > 7)
    return emitOpError() << "(C1) expected 'width' from 1 to 7, found " << width;
  return success();
}

Value WrapIntegerOp::emitElement(OpBuilder &builder, Location loc, ValueRange elements) {
  return emitWrapInteger(builder, loc, elements[0], getWidth(),
                         tensorType(getX()).getElementType().isUnsignedInteger());
}

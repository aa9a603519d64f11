// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluationFolder.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::ttc;

#include "dialects/Ttc/TtcDialect.cpp.inc"

void TtcDialect::initialize() {
  registerAttributes();
  registerTypes();
#define TTC_OP_FAMILY(name) register##name(*this);
#include "dialects/Ttc/OpFamilies.inc"
#undef TTC_OP_FAMILY
  addInterfaces<ConstantEvaluationFolder>();
}

Operation *TtcDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

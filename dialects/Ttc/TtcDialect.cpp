// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantFolder.h"
#include "dialects/Ttc/TtcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

#include "dialects/Ttc/TtcDialect.cpp.inc"
#include "dialects/Ttc/TtcEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Ttc/TtcAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Ttc/TtcTypes.cpp.inc"

void TtcDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Ttc/TtcAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Ttc/TtcTypes.cpp.inc"
      >();
  registerTtcDialectOperations(this);
  addInterfaces<ConstantFolder>();
}

Operation *TtcDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

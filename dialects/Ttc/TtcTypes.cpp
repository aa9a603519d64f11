// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

#define GET_TYPEDEF_CLASSES
#include "dialects/Ttc/TtcTypes.cpp.inc"

void TtcDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Ttc/TtcTypes.cpp.inc"
      >();
}

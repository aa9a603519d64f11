// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_SPLITDEEPPRODUCTS_H
#define TTC_LIB_TRANSFORMS_SPLITDEEPPRODUCTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ttc {

/// Divides the depth of products below `root` whose right operand is packed while they run: a panel
/// of it is in a core's scratch. `isPacked` tells of which operands it is packed ahead.
void splitDeepProducts(Operation *root, llvm::function_ref<bool(Value)> isPacked);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_SPLITDEEPPRODUCTS_H

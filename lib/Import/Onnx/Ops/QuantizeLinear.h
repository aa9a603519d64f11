// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers of ops that two domains have.
#ifndef TTC_LIB_IMPORT_QUANTIZELINEAR_H
#define TTC_LIB_IMPORT_QUANTIZELINEAR_H

#include "mlir/Support/LLVM.h"

namespace mlir::ttc {
class OnnxNode;

LogicalResult importQuantizeLinear(OnnxNode &node);
LogicalResult importDequantizeLinear(OnnxNode &node);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_QUANTIZELINEAR_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_SIGNATURE_H
#define TTC_LIB_TRANSFORMS_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ttc {

/// A function that becomes an entry point takes and gives tensors of static shape; else an error
/// that names the first argument or result that is none.
inline LogicalResult verifySignature(func::FuncOp function) {
  auto check = [&](StringRef what, TypeRange types) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        return emitError(function.getLoc())
               << "expected arguments and results of function @" << function.getSymName()
               << " to be tensors of static shape, found " << what << " " << index << " to be "
               << type;
    }
    return success();
  };
  return success(succeeded(check("argument", function.getArgumentTypes())) &&
                 succeeded(check("result", function.getResultTypes())));
}

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_SIGNATURE_H

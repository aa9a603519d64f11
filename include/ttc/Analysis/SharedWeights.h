// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of several functions that multiply by the same constant weights, such as those of the
// variants of one model: a bundle stores the weights in one packed form for all of them.
#ifndef TTC_ANALYSIS_SHAREDWEIGHTS_H
#define TTC_ANALYSIS_SHAREDWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// Ops of kinds whose weights are packed, by those that need them in one form. All of these are in
/// more than one function. In the order of the module.
SmallVector<SmallVector<Operation *>> getSharingOps(ModuleOp module);

/// The rows of the result of such an op.
int64_t getRowsOfWeights(Operation *op);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_SHAREDWEIGHTS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, for the handlers of other control flow.
#ifndef TTC_LIB_IMPORT_STABLEHLO_LOOPOPS_H
#define TTC_LIB_IMPORT_STABLEHLO_LOOPOPS_H

#include "lib/Import/Stablehlo/Core/StablehloOp.h"

namespace mlir::ttc {

/// The body of the function that the op calls, or null.
Block *findCallee(Operation *op);

/// Whether the block, a body in it or a called function has a loop.
bool hasLoop(Block &block, unsigned depth = 0);

/// The values of a branch that is computed only if `condition` holds, else `otherwise`: a loop of
/// at most one step. A branch with a loop might not end for values with which it is not taken.
FailureOr<SmallVector<Value>> importIfTaken(StablehloOp &op, unsigned branch, Value condition,
                                            ArrayRef<Value> otherwise);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_LOOPOPS_H

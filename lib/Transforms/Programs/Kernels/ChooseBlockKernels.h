// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_CHOOSEBLOCKKERNELS_H
#define TTC_LIB_TRANSFORMS_CHOOSEBLOCKKERNELS_H

#include "mlir/IR/PatternMatch.h"
#include "ttc/Support/Cpu.h"

namespace mlir::ttc {

/// The patterns that choose kernels for ops on constant weights in blocks.
void populateBlockKernelPatterns(RewritePatternSet &patterns, const CpuTarget &target);

/// Fails, with a diagnostic at the op, if an op on weights in blocks is left: nothing else computes
/// it.
LogicalResult verifyBlockKernels(Operation *root);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_CHOOSEBLOCKKERNELS_H

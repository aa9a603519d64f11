// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_CHOOSEINTKERNELS_H
#define TTC_LIB_TRANSFORMS_CHOOSEINTKERNELS_H

#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/PatternMatch.h"
#include "ttc/Support/Cpu.h"
#include <functional>

namespace mlir::ttc {

/// The instructions of the target that sum products of bytes.
ByteDot chooseByteDot(const CpuTarget &target);

/// The patterns that choose kernels for products of integers on channels-last images and matrices.
/// `getRows` returns the number of rows that the tile for an op is chosen by.
void populateIntKernelPatterns(RewritePatternSet &patterns, const CpuTarget &target,
                               const std::function<int64_t(Operation *)> &getRows);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_CHOOSEINTKERNELS_H

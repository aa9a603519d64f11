// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_CHOOSEINTKERNELS_H
#define TTC_LIB_TRANSFORMS_CHOOSEINTKERNELS_H

#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/PatternMatch.h"
#include "ttc/Analysis/GemmPlan.h"
#include "ttc/Support/Cpu.h"
#include <functional>

namespace mlir::ttc {

/// The instructions of the target that sum products of bytes.
ByteDot chooseByteDot(const CpuTarget &target);

/// The tile of a product of integers with this number of columns.
using ChooseIntTile = std::function<GemmTile(Operation *, int64_t columns)>;

/// The patterns that choose kernels for products of integers on channels-last images and matrices.
void populateIntKernelPatterns(RewritePatternSet &patterns, const CpuTarget &target,
                               const ChooseIntTile &chooseTile);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_CHOOSEINTKERNELS_H

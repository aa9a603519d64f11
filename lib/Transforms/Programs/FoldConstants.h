// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H
#define TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::ttc {

/// Patterns that gather what is constant, so that more can be evaluated.
void populateFoldConstantsPatterns(RewritePatternSet &patterns);

/// How many bytes larger than twice its operands the result of an op may be, unless asked
/// otherwise.
inline constexpr int64_t defaultMaxGrowth = 1 << 20;

/// Whether evaluating an op saves more than its larger result costs (a constant that is
/// expanded would be read from memory where it now comes for nothing).
bool isWorthEvaluating(Operation *op, int64_t maxGrowth = defaultMaxGrowth);

/// Whether `--ttc-fold-constants` is going to evaluate the op.
bool isFoldable(Operation *op);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H

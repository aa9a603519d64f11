// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H
#define TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::ttc {

/// Patterns that gather what is constant, so that more can be evaluated.
void populateFoldConstantsPatterns(RewritePatternSet &patterns);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H

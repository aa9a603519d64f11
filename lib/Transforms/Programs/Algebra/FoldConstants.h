// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H
#define TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H

#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::ttc {

/// The value of a constant expression; on a mesh where devices have different ones, that of each
/// device. Empty if it cannot be evaluated.
SmallVector<ConstantTensor> evaluateOnDevices(Operation *root);

/// Patterns that gather what is constant, so that more can be evaluated. None reassociates. A scale
/// or a bias joins weights under the conditions that the pass states.
void populateFoldConstantsPatterns(RewritePatternSet &patterns);

/// Patterns that read one part of a value whose parts along a dimension are equal.
void populateFoldRepetitionPatterns(RewritePatternSet &patterns);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_FOLDCONSTANTS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_TENSORS_EMPTYTENSORS_H
#define TTC_DIALECTS_TTC_TENSORS_EMPTYTENSORS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::ttc {

/// Canonicalisations that remove tensors without elements.
void populateEmptyTensorPatterns(RewritePatternSet &patterns);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TENSORS_EMPTYTENSORS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTEVALUATIONFOLDER_H
#define TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTEVALUATIONFOLDER_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FoldInterfaces.h"

namespace mlir::ttc {

/// Folds every op of the dialect that can be evaluated and whose operands are small constants, such
/// as the shape arithmetic of models. Large constants are left to --ttc-fold-constants, which keeps
/// no copies of intermediate results.
class ConstantEvaluationFolder : public DialectFoldInterface {
public:
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, ArrayRef<Attribute> operands,
                     SmallVectorImpl<OpFoldResult> &results) const override;
};

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTEVALUATIONFOLDER_H

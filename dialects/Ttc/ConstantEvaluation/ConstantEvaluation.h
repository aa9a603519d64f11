// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTEVALUATION_H
#define TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTEVALUATION_H

#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "mlir/IR/Operation.h"

namespace mlir::ttc {

/// Whether evaluateConstant() supports this kind of op: an elementwise op or one that implements
/// ConstantEvaluableOpInterface.
bool isConstantEvaluable(Operation *op);

/// Whether the value becomes a constant once all evaluable ops are evaluated.
bool isConstantExpression(Value value);

/// Computes the one result of an evaluable op from the elements of its operands. Uses all threads
/// of the context for large tensors.
FailureOr<ConstantTensor> evaluateConstant(Operation *op, ArrayRef<ConstantTensor> operands);

/// Computes the result of an elementwise op by running what it emits, block by block.
/// Fails for an unsupported op or type.
LogicalResult evaluateElementwise(Operation *op, ArrayRef<ConstantTensor> operands,
                                  ConstantTensor &result);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTEVALUATION_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluationFolder.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::ttc;

/// The largest tensor that is folded, in elements.
static constexpr int64_t maxElements = 4096;

static bool isSmall(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= maxElements;
}

LogicalResult ConstantEvaluationFolder::fold(Operation *op, ArrayRef<Attribute> operands,
                                             SmallVectorImpl<OpFoldResult> &results) const {
  if (operands.empty() || op->getNumResults() != 1 || !isConstantEvaluable(op) ||
      !isSmall(op->getResult(0).getType()) || !llvm::all_of(op->getOperandTypes(), isSmall))
    return failure();
  SmallVector<ConstantTensor> constants;
  for (Attribute operand : operands) {
    auto elements = dyn_cast_or_null<ElementsAttr>(operand);
    if (!isa_and_nonnull<DenseElementsAttr, DenseResourceElementsAttr>(elements))
      return failure();
    constants.push_back(ConstantTensor::get(elements));
  }
  FailureOr<ConstantTensor> result = evaluateConstant(op, constants);
  if (failed(result))
    return failure();
  results.push_back(result->toAttr("folded"));
  return success();
}

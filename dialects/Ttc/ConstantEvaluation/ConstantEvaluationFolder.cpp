// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluationFolder.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::ttc;

/// The largest tensor that is folded, in elements.
static constexpr int64_t maxElements = 4096;

static bool isSmall(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= maxElements;
}

/// A constant that is named after its contents, and made once for each: equal steps of an unrolled
/// network fold to equal constants, and MLIR tries all numbers for a name that is taken.
static ElementsAttr makeShared(const ConstantTensor &tensor) {
  StringRef bytes(tensor.getBytes().data(), tensor.getBytes().size());
  std::string name = "folded_" + llvm::utohexstr(llvm::xxh3_64bits(bytes), /*LowerCase=*/true);
  auto &manager = DenseResourceElementsHandle::getManagerInterface(tensor.getType().getContext());
  DialectResourceBlobManager::BlobEntry *known = manager.getBlobManager().lookup(name);
  if (AsmResourceBlob *blob = known ? known->getBlob() : nullptr;
      blob && StringRef(blob->getData().data(), blob->getData().size()) == bytes)
    return DenseResourceElementsAttr::get(
        tensor.getType(),
        DenseResourceElementsHandle(known, cast<BuiltinDialect>(manager.getDialect())));
  return tensor.toAttr(name);
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
  results.push_back(makeShared(*result));
  return success();
}

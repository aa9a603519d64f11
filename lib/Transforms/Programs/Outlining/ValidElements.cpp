// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ValidElements.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

using namespace mlir;
using namespace mlir::ttc;

Value mlir::ttc::getValidExtent(Value condition, int64_t size, function_ref<Value(Value)> resolve) {
  condition = resolve(condition);
  while (auto reshape = condition.getDefiningOp<ReshapeOp>())
    condition = resolve(reshape.getX());
  auto compare = condition.getDefiningOp<CompareOp>();
  if (!compare || compare.getPredicate() != ComparePredicate::LT)
    return {};
  auto constant = resolve(compare.getA()).getDefiningOp<ConstantOp>();
  auto numbers = tensorType(compare.getA());
  if (!constant || !numbers.getElementType().isSignlessInteger(32) ||
      numbers.getNumElements() != size || tensorType(compare.getB()).getNumElements() != 1)
    return {};
  std::optional<ArrayRef<char>> bytes = viewConstantBytes(constant.getValue());
  if (!bytes || bytes->size() != size * sizeof(int32_t))
    return {};
  auto *values = reinterpret_cast<const int32_t *>(bytes->data());
  for (int32_t i = 0; i < size; ++i)
    if (values[i] != i)
      return {};
  return resolve(compare.getB());
}

std::optional<int64_t> mlir::ttc::getValidDim(Value condition) {
  std::optional<int64_t> only;
  for (auto [fromLast, size] : llvm::enumerate(llvm::reverse(tensorType(condition).getShape()))) {
    if (size == 1)
      continue;
    if (only)
      return std::nullopt;
    only = fromLast;
  }
  return only;
}

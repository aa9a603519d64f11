// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ttc;

#include "dialects/Ttc/TtcComputeInterfaces.cpp.inc"

bool mlir::ttc::detail::isSplatOf(Value value, double number) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble() == number;
  const auto bits = elements.getSplatValue<APInt>();
  return (elements.getElementType().isUnsignedInteger() ? bits.getZExtValue()
                                                        : bits.getSExtValue()) == number;
}

LogicalResult mlir::ttc::detail::verifyValid(Operation *op) {
  auto kernel = cast<WindowKernelOpInterface>(op);
  MutableOperandRange valid = kernel.getValidMutable();
  for (OpOperand &operand : valid)
    if (cast<RankedTensorType>(operand.get().getType()).getNumElements() != 1)
      return op->emitOpError() << "(W1) expected one element in each of 'valid', found "
                               << operand.get().getType();
  ArrayRef<int64_t> dims = kernel.getValidDims();
  if (dims.empty() && valid.empty())
    return success();
  if (dims.size() != valid.size() ||
      !llvm::is_sorted(dims, [](int64_t a, int64_t b) { return a <= b; }) ||
      llvm::any_of(dims, [&](int64_t dim) { return dim < 0 || dim >= kernel.getNumSpatialDims(); }))
    return op->emitOpError() << "(W2) expected 'valid_dims' to have an ascending spatial dimension "
                                "for each of 'valid', found ["
                             << dims << "] for " << valid.size();
  return success();
}

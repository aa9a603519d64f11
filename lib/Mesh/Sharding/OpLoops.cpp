// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpLoops.h"

using namespace mlir;
using namespace mlir::ttc;

OpLoops::OpLoops(Operation *op) : op(op) {
  auto addValue = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    valid &= type && type.hasStaticShape();
    types.push_back(type);
    exprs.emplace_back(valid ? type.getRank() : 0);
  };
  for (Value operand : op->getOperands())
    addValue(operand);
  for (Value result : op->getResults())
    addValue(result);
}

void OpLoops::broadcast(unsigned value, ArrayRef<int> loops) {
  int64_t rank = getRank(value), offset = static_cast<int64_t>(loops.size()) - rank;
  for (int64_t dim = 0; dim < rank; ++dim)
    set(value, dim, loops[offset + dim]);
}

void OpLoops::finish() {
  for (unsigned value = 0; value < exprs.size(); ++value)
    for (int64_t dim = 0; dim < getRank(value); ++dim)
      if (AffineExpr &expr = exprs[value][dim]; getSize(value, dim) == 1)
        expr = getAffineConstantExpr(0, op->getContext());
      else if (!expr)
        expr = getAffineDimExpr(addWhole(), op->getContext());
}

bool mlir::ttc::describeElementwise(OpLoops &loops) {
  if (!isa<ElementwiseOpInterface>(loops.op))
    return false;
  SmallVector<int> dims;
  for (int64_t dim = 0; dim < loops.getRank(loops.getResult()); ++dim)
    dims.push_back(loops.addParallel());
  for (unsigned value = 0; value < loops.exprs.size(); ++value)
    loops.broadcast(value, dims);
  return true;
}

std::optional<OpLoops> mlir::ttc::describeLoops(Operation *op) {
  OpLoops loops(op);
  if (!loops.isValid() || op->getNumResults() == 0)
    return std::nullopt;
  // Quantisation with scales along an axis is elementwise in form, but its scales are not aligned
  // at the last dimension; the families handle that.
  describeDecoder(loops) || describeMovement(loops) || describeProduct(loops) ||
      describeAlongDimensions(loops) || describeElementwise(loops);
  loops.finish();
  return loops;
}

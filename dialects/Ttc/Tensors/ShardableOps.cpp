// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitions of operands for a partition of the result.
#include "dialects/Ttc/Tensors/DataMovementOps.h"

using namespace mlir;
using namespace mlir::ttc;

bool mlir::ttc::getOperandPartitions(Operation *op, ArrayRef<int64_t> parts,
                                     SmallVectorImpl<SmallVector<int64_t>> &partitions) {
  partitions.clear();
  if (op->getNumResults() != 1)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValue().isSplat() ||
           llvm::all_of(parts, [](int64_t count) { return count == 1; });
  if (!isa<ElementwiseOpInterface>(op) && !op->hasTrait<Shardable>())
    return false;
  const DimensionMap map = getDimensionMap(op);
  // The dimension of the result that each loop partitions.
  SmallVector<int64_t> dims(map.getLoops().size(), -1);
  for (auto [dim, count] : llvm::enumerate(parts)) {
    int loop = map.getLeading(map.getResult(), dim);
    if (count == 1)
      continue;
    if (loop < 0 || map.getLoops()[loop].kind != LoopKind::Parallel ||
        !map.getLoops()[loop].isDivisible || map.getLoops()[loop].size % count != 0)
      return false;
    dims[loop] = dim;
  }
  for (unsigned operand = 0; operand < map.getResult(); ++operand) {
    SmallVector<int64_t> &partition = partitions.emplace_back();
    for (int64_t dim = 0; dim < map.getRank(operand); ++dim) {
      int loop = map.getLeading(operand, dim);
      partition.push_back(loop < 0 ? -1 : dims[loop]);
    }
  }
  return true;
}

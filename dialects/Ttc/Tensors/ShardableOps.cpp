// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ShardableOpInterface: partitions of operands for a partition of the result.
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"

using namespace mlir;
using namespace mlir::ttc;

using Partitions = SmallVectorImpl<SmallVector<int64_t>>;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// `operand` is not partitioned.
static SmallVector<int64_t> whole(Value operand) {
  return SmallVector<int64_t>(shapeOf(operand).size(), -1);
}

static SmallVector<int64_t> allDims(size_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

/// An operand that broadcasts to a result of `rank`: its dimensions are aligned at the last one.
static SmallVector<int64_t> broadcastDims(Value operand, size_t rank) {
  SmallVector<int64_t> partition;
  ArrayRef<int64_t> shape = shapeOf(operand);
  for (auto [i, size] : llvm::enumerate(shape))
    partition.push_back(size == 1 ? -1 : static_cast<int64_t>(rank - shape.size() + i));
  return partition;
}

static bool isPartitioned(ArrayRef<int64_t> parts, int64_t first, int64_t last) {
  return llvm::any_of(parts.slice(first, last - first), [](int64_t count) { return count != 1; });
}

//===--- any op -----------------------------------------------------------------------===//

bool mlir::ttc::getOperandPartitions(Operation *op, ArrayRef<int64_t> parts,
                                     Partitions &partitions) {
  partitions.clear();
  if (op->getNumResults() != 1)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    auto constant = dyn_cast<ConstantOp>(op);
    return constant && (constant.getValue().isSplat() || !isPartitioned(parts, 0, parts.size()));
  }
  if (isa<ElementwiseOpInterface>(op)) {
    for (Value operand : op->getOperands())
      partitions.push_back(broadcastDims(operand, parts.size()));
  } else if (auto shardable = dyn_cast<ShardableOpInterface>(op)) {
    if (!shardable.getOperandPartitions(parts, partitions))
      return false;
  } else {
    return false;
  }
  for (auto [operand, partition] : llvm::zip_equal(op->getOperands(), partitions))
    for (auto [size, dim] : llvm::zip_equal(shapeOf(operand), partition)) {
      if (dim >= 0 && parts[dim] == 1)
        dim = -1;
      if (dim >= 0 && size % parts[dim] != 0)
        return false;
    }
  return true;
}

//===--- along dimensions -------------------------------------------------------------===//

bool SoftmaxOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  partitions.push_back(allDims(parts.size()));
  return parts[getAxis()] == 1;
}
bool LogSoftmaxOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  partitions.push_back(allDims(parts.size()));
  return parts[getAxis()] == 1;
}

bool LayerNormOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  partitions.push_back(allDims(parts.size()));
  for (Value operand : (*this)->getOperands().drop_front())
    partitions.push_back(whole(operand));
  return !isPartitioned(parts, getAxis(), parts.size());
}

/// Reduced dimensions are not partitioned; a dimension that remains with size 1 cannot be anyway.
static void partitionReduced(Value x, ArrayRef<int64_t> axes, bool keepdims,
                             Partitions &partitions) {
  SmallVector<int64_t> result;
  int64_t next = 0;
  for (int64_t i = 0, rank = shapeOf(x).size(); i < rank; ++i) {
    bool isReduced = llvm::is_contained(axes, i);
    result.push_back(isReduced ? -1 : next);
    next += !isReduced || keepdims;
  }
  partitions.push_back(result);
}

#define TTC_PARTITION_REDUCTION(OP)                                                                \
  bool OP::getOperandPartitions(ArrayRef<int64_t>, Partitions &partitions) {                       \
    partitionReduced(getX(), getAxes(), getKeepdims(), partitions);                                \
    return true;                                                                                   \
  }
TTC_PARTITION_REDUCTION(ReduceSumOp)
TTC_PARTITION_REDUCTION(ReduceMeanOp)
TTC_PARTITION_REDUCTION(ReduceMaxOp)
TTC_PARTITION_REDUCTION(ReduceMinOp)
TTC_PARTITION_REDUCTION(ReduceProdOp)
#undef TTC_PARTITION_REDUCTION

bool ArgmaxOp::getOperandPartitions(ArrayRef<int64_t>, Partitions &partitions) {
  partitionReduced(getX(), {getAxis()}, getKeepdims(), partitions);
  return true;
}
bool ArgminOp::getOperandPartitions(ArrayRef<int64_t>, Partitions &partitions) {
  partitionReduced(getX(), {getAxis()}, getKeepdims(), partitions);
  return true;
}

bool TransposeOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  SmallVector<int64_t> result(parts.size());
  for (auto [i, source] : llvm::enumerate(getPermutation()))
    result[source] = i;
  partitions.push_back(result);
  return true;
}

bool ConcatOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  partitions.assign(getInputs().size(), allDims(parts.size()));
  return parts[getAxis()] == 1;
}

//===--- products ---------------------------------------------------------------------===//

/// An operand of a batched product. Batch dimensions broadcast; `row` and `col` name the dimensions
/// of the result that the operand's last two are partitioned with.
static SmallVector<int64_t> partitionMatrix(Value operand, int64_t rank, int64_t row, int64_t col) {
  SmallVector<int64_t> result = broadcastDims(operand, rank);
  result[result.size() - 2] = row;
  result[result.size() - 1] = col;
  return result;
}

bool MatmulOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  int64_t rank = parts.size(), row = rank - 2, col = rank - 1;
  partitions.push_back(getTransposeA() ? partitionMatrix(getA(), rank, -1, row)
                                       : partitionMatrix(getA(), rank, row, -1));
  partitions.push_back(getTransposeB() ? partitionMatrix(getB(), rank, col, -1)
                                       : partitionMatrix(getB(), rank, -1, col));
  if (getBias())
    partitions.push_back(broadcastDims(getBias(), rank));
  return true;
}

/// Whether each pixel of a convolution's result depends on one pixel of its operand.
static bool isPointwise(KernelGemmOp op) {
  auto all = [](std::optional<ArrayRef<int64_t>> values, int64_t expected) {
    return !values || llvm::all_of(*values, [=](int64_t value) { return value == expected; });
  };
  return all(op.getKernel(), 1) && all(op.getStrides(), 1) && all(op.getPads(), 0) &&
         all(op.getInputDilation(), 1);
}

bool KernelGemmOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  int64_t rank = parts.size(), col = rank - 1;
  // Views apply to the whole tensor; only dimensions that they leave alone can be partitioned.
  if (getResultView())
    return false;
  bool partitionsA = isPartitioned(parts, 0, col), partitionsColumns = parts[col] != 1;
  if (getAView() && partitionsA)
    return false;
  if (getKernel()) {
    if (isPartitioned(parts, 1, col) && !isPointwise(*this))
      return false; // the window reaches into the neighbour
    SmallVector<int64_t> a = allDims(rank);
    a.back() = -1;
    partitions.push_back(getAView() ? whole(getA()) : a);
  } else {
    partitions.push_back(getAView() ? whole(getA()) : partitionMatrix(getA(), rank, col - 1, -1));
  }
  if (getPacked()) {
    // Complete panels of columns.
    SmallVector<int64_t> b = whole(getB());
    b[1] = col;
    partitions.push_back(b);
    int64_t columns = getResult().getType().getShape().back();
    return !partitionsColumns || (getGroups() == 1 && columns % (parts[col] * getTile()[1]) == 0);
  }
  if (getBView()) {
    partitions.push_back(whole(getB()));
    return !partitionsColumns && !isPartitioned(parts, 0, col - 1);
  }
  partitions.push_back(partitionMatrix(getB(), rank, -1, col));
  return true;
}

/// Images and channels are independent, pixels are not.
static bool partitionImages(ArrayRef<int64_t> parts, Partitions &partitions) {
  partitions.push_back(allDims(parts.size()));
  return !isPartitioned(parts, 1, parts.size() - 1);
}

bool KernelDepthwiseConvOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  bool isPossible = partitionImages(parts, partitions);
  partitions.push_back({-1, static_cast<int64_t>(parts.size()) - 1});
  return isPossible;
}

bool KernelPoolOp::getOperandPartitions(ArrayRef<int64_t> parts, Partitions &partitions) {
  return partitionImages(parts, partitions);
}

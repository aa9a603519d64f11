// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ShardableOpInterface: partitions of operands for a partition of the result.
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/TtcOps.h"

using namespace mlir;
using namespace mlir::ttc;

using Cuts = SmallVectorImpl<SmallVector<int64_t>>;

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
  SmallVector<int64_t> cuts;
  ArrayRef<int64_t> shape = shapeOf(operand);
  for (auto [i, size] : llvm::enumerate(shape))
    cuts.push_back(size == 1 ? -1 : static_cast<int64_t>(rank - shape.size() + i));
  return cuts;
}

static bool isCut(ArrayRef<int64_t> parts, int64_t first, int64_t last) {
  return llvm::any_of(parts.slice(first, last - first), [](int64_t count) { return count != 1; });
}

//===--- any op -----------------------------------------------------------------------===//

bool mlir::ttc::getOperandCuts(Operation *op, ArrayRef<int64_t> parts, Cuts &cuts) {
  cuts.clear();
  if (op->getNumResults() != 1)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    auto constant = dyn_cast<ConstantOp>(op);
    return constant && (constant.getValue().isSplat() || !isCut(parts, 0, parts.size()));
  }
  if (isa<ElementwiseOpInterface>(op)) {
    for (Value operand : op->getOperands())
      cuts.push_back(broadcastDims(operand, parts.size()));
  } else if (auto shardable = dyn_cast<ShardableOpInterface>(op)) {
    if (!shardable.getOperandCuts(parts, cuts))
      return false;
  } else {
    return false;
  }
  for (auto [operand, operandCuts] : llvm::zip_equal(op->getOperands(), cuts))
    for (auto [size, cut] : llvm::zip_equal(shapeOf(operand), operandCuts)) {
      if (cut >= 0 && parts[cut] == 1)
        cut = -1;
      if (cut >= 0 && size % parts[cut] != 0)
        return false;
    }
  return true;
}

//===--- along dimensions -------------------------------------------------------------===//

bool SoftmaxOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  cuts.push_back(allDims(parts.size()));
  return parts[getAxis()] == 1;
}
bool LogSoftmaxOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  cuts.push_back(allDims(parts.size()));
  return parts[getAxis()] == 1;
}

bool LayerNormOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  cuts.push_back(allDims(parts.size()));
  for (Value operand : (*this)->getOperands().drop_front())
    cuts.push_back(whole(operand));
  return !isCut(parts, getAxis(), parts.size());
}

/// Reduced dimensions are not partitioned; a dimension that remains with size 1 cannot be anyway.
static void cutReduced(Value x, ArrayRef<int64_t> axes, bool keepdims, Cuts &cuts) {
  SmallVector<int64_t> result;
  int64_t next = 0;
  for (int64_t i = 0, rank = shapeOf(x).size(); i < rank; ++i) {
    bool isReduced = llvm::is_contained(axes, i);
    result.push_back(isReduced ? -1 : next);
    next += !isReduced || keepdims;
  }
  cuts.push_back(result);
}

#define TTC_CUT_REDUCTION(OP)                                                                      \
  bool OP::getOperandCuts(ArrayRef<int64_t>, Cuts &cuts) {                                         \
    cutReduced(getX(), getAxes(), getKeepdims(), cuts);                                            \
    return true;                                                                                   \
  }
TTC_CUT_REDUCTION(ReduceSumOp)
TTC_CUT_REDUCTION(ReduceMeanOp)
TTC_CUT_REDUCTION(ReduceMaxOp)
TTC_CUT_REDUCTION(ReduceMinOp)
TTC_CUT_REDUCTION(ReduceProdOp)
#undef TTC_CUT_REDUCTION

bool ArgmaxOp::getOperandCuts(ArrayRef<int64_t>, Cuts &cuts) {
  cutReduced(getX(), {getAxis()}, getKeepdims(), cuts);
  return true;
}
bool ArgminOp::getOperandCuts(ArrayRef<int64_t>, Cuts &cuts) {
  cutReduced(getX(), {getAxis()}, getKeepdims(), cuts);
  return true;
}

bool TransposeOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  SmallVector<int64_t> result(parts.size());
  for (auto [i, source] : llvm::enumerate(getPermutation()))
    result[source] = i;
  cuts.push_back(result);
  return true;
}

bool ConcatOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  cuts.assign(getInputs().size(), allDims(parts.size()));
  return parts[getAxis()] == 1;
}

//===--- products ---------------------------------------------------------------------===//

/// An operand of a batched product. Batch dimensions broadcast; `row` and `col` name the dimensions
/// of the result that the operand's last two are partitioned with.
static SmallVector<int64_t> cutMatrix(Value operand, int64_t rank, int64_t row, int64_t col) {
  SmallVector<int64_t> result = broadcastDims(operand, rank);
  result[result.size() - 2] = row;
  result[result.size() - 1] = col;
  return result;
}

bool MatmulOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  int64_t rank = parts.size(), row = rank - 2, col = rank - 1;
  cuts.push_back(getTransposeA() ? cutMatrix(getA(), rank, -1, row)
                                 : cutMatrix(getA(), rank, row, -1));
  cuts.push_back(getTransposeB() ? cutMatrix(getB(), rank, col, -1)
                                 : cutMatrix(getB(), rank, -1, col));
  if (getBias())
    cuts.push_back(broadcastDims(getBias(), rank));
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

bool KernelGemmOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  int64_t rank = parts.size(), col = rank - 1;
  // Views apply to the whole tensor; only dimensions that they leave alone can be partitioned.
  if (getResultView())
    return false;
  bool cutsA = isCut(parts, 0, col), cutsColumns = parts[col] != 1;
  if (getAView() && cutsA)
    return false;
  if (getKernel()) {
    if (isCut(parts, 1, col) && !isPointwise(*this))
      return false; // the window reaches into the neighbour
    SmallVector<int64_t> a = allDims(rank);
    a.back() = -1;
    cuts.push_back(getAView() ? whole(getA()) : a);
  } else {
    cuts.push_back(getAView() ? whole(getA()) : cutMatrix(getA(), rank, col - 1, -1));
  }
  if (getPacked()) {
    // Complete panels of columns.
    SmallVector<int64_t> b = whole(getB());
    b[1] = col;
    cuts.push_back(b);
    int64_t columns = getResult().getType().getShape().back();
    return !cutsColumns || (getGroups() == 1 && columns % (parts[col] * getTile()[1]) == 0);
  }
  if (getBView()) {
    cuts.push_back(whole(getB()));
    return !cutsColumns && !isCut(parts, 0, col - 1);
  }
  cuts.push_back(cutMatrix(getB(), rank, -1, col));
  return true;
}

/// Images and channels are independent, pixels are not.
static bool cutImages(ArrayRef<int64_t> parts, Cuts &cuts) {
  cuts.push_back(allDims(parts.size()));
  return !isCut(parts, 1, parts.size() - 1);
}

bool KernelDepthwiseConvOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  bool isPossible = cutImages(parts, cuts);
  cuts.push_back({-1, static_cast<int64_t>(parts.size()) - 1});
  return isPossible;
}

bool KernelPoolOp::getOperandCuts(ArrayRef<int64_t> parts, Cuts &cuts) {
  return cutImages(parts, cuts);
}

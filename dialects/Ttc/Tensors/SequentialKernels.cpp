// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the sequential ops call their kernels. Constants are evaluated by the same code.
#include "dialects/Ttc/ConstantEvaluation/SeparableCopy.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "kernels/Argsort.h"
#include "kernels/Cumulative.h"
#include "kernels/Determinant.h"
#include "kernels/NonMaxSuppression.h"
#include "kernels/Scatter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace ::ttc::kernels;

static_assert(static_cast<int64_t>(ScatterReduction::Min) == kScatterMin);
static_assert(static_cast<int64_t>(CumulativeKind::Prod) == kCumulativeProd);

using Bytes = ArrayRef<char>;
using MutableBytes = MutableArrayRef<char>;

static int64_t getElementKind(Value value) {
  Type type = tensorType(value).getElementType();
  if (type.isF32())
    return kF32;
  if (type.isF64())
    return kF64;
  if (type.isF16())
    return kF16;
  if (type.isBF16())
    return kBF16;
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  switch (type.getIntOrFloatBitWidth()) {
  case 64:
    return isUnsigned ? kU64 : kI64;
  case 32:
    return isUnsigned ? kU32 : kI32;
  case 16:
    return isUnsigned ? kU16 : kI16;
  default:
    return isUnsigned ? kU8 : kI8;
  }
}

/// Runs a kernel of kernels/ in the compiler.
template <typename Run>
static LogicalResult evaluateByKernel(KernelOpInterface op, ArrayRef<Bytes> operands,
                                      MutableBytes result, Run run) {
  if (result.empty())
    return success();
  SmallVector<void *> addresses;
  for (Bytes operand : operands)
    addresses.push_back(const_cast<char *>(operand.data()));
  addresses.push_back(result.data());
  SmallVector<int64_t> params;
  op.getKernelParams(params);
  // Aligned for every type that kernels hold in scratch.
  std::vector<unsigned __int128> scratch(op.getScratchBytes() / sizeof(unsigned __int128) + 1);
  for (int64_t workgroup = 0, e = op.getGrid(); workgroup < e; ++workgroup)
    run(addresses.data(), reinterpret_cast<uint8_t *>(scratch.data()), workgroup, params.data());
  return success();
}

#define TTC_SEQUENTIAL_OP(OP, NAME, RUN, PARAMS)                                                   \
  StringRef OP::getKernelSymbol() { return "ttc_kernel_" NAME; }                                   \
  void OP::getKernelParams(SmallVectorImpl<int64_t> &params) {                                     \
    appendParams(PARAMS(*this), params);                                                           \
  }                                                                                                \
  bool OP::hasEpilogue() { return false; }                                                         \
  LogicalResult OP::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {              \
    return evaluateByKernel(*this, operands, result,                                               \
                            [](auto... arguments) { RUN(arguments...); });                         \
  }

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// What both scatters share, with `vectors`, `length` and `slice` set.
template <typename OpTy> static ScatterParams finishScatter(OpTy op, ScatterParams p) {
  auto data = tensorType(op.getData());
  p.element = getElementKind(op.getData());
  p.mode = static_cast<int64_t>(op.getReduction());
  p.indexBytes = tensorType(op.getIndices()).getElementTypeBitWidth() / 8;
  p.total = data.getNumElements();
  // A copied element costs about as much as eight multiply-adds, an index four times that.
  int64_t copies = 8 * p.total, walk = p.vectors * (32 * p.length + 8 * p.slice);
  p.splits = std::min(chooseWorkgroups(op, copies + walk), p.total);
  if (p.rows > 1)
    p.splits = std::min(p.splits, p.rows);
  else // Every workgroup walks all indices.
    p.splits = std::min(p.splits, 1 + copies / std::max<int64_t>(walk, 1));
  return p;
}

static ScatterParams getScatterParams(ScatterElementsOp op) {
  ScatterParams p{};
  auto data = tensorType(op.getData()), indices = tensorType(op.getIndices());
  SmallVector<int64_t> strides = mlir::ttc::detail::getRowMajorStrides(data.getShape());
  int64_t axis = op.getAxis();
  p.vectors = indices.getNumElements();
  p.length = p.slice = 1;
  p.dims[0] = data.getDimSize(axis);
  p.strides[0] = strides[axis];
  p.rank = data.getRank();
  for (int64_t d = 0; d < p.rank; ++d) {
    p.shape[d] = indices.getDimSize(d);
    p.shapeStrides[d] = d == axis ? 0 : strides[d];
  }
  p.rows = axis > 0 ? data.getDimSize(0) : 1;
  p.rowVectors = p.vectors / std::max<int64_t>(indices.getDimSize(0), 1);
  return finishScatter(op, p);
}

static ScatterParams getScatterParams(ScatterNdOp op) {
  ScatterParams p{};
  auto data = tensorType(op.getData()), indices = tensorType(op.getIndices());
  SmallVector<int64_t> strides = mlir::ttc::detail::getRowMajorStrides(data.getShape());
  p.length = indices.getShape().back();
  p.vectors = indices.getNumElements() / p.length;
  p.slice = llvm::product_of(data.getShape().drop_front(p.length));
  for (int64_t i = 0; i < p.length; ++i) {
    p.dims[i] = data.getDimSize(i);
    p.strides[i] = strides[i];
  }
  p.rows = 1;
  return finishScatter(op, p);
}

TTC_SEQUENTIAL_OP(ScatterElementsOp, "scatter", scatter, getScatterParams)
std::optional<unsigned> ScatterElementsOp::getUpdatedOperand(unsigned) { return 0; }
int64_t ScatterElementsOp::getGrid() { return getScatterParams(*this).splits; }
int64_t ScatterElementsOp::getScratchBytes() { return 0; }

TTC_SEQUENTIAL_OP(ScatterNdOp, "scatter", scatter, getScatterParams)
std::optional<unsigned> ScatterNdOp::getUpdatedOperand(unsigned) { return 0; }
int64_t ScatterNdOp::getGrid() { return getScatterParams(*this).splits; }
int64_t ScatterNdOp::getScratchBytes() { return 0; }

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

/// The fields of a walk along `axis`.
template <typename Params, typename OpTy> static Params getWalkParams(OpTy op) {
  Params p{};
  auto x = tensorType(op.getX());
  p.element = getElementKind(op.getX());
  p.outer = llvm::product_of(x.getShape().take_front(op.getAxis()));
  p.size = x.getDimSize(op.getAxis());
  p.inner = llvm::product_of(x.getShape().drop_front(op.getAxis() + 1));
  return p;
}

static CumulativeParams getCumulativeParams(CumulativeOp op) {
  auto p = getWalkParams<CumulativeParams>(op);
  p.mode = static_cast<int64_t>(op.getKind());
  p.exclusive = op.getExclusive();
  p.reverse = op.getReverse();
  // A step waits for the sum before it: some ten multiply-adds.
  int64_t units = p.outer * llvm::divideCeilSigned(p.inner, kCumulativeLanes);
  p.splits = std::min(units, chooseWorkgroups(op, 10 * p.outer * p.size * p.inner));
  return p;
}

TTC_SEQUENTIAL_OP(CumulativeOp, "cumulative", cumulative, getCumulativeParams)
std::optional<unsigned> CumulativeOp::getUpdatedOperand(unsigned) { return std::nullopt; }
int64_t CumulativeOp::getGrid() { return getCumulativeParams(*this).splits; }
int64_t CumulativeOp::getScratchBytes() { return 0; }

static ArgsortParams getArgsortParams(ArgsortOp op) {
  auto p = getWalkParams<ArgsortParams>(op);
  p.count = op.getCount();
  p.largest = op.getLargest();
  // Each element is compared with the heap's first, and some sink: a level costs a cache's latency.
  int64_t rows = p.outer * p.inner, levels = llvm::Log2_64_Ceil(p.count + 1);
  p.splits = std::min(rows, chooseWorkgroups(op, rows * (40 * p.size + 160 * p.count * levels)));
  return p;
}

TTC_SEQUENTIAL_OP(ArgsortOp, "argsort", argsort, getArgsortParams)
std::optional<unsigned> ArgsortOp::getUpdatedOperand(unsigned) { return std::nullopt; }
int64_t ArgsortOp::getGrid() { return getArgsortParams(*this).splits; }
int64_t ArgsortOp::getScratchBytes() {
  // 64-bit elements need words of 128 bits; others are sorted in the result where it has no gaps.
  if (tensorType(getX()).getElementTypeBitWidth() == 64)
    return getCount() * 16;
  return getArgsortParams(*this).inner == 1 ? 0 : getCount() * 8;
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

static NonMaxSuppressionParams getSuppressionParams(NonMaxSuppressionOp op) {
  NonMaxSuppressionParams p{};
  auto scores = tensorType(op.getScores()).getShape();
  p.batches = scores[0];
  p.classes = scores[1];
  p.boxes = scores[2];
  p.centerPoint = op.getCenterPoint();
  p.rows = op.getRows();
  return p;
}

TTC_SEQUENTIAL_OP(NonMaxSuppressionOp, "non_max_suppression", nonMaxSuppression,
                  getSuppressionParams)
std::optional<unsigned> NonMaxSuppressionOp::getUpdatedOperand(unsigned) { return std::nullopt; }
int64_t NonMaxSuppressionOp::getGrid() { return 1; }
int64_t NonMaxSuppressionOp::getScratchBytes() {
  return tensorType(getScores()).getDimSize(2) * static_cast<int64_t>(sizeof(uint64_t));
}

static DeterminantParams getDeterminantParams(DeterminantOp op) {
  DeterminantParams p{};
  auto shape = tensorType(op.getX()).getShape();
  p.element = getElementKind(op.getX());
  p.size = shape.back();
  p.matrices = llvm::product_of(shape.drop_back(2));
  p.splits =
      std::min(p.matrices, chooseWorkgroups(op, p.matrices * p.size * p.size * (p.size + 8)));
  return p;
}

TTC_SEQUENTIAL_OP(DeterminantOp, "determinant", determinant, getDeterminantParams)
std::optional<unsigned> DeterminantOp::getUpdatedOperand(unsigned) { return std::nullopt; }
int64_t DeterminantOp::getGrid() { return getDeterminantParams(*this).splits; }
int64_t DeterminantOp::getScratchBytes() {
  int64_t size = tensorType(getX()).getShape().back();
  return size * size * static_cast<int64_t>(sizeof(double));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc.kernel.attention.
#include "dialects/Ttc/Programs/AttentionOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/OperationCounts.h"
#include "kernels/Budgets.h"
#include "kernels/Params.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;
using kernels::AttentionParams;

namespace {
/// The operands of an attention and its result, in the order of the strides of a batch dimension.
enum Operand { kQ, kK, kV, kMask, kResult, kOperands };
} // namespace

ViewAttr KernelAttentionOp::getViewOrIdentity(unsigned index) {
  std::optional<ViewAttr> views[] = {getQView(), getKView(), getVView(), getResultView()};
  if (views[index])
    return *views[index];
  return ViewAttr::getIdentity(index == 3 ? getResult().getType()
                                          : cast<RankedTensorType>(getOperand(index).getType()));
}

/// The loops: sizes, strides and offsets. Nothing if no strides express a view in its operand's
/// layout, or if there are too many batch dimensions. Without `isStored`, all tensors count as
/// contiguous.
static std::optional<AttentionParams> getLoops(KernelAttentionOp op, bool isStored = true) {
  auto inMemory = [&](ViewAttr view, Value operand) {
    return view.inStrided(isStored ? getOperandStrided(operand) : StridedAttr());
  };
  StridedAttr layout = isStored ? getResultStrided(op) : StridedAttr();
  const ViewAttr logical = op.getViewOrIdentity(3);
  ViewAttr views[kOperands] = {inMemory(op.getViewOrIdentity(0), op.getQ()),
                               inMemory(op.getViewOrIdentity(1), op.getK()),
                               inMemory(op.getViewOrIdentity(2), op.getV()),
                               {},
                               logical.inStrided(layout)};
  if (op.getMask())
    views[kMask] = inMemory(ViewAttr::getIdentity(op.getMask().getType()), op.getMask());
  for (int64_t i = 0; i < kOperands; ++i)
    if (!views[i] && (i != kMask || op.getMask()))
      return std::nullopt;
  SmallVector<BatchDim> batch = getMergedBatch(views);
  if (batch.size() > 3)
    return std::nullopt;

  AttentionParams p{};
  int64_t *strides[kOperands] = {p.qBatch, p.kBatch, p.vBatch, p.maskBatch, p.outBatch};
  llvm::fill(p.batch, 1);
  for (auto [i, dim] : llvm::enumerate(batch)) {
    const size_t at = 3 - batch.size() + i;
    p.batch[at] = dim.size;
    for (int64_t o = 0; o < kOperands; ++o)
      strides[o][at] = dim.strides[o];
  }
  auto strideOf = [&](Operand operand, int64_t fromLast) {
    return views[operand].getStrides()[views[operand].getRank() - fromLast];
  };
  p.rows = logical.getShape()[logical.getRank() - 2];
  p.values = logical.getShape().back();
  p.depth = views[kK].getShape()[views[kK].getRank() - 2];
  p.cols = views[kK].getShape().back();
  p.qOffset = views[kQ].getOffset();
  p.qRow = strideOf(kQ, 2);
  p.qC = strideOf(kQ, 1);
  p.kOffset = views[kK].getOffset();
  p.kK = strideOf(kK, 2);
  p.kN = strideOf(kK, 1);
  p.vOffset = views[kV].getOffset();
  p.vK = strideOf(kV, 2);
  p.vN = strideOf(kV, 1);
  if (ViewAttr mask = views[kMask]) {
    p.hasMask = 1;
    const bool hasRows = mask.getRank() > 1 && mask.getShape()[mask.getRank() - 2] != 1;
    p.maskRow = hasRows ? strideOf(kMask, 2) : 0;
  }
  p.hasKeys = op.getKeys() ? 1 : 0;
  p.nanToZero = op.getNanToZero() ? 1 : 0;
  p.outOffset = views[kResult].getOffset();
  p.outRow = strideOf(kResult, 2);
  p.outPitch = layout ? layout.getPitch() : p.values;
  return p;
}

/// The grid: whole heads first, then panels of rows.
static void chooseSplits(KernelAttentionOp op, AttentionParams &p) {
  const int64_t batch = p.batch[0] * p.batch[1] * p.batch[2];
  // An exp and its neighbours cost about as much as 16 multiply-adds.
  const int64_t wanted = chooseWorkgroups(op, batch * p.rows * p.cols * (p.depth + p.values + 16));
  p.batchSplits = std::min(batch, wanted);
  p.rowSplits = std::clamp<int64_t>(wanted / p.batchSplits, 1, llvm::divideCeil(p.rows, p.nr));
}

/// The size of equal tiles, at most `most`, that leave the fewest elements over.
static int64_t getEvenTile(int64_t size, int64_t most) {
  return llvm::divideCeil(size, llvm::divideCeil(size, most));
}

/// Everything, and the bytes of scratch.
static std::pair<AttentionParams, int64_t> getParams(KernelAttentionOp op) {
  AttentionParams p = *getLoops(op);
  p.scale = static_cast<int64_t>(llvm::bit_cast<uint32_t>(op.getScale().convertToFloat()));
  const int64_t most = op.getTile()[0];
  p.nr = op.getTile()[1];
  p.blockKeys = kernels::kBlockKeys / most * most;
  p.keyTile = getEvenTile(std::min(p.cols, p.blockKeys), most);
  p.rowTile = getEvenTile(std::min(p.rows, p.nr), most);
  // Few columns are one vector of 16, or two of 8.
  p.valueTile = p.values <= 16 ? 16 : p.nr;
  p.panelRows = llvm::alignTo(p.nr, p.rowTile);
  const int64_t keys = std::min(p.cols, p.blockKeys);
  const bool hasSums = p.cols > p.blockKeys;
  p.sumRow = hasSums ? llvm::alignTo(p.values, p.valueTile) : 0;
  chooseSplits(op, p);
  const int64_t ofPanel = (p.depth + 4) * p.nr + p.panelRows * p.sumRow;
  const int64_t panels = llvm::divideCeil(llvm::divideCeil(p.rows, p.nr), p.rowSplits);
  // Without sums, a head's only block is in L2 anyway.
  p.groupPanels =
      hasSums ? getEvenTile(panels, std::max<int64_t>(1, kernels::kPanelsBudget / (ofPanel * 4)))
              : 1;
  p.packsValues = p.vN != 1 || p.values % 16 != 0 || p.groupPanels >= kernels::kPanelsForCopy;
  p.mayMask = hasSums && p.hasMask && p.maskRow;
  int64_t at = 0;
  auto reserve = [&](int64_t elements) {
    const int64_t begin = at;
    at += llvm::alignTo(elements * 4, 64);
    return begin;
  };
  p.queriesAt = reserve(p.groupPanels * p.depth * p.nr);
  p.statesAt = reserve(p.groupPanels * 4 * p.nr);
  p.sumsAt = reserve(p.groupPanels * p.panelRows * p.sumRow);
  // A tile before the block, and the last tile's keys after it; rows of a tile that are no lanes.
  const int64_t scores = llvm::alignTo(keys, p.keyTile) + p.keyTile;
  p.scoresAt = reserve(scores * p.nr + p.panelRows - p.nr);
  p.maskAt = reserve(p.hasMask && p.maskRow ? scores * p.nr : 0);
  p.valuesAt = reserve(p.packsValues ? keys * llvm::alignTo(p.values, p.valueTile) : 0);
  return {p, at};
}

bool KernelAttentionOp::hasLoops() { return getLoops(*this, /*isStored=*/false).has_value(); }

LogicalResult KernelAttentionOp::verify() {
  auto tile = getTile();
  if (tile.size() != 2 || tile[0] < 1 || tile[0] > 14 || (tile[1] != 16 && tile[1] != 32))
    return emitOpError() << "(C1) expected a tile of 1 to 14 rows and 16 or 32 columns, found ["
                         << tile << "]";
  const ViewAttr q = getViewOrIdentity(0), k = getViewOrIdentity(1), v = getViewOrIdentity(2),
                 out = getViewOrIdentity(3);
  const int64_t rank = out.getRank();
  if (rank < 2 || q.getRank() != rank || k.getRank() != rank || v.getRank() != rank)
    return emitOpError() << "(C2) expected q, k, v and the result of one rank, at least 2, found "
                         << q.getRank() << ", " << k.getRank() << ", " << v.getRank() << " and "
                         << rank;
  const int64_t rows = out.getShape()[rank - 2], values = out.getShape().back();
  const int64_t depth = q.getShape().back(), columns = k.getShape().back();
  auto expectMatrix = [&](StringRef name, ViewAttr view, int64_t height,
                          int64_t width) -> LogicalResult {
    auto shape = view.getShape();
    bool matches = shape[rank - 2] == height && shape.back() == width && height > 0 && width > 0;
    for (int64_t i = 0; i < rank - 2; ++i)
      matches &= (shape[i] == 1 || shape[i] == out.getShape()[i]) && shape[i] > 0;
    if (matches)
      return success();
    return emitOpError() << "(C2) expected " << name << " of [" << height << ", " << width
                         << "] for a result of [" << out.getShape() << "], found [" << shape << "]";
  };
  if (failed(expectMatrix("q", q, rows, depth)) || failed(expectMatrix("k", k, depth, columns)) ||
      failed(expectMatrix("v", v, columns, values)))
    return failure();
  if (failed(verifyView(*this, "q_view", q, getQ().getType())) ||
      failed(verifyView(*this, "k_view", k, getK().getType())) ||
      failed(verifyView(*this, "v_view", v, getV().getType())) ||
      failed(verifyResultView(*this, out, getResult().getType())) ||
      failed(verifyResultRows(*this, out)))
    return failure();
  if (getMask()) {
    auto mask = getMask().getType().getShape();
    SmallVector<int64_t> scores(out.getShape().drop_back());
    scores.push_back(columns);
    bool matches =
        !mask.empty() && static_cast<int64_t>(mask.size()) <= rank && mask.back() == columns;
    for (auto [size, whole] : llvm::zip(llvm::reverse(mask), llvm::reverse(scores)))
      matches &= size == 1 || size == whole;
    if (!matches)
      return emitOpError() << "(C4) expected a mask that broadcasts to [" << ArrayRef(scores)
                           << "] and has its last dimension, found [" << mask << "]";
  }
  if (getKeys() && getKeys().getType().getNumElements() != 1)
    return emitOpError() << "(C7) expected 'keys' of one number, found " << getKeys().getType();
  if (!getScale().isFinite())
    return emitOpError() << "(C6) expected a finite scale, found " << getScaleAttr();
  if (!hasLoops())
    return emitOpError("(C5) expected at most three batch dimensions that cannot be merged");
  return success();
}

StringRef KernelAttentionOp::getKernelSymbol() { return "ttc_kernel_attention"; }
void KernelAttentionOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this).first, params);
}
int64_t KernelAttentionOp::getGrid() {
  const AttentionParams p = getParams(*this).first;
  return p.batchSplits * p.rowSplits;
}
int64_t KernelAttentionOp::getScratchBytes() { return getParams(*this).second; }

bool KernelAttentionOp::getBounds(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                                  MutableArrayRef<int64_t> params) {
  auto &p = *reinterpret_cast<AttentionParams *>(params.data());
  SmallVector<BoundedFactors> view = boundView(getViewOrIdentity(3), getResult().getType(), dims);
  view.pop_back(); // the columns of v
  BoundedFactors ofRows = view.back();
  BoundedFactors rows = boundBatch(ofRows, p.rows), batch;
  for (const BoundedFactors &factors : ArrayRef(view).drop_back())
    batch.append(factors);
  BoundedFactors left = batch;
  BoundedFactors found = boundBatch(left, p.batch);
  if (areWhole(found) && areWhole(rows))
    return false;
  p.bounded = 1;
  bounds.append(found);
  bounds.append(rows);
  return true;
}

bool KernelAttentionOp::acceptsStrided(unsigned index, const StridedRange &rows) {
  if (index < 3)
    return canFollowRows(getViewOrIdentity(index), getViewOrIdentity(3), rows);
  return index == getNumOperands() && rows.row == getResult().getType().getShape().back();
}

/// Both products; the scale and the mask; the softmax as ttc.softmax counts it.
int64_t KernelAttentionOp::getOperationCount() {
  using namespace mlir::ttc::detail;
  const ViewAttr q = getViewOrIdentity(0), k = getViewOrIdentity(1), out = getViewOrIdentity(3);
  const int64_t rows = productOf(out.getShape().drop_back());
  const int64_t columns = k.getShape().back();
  const int64_t ofScore =
      plus(kFunction + kDivision + 3, getScale().isExactlyValue(1.0) ? 0 : 1, getMask() ? 1 : 0);
  return plus(times(rows, columns, ofScore),
              times(2, rows, columns, plus(q.getShape().back(), out.getShape().back())));
}

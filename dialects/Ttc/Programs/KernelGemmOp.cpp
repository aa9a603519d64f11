// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc.kernel.gemm: its verifier, and the kernel's arguments and grid by the op's plan.
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "kernels/Budgets.h"
#include "kernels/Params.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;
using kernels::GemmParams;

ViewAttr KernelGemmOp::getAViewOrIdentity() {
  return getAView() ? *getAView() : ViewAttr::getIdentity(getA().getType());
}
ViewAttr KernelGemmOp::getBViewOrIdentity() {
  return getBView() ? *getBView() : ViewAttr::getIdentity(getB().getType());
}
ViewAttr KernelGemmOp::getResultViewOrIdentity() {
  return getResultView() ? *getResultView() : ViewAttr::getIdentity(getResult().getType());
}

LogicalResult mlir::ttc::verifyView(Operation *op, StringRef name, ViewAttr view,
                                    RankedTensorType type) {
  int64_t low = view.getOffset(), high = low;
  for (auto [size, stride] : llvm::zip(view.getShape(), view.getStrides()))
    (stride < 0 ? low : high) += (size - 1) * stride;
  if (low < 0 || high >= type.getNumElements())
    return op->emitOpError() << "(C3) expected '" << name << "' within the "
                             << type.getNumElements() << " elements of its tensor, found elements "
                             << low << " to " << high;
  return success();
}

LogicalResult mlir::ttc::verifyResultView(Operation *op, ViewAttr view, RankedTensorType type) {
  if (failed(verifyView(op, "result_view", view, type)))
    return failure();
  if (llvm::product_of(view.getShape()) != type.getNumElements())
    return op->emitOpError() << "(C3) expected 'result_view' to cover the result's "
                             << type.getNumElements() << " elements, found shape ["
                             << view.getShape() << "]";
  const int64_t columns = view.getShape().back(), lastDim = type.getShape().back();
  if (view.getStrides().back() != 1 && columns != 1)
    return op->emitOpError() << "(C3) expected consecutive columns in 'result_view', found stride "
                             << view.getStrides().back();
  if (columns != lastDim)
    return op->emitOpError() << "(C3) expected the result's last dimension to be the " << columns
                             << " columns of the product, found " << lastDim;
  return success();
}

LogicalResult mlir::ttc::verifyResultRows(Operation *op, ViewAttr view) {
  const int64_t columns = view.getShape().back();
  for (int64_t i = 0, e = view.getRank() - 1; i < e; ++i)
    if (view.getShape()[i] != 1 && view.getStrides()[i] % columns)
      return op->emitOpError() << "(C3) expected strides in 'result_view' that are multiples of "
                               << columns << ", found " << view.getStrides()[i];
  // As many elements as the result has, and none of them twice: workgroups must not share any.
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [size, stride] : llvm::zip_equal(view.getShape(), view.getStrides()))
    if (size != 1)
      dims.emplace_back(std::abs(stride), size);
  llvm::sort(dims);
  int64_t expected = 1;
  for (auto [stride, size] : dims) {
    if (stride != expected)
      return op->emitOpError() << "(C3) expected 'result_view' to see each element of the result "
                                  "once, found strides ["
                               << view.getStrides() << "] for [" << view.getShape() << "]";
    expected *= size;
  }
  return success();
}

LogicalResult GemmPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError, GemmRows rows,
                                   ArrayRef<int64_t> splits, int64_t block, int64_t depth) {
  if (splits.size() != 3 || llvm::any_of(splits, [](int64_t count) { return count < 1; }))
    return emitError() << "(C1) expected 'splits' of batch, rows and panels of at least 1, found ["
                       << splits << "]";
  if (block < 1)
    return emitError() << "(C1) expected 'block' to be at least 1, found " << block;
  if (depth < 0)
    return emitError() << "(C1) expected 'depth' to be at least 1, found " << depth;
  return success();
}

LogicalResult KernelChoiceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                       KernelMethod method, ArrayRef<int64_t> tile,
                                       int64_t outputs) {
  const bool isDirect = method == KernelMethod::direct;
  if (tile.size() != 2 || tile[0] < 1 || tile[0] > 14 ||
      !llvm::is_contained({8, 16, 32, isDirect ? 48 : 32, isDirect ? 1 : 32}, tile[1]))
    return emitError() << "(C1) expected a 'tile' of 1 to 14 rows and "
                       << (isDirect ? "1, 8, 16, 32 or 48" : "8, 16 or 32") << " columns, found ["
                       << tile << "]";
  if (isDirect ? outputs != 0 : outputs != 2 && outputs != 4)
    return emitError() << "(C2) expected 'outputs' of " << (isDirect ? "0" : "2 or 4") << " with "
                       << stringifyKernelMethod(method) << ", found " << outputs;
  return success();
}

/// What the kernel relies on: rows that can be found as the plan says, and a grid within the loops.
static LogicalResult verifyPlan(KernelGemmOp op, GemmPlanAttr plan, const GemmParams &loops) {
  if (plan.getRows() == GemmRows::direct
          ? !hasDirectRows(loops)
          : !op.getKernel() ||
                (plan.getRows() == GemmRows::copied ? !canCopyRows(loops) : loops.aC != 1))
    return op.emitOpError()
           << "(C10) expected 'plan' with rows that the kernel can find in 'a', found "
           << stringifyGemmRows(plan.getRows());
  if (plan.getDepth() != 0 && (plan.getRows() != GemmRows::direct || !op.getPacked()))
    return op.emitOpError()
           << "(C10) expected 'plan' with 'depth' for direct rows and a packed b, found "
           << stringifyGemmRows(plan.getRows()) << " rows and b "
           << (op.getPacked() ? "packed" : "not packed");
  GemmParams p = withRows(loops, plan.getRows());
  int64_t most[] = {p.batch[0] * p.batch[1] * p.batch[2],
                    llvm::divideCeilSigned(p.n * p.od * p.oh * p.ow, p.mr),
                    p.groups * llvm::divideCeilSigned(p.o, p.nr)};
  constexpr StringLiteral names[] = {"batch elements", "row tiles", "panels"};
  for (auto [count, limit, what] : llvm::zip_equal(plan.getSplits(), most, names))
    if (count > limit)
      return op.emitOpError() << "(C10) expected 'plan' to split the " << limit << " " << what
                              << " into at most as many parts, found " << count;
  if (plan.getBlock() > most[1] || plan.getDepth() > p.c)
    return op.emitOpError() << "(C10) expected 'plan' with a block of at most the " << most[1]
                            << " row tiles and a depth of at most the " << p.c << " k, found "
                            << plan.getBlock() << " and " << plan.getDepth();
  return success();
}

/// Whether the vectors of a product can run along its depth.
static bool haveFewColumns(KernelGemmOp op, const GemmParams &p) {
  return op.getKernel() && op.getPacked() && op.getB().getType().getElementType().isF32() &&
         p.groups == 1 && p.o <= kernels::kFewColumns && p.c % kernels::kFewColumnsDepth == 0 &&
         p.aC == 1 && p.shuffle == 0 && p.mr <= 8;
}

/// The loops that the kernel walks, and the plan if there is one.
static LogicalResult verifyLoops(KernelGemmOp op) {
  std::optional<GemmParams> logical = getGemmLoops(op, /*isStored=*/false);
  if (!logical)
    return op.emitOpError("(C9) expected at most three batch dimensions that cannot be merged");
  if (op.getKernel() && logical->aC != 1 && !canCopyRows(*logical))
    return op.emitOpError(
        "(C4) expected consecutive channels in 'a_view' with 'kernel', or lines that "
        "can be copied");
  if (logical->nr == 1 && !haveFewColumns(op, *logical))
    return op.emitOpError()
           << "(C13) expected, with a tile of one column, at most 8 rows of it, and a convolution "
              "of at most "
           << kernels::kFewColumns
           << " columns of one group by packed f32 weights, on channels in multiples of "
           << kernels::kFewColumnsDepth << " that are consecutive and not shuffled";
  std::optional<GemmPlanAttr> plan = op.getPlan();
  if (!plan)
    return success();
  std::optional<GemmParams> loops = getGemmLoops(op);
  if (!loops)
    return op.emitOpError("(C10) expected no 'plan' in layouts that its views cannot follow");
  return verifyPlan(op, *plan, *loops);
}

LogicalResult KernelGemmOp::verify() {
  if (getTile().size() != 2 || getTile()[0] < 1 || getTile()[1] < 1 ||
      (getTile()[1] != 1 && getTile()[1] % 8))
    return emitOpError()
           << "(C1) expected 'tile' to be rows and 1 or a multiple of 8 columns, found ["
           << getTile() << "]";
  int64_t nr = getTile()[1];
  ViewAttr a = getAViewOrIdentity(), out = getResultViewOrIdentity();
  if (a.getRank() < 2 || out.getRank() < 2)
    return emitOpError() << "(C2) expected a and the result of rank 2 or more, found ranks "
                         << a.getRank() << " and " << out.getRank();
  if (failed(verifyView(*this, "a_view", a, getA().getType())) ||
      failed(verifyResultView(*this, out, getResult().getType())))
    return failure();
  int64_t columns = out.getShape().back();

  int64_t groups = getGroups();
  ArrayRef<int64_t> aShape = a.getShape();
  if (auto kernel = getKernel()) {
    int64_t spatial = kernel->size();
    if (!getPacked())
      return emitOpError("(C4) expected 'packed' with 'kernel'");
    if (a.getRank() != spatial + 2 || out.getRank() != spatial + 2 || spatial < 1 || spatial > 3)
      return emitOpError()
             << "(C2) expected 1 to 3 spatial dimensions and a and the result of rank "
             << spatial + 2 << ", found ranks " << a.getRank() << " and " << out.getRank();
    if (failed(verifyKernelWindow(*this, *kernel, "(C5)")) ||
        failed(verifyKernelValues(*this, "input_dilation", getInputDilation(), spatial, 1, "(C5)")))
      return failure();
    if (aShape.back() % groups || columns % groups)
      return emitOpError() << "(C6) expected 'groups' to divide the channels " << aShape.back()
                           << " and " << columns << ", found " << groups;
    SmallVector<int64_t> expected{aShape[0]};
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t input = (aShape[i + 1] - 1) * kernelValue(getInputDilation(), i, 1) + 1;
      int64_t window = ((*kernel)[i] - 1) * kernelValue(getDilations(), i, 1) + 1;
      int64_t padded =
          input + kernelValue(getPads(), i, 0) + kernelValue(getPads(), spatial + i, 0);
      expected.push_back((padded - window) / kernelValue(getStrides(), i, 1) + 1);
    }
    expected.push_back(columns);
    if (out.getShape() != ArrayRef(expected))
      return emitOpError() << "(C7) expected a result of shape [" << ArrayRef(expected)
                           << "], found [" << out.getShape() << "]";
    if (!out.isIdentity(getResult().getType()))
      return emitOpError("(C4) expected no 'result_view' with 'kernel'");
    if (aShape.back() % getShuffle().value_or(1) != 0)
      return emitOpError() << "(C12) expected 'shuffle' to divide the " << aShape.back()
                           << " channels of a, found " << *getShuffle();
  } else {
    if (getShuffle())
      return emitOpError("(C12) expected 'kernel' with 'shuffle'");
    if (groups != 1)
      return emitOpError() << "(C6) expected 'groups' of 1 without 'kernel', found " << groups;
    if (aShape[a.getRank() - 2] != out.getShape()[out.getRank() - 2])
      return emitOpError() << "(C7) expected " << aShape[a.getRank() - 2]
                           << " rows in the result, found " << out.getShape()[out.getRank() - 2];
    if (failed(verifyResultRows(*this, out)))
      return failure();
  }

  const int64_t depth = getDepth();
  if (getPacked()) {
    SmallVector<int64_t> expected{groups, llvm::divideCeilSigned(columns / groups, nr), depth, nr};
    SmallVector<int64_t> scaled = expected;
    scaled[2] += kernels::kScaleRows;
    const bool mayScale = getB().getType().getElementType().isInteger(8);
    if (auto shape = getB().getType().getShape();
        shape != ArrayRef(expected) && (!mayScale || shape != ArrayRef(scaled)))
      return emitOpError() << "(C8) expected b packed as [" << ArrayRef(expected) << "], found ["
                           << getB().getType().getShape() << "]";
    if (getBView())
      return emitOpError("(C8) expected no 'b_view' with 'packed'");
    return verifyLoops(*this);
  }
  if (!getB().getType().getElementType().isF32())
    return emitOpError() << "(C11) expected 'packed' with a b of "
                         << getB().getType().getElementType();
  ViewAttr b = getBViewOrIdentity();
  if (failed(verifyView(*this, "b_view", b, getB().getType())))
    return failure();
  if (b.getRank() < 2 || b.getShape()[b.getRank() - 2] != depth || b.getShape().back() != columns)
    return emitOpError() << "(C8) expected b to end in [" << depth << ", " << columns
                         << "], found [" << b.getShape() << "]";
  int64_t rank = out.getRank();
  for (ViewAttr operand : {a, b})
    for (int64_t i = 0; i < operand.getRank() - 2; ++i) {
      int64_t at = i + rank - operand.getRank();
      int64_t size = operand.getShape()[i];
      if (at < 0 || (size != 1 && size != out.getShape()[at]))
        return emitOpError() << "(C8) expected operands whose batch broadcasts to ["
                             << out.getShape() << "], found [" << operand.getShape() << "]";
    }
  return verifyLoops(*this);
}

int64_t KernelGemmOp::getDepth() {
  const int64_t taps = getKernel() ? llvm::product_of(*getKernel()) : 1;
  return taps * (getAViewOrIdentity().getShape().back() / static_cast<int64_t>(getGroups()));
}

StringRef KernelGemmOp::getKernelSymbol() {
  Type stored = getB().getType().getElementType();
  if (stored.isF16())
    return "ttc_kernel_gemm_f16";
  if (stored.isBF16())
    return "ttc_kernel_gemm_bf16";
  if (!stored.isInteger(8))
    return "ttc_kernel_gemm";
  return getB().getType().getDimSize(2) == getDepth() ? "ttc_kernel_gemm_i8"
                                                      : "ttc_kernel_gemm_scaled_i8";
}

bool KernelGemmOp::isPlanned() { return getPlan().has_value(); }

/// The kernel's arguments for a plan, and the bytes of scratch that they divide.
static std::pair<GemmParams, int64_t> getParams(KernelGemmOp op) {
  GemmPlanAttr plan = *op.getPlan();
  GemmParams p = withRows(*getGemmLoops(op), plan.getRows());
  p.batchSplits = plan.getSplits()[0];
  p.rowSplits = plan.getSplits()[1];
  p.panelSplits = plan.getSplits()[2];
  p.blockTiles = plan.getBlock();
  p.blockDepth = plan.getDepth();

  int64_t at = 0;
  auto reserve = [&](bool isNeeded, int64_t bytes) {
    int64_t begin = isNeeded ? at : 0;
    at += isNeeded ? llvm::alignTo(bytes, 64) : 0;
    return begin;
  };
  bool copied = plan.getRows() == GemmRows::copied, table = plan.getRows() != GemmRows::direct;
  int64_t rows = p.blockTiles * p.mr, taps = p.kernel[0] * p.kernel[1] * p.kernel[2];
  p.zeroAt = reserve(table && !copied, p.c * p.groups * 4);
  p.tableAt = reserve(table, rows * (copied ? p.kernel[1] : taps) * 8);
  p.copyBytes = copied ? getCopiedBytes(p, rows) : 0;
  p.copyAt = reserve(copied, p.copyBytes);
  const int64_t panelBytes = taps * p.c * p.nr * 4;
  const int64_t tiles = llvm::divideCeilSigned(p.n * p.od * p.oh * p.ow, p.mr * p.rowSplits);
  if (op.getPacked() && !op.getB().getType().getElementType().isF32() &&
      panelBytes <= kernels::kL2Budget &&
      std::min(tiles, p.blockTiles) >= kernels::kTilesForConversion)
    p.bMode = kernels::kBConverted;
  p.panelAt = reserve(p.bMode != kernels::kBPacked, panelBytes);
  p.partialAt = reserve(p.blockDepth != 0, rows * p.nr * 4);
  return {p, at};
}

void KernelGemmOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this).first, params);
}

int64_t KernelGemmOp::getGrid() { return llvm::product_of(getPlan()->getSplits()); }

int64_t KernelGemmOp::getScratchBytes() { return getParams(*this).second; }

bool KernelGemmOp::acceptsStrided(unsigned index, const StridedRange &rows) {
  if (index == 0)
    return canFollowRows(getAViewOrIdentity(), getResultViewOrIdentity(), rows);
  if (index == 1)
    return !getPacked() && canFollowRows(getBViewOrIdentity(), getResultViewOrIdentity(), rows);
  return index == getNumOperands() && rows.row == getResult().getType().getShape().back();
}

bool KernelGemmOp::getBounds(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                             MutableArrayRef<int64_t> params) {
  auto &p = *reinterpret_cast<GemmParams *>(params.data());
  if (p.aMode != kernels::kRowsDirect) {
    BoundedFactors image;
    if (!boundConv(p, sizeof(float), dims, image))
      return false;
    bounds.append(3, BoundedFactor{1, {}}); // the batch
    bounds.append(image);
    return true;
  }
  const SmallVector<BoundedFactors> view =
      boundView(getResultViewOrIdentity(), getResult().getType(), dims);
  BoundedFactors all;
  for (const BoundedFactors &factors : ArrayRef(view).drop_back())
    all.append(factors);
  // Batch dimensions come before rows, and some of them count as rows.
  BoundedFactors left = all;
  BoundedFactors found = boundBatch(left, p.batch);
  BoundedFactors rows = mergeFactors(left);
  const int64_t total = p.n * p.od * p.oh * p.ow;
  int64_t product = 1;
  for (const BoundedFactor &factor : rows)
    product *= factor.size;
  if (product != total || rows.size() > std::size(p.runs))
    rows = {BoundedFactor{total, {}}};
  rows.insert(rows.begin(), std::size(p.runs) - rows.size(), BoundedFactor{1, {}});
  if (areWhole(found) && areWhole(rows))
    return false;
  p.bounded = 1;
  for (auto [size, factor] : llvm::zip_equal(p.runs, rows))
    size = factor.size;
  bounds.append(found);
  bounds.append(rows);
  return true;
}

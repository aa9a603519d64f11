// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc.kernel.gemm: its verifier, and how an op becomes the kernel's arguments and grid.
#include "dialects/Ttc/KernelGrid.h"
#include "dialects/Ttc/TtcOps.h"
#include "kernels/Params.h"

using namespace mlir;
using namespace mlir::ttc;
using ::ttc::kernels::GemmParams;

ViewAttr KernelGemmOp::getAViewOrIdentity() {
  return getAView() ? *getAView() : ViewAttr::getIdentity(getA().getType());
}
ViewAttr KernelGemmOp::getBViewOrIdentity() {
  return getBView() ? *getBView() : ViewAttr::getIdentity(getB().getType());
}
ViewAttr KernelGemmOp::getResultViewOrIdentity() {
  return getResultView() ? *getResultView() : ViewAttr::getIdentity(getResult().getType());
}

/// A view may only touch the elements of its tensor.
static LogicalResult verifyView(Operation *op, StringRef name, ViewAttr view,
                                RankedTensorType type) {
  int64_t low = view.getOffset(), high = low;
  for (auto [size, stride] : llvm::zip(view.getShape(), view.getStrides()))
    (stride < 0 ? low : high) += (size - 1) * stride;
  if (low < 0 || high >= type.getNumElements())
    return op->emitOpError() << "expected '" << name << "' within the " << type.getNumElements()
                             << " elements of its tensor, found elements " << low << " to " << high;
  return success();
}

LogicalResult KernelGemmOp::verify() {
  if (getTile().size() != 2 || getTile()[0] < 1 || getTile()[1] < 8 || getTile()[1] % 8)
    return emitOpError() << "expected 'tile' to be rows and a multiple of 8 columns, found ["
                         << getTile() << "]";
  int64_t nr = getTile()[1];
  ViewAttr a = getAViewOrIdentity(), out = getResultViewOrIdentity();
  if (a.getRank() < 2 || out.getRank() < 2)
    return emitOpError() << "expected a and the result of rank 2 or more, found ranks "
                         << a.getRank() << " and " << out.getRank();
  if (failed(verifyView(*this, "a_view", a, getA().getType())) ||
      failed(verifyView(*this, "result_view", out, getResult().getType())))
    return failure();
  if (llvm::product_of(out.getShape()) != getResult().getType().getNumElements())
    return emitOpError() << "expected 'result_view' to cover the result's "
                         << getResult().getType().getNumElements() << " elements, found shape ["
                         << out.getShape() << "]";
  int64_t columns = out.getShape().back();
  int64_t lastDim = getResult().getType().getShape().back();
  if (out.getStrides().back() != 1 && columns != 1)
    return emitOpError() << "expected consecutive columns in 'result_view', found stride "
                         << out.getStrides().back();
  if (columns != lastDim)
    return emitOpError() << "expected the result's last dimension to be the " << columns
                         << " columns of the product, found " << lastDim;

  int64_t groups = getGroups();
  ArrayRef<int64_t> aShape = a.getShape();
  if (auto kernel = getKernel()) {
    int64_t spatial = kernel->size();
    if (!getPacked())
      return emitOpError("expected 'packed' with 'kernel'");
    if (a.getRank() != spatial + 2 || out.getRank() != spatial + 2 || spatial < 1 || spatial > 3)
      return emitOpError() << "expected 1 to 3 spatial dimensions and a and the result of rank "
                           << spatial + 2 << ", found ranks " << a.getRank() << " and "
                           << out.getRank();
    if (failed(verifyKernelWindow(*this, *kernel)) ||
        failed(verifyKernelValues(*this, "input_dilation", getInputDilation(), spatial, 1)))
      return failure();
    if (aShape.back() % groups || columns % groups)
      return emitOpError() << "expected 'groups' to divide the channels " << aShape.back()
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
      return emitOpError() << "expected a result of shape [" << ArrayRef(expected) << "], found ["
                           << out.getShape() << "]";
    if (!out.isIdentity(getResult().getType()))
      return emitOpError("expected no 'result_view' with 'kernel'");
    if (a.getStrides().back() != 1)
      return emitOpError("expected consecutive channels in 'a_view' with 'kernel'");
  } else {
    if (groups != 1)
      return emitOpError() << "expected 'groups' of 1 without 'kernel', found " << groups;
    if (aShape[a.getRank() - 2] != out.getShape()[out.getRank() - 2])
      return emitOpError() << "expected " << aShape[a.getRank() - 2]
                           << " rows in the result, found " << out.getShape()[out.getRank() - 2];
    for (int64_t i = 0, e = out.getRank() - 1; i < e; ++i)
      if (out.getShape()[i] != 1 && out.getStrides()[i] % columns)
        return emitOpError() << "expected strides in 'result_view' that are multiples of "
                             << columns << ", found " << out.getStrides()[i];
  }

  int64_t taps = getKernel() ? llvm::product_of(*getKernel()) : 1;
  int64_t depth = taps * (aShape.back() / groups);
  if (getPacked()) {
    SmallVector<int64_t> expected{groups, llvm::divideCeilSigned(columns / groups, nr), depth, nr};
    if (getB().getType().getShape() != ArrayRef(expected))
      return emitOpError() << "expected b packed as [" << ArrayRef(expected) << "], found ["
                           << getB().getType().getShape() << "]";
    if (getBView())
      return emitOpError("expected no 'b_view' with 'packed'");
    return success();
  }
  ViewAttr b = getBViewOrIdentity();
  if (failed(verifyView(*this, "b_view", b, getB().getType())))
    return failure();
  if (b.getRank() < 2 || b.getShape()[b.getRank() - 2] != depth || b.getShape().back() != columns)
    return emitOpError() << "expected b to end in [" << depth << ", " << columns << "], found ["
                         << b.getShape() << "]";
  int64_t rank = out.getRank();
  for (ViewAttr operand : {a, b})
    for (int64_t i = 0; i < operand.getRank() - 2; ++i) {
      int64_t at = i + rank - operand.getRank();
      int64_t size = operand.getShape()[i];
      if (at < 0 || (size != 1 && size != out.getShape()[at]))
        return emitOpError() << "expected operands whose batch broadcasts to [" << out.getShape()
                             << "], found [" << operand.getShape() << "]";
    }
  KernelGemmPlan plan = planGemm(*this);
  if (!plan.fits)
    return emitOpError("expected at most three batch dimensions that cannot be merged");
  return success();
}

namespace {
/// The operands and the result as they lie in memory; b only where it is not packed.
struct GemmViews {
  ViewAttr a, b, out;
};

/// One dimension of the batch with its distances in a, b and the result.
struct Batch {
  int64_t size, a, b, out;
};
} // namespace

static int64_t batchStride(ViewAttr view, int64_t dim, int64_t rank) {
  int64_t at = dim - (rank - view.getRank());
  return at < 0 || view.getShape()[at] == 1 ? 0 : view.getStrides()[at];
}

/// A product: rows and batch dimensions, merged wherever their strides allow.
static bool describeMatmul(const GemmViews &views, GemmParams &p) {
  auto [a, b, out] = views;
  int64_t rank = out.getRank(), aRank = a.getRank();
  p.ow = out.getShape()[rank - 2];
  p.aRow = p.aW = a.getStrides()[aRank - 2];
  p.aC = a.getStrides()[aRank - 1];
  p.c = a.getShape()[aRank - 1];
  p.outRow = out.getStrides()[rank - 2];
  if (b) {
    p.bK = b.getStrides()[b.getRank() - 2];
    p.bN = b.getStrides()[b.getRank() - 1];
    p.bOffset = b.getOffset();
  }
  SmallVector<Batch> batch;
  for (int64_t i = 0; i < rank - 2; ++i) {
    Batch dim{out.getShape()[i], batchStride(a, i, rank), b ? batchStride(b, i, rank) : 0,
              out.getStrides()[i]};
    if (dim.size == 1)
      continue;
    if (!batch.empty() && batch.back().a == dim.size * dim.a &&
        batch.back().b == dim.size * dim.b && batch.back().out == dim.size * dim.out) {
      dim.size *= batch.back().size;
      batch.back() = dim;
    } else {
      batch.push_back(dim);
    }
  }
  // Batch dimensions that share B are more rows of one product.
  while (!batch.empty() && batch.back().b == 0 &&
         (p.ow == 1 || (batch.back().a == p.ow * p.aRow && batch.back().out == p.ow * p.outRow))) {
    if (p.ow == 1) {
      p.aRow = batch.back().a;
      p.outRow = batch.back().out;
    }
    p.ow *= batch.pop_back_val().size;
  }
  if (batch.size() > 3)
    return false;
  for (int64_t i = 0, at = 3 - batch.size(); i < static_cast<int64_t>(batch.size()); ++i, ++at) {
    p.batch[at] = batch[i].size;
    p.aBatch[at] = batch[i].a;
    p.bBatch[at] = batch[i].b;
    p.outBatch[at] = batch[i].out;
  }
  p.aW = p.aRow;
  p.iw = p.ow;
  p.aMode = ::ttc::kernels::kRowsDirect;
  return true;
}

/// A convolution: three spatial dimensions, and the cheapest way to its rows.
static void describeConv(KernelGemmOp op, const GemmViews &views, GemmParams &p) {
  auto [a, b, out] = views;
  int64_t spatial = op.getKernel()->size(), first = 3 - spatial;
  int64_t in[3] = {1, 1, 1}, result[3] = {1, 1, 1}, strides[3] = {0, 0, 0};
  for (int64_t i = 0; i < spatial; ++i) {
    in[first + i] = a.getShape()[i + 1];
    result[first + i] = out.getShape()[i + 1];
    strides[first + i] = a.getStrides()[i + 1];
    p.kernel[first + i] = (*op.getKernel())[i];
    p.stride[first + i] = kernelValue(op.getStrides(), i, 1);
    p.padBegin[first + i] = kernelValue(op.getPads(), i, 0);
    p.dilation[first + i] = kernelValue(op.getDilations(), i, 1);
    p.inputDilation[first + i] = kernelValue(op.getInputDilation(), i, 1);
  }
  p.n = a.getShape()[0];
  p.aN = a.getStrides()[0];
  std::tie(p.id, p.ih, p.iw) = std::tie(in[0], in[1], in[2]);
  std::tie(p.od, p.oh, p.ow) = std::tie(result[0], result[1], result[2]);
  std::tie(p.aD, p.aH, p.aW) = std::tie(strides[0], strides[1], strides[2]);
  p.aC = 1;
  p.groups = op.getGroups();
  p.c = a.getShape().back() / p.groups;
  p.outRow = p.outPitch;

  auto all = [](const int64_t (&values)[3], int64_t expected) {
    return llvm::all_of(values, [=](int64_t value) { return value == expected; });
  };
  bool plain = all(p.inputDilation, 1);
  bool flat = (p.ih == 1 || p.aH == p.iw * p.aW) && (p.id == 1 || p.aD == p.ih * p.iw * p.aW) &&
              (p.n == 1 || p.aN == p.id * p.ih * p.iw * p.aW);
  bool same = p.od == p.id && p.oh == p.ih && p.ow == p.iw;
  if (plain && flat && same && all(p.kernel, 1) && all(p.stride, 1) && all(p.padBegin, 0)) {
    p.aMode = ::ttc::kernels::kRowsDirect;
    p.aRow = p.aW;
    p.iw = p.ow = p.n * p.od * p.oh * p.ow;
    p.n = p.id = p.ih = p.od = p.oh = 1;
    return;
  }
  // Below 16 channels a tap is over before its row pointers are loaded.
  bool copies = plain && p.groups == 1 && p.c < 16 && p.kernel[0] == 1 && p.id == 1 && p.od == 1 &&
                p.kernel[2] > 1 && p.dilation[2] == 1 && p.padBegin[0] == 0 && p.aW == p.c;
  p.aMode = copies ? ::ttc::kernels::kRowsCopied : ::ttc::kernels::kRowsTable;
}

KernelGemmPlan mlir::ttc::planGemm(KernelGemmOp op) {
  KernelGemmPlan plan;
  GemmParams &p = plan.params;
  p = GemmParams();
  for (int64_t i = 0; i < 3; ++i)
    p.batch[i] = p.kernel[i] = p.stride[i] = p.dilation[i] = p.inputDilation[i] = 1;
  p.n = p.od = p.oh = p.ow = p.id = p.ih = p.iw = p.groups = 1;
  ViewAttr logical = op.getResultViewOrIdentity();
  StridedAttr resultRows = getResultStrided(op);
  GemmViews views{op.getAViewOrIdentity().inStrided(getOperandStrided(op.getA())),
                  {},
                  logical.inStrided(resultRows)};
  if (!op.getPacked())
    views.b = op.getBViewOrIdentity().inStrided(getOperandStrided(op.getB()));
  if (!views.a || !views.out || (!op.getPacked() && !views.b))
    return plan; // does not fit
  p.aOffset = views.a.getOffset();
  p.outOffset = views.out.getOffset();
  p.cols = logical.getShape().back();
  p.outPitch = resultRows ? resultRows.getPitch() : p.cols;
  p.bMode = op.getPacked() ? ::ttc::kernels::kBPacked : ::ttc::kernels::kBStrided;
  p.mr = op.getTile()[0];
  p.nr = op.getTile()[1];
  plan.fits = true;
  if (op.getKernel())
    describeConv(op, views, p);
  else
    plan.fits = describeMatmul(views, p);
  p.o = p.cols / p.groups;
  splitGemm(plan);
  return plan;
}

StringRef KernelGemmOp::getKernelSymbol() { return "ttc_kernel_gemm"; }

void KernelGemmOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(planGemm(*this).params, params);
}

int64_t KernelGemmOp::getGrid() {
  GemmParams p = planGemm(*this).params;
  return p.batchSplits * p.rowSplits * p.panelSplits;
}

int64_t KernelGemmOp::getScratchBytes() { return planGemm(*this).scratchBytes; }

bool KernelGemmOp::acceptsStrided(unsigned index, const StridedRange &rows) {
  if (index == 0)
    return static_cast<bool>(getAViewOrIdentity().inStrided(rows.row, rows.pitch));
  if (index == 1)
    return !getPacked() && getBViewOrIdentity().inStrided(rows.row, rows.pitch);
  return rows.row == getResult().getType().getShape().back();
}

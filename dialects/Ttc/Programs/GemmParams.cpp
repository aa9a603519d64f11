// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of ttc.kernel.gemm: an op's views, window and layouts as sizes and strides.
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;
using kernels::GemmParams;

namespace {
/// The operands and the result as they are stored; b only if it is not packed.
struct GemmViews {
  ViewAttr a, b, out;
};
} // namespace

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
  enum { kA, kB, kOut };
  SmallVector<BatchDim> batch = getMergedBatch({a, b, out});
  // Batch dimensions that share B are more rows of one product.
  while (!batch.empty() && batch.back().strides[kB] == 0 &&
         (p.ow == 1 || (batch.back().strides[kA] == p.ow * p.aRow &&
                        batch.back().strides[kOut] == p.ow * p.outRow))) {
    if (p.ow == 1) {
      p.aRow = batch.back().strides[kA];
      p.outRow = batch.back().strides[kOut];
    }
    p.ow *= batch.pop_back_val().size;
  }
  if (batch.size() > 3)
    return false;
  for (int64_t i = 0, at = 3 - batch.size(); i < static_cast<int64_t>(batch.size()); ++i, ++at) {
    p.batch[at] = batch[i].size;
    p.aBatch[at] = batch[i].strides[kA];
    p.bBatch[at] = batch[i].strides[kB];
    p.outBatch[at] = batch[i].strides[kOut];
  }
  p.aW = p.aRow;
  p.iw = p.ow;
  return true;
}

/// A convolution: three spatial dimensions.
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
  p.aC = a.getStrides().back();
  p.groups = op.getGroups();
  p.c = a.getShape().back() / p.groups;
  p.shuffle = op.getShuffle().value_or(0);
  p.outRow = p.outPitch;
  setValid(op, p);
}

std::optional<GemmParams> mlir::ttc::getGemmLoops(KernelGemmOp op, bool isStored) {
  GemmParams p{};
  for (int64_t i = 0; i < 3; ++i)
    p.batch[i] = p.kernel[i] = p.stride[i] = p.dilation[i] = p.inputDilation[i] = 1;
  p.n = p.od = p.oh = p.ow = p.id = p.ih = p.iw = p.groups = 1;
  ViewAttr logical = op.getResultViewOrIdentity();
  auto layoutOf = [&](Value operand) {
    return isStored ? getOperandStrided(operand) : StridedAttr();
  };
  StridedAttr result = isStored ? getResultStrided(op) : StridedAttr();
  GemmViews views;
  views.a = op.getAViewOrIdentity().inStrided(layoutOf(op.getA()));
  views.out = logical.inStrided(result);
  if (!op.getPacked())
    views.b = op.getBViewOrIdentity().inStrided(layoutOf(op.getB()));
  if (!views.a || !views.out || (!op.getPacked() && !views.b))
    return std::nullopt;
  p.aOffset = views.a.getOffset();
  p.outOffset = views.out.getOffset();
  p.cols = logical.getShape().back();
  p.outPitch = result ? result.getPitch() : p.cols;
  p.bMode = op.getPacked() ? kernels::kBPacked : kernels::kBStrided;
  p.mr = op.getTile()[0];
  p.nr = op.getTile()[1];
  p.aMode = kernels::kRowsTable;
  if (op.getKernel())
    describeConv(op, views, p);
  else if (describeMatmul(views, p))
    p.aMode = kernels::kRowsDirect;
  else
    return std::nullopt;
  p.o = p.cols / p.groups;
  return p;
}

static bool all(const int64_t (&values)[3], int64_t expected) {
  return llvm::all_of(values, [=](int64_t value) { return value == expected; });
}

/// Whether a window is a run of consecutive elements, as far from the next one as any other: along
/// a line of one image, without padding. Packed bytes are the same then if channels fill their
/// words.
static bool hasRunsAsRows(const GemmParams &p) {
  const int64_t last = (p.ow - 1) * p.stride[2] + p.kernel[2];
  return p.n == 1 && p.id == 1 && p.ih == 1 && p.od == 1 && p.oh == 1 && p.kernel[0] == 1 &&
         p.kernel[1] == 1 && all(p.padBegin, 0) && last <= p.iw && p.dilation[2] == 1 &&
         all(p.inputDilation, 1) && p.groups == 1 && p.shuffle == 0 && p.numValid == 0 &&
         p.aC == 1 && p.aW == p.c && p.c % 4 == 0;
}

bool mlir::ttc::hasDirectRows(const GemmParams &p) {
  if (p.aMode == kernels::kRowsDirect || hasRunsAsRows(p))
    return true;
  bool flat = (p.ih == 1 || p.aH == p.iw * p.aW) && (p.id == 1 || p.aD == p.ih * p.iw * p.aW) &&
              (p.n == 1 || p.aN == p.id * p.ih * p.iw * p.aW);
  bool same = p.od == p.id && p.oh == p.ih && p.ow == p.iw;
  return flat && same && all(p.inputDilation, 1) && all(p.kernel, 1) && all(p.stride, 1) &&
         all(p.padBegin, 0);
}

bool mlir::ttc::canCopyRows(const GemmParams &p) {
  return p.aMode != kernels::kRowsDirect && all(p.inputDilation, 1) && p.groups == 1 &&
         p.shuffle == 0 && p.kernel[0] == 1 && p.id == 1 && p.od == 1 && p.dilation[2] == 1 &&
         p.padBegin[0] == 0 && (p.aW == p.c || p.aC != 1);
}

GemmParams mlir::ttc::withRows(GemmParams p, GemmRows rows) {
  bool isProduct = p.aMode == kernels::kRowsDirect;
  p.aMode = static_cast<int64_t>(rows);
  if (rows == GemmRows::direct && !isProduct) {
    p.aRow = p.aW * p.stride[2];
    p.c *= p.kernel[2];
    p.kernel[2] = p.stride[2] = 1;
    p.iw = p.ow = p.n * p.od * p.oh * p.ow;
    p.n = p.id = p.ih = p.od = p.oh = 1;
  }
  return p;
}

int64_t mlir::ttc::getCopiedBytes(const GemmParams &p, int64_t rows) {
  int64_t window = (p.kernel[1] - 1) * p.dilation[1] + 1;
  if (rows <= p.ow) {
    // Only the pixels that the rows read. Parts of two lines overlap where they meet.
    int64_t overlap = p.n * p.oh > 1 ? std::max<int64_t>(p.kernel[2] - p.stride[2], 0) : 0;
    return window * ((rows - 1) * p.stride[2] + p.kernel[2] + overlap) * p.c * 4;
  }
  int64_t lines = std::min(p.n * p.oh, (rows - 1) / p.ow + 2);
  int64_t crossings = std::min(p.n - 1, (rows - 1) / (p.ow * p.oh) + 1);
  int64_t inputLines = (lines - 1) * p.stride[1] + window + crossings * window;
  int64_t width = ((p.ow - 1) * p.stride[2] + p.kernel[2]) * p.c;
  return inputLines * width * 4;
}

bool mlir::ttc::boundConv(GemmParams &p, int64_t elementBytes, ArrayRef<BoundedFactors> dims,
                          BoundedFactors &bounds) {
  // Lines of which less counts are more, for as many rows: those of one tile must fit. With more
  // lines than rows, an image has all that a tile needs.
  const int64_t rows = std::min(p.mr, p.n * p.oh * p.ow);
  if (p.aMode == kernels::kRowsCopied)
    for (GemmParams part = p; part.ow > 0; --part.ow)
      for (part.oh = std::min(p.oh, rows + 1); part.oh > 0; --part.oh)
        if (getCopiedBytes(part, rows) / 4 * elementBytes > p.copyBytes)
          return false;
  if (!boundImage(dims, bounds))
    return false;
  p.bounded = 1;
  p.runs[0] = p.n;
  p.runs[1] = p.od * p.oh;
  p.runs[2] = p.ow;
  return true;
}

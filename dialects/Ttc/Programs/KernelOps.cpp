// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc.pack and the kernels besides gemm.
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Programs/IntKernelOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "kernels/Budgets.h"
#include "kernels/Params.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
using ::ttc::kernels::DepthwiseParams;
using ::ttc::kernels::PackParams;
using ::ttc::kernels::PoolParams;

int64_t mlir::ttc::getMaxWorkgroups(Operation *op) {
  // The module of a body that is being lowered has none: the one around the program does.
  for (; op; op = op->getParentOp())
    if (auto most = op->getAttrOfType<IntegerAttr>(kMaxWorkgroupsAttrName))
      return most.getInt();
  return ::ttc::kernels::kMaxGroups;
}

int64_t mlir::ttc::chooseWorkgroups(Operation *op, int64_t work) {
  return ::ttc::kernels::getEvenGroups(
      std::clamp<int64_t>(work / ::ttc::kernels::kWorkPerGroup, 1, getMaxWorkgroups(op)));
}

int64_t mlir::ttc::splitSecond(int64_t first, int64_t wanted, int64_t size, int64_t rows) {
  int64_t parts = wanted / first;
  if (parts * first < wanted && first % 2 == 1 &&
      (rows == 0 || rows / (parts + 1) >= ::ttc::kernels::kRowsForWeights))
    ++parts;
  return std::clamp<int64_t>(parts, 1, size);
}

//===----------------------------------------------------------------------===//
// ttc.pack
//===----------------------------------------------------------------------===//

/// Where the elements of the packed weights are stored in the operand.
static PackParams getPackParams(ArrayRef<int64_t> shape, PackKind kind, int64_t groups,
                                int64_t nr) {
  PackParams p{};
  p.groups = groups;
  p.nr = nr;
  int64_t taps = shape.size() > 2 ? llvm::product_of(shape.drop_front(2)) : 1;
  switch (kind) {
  case PackKind::matmul:
    p.groups = p.taps = 1;
    p.cols = shape[1];
    p.chans = shape[0];
    p.colStride = 1;
    p.chanStride = shape[1];
    return p;
  case PackKind::matmul_transposed:
    p.groups = p.taps = 1;
    p.cols = shape[0];
    p.chans = shape[1];
    p.colStride = shape[1];
    p.chanStride = 1;
    return p;
  case PackKind::conv:
    p.cols = shape[0] / groups;
    p.chans = shape[1];
    p.taps = taps;
    p.groupStride = p.cols * shape[1] * taps;
    p.colStride = shape[1] * taps;
    p.tapStride = 1;
    p.chanStride = taps;
    return p;
  case PackKind::conv_transpose:
    p.cols = shape[1];
    p.chans = shape[0] / groups;
    p.taps = taps;
    p.offset = taps - 1;
    p.groupStride = p.chans * shape[1] * taps;
    p.colStride = taps;
    p.tapStride = -1;
    p.chanStride = shape[1] * taps;
    return p;
  case PackKind::depthwise:
    // One panel as wide as the channels: [tap][channel].
    p.groups = p.chans = 1;
    p.cols = p.nr = shape[0];
    p.taps = taps;
    p.colStride = taps;
    p.tapStride = 1;
    return p;
  }
  llvm_unreachable("unknown kind of weights");
}

static PackParams getPackParams(PackOp op) {
  PackParams p =
      getPackParams(op.getInput().getType().getShape(), op.getKind(), op.getGroups(), op.getNr());
  // A copied element costs about as much as eight multiply-adds.
  p.splits = std::min(p.groups * llvm::divideCeilSigned(p.cols, p.nr),
                      chooseWorkgroups(op, 8 * op.getOutput().getType().getNumElements()));
  return p;
}

LogicalResult PackOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                       ValueRange operands, DictionaryAttr attributes,
                                       OpaqueProperties properties, RegionRange regions,
                                       SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  PackKind kind = adaptor.getKind();
  int64_t groups = adaptor.getGroups();
  bool matrix = kind == PackKind::matmul || kind == PackKind::matmul_transposed;
  if (matrix ? input.getRank() != 2 : input.getRank() < 3)
    return emitOptionalError(location, "'ttc.pack' op (C1) expected weights of rank ",
                             matrix ? "2" : "3 or more", ", found ", input);
  if (!matrix && input.getDimSize(0) % groups)
    return emitOptionalError(location,
                             "'ttc.pack' op (C2) expected 'groups' to divide dimension 0 of ",
                             input, ", found ", groups);
  if (kind == PackKind::depthwise && input.getDimSize(1) != 1)
    return emitOptionalError(
        location, "'ttc.pack' op (C3) expected depthwise weights with dimension 1 of 1, found ",
        input);
  PackParams p = getPackParams(input.getShape(), kind, groups, adaptor.getNr());
  SmallVector<int64_t> shape{p.groups, llvm::divideCeilSigned(p.cols, p.nr), p.taps * p.chans,
                             p.nr};
  if (kind == PackKind::depthwise)
    shape = {p.taps, p.cols};
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult PackOp::evaluateConstant(ArrayRef<ArrayRef<char>> operands,
                                       MutableArrayRef<char> result) {
  PackParams p = getPackParams(*this);
  const auto *from = reinterpret_cast<const float *>(operands[0].data());
  auto *to = reinterpret_cast<float *>(result.data());
  int64_t panels = llvm::divideCeil(p.cols, p.nr), depth = p.taps * p.chans;
  // Tasks of some 64 Ki elements: a whole panel, or a part of a deep one.
  int64_t step = std::max<int64_t>(1, 65536 / p.nr);
  int64_t parts = llvm::divideCeil(depth, step);
  parallelFor(getContext(), 0, p.groups * panels * parts, [&](size_t task) {
    int64_t part = task % parts, panel = task / parts;
    int64_t column = panel % panels * p.nr, valid = std::min(p.nr, p.cols - column);
    const float *source = from + p.offset + panel / panels * p.groupStride + column * p.colStride;
    for (int64_t k = part * step, e = std::min(depth, k + step); k < e; ++k) {
      const float *row = source + k / p.chans * p.tapStride + k % p.chans * p.chanStride;
      float *out = to + (panel * depth + k) * p.nr;
      for (int64_t j = 0; j < p.nr; ++j)
        out[j] = j < valid ? row[j * p.colStride] : 0.0f;
    }
  });
  return success();
}

StringRef PackOp::getKernelSymbol() { return "ttc_kernel_pack"; }
void PackOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getPackParams(*this), params);
}
int64_t PackOp::getGrid() { return getPackParams(*this).splits; }
int64_t PackOp::getScratchBytes() { return 0; }
bool PackOp::hasEpilogue() { return false; }

//===----------------------------------------------------------------------===//
// Windows of depthwise convolution and pooling
//===----------------------------------------------------------------------===//

/// The parts of a line that fills L2 with its result, where windows are of one line: each of them
/// stays in L1.
static int64_t chooseLineParts(const DepthwiseParams &p, int64_t elementBytes) {
  constexpr int64_t kLongLine = 320 * 1024, kPart = 16 * 1024, kLeastPixels = 14;
  const int64_t bytes = p.iw * p.xRow * elementBytes;
  if (bytes <= kLongLine || p.kernel[0] * p.kernel[1] != 1)
    return 1;
  return std::min(llvm::divideCeilSigned(bytes, kPart), llvm::divideCeilSigned(p.ow, kLeastPixels));
}

/// Fills the fields that depthwise convolution and pooling share.
template <typename Params, typename OpTy> static Params getWindowParams(OpTy op) {
  Params p{};
  auto in = op.getX().getType().getShape(), out = op.getResult().getType().getShape();
  int64_t spatial = op.getKernel().size(), first = 3 - spatial;
  int64_t input[3] = {1, 1, 1}, result[3] = {1, 1, 1};
  for (int64_t i = 0; i < 3; ++i) {
    int64_t at = i - first;
    bool given = at >= 0;
    input[i] = given ? in[at + 1] : 1;
    result[i] = given ? out[at + 1] : 1;
    p.kernel[i] = given ? op.getKernel()[at] : 1;
    p.stride[i] = given ? kernelValue(op.getStrides(), at, 1) : 1;
    p.padBegin[i] = given ? kernelValue(op.getPads(), at, 0) : 0;
    p.dilation[i] = given ? kernelValue(op.getDilations(), at, 1) : 1;
  }
  p.n = in[0];
  p.c = p.xRow = p.outRow = in.back();
  if (StridedAttr rows = getOperandStrided(op.getX()))
    p.xRow = rows.getPitch();
  if (StridedAttr rows = getResultStrided(op))
    p.outRow = rows.getPitch();
  std::tie(p.id, p.ih, p.iw) = std::tie(input[0], input[1], input[2]);
  std::tie(p.od, p.oh, p.ow) = std::tie(result[0], result[1], result[2]);
  int64_t lines = p.n * p.od * p.oh;
  int64_t work = lines * p.ow * p.c * p.kernel[0] * p.kernel[1] * p.kernel[2];
  if constexpr (std::is_same_v<Params, DepthwiseParams>) {
    p.lineParts = chooseLineParts(p, op.getX().getType().getElementTypeBitWidth() / 8);
    lines *= p.lineParts;
  }
  int64_t wanted = chooseWorkgroups(op, 4 * work);
  p.rowSplits = std::min(lines, wanted);
  // Whole cache lines of channels, so that no two workgroups write one.
  p.channelSplits =
      std::min(llvm::divideCeilSigned(wanted, p.rowSplits), llvm::divideCeilSigned(p.c, 16));
  setValid(op, p);
  return p;
}

DepthwiseParams mlir::ttc::getDepthwiseWindows(KernelIntDepthwiseConvOp op) {
  return getWindowParams<DepthwiseParams>(op);
}

DepthwiseParams mlir::ttc::getDepthwiseWindows(KernelIntDepthwiseDotOp op) {
  return getWindowParams<DepthwiseParams>(op);
}

/// Images in rows of their channels; never the weights.
template <typename OpTy>
static bool acceptsStridedImage(OpTy op, unsigned index, const StridedRange &rows) {
  bool isImage = index == 0 || index == op->getNumOperands();
  return isImage && rows.row == op.getX().getType().getShape().back();
}

LogicalResult mlir::ttc::verifyKernelValues(Operation *op, StringRef name,
                                            std::optional<ArrayRef<int64_t>> values, size_t count,
                                            int64_t least, StringRef constraint) {
  if (!values)
    return success();
  if (values->size() != count)
    return op->emitOpError() << constraint << " expected " << count << " values in '" << name
                             << "', found " << values->size();
  if (llvm::any_of(*values, [&](int64_t value) { return value < least; }))
    return op->emitOpError() << constraint << " expected values of at least " << least << " in '"
                             << name << "', found [" << *values << "]";
  return success();
}

/// Ranks, attribute sizes, and the sizes that a window op keeps.
template <typename OpTy> static LogicalResult verifyWindows(OpTy op) {
  auto in = op.getX().getType().getShape(), out = op.getResult().getType().getShape();
  size_t spatial = op.getKernel().size();
  if (spatial < 1 || spatial > 3 || in.size() != spatial + 2 || out.size() != spatial + 2)
    return op.emitOpError()
           << "(C1) expected 1 to 3 spatial dimensions and x and the result of rank " << spatial + 2
           << ", found ranks " << in.size() << " and " << out.size();
  if (failed(verifyKernelWindow(op, op.getKernel(), "(C2)")))
    return failure();
  if (in.front() != out.front() || in.back() != out.back())
    return op.emitOpError()
           << "(C3) expected x and the result with equal batch and channels, found [" << in
           << "] and [" << out << "]";
  return success();
}

LogicalResult KernelDepthwiseConvOp::verify() {
  if (failed(verifyWindows(*this)))
    return failure();
  auto in = getX().getType().getShape(), out = getResult().getType().getShape();
  SmallVector<int64_t> weights{llvm::product_of(getKernel()), in.back()};
  if (getW().getType().getShape() != ArrayRef(weights))
    return emitOpError() << "(C4) expected w of shape [" << ArrayRef(weights) << "], found ["
                         << getW().getType().getShape() << "]";
  int64_t spatial = getKernel().size();
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t window = (getKernel()[i] - 1) * kernelValue(getDilations(), i, 1) + 1;
    int64_t padded =
        in[i + 1] + kernelValue(getPads(), i, 0) + kernelValue(getPads(), spatial + i, 0);
    int64_t expected = (padded - window) / kernelValue(getStrides(), i, 1) + 1;
    if (out[i + 1] != expected)
      return emitOpError() << "(C5) expected result dimension " << i + 1 << " of " << expected
                           << ", found " << out[i + 1];
  }
  return success();
}

int64_t KernelDepthwiseConvOp::getMaxEpilogueConstants() { return 8; }
StringRef KernelDepthwiseConvOp::getKernelSymbol() { return "ttc_kernel_depthwise_conv"; }
void KernelDepthwiseConvOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getWindowParams<DepthwiseParams>(*this), params);
}
int64_t KernelDepthwiseConvOp::getGrid() {
  auto p = getWindowParams<DepthwiseParams>(*this);
  return p.rowSplits * p.channelSplits;
}
int64_t KernelDepthwiseConvOp::getScratchBytes() { return 0; }
bool KernelDepthwiseConvOp::getBounds(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                                      MutableArrayRef<int64_t> params) {
  return boundWindows<DepthwiseParams>(dims, bounds, params);
}
bool KernelDepthwiseConvOp::acceptsStrided(unsigned index, const StridedRange &rows) {
  return acceptsStridedImage(*this, index, rows);
}

//===----------------------------------------------------------------------===//
// ttc.kernel.pool
//===----------------------------------------------------------------------===//

static PoolParams getPoolParams(KernelPoolOp op) {
  auto p = getWindowParams<PoolParams>(op);
  int64_t spatial = op.getKernel().size();
  for (int64_t i = 0; i < spatial; ++i)
    p.padEnd[3 - spatial + i] = kernelValue(op.getPads(), spatial + i, 0);
  p.mode = static_cast<int64_t>(op.getKind());
  p.countPad = op.getCountIncludePad();
  return p;
}

LogicalResult KernelPoolOp::verify() {
  if (failed(verifyWindows(*this)))
    return failure();
  auto in = getX().getType().getShape(), out = getResult().getType().getShape();
  for (size_t i = 0; i < getKernel().size(); ++i) {
    int64_t dilation = kernelValue(getDilations(), i, 1);
    int64_t begin =
        (out[i + 1] - 1) * kernelValue(getStrides(), i, 1) - kernelValue(getPads(), i, 0);
    if (begin >= in[i + 1] || kernelValue(getPads(), i, 0) > (getKernel()[i] - 1) * dilation)
      return emitOpError() << "(C4) expected every window of dimension " << i + 1
                           << " to overlap x of size " << in[i + 1]
                           << ", found the last to begin at " << begin << " and the first at "
                           << -kernelValue(getPads(), i, 0);
  }
  if (!getValid().empty() && getKind() == PoolKind::average && !getCountIncludePad())
    return emitOpError("(C5) expected 'count_include_pad' of an average with 'valid'");
  return success();
}

StringRef KernelPoolOp::getKernelSymbol() { return "ttc_kernel_pool"; }
void KernelPoolOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getPoolParams(*this), params);
}
int64_t KernelPoolOp::getGrid() {
  PoolParams p = getPoolParams(*this);
  return p.rowSplits * p.channelSplits;
}
int64_t KernelPoolOp::getScratchBytes() { return 0; }
bool KernelPoolOp::getBounds(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                             MutableArrayRef<int64_t> params) {
  return boundWindows<PoolParams>(dims, bounds, params);
}
bool KernelPoolOp::padsWith(Value number) {
  if (getKind() == PoolKind::max)
    return mlir::ttc::detail::isSplatOf(number, -std::numeric_limits<double>::infinity());
  return getCountIncludePad() && mlir::ttc::detail::isSplatOf(number, 0);
}
bool KernelPoolOp::acceptsStrided(unsigned index, const StridedRange &rows) {
  return acceptsStridedImage(*this, index, rows);
}

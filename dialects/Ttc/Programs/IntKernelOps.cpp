// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc.pack_bytes, ttc.sum_bytes and the kernels on bytes.
#include "dialects/Ttc/Programs/IntKernelOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "kernels/Budgets.h"
#include "kernels/IntParams.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;
using kernels::GemmParams;
using kernels::IntDepthwiseParams;
using kernels::IntGemmParams;

//===----------------------------------------------------------------------===//
// ttc.pack_bytes and ttc.sum_bytes
//===----------------------------------------------------------------------===//

namespace {
/// Where the weights of one column are in the operand, and how they are divided into runs.
struct ByteWeights {
  int64_t groups = 1;
  /// Columns of a group, and the elements from one to the next; groups follow each other.
  int64_t columns, columnStep;
  /// Runs of a column, each of `taps` times `channels` consecutive k.
  int64_t runs = 1, taps = 1, channels;
  int64_t runStep = 0, tapStep = 0, channelStep;

  int64_t getQuads() const { return runs * llvm::divideCeilSigned(taps * channels, 4); }
  int64_t getPanels(int64_t nr) const { return llvm::divideCeilSigned(columns, nr); }
};
} // namespace

static ByteWeights describeWeights(ArrayRef<int64_t> shape, PackKind kind, int64_t groups,
                                   bool merged) {
  ByteWeights w;
  if (kind == PackKind::matmul) {
    w.columns = shape[1];
    w.columnStep = 1;
    w.channels = shape[0];
    w.channelStep = shape[1];
    return w;
  }
  int64_t taps = llvm::product_of(shape.drop_front(2));
  w.groups = groups;
  w.columns = shape[0] / groups;
  w.columnStep = shape[1] * taps;
  w.channels = shape[1];
  w.channelStep = taps;
  w.taps = merged ? shape.back() : 1;
  w.tapStep = 1;
  w.runs = taps / w.taps;
  w.runStep = w.taps;
  return w;
}

static ByteWeights describeWeights(PackBytesOp op) {
  return describeWeights(op.getInput().getType().getShape(), op.getKind(), op.getGroups(),
                         op.getMerged());
}

/// Fails unless the weights have the rank that their kind requires: (C1).
static LogicalResult checkKind(std::optional<Location> location, StringRef name, PackKind kind,
                               RankedTensorType input) {
  bool matrix = kind == PackKind::matmul;
  if ((matrix || kind == PackKind::conv) && (matrix ? input.getRank() == 2 : input.getRank() >= 3))
    return success();
  return emitOptionalError(location, "'", name,
                           "' op (C1) expected 'matmul' with an operand of rank 2 or 'conv' with "
                           "one of rank 3 or more, found '",
                           stringifyPackKind(kind), "' and ", input);
}

LogicalResult PackBytesOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t groups = adaptor.getGroups();
  if (failed(checkKind(location, getOperationName(), adaptor.getKind(), input)))
    return failure();
  bool matrix = adaptor.getKind() == PackKind::matmul;
  if (!matrix && input.getDimSize(0) % groups)
    return emitOptionalError(location,
                             "'ttc.pack_bytes' op (C2) expected 'groups' to divide dimension 0 of ",
                             input, ", found ", groups);
  if (adaptor.getMerged() && (matrix || groups != 1))
    return emitOptionalError(
        location, "'ttc.pack_bytes' op (C3) expected 'merged' with 'conv' and one group, found '",
        stringifyPackKind(adaptor.getKind()), "' and ", groups);
  ByteWeights w = describeWeights(input.getShape(), adaptor.getKind(), groups, adaptor.getMerged());
  int64_t nr = adaptor.getNr();
  types.push_back(RankedTensorType::get({w.groups, w.getPanels(nr), w.getQuads(), nr, 4},
                                        IntegerType::get(context, 8)));
  return success();
}

/// What is stored of an element: itself, or an unsigned one less 128.
static int8_t storedByte(char element, uint8_t flip) {
  return static_cast<int8_t>(static_cast<uint8_t>(element) ^ flip);
}
static uint8_t flipOf(Value input) {
  return tensorType(input).getElementType().isUnsignedInteger() ? 0x80 : 0;
}

LogicalResult PackBytesOp::evaluateConstant(ArrayRef<ArrayRef<char>> operands,
                                            MutableArrayRef<char> result) {
  ByteWeights w = describeWeights(*this);
  int64_t nr = getNr(), panels = w.getPanels(nr), panelBytes = w.getQuads() * nr * 4;
  int64_t runQuads = w.getQuads() / w.runs;
  uint8_t flip = flipOf(getInput());
  ArrayRef<char> from = operands[0];
  parallelFor(getContext(), 0, w.groups * panels, [&](size_t panel) {
    char *to = result.data() + panel * panelBytes;
    int64_t first = panel % panels * nr, valid = std::min(nr, w.columns - first);
    int64_t column = (panel / panels * w.columns + first) * w.columnStep;
    std::fill_n(to, panelBytes, 0);
    for (int64_t run = 0; run < w.runs; ++run)
      for (int64_t k = 0; k < w.taps * w.channels; ++k) {
        int64_t tap = k / w.channels, channel = k % w.channels;
        int64_t at = column + run * w.runStep + tap * w.tapStep + channel * w.channelStep;
        char *quad = to + (run * runQuads + k / 4) * nr * 4 + k % 4;
        for (int64_t j = 0; j < valid; ++j)
          quad[j * 4] = storedByte(from[at + j * w.columnStep], flip);
      }
  });
  return success();
}

LogicalResult SumBytesOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                           ValueRange operands, DictionaryAttr attributes,
                                           OpaqueProperties properties, RegionRange regions,
                                           SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  if (failed(checkKind(location, getOperationName(), adaptor.getKind(), input)))
    return failure();
  int64_t columns = input.getDimSize(adaptor.getKind() == PackKind::matmul ? 1 : 0);
  types.push_back(RankedTensorType::get({columns}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult SumBytesOp::evaluateConstant(ArrayRef<ArrayRef<char>> operands,
                                           MutableArrayRef<char> result) {
  bool matrix = getKind() == PackKind::matmul;
  auto shape = getInput().getType().getShape();
  int64_t columns = shape[matrix ? 1 : 0];
  int64_t depth = matrix ? shape[0] : llvm::product_of(shape.drop_front());
  int64_t columnStep = matrix ? 1 : depth, step = matrix ? columns : 1;
  uint8_t flip = flipOf(getInput());
  std::vector<uint32_t> sums(columns); // they wrap
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t k = 0; k < depth; ++k)
      sums[column] += storedByte(operands[0][column * columnStep + k * step], flip);
  std::memcpy(result.data(), sums.data(), columns * sizeof(uint32_t));
  return success();
}

//===----------------------------------------------------------------------===//
// What a kernel stores
//===----------------------------------------------------------------------===//

/// The element type that the program around a kernel stores.
static Type getStoredType(Operation *kernel) {
  if (auto program = kernel->getParentOfType<ProgramOp>(); program && program.getNumResults() == 1)
    if (auto type = dyn_cast<RankedTensorType>(program.getFunctionType().getResult(0)))
      return type.getElementType();
  return getElementTypeOrSelf(kernel->getResult(0));
}

/// Words of 32 bits and bytes.
static bool storesWordsOrBytes(Type type) {
  return type.isF32() || type.isInteger(32) || type.isInteger(8);
}

static int64_t getStoredBytes(Operation *kernel) {
  return getStoredType(kernel).getIntOrFloatBitWidth() / 8;
}

/// Fails unless a zero point is a value of ui8, or 0 beside an operand of one element.
static LogicalResult verifyZero(Operation *op, StringRef name, StringRef constraint, int64_t value,
                                StringRef operandConstraint, Value operand) {
  if (value < 0 || value > (operand ? 0 : 255))
    return op->emitOpError() << constraint << " expected '" << name << "' to be "
                             << (operand ? "0 beside 'zero'" : "a value of ui8") << ", found "
                             << value;
  if (operand && tensorType(operand).getNumElements() != 1)
    return op->emitOpError() << operandConstraint << " expected 'zero' to have one element, found "
                             << operand.getType();
  return success();
}

/// The result's size of a convolution along spatial dimension `i`.
template <typename OpTy>
static int64_t getConvSize(OpTy op, int64_t input, ArrayRef<int64_t> kernel, int64_t i) {
  int64_t window = (kernel[i] - 1) * kernelValue(op.getDilations(), i, 1) + 1;
  int64_t padded =
      input + kernelValue(op.getPads(), i, 0) + kernelValue(op.getPads(), kernel.size() + i, 0);
  return (padded - window) / kernelValue(op.getStrides(), i, 1) + 1;
}

//===----------------------------------------------------------------------===//
// ttc.kernel.int_gemm
//===----------------------------------------------------------------------===//

LogicalResult KernelIntGemmOp::verify() {
  if (getTile().size() != 2 || getTile()[0] < 1 || getTile()[1] < 8 || getTile()[1] % 8)
    return emitOpError() << "(C1) expected 'tile' to be rows and a multiple of 8 columns, found ["
                         << getTile() << "]";
  auto a = getA().getType().getShape(), out = getResult().getType().getShape();
  size_t spatial = getKernel() ? getKernel()->size() : 0;
  if (a.size() != out.size() || a.size() < 2 ||
      (getKernel() && (spatial < 1 || spatial > 3 || a.size() != spatial + 2)))
    return emitOpError() << "(C2) expected a and the result of the same rank, at least 2 or two "
                            "more than 1 to 3 spatial dimensions, found ranks "
                         << a.size() << " and " << out.size();
  int64_t groups = getGroups(), columns = out.back();
  SmallVector<int64_t> expected(a);
  expected.back() = columns;
  int64_t runs = 1, run = a.back() / groups;
  if (auto kernel = getKernel()) {
    if (failed(verifyKernelWindow(*this, *kernel, "(C3)")))
      return failure();
    for (size_t i = 0; i < spatial; ++i)
      expected[i + 1] = getConvSize(*this, a[i + 1], *kernel, i);
    runs = llvm::product_of(*kernel);
  }
  if (a.back() % groups || columns % groups || (!getKernel() && groups != 1))
    return emitOpError() << "(C4) expected 'groups' to divide the channels " << a.back() << " and "
                         << columns << ", and to be 1 without 'kernel', found " << groups;
  if (out != ArrayRef(expected))
    return emitOpError() << "(C5) expected a result of shape [" << ArrayRef(expected)
                         << "], found [" << out << "]";
  if (getMerged()) {
    if (!getKernel() || groups != 1 || kernelValue(getDilations(), spatial - 1, 1) != 1 ||
        spatial == 3)
      return emitOpError("(C8) expected 'merged' with a 'kernel' of one or two dimensions, one "
                         "group, and no dilation along the last dimension");
    run *= getKernel()->back();
    runs /= getKernel()->back();
  }
  int64_t nr = getTile()[1];
  SmallVector<int64_t> packed{groups, llvm::divideCeilSigned(columns / groups, nr),
                              runs * llvm::divideCeilSigned(run, 4), nr, 4};
  if (getB().getType().getShape() != ArrayRef(packed))
    return emitOpError() << "(C6) expected b packed as [" << ArrayRef(packed) << "], found ["
                         << getB().getType().getShape() << "]";
  if (getBZero() && tensorType(getBZero()).getShape() != ArrayRef(columns))
    return emitOpError() << "(C7) expected 'b_zero' to have " << columns << " elements, found "
                         << getBZero().getType();
  return verifyZero(*this, "a_zero", "(C9)", getAZero(), "(C10)", getZero());
}

/// The kernels on bytes keep constants out of the registers of their loops: this limits code size.
static constexpr int64_t kMaxEpilogueConstants = 16;

int64_t KernelIntGemmOp::getMaxEpilogueConstants() { return kMaxEpilogueConstants; }
StringRef KernelIntGemmOp::getKernelSymbol() { return "ttc_kernel_int_gemm"; }

bool KernelIntGemmOp::canStore(Type elementType) { return storesWordsOrBytes(elementType); }

bool KernelIntGemmOp::acceptsStrided(unsigned, const StridedRange &) { return false; }

/// The loops: sizes and strides of contiguous tensors.
static GemmParams getLoops(KernelIntGemmOp op) {
  GemmParams p{};
  for (int64_t i = 0; i < 3; ++i)
    p.batch[i] = p.kernel[i] = p.stride[i] = p.dilation[i] = p.inputDilation[i] = 1;
  auto a = op.getA().getType().getShape(), out = op.getResult().getType().getShape();
  p.n = p.od = p.oh = p.id = p.ih = 1;
  p.groups = op.getGroups();
  p.c = a.back() / p.groups;
  p.o = out.back() / p.groups;
  p.cols = p.outRow = p.outPitch = out.back();
  p.aC = 1;
  p.aRow = p.aW = a.back();
  p.mr = op.getTile()[0];
  p.nr = op.getTile()[1];
  p.aMode = kernels::kRowsDirect;
  p.ow = p.iw = llvm::product_of(out.drop_back());
  if (!op.getKernel())
    return p;
  setValid(op, p);
  int64_t spatial = op.getKernel()->size(), first = 3 - spatial;
  int64_t in[3] = {1, 1, 1}, result[3] = {1, 1, 1};
  for (int64_t i = 0; i < spatial; ++i) {
    in[first + i] = a[i + 1];
    result[first + i] = out[i + 1];
    p.kernel[first + i] = (*op.getKernel())[i];
    p.stride[first + i] = kernelValue(op.getStrides(), i, 1);
    p.padBegin[first + i] = kernelValue(op.getPads(), i, 0);
    p.dilation[first + i] = kernelValue(op.getDilations(), i, 1);
  }
  std::tie(p.id, p.ih, p.iw) = std::tie(in[0], in[1], in[2]);
  std::tie(p.od, p.oh, p.ow) = std::tie(result[0], result[1], result[2]);
  p.n = a[0];
  p.aH = p.iw * p.aW;
  p.aD = p.ih * p.aH;
  p.aN = p.id * p.aD;
  p.aMode = op.getMerged() ? kernels::kRowsCopied : kernels::kRowsTable;
  if (!op.getMerged() && hasDirectRows(p))
    return withRows(p, GemmRows::direct);
  return p;
}

/// The kernel's arguments with the grid and the blocks, and the bytes of scratch.
static std::pair<IntGemmParams, int64_t> getParams(KernelIntGemmOp op) {
  IntGemmParams params{};
  GemmParams &p = params.loops;
  p = getLoops(op);
  bool copied = p.aMode == kernels::kRowsCopied, table = p.aMode != kernels::kRowsDirect;
  params.dot = static_cast<int64_t>(op.getDot());
  params.aZero = op.getAZero();
  params.hasBZero = op.getBZero() != nullptr;
  params.hasZero = op.getZero() != nullptr;
  params.storedBytes = getStoredBytes(op);
  params.taps = p.kernel[0] * p.kernel[1] * (copied ? 1 : p.kernel[2]);
  params.run = copied ? p.kernel[2] * p.c : p.c;
  int64_t quads = params.taps * llvm::divideCeilSigned(params.run, 4);

  // The grid: rows or panels, whichever makes the workgroups together stream fewer bytes. Products
  // of bytes take a quarter of the time of those of f32. Bytes of B are work, too: a product of few
  // rows waits for them.
  int64_t rows = p.n * p.od * p.oh * p.ow, tiles = llvm::divideCeilSigned(rows, p.mr);
  int64_t panels = p.groups * llvm::divideCeilSigned(p.o, p.nr);
  int64_t aBytes = table ? p.n * p.id * p.ih * p.iw * p.c * p.groups : rows * p.c;
  int64_t bBytes = op.getB().getType().getNumElements();
  int64_t wanted = chooseWorkgroups(op, std::max(rows * quads * p.cols, bBytes));
  bool byRows = wanted * bBytes + aBytes <= bBytes + wanted * aBytes;
  int64_t first = std::min(byRows ? tiles : panels, wanted);
  int64_t second = splitSecond(first, wanted, byRows ? panels : tiles, byRows ? 0 : rows);
  p.batchSplits = 1;
  p.rowSplits = byRows ? first : second;
  p.panelSplits = byRows ? second : first;

  // Row tiles of a block: its A and a panel stay in L2 while all panels pass.
  int64_t panelBytes = quads * p.nr * 4, groupTiles = llvm::divideCeilSigned(tiles, p.rowSplits);
  int64_t budget = std::max(kernels::kL2Budget - panelBytes, kernels::kMinBlockBytes);
  int64_t block = std::max(p.mr, budget / std::max<int64_t>(1, aBytes / rows));
  if (table)
    block = std::min(block, std::max(p.mr, kernels::kTableBudget / (8 * params.taps)));
  auto copiedBytes = [&](int64_t count) { return getCopiedBytes(p, count) / 4; };
  if (copied)
    while (block > p.mr && copiedBytes(block) > kernels::kCopyBudget)
      block = std::max(p.mr, block * 3 / 4);
  block = std::clamp<int64_t>(block / p.mr, 1, groupTiles);
  p.blockTiles = llvm::divideCeilSigned(groupTiles, llvm::divideCeilSigned(groupTiles, block));

  // A last quad may reach three bytes past its run.
  constexpr int64_t slack = 4;
  int64_t at = 0;
  auto reserve = [&](bool isNeeded, int64_t bytes) {
    int64_t begin = isNeeded ? at : 0;
    at += isNeeded ? llvm::alignTo(bytes, 64) : 0;
    return begin;
  };
  int64_t blockRows = p.blockTiles * p.mr;
  p.zeroAt = reserve(table && !copied, p.c * p.groups + slack);
  p.tableAt = reserve(table, blockRows * params.taps * 8);
  p.copyBytes = copied ? copiedBytes(blockRows) : 0;
  p.copyAt = reserve(copied, p.copyBytes + slack);
  return {params, at};
}

void KernelIntGemmOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this).first, params);
}

int64_t KernelIntGemmOp::getGrid() {
  GemmParams p = getParams(*this).first.loops;
  return p.rowSplits * p.panelSplits;
}

int64_t KernelIntGemmOp::getScratchBytes() { return getParams(*this).second; }

bool KernelIntGemmOp::getBounds(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                                MutableArrayRef<int64_t> params) {
  GemmParams &p = reinterpret_cast<IntGemmParams *>(params.data())->loops;
  if (p.aMode != kernels::kRowsDirect)
    return boundConv(p, sizeof(uint8_t), dims, bounds);
  BoundedFactors rows;
  for (const BoundedFactors &factors : dims.drop_back())
    rows.append(factors);
  rows = mergeFactors(rows);
  if (areWhole(rows) || rows.size() > std::size(p.runs))
    return false;
  rows.insert(rows.begin(), std::size(p.runs) - rows.size(), BoundedFactor{1, {}});
  p.bounded = 1;
  for (auto [size, factor] : llvm::zip_equal(p.runs, rows))
    size = factor.size;
  bounds.append(rows);
  return true;
}

/// Whether a number of any shape is the zero point of an image.
static bool isZeroPoint(Value number, Value zero, int64_t constant) {
  return zero ? number == zero : mlir::ttc::detail::isSplatOf(number, constant);
}

bool KernelIntGemmOp::padsWith(Value number) { return isZeroPoint(number, getZero(), getAZero()); }

//===----------------------------------------------------------------------===//
// ttc.kernel.int_depthwise_conv
//===----------------------------------------------------------------------===//

LogicalResult KernelIntDepthwiseConvOp::verify() {
  auto in = getX().getType().getShape(), out = getResult().getType().getShape();
  size_t spatial = getKernel().size();
  if (spatial < 1 || spatial > 3 || in.size() != spatial + 2 || out.size() != spatial + 2)
    return emitOpError() << "(C1) expected 1 to 3 spatial dimensions and x and the result of rank "
                         << spatial + 2 << ", found ranks " << in.size() << " and " << out.size();
  if (failed(verifyKernelWindow(*this, getKernel(), "(C2)")))
    return failure();
  if (in.front() != out.front() || in.back() != out.back())
    return emitOpError() << "(C3) expected x and the result with equal batch and channels, found ["
                         << in << "] and [" << out << "]";
  SmallVector<int64_t> weights{llvm::product_of(getKernel()), in.back()};
  if (getW().getType().getShape() != ArrayRef(weights))
    return emitOpError() << "(C4) expected w of shape [" << ArrayRef(weights) << "], found ["
                         << getW().getType().getShape() << "]";
  for (size_t i = 0; i < spatial; ++i)
    if (int64_t expected = getConvSize(*this, in[i + 1], getKernel(), i); out[i + 1] != expected)
      return emitOpError() << "(C5) expected result dimension " << i + 1 << " of " << expected
                           << ", found " << out[i + 1];
  return verifyZero(*this, "x_zero", "(C6)", getXZero(), "(C7)", getZero());
}

static IntDepthwiseParams getDepthwiseParams(KernelIntDepthwiseConvOp op) {
  IntDepthwiseParams params{};
  params.windows = getDepthwiseWindows(op);
  params.xZero = op.getXZero();
  params.hasZero = op.getZero() != nullptr;
  params.storedBytes = getStoredBytes(op);
  return params;
}

bool KernelIntDepthwiseConvOp::getBounds(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                                         MutableArrayRef<int64_t> params) {
  return boundWindows<kernels::DepthwiseParams>(dims, bounds, params);
}

bool KernelIntDepthwiseConvOp::padsWith(Value number) {
  return isZeroPoint(number, getZero(), getXZero());
}

int64_t KernelIntDepthwiseConvOp::getMaxEpilogueConstants() { return kMaxEpilogueConstants; }
StringRef KernelIntDepthwiseConvOp::getKernelSymbol() { return "ttc_kernel_int_depthwise_conv"; }

bool KernelIntDepthwiseConvOp::canStore(Type elementType) {
  return storesWordsOrBytes(elementType);
}

bool KernelIntDepthwiseConvOp::acceptsStrided(unsigned, const StridedRange &) { return false; }

void KernelIntDepthwiseConvOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getDepthwiseParams(*this), params);
}

int64_t KernelIntDepthwiseConvOp::getGrid() {
  auto p = getDepthwiseParams(*this).windows;
  return p.rowSplits * p.channelSplits;
}

int64_t KernelIntDepthwiseConvOp::getScratchBytes() { return 0; }

//===----------------------------------------------------------------------===//
// ttc.kernel.int_depthwise_dot
//===----------------------------------------------------------------------===//

LogicalResult KernelIntDepthwiseDotOp::verify() {
  auto in = getX().getType().getShape(), out = getResult().getType().getShape();
  if (in.size() != 4 || out.size() != 4)
    return emitOpError() << "(C1) expected x and the result of rank 4, found ranks " << in.size()
                         << " and " << out.size();
  auto kernel = getKernel();
  if (kernel.size() != 2)
    return emitOpError() << "(C2) expected 2 values in 'kernel', found " << kernel.size();
  if (failed(verifyKernelWindow(*this, kernel, "(C2)")))
    return failure();
  if (in.front() != out.front() || in.back() != out.back())
    return emitOpError() << "(C3) expected x and the result with equal batch and channels, found ["
                         << in << "] and [" << out << "]";
  if (kernel[0] > kernels::kDotRows || kernel[1] > kernels::kDotColumns)
    return emitOpError() << "(C4) expected 'kernel' of at most " << kernels::kDotRows
                         << " rows and " << kernels::kDotColumns << " columns, found [" << kernel
                         << "]";
  SmallVector<int64_t> packed{1, 1, kernel[1] * llvm::divideCeilSigned(kernel[0], 4), in.back(), 4};
  if (getW().getType().getShape() != ArrayRef(packed))
    return emitOpError() << "(C5) expected w of shape [" << ArrayRef(packed) << "], found ["
                         << getW().getType().getShape() << "]";
  for (size_t i = 0; i < 2; ++i)
    if (int64_t expected = getConvSize(*this, in[i + 1], kernel, i); out[i + 1] != expected)
      return emitOpError() << "(C6) expected result dimension " << i + 1 << " of " << expected
                           << ", found " << out[i + 1];
  return verifyZero(*this, "x_zero", "(C7)", getXZero(), "", Value());
}

static IntDepthwiseParams getDotParams(KernelIntDepthwiseDotOp op) {
  IntDepthwiseParams params{};
  auto &p = params.windows;
  p = getDepthwiseWindows(op);
  params.xZero = op.getXZero();
  params.storedBytes = getStoredBytes(op);
  params.dot = static_cast<int64_t>(op.getDot());
  // Two lines of windows of three rows cover four input rows, which are one quad.
  bool together = p.kernel[1] == 3 && p.stride[1] == 1 && p.dilation[1] == 1;
  params.linesTogether = together ? 2 : 1;
  int64_t groups = p.n * llvm::divideCeilSigned(p.oh, params.linesTogether);
  int64_t wanted = chooseWorkgroups(op, 2 * p.n * p.oh * p.ow * p.c * p.kernel[1] * p.kernel[2]);
  p.rowSplits = std::min(groups, wanted);
  p.channelSplits = std::clamp<int64_t>(wanted / p.rowSplits, 1, llvm::divideCeilSigned(p.c, 16));
  return params;
}

bool KernelIntDepthwiseDotOp::getBounds(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                                        MutableArrayRef<int64_t> params) {
  return boundWindows<kernels::DepthwiseParams>(dims, bounds, params);
}

bool KernelIntDepthwiseDotOp::padsWith(Value number) { return isZeroPoint(number, {}, getXZero()); }

int64_t KernelIntDepthwiseDotOp::getMaxEpilogueConstants() { return kMaxEpilogueConstants; }
StringRef KernelIntDepthwiseDotOp::getKernelSymbol() { return "ttc_kernel_int_depthwise_dot"; }

bool KernelIntDepthwiseDotOp::canStore(Type elementType) { return storesWordsOrBytes(elementType); }

bool KernelIntDepthwiseDotOp::acceptsStrided(unsigned, const StridedRange &) { return false; }

void KernelIntDepthwiseDotOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getDotParams(*this), params);
}

int64_t KernelIntDepthwiseDotOp::getGrid() {
  auto p = getDotParams(*this).windows;
  return p.rowSplits * p.channelSplits;
}

int64_t KernelIntDepthwiseDotOp::getScratchBytes() { return 0; }

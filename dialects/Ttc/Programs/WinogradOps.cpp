// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc.pack_winograd and its kernels.
#include "dialects/Ttc/Programs/WinogradOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/OperationCounts.h"
#include "kernels/Budgets.h"
#include "kernels/WinogradPoints.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;
using kernels::WinogradParams;

static bool areSizesKnown(int64_t outputs, int64_t taps) {
  return (outputs == 4 && taps == 3) || (outputs == 2 && (taps == 5 || taps == 3));
}

/// The number of points of a tile in one dimension, or in two.
static int64_t getPoints(int64_t outputs, int64_t taps, bool isLine) {
  const int64_t edge = outputs + taps - 1;
  return isLine ? edge : edge * edge;
}

namespace {
/// A convolution's kernel: `taps` in one spatial dimension, or in the last two, for each of
/// `frames`.
struct Kernel {
  int64_t frames, taps;
  bool isLine;
};
} // namespace

/// Nothing if the weights have no such kernel.
static std::optional<Kernel> getKernel(RankedTensorType weights) {
  if (weights.getRank() < 3 || weights.getRank() > 5)
    return std::nullopt;
  auto kernel = weights.getShape().drop_front(2);
  const int64_t most = *llvm::max_element(kernel);
  if (weights.getNumElements() == weights.getDimSize(0) * weights.getDimSize(1) * most)
    return Kernel{1, most, true};
  if (kernel.size() < 2 || kernel.back() != kernel[kernel.size() - 2])
    return std::nullopt;
  return Kernel{kernel.size() == 3 ? kernel.front() : 1, kernel.back(), false};
}

//===----------------------------------------------------------------------===//
// ttc.pack_winograd
//===----------------------------------------------------------------------===//

LogicalResult PackWinogradOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               ValueRange operands, DictionaryAttr attributes,
                                               OpaqueProperties properties, RegionRange regions,
                                               SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  const std::optional<Kernel> kernel = getKernel(input);
  if (!kernel)
    return emitOptionalError(location,
                             "'ttc.pack_winograd' op (C1) expected weights of rank 3 to 5 with "
                             "taps in one dimension or equal last dimensions, found ",
                             input);
  const int64_t outputs = adaptor.getOutputs(), taps = kernel->taps;
  if (!areSizesKnown(outputs, taps))
    return emitOptionalError(location,
                             "'ttc.pack_winograd' op (C2) expected outputs and taps of 4 and 3, 2 "
                             "and 5, or 2 and 3, found ",
                             outputs, " and ", taps);
  const int64_t groups = adaptor.getGroups(), nr = adaptor.getNr();
  if (input.getDimSize(0) % groups)
    return emitOptionalError(
        location, "'ttc.pack_winograd' op (C3) expected 'groups' to divide dimension 0 of ", input,
        ", found ", groups);
  types.push_back(RankedTensorType::get(
      {groups, llvm::divideCeilSigned(input.getDimSize(0) / groups, nr),
       getPoints(outputs, taps, kernel->isLine), kernel->frames * input.getDimSize(1), nr},
      input.getElementType()));
  return success();
}

/// The matrix G: row p has the powers of point p, divided by the product of the differences to all
/// other finite points; the last row, for infinity, selects the last tap.
static SmallVector<SmallVector<double>> getWeightTransform(int64_t outputs, int64_t taps) {
  const int64_t count = outputs + taps - 1;
  constexpr double a = kernels::kPointA, b = kernels::kPointB, c = kernels::kPointC;
  SmallVector<double> points =
      count == 6 ? SmallVector<double>{0, a, -a, b, -b} : SmallVector<double>{0, c, -c};
  SmallVector<SmallVector<double>> rows(count, SmallVector<double>(taps));
  for (auto [i, point] : llvm::enumerate(points)) {
    double value = 1;
    for (auto [j, other] : llvm::enumerate(points))
      if (i != j)
        value /= point - other;
    for (int64_t k = 0; k < taps; ++k, value *= point)
      rows[i][k] = value;
  }
  rows.back()[taps - 1] = 1;
  return rows;
}

LogicalResult PackWinogradOp::evaluateConstant(ArrayRef<ArrayRef<char>> operands,
                                               MutableArrayRef<char> result) {
  auto shape = getInput().getType().getShape();
  const auto [frames, taps, isLine] = *getKernel(cast<RankedTensorType>(getInput().getType()));
  const int64_t columns = shape[0] / getGroups(), nr = getNr(), channels = shape[1];
  const int64_t depth = frames * channels, tapsW = isLine ? 1 : taps;
  const int64_t panels = llvm::divideCeil(columns, nr), edge = getOutputs() + taps - 1;
  const int64_t edgeW = isLine ? 1 : edge, points = edge * edgeW;
  const auto *from = reinterpret_cast<const float *>(operands[0].data());
  auto *to = reinterpret_cast<float *>(result.data());
  const auto transform = getWeightTransform(getOutputs(), taps);
  parallelFor(getContext(), 0, getGroups() * panels, [&](size_t panel) {
    const int64_t first = panel % panels * nr, valid = std::min(nr, columns - first);
    const float *source = from + (panel / panels * columns + first) * depth * taps * tapsW;
    float *packed = to + panel * points * depth * nr;
    SmallVector<double, 36> half(edge * tapsW);
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t j = 0; j < nr; ++j) {
        const float *kernel =
            source + ((j * channels + k % channels) * frames + k / channels) * taps * tapsW;
        for (int64_t p = 0; p < edge && j < valid; ++p)
          for (int64_t t = 0; t < tapsW; ++t) {
            half[p * tapsW + t] = 0;
            for (int64_t i = 0; i < taps; ++i)
              half[p * tapsW + t] += transform[p][i] * kernel[i * tapsW + t];
          }
        for (int64_t p = 0; p < edge; ++p)
          for (int64_t q = 0; q < edgeW; ++q) {
            double sum = 0;
            for (int64_t t = 0; t < tapsW && j < valid; ++t)
              sum += half[p * tapsW + t] * (isLine ? 1 : transform[q][t]);
            packed[((p * edgeW + q) * depth + k) * nr + j] = static_cast<float>(sum);
          }
      }
    }
  });
  return success();
}

bool PackWinogradOp::isAlwaysWorthEvaluating() { return true; }
int64_t PackWinogradOp::getOperationCount() { return 0; }

//===----------------------------------------------------------------------===//
// What the kernels share
//===----------------------------------------------------------------------===//

namespace {
/// Images as the kernels see them: frames of clips, lines, columns. With taps in spatial dimension
/// `line` only, what is before it are images of their own, and what is after it are columns.
struct Images {
  int64_t clips, frames = 1, lines, columns;

  Images(ArrayRef<int64_t> shape, std::optional<int64_t> line) {
    if (line) {
      const size_t at = 1 + *line;
      clips = ShapedType::getNumElements(shape.take_front(at));
      lines = shape[at];
      columns = ShapedType::getNumElements(shape.drop_front(at + 1).drop_back());
      return;
    }
    clips = shape[0];
    if (shape.size() == 5)
      frames = shape[1];
    lines = shape[shape.size() - 3];
    columns = shape[shape.size() - 2];
  }
};

/// Their padding.
struct Pads {
  int64_t front = 0, top, left = 0, back = 0, bottom, right = 0;

  Pads(ArrayRef<int64_t> pads, std::optional<int64_t> line) {
    const size_t dims = pads.size() / 2;
    if (line) {
      top = pads[*line];
      bottom = pads[dims + *line];
      return;
    }
    if (dims == 3)
      std::tie(front, back) = std::pair(pads[0], pads[3]);
    std::tie(top, left) = std::pair(pads[dims - 2], pads[dims - 1]);
    std::tie(bottom, right) = std::pair(pads[2 * dims - 2], pads[2 * dims - 1]);
  }
};
} // namespace

/// The rank of the image, or of the result: the one that is not transformed.
template <typename OpTy> static int64_t getImageRank(OpTy op) {
  return std::max(op.getX().getType().getRank(), op.getResult().getType().getRank());
}

/// Whether a tensor of this rank may be an image.
template <typename OpTy> static bool isImageRank(OpTy op, int64_t rank) {
  return rank == (op.getLine() ? 3 : 4) ||
         (op.getValid().empty() && (rank == 5 || (rank == 4 && op.getLine())));
}

static constexpr StringLiteral kImageRank =
    "of rank 4, or 3 with 'line', or without 'valid' up to 5";

template <typename OpTy> static LogicalResult verifySizes(OpTy op, StringRef ofLine) {
  if (!areSizesKnown(op.getOutputs(), op.getTaps()))
    return op.emitOpError()
           << "(C2) expected outputs and taps of 4 and 3, 2 and 5, or 2 and 3, found "
           << op.getOutputs() << " and " << op.getTaps();
  const int64_t dims = getImageRank(op) - 2;
  if (failed(verifyKernelValues(op, "pads", op.getPads(), 2 * dims, 0, "(C3)")))
    return failure();
  const std::optional<int64_t> line = op.getLine();
  for (int64_t i = 0; line && i < 2 * dims; ++i)
    if (*line < 0 || *line >= dims || (i % dims != *line && op.getPads()[i] != 0))
      return op.emitOpError() << ofLine << " expected 'line' to be one of " << dims
                              << " spatial dimensions and the only one with padding, found "
                              << *line << " and pads [" << op.getPads() << "]";
  return success();
}

/// Lines or columns of the result; not positive if the image is too small.
static int64_t getResultSize(int64_t size, int64_t before, int64_t after, int64_t taps,
                             int64_t dilation) {
  return size + before + after - (taps - 1) * dilation;
}

/// Of `size` results in one dimension: of those that are `dilation` apart, `outputs` belong
/// together.
static int64_t countTiles(int64_t size, int64_t outputs, int64_t dilation) {
  const int64_t together = outputs * dilation;
  return size / together * dilation + std::min(size % together, dilation);
}

/// Elements of one point of a transformed image.
static int64_t getPitch(int64_t tiles, int64_t channels) {
  return tiles * channels + kernels::kWinogradPadding;
}

/// Bytes before what follows the zeros that stand for padding.
static int64_t getZeroBytes(const WinogradParams &p) { return llvm::alignTo(p.c * 4, 64); }

/// The images of `clips`, and where a transformed x has them.
static void setFrames(WinogradParams &p, int64_t clips, int64_t frames, const Pads &pads,
                      int64_t frameTaps) {
  p.clips = clips;
  p.frames = frames;
  p.padFront = pads.front;
  p.paddedFrames = frames + pads.front + pads.back;
  p.frameTaps = frameTaps;
  p.n = clips * (p.paddedFrames - frameTaps + 1);
  if (frames == p.paddedFrames && frameTaps == 1)
    p.clips = p.frames = p.paddedFrames = 1;
}

/// The tiles of p.oh x p.ow results. `mr` is not set.
template <typename OpTy> static void describeTiles(WinogradParams &p, OpTy op) {
  const bool isLine = op.getLine().has_value();
  p.m = op.getOutputs();
  p.taps = op.getTaps();
  p.mW = isLine ? 1 : p.m;
  p.tapsW = isLine ? 1 : p.taps;
  p.dilation = op.getDilation();
  p.dilationW = isLine ? 1 : p.dilation;
  p.tilesH = countTiles(p.oh, p.m, p.dilation);
  p.tilesW = countTiles(p.ow, p.mW, p.dilationW);
}

/// Tells a kernel where the number of valid elements is. The only spatial dimension has the lines.
template <typename OpTy> static void setValidParts(WinogradParams &p, OpTy op) {
  setValid(op, p);
  if (op.getLine())
    std::tie(p.valid.operand[1], p.valid.operand[2]) = std::pair(p.valid.operand[2], 0);
}

static int64_t getPoints(const WinogradParams &p) {
  return (p.m + p.taps - 1) * (p.mW + p.tapsW - 1);
}

//===----------------------------------------------------------------------===//
// ttc.kernel.winograd_input
//===----------------------------------------------------------------------===//

static WinogradParams getParams(KernelWinogradInputOp op) {
  WinogradParams p{};
  auto in = op.getX().getType().getShape();
  const Pads pads(op.getPads(), op.getLine());
  const Images images(in, op.getLine());
  const int64_t taps = op.getTaps(), dilation = op.getDilation();
  std::tie(p.ih, p.iw) = std::pair(images.lines, images.columns);
  p.oh = getResultSize(p.ih, pads.top, pads.bottom, taps, dilation);
  p.ow = op.getLine() ? p.iw : getResultSize(p.iw, pads.left, pads.right, taps, dilation);
  setFrames(p, images.clips, images.frames, pads, /*frameTaps=*/1);
  p.clips = 1; // all images of x follow each other
  p.c = p.xRow = in.back();
  if (StridedAttr rows = getOperandStrided(op.getX()))
    p.xRow = rows.getPitch();
  p.groups = p.o = 1;
  p.padTop = pads.top;
  p.padLeft = pads.left;
  describeTiles(p, op);
  p.mr = 1;
  setValidParts(p, op);
  p.byValid = p.numValid > 0;
  // An element at a point costs about as much as eight multiply-adds.
  p.rowSplits = std::min(p.n * p.tilesH * p.tilesW,
                         chooseWorkgroups(op, 8 * op.getResult().getType().getNumElements()));
  return p;
}

LogicalResult KernelWinogradInputOp::verify() {
  auto in = getX().getType().getShape();
  if (!isImageRank(*this, in.size()))
    return emitOpError() << "(C1) expected x " << kImageRank << ", found " << getX().getType();
  if (failed(verifySizes(*this, "(C5)")))
    return failure();
  const WinogradParams p = getParams(*this);
  if (p.oh < 1 || p.ow < 1)
    return emitOpError() << "(C3) expected a padded image of at least "
                         << (getTaps() - 1) * getDilation() + 1
                         << (getLine() ? " lines, found " : " lines and columns, found ")
                         << p.oh + (getTaps() - 1) * getDilation()
                         << (getLine() ? Twine()
                                       : " and " + Twine(p.ow + (p.taps - 1) * p.dilation));
  SmallVector<int64_t> expected{getPoints(p), getPitch(p.n * p.tilesH * p.tilesW, p.c)};
  if (getResult().getType().getShape() != ArrayRef(expected))
    return emitOpError() << "(C4) expected a result of shape [" << ArrayRef(expected)
                         << "], found [" << getResult().getType().getShape() << "]";
  return success();
}

StringRef KernelWinogradInputOp::getKernelSymbol() { return "ttc_kernel_winograd_input"; }
void KernelWinogradInputOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this), params);
}
int64_t KernelWinogradInputOp::getGrid() { return getParams(*this).rowSplits; }
int64_t KernelWinogradInputOp::getScratchBytes() { return getZeroBytes(getParams(*this)); }
bool KernelWinogradInputOp::hasEpilogue() { return false; }
int64_t KernelWinogradInputOp::getOperationCount() { return 0; }
bool KernelWinogradInputOp::acceptsStrided(unsigned index, const StridedRange &rows) {
  return index == 0 && rows.row == getX().getType().getShape().back();
}

//===----------------------------------------------------------------------===//
// ttc.kernel.winograd_conv
//===----------------------------------------------------------------------===//

/// Register tiles of rows: whole clips have their own.
static int64_t getRowTiles(const WinogradParams &p) {
  return p.clips * llvm::divideCeil(p.n / p.clips * p.tilesH * p.tilesW, p.mr);
}

/// The parts of rows and panels. Without a transformed x each workgroup transforms its own tiles,
/// so panels are not split. With it panels come first, as weights are most of what is read; rows
/// are then split only as long as each part of the weights is used by enough of them.
static void chooseSplits(KernelWinogradConvOp op, WinogradParams &p) {
  const int64_t tiles = p.n * p.tilesH * p.tilesW, rowTiles = getRowTiles(p);
  const int64_t panels = p.groups * llvm::divideCeil(p.o, p.nr);
  const int64_t wanted =
      chooseWorkgroups(op, getPoints(p) * tiles * p.frameTaps * (p.c / p.groups) * p.o * p.groups);
  if (!p.transformed) {
    p.panelSplits = 1;
    p.rowSplits = std::min(wanted, rowTiles);
    return;
  }
  p.panelSplits = std::min(panels, wanted);
  p.rowSplits = std::clamp<int64_t>(
      llvm::divideCeilSigned(wanted, p.panelSplits), 1,
      std::max<int64_t>(1, std::min(rowTiles, tiles / ::ttc::kernels::kRowsForWeights)));
}

/// Tiles of the highest row tile.
static int64_t getHeight(const WinogradParams &p) {
  return llvm::divideCeil(p.n * p.tilesH * p.tilesW, getRowTiles(p));
}

/// Bytes of the elements or products of all points for one block, with the padding between points.
static int64_t getBlockBytes(const WinogradParams &p, int64_t blockTiles, int64_t columns) {
  return getPoints(p) * (blockTiles * getHeight(p) * columns + kernels::kWinogradPadding) * 4;
}

/// The row tiles of a block: what it keeps in scratch stays in L2.
static void chooseBlock(WinogradParams &p) {
  const int64_t rowTiles = getRowTiles(p);
  const int64_t most = llvm::divideCeil(rowTiles, p.rowSplits);
  const int64_t kept = p.nr + (p.transformed ? 0 : p.c);
  int64_t block = 1;
  while (block < most && getBlockBytes(p, block + 1, kept) <= kernels::kL2Budget)
    ++block;
  // Blocks of nearly equal size, so that no last one is left with a single row tile.
  p.blockTiles = llvm::divideCeil(most, llvm::divideCeil(most, block));
  p.elementsAt = getZeroBytes(p);
  p.productsAt =
      p.elementsAt + (p.transformed ? 0 : llvm::alignTo(getBlockBytes(p, p.blockTiles, p.c), 64));
}

static WinogradParams getParams(KernelWinogradConvOp op) {
  WinogradParams p{};
  auto in = op.getX().getType().getShape(), out = op.getResult().getType().getShape();
  const Pads pads(op.getPads(), op.getLine());
  const Images images(out, op.getLine());
  p.transformed = in.size() == 2;
  std::tie(p.oh, p.ow) = std::pair(images.lines, images.columns);
  setFrames(p, images.clips, images.frames + op.getFrames() - 1 - pads.front - pads.back, pads,
            op.getFrames());
  const int64_t reach = (op.getTaps() - 1) * op.getDilation();
  p.ih = p.oh - pads.top - pads.bottom + reach;
  p.iw = op.getLine() ? p.ow : p.ow - pads.left - pads.right + reach;
  p.groups = op.getGroups();
  p.c = p.xRow = op.getW().getType().getDimSize(3) / op.getFrames() * p.groups;
  p.outRow = out.back();
  if (StridedAttr rows = getOperandStrided(op.getX()))
    p.xRow = rows.getPitch();
  if (StridedAttr rows = getResultStrided(op))
    p.outRow = rows.getPitch();
  p.o = out.back() / p.groups;
  p.padTop = pads.top;
  p.padLeft = pads.left;
  setValidParts(p, op);
  p.byValid = p.transformed && p.numValid > 0;
  describeTiles(p, op);
  p.mr = op.getTile()[0];
  p.nr = op.getTile()[1];
  chooseSplits(op, p);
  chooseBlock(p);
  return p;
}

LogicalResult KernelWinogradConvOp::verify() {
  auto in = getX().getType().getShape(), out = getResult().getType().getShape();
  auto weights = getW().getType().getShape();
  const bool transformed = in.size() == 2;
  if ((!transformed && in.size() != out.size()) || weights.size() != 5 ||
      !isImageRank(*this, out.size()))
    return emitOpError() << "(C1) expected a result " << kImageRank
                         << ", x of the same rank or 2, and w of rank 5, found "
                         << getResult().getType() << ", " << getX().getType() << " and "
                         << getW().getType();
  if (failed(verifySizes(*this, "(C9)")))
    return failure();
  const Pads pads(getPads(), getLine());
  const int64_t taps = getFrames();
  const bool isClip = taps > 1 || pads.front + pads.back > 0;
  if (isClip && (!transformed || out.size() != 5 || getLine() || weights[3] % taps != 0 ||
                 out[1] + taps - 1 <= pads.front + pads.back))
    return emitOpError()
           << "(C8) expected a transformed x, a result of rank 5 and weights for 'frames' " << taps
           << ", found " << getX().getType() << ", " << getResult().getType() << " and "
           << getW().getType();
  const int64_t groups = getGroups(),
                channels = transformed ? weights[3] / taps * groups : in.back();
  if (channels % groups || out.back() % groups)
    return emitOpError() << "(C4) expected 'groups' to divide the channels of x and of the result, "
                         << channels << " and " << out.back() << ", found " << groups;
  auto tile = getTile();
  if (tile.size() != 2 || tile[0] < 1 || tile[0] > 14 || !llvm::is_contained({8, 16, 32}, tile[1]))
    return emitOpError() << "(C7) expected a tile of 1 to 14 tiles and 8, 16 or 32 columns, found ["
                         << tile << "]";
  const int64_t points = getPoints(getOutputs(), getTaps(), getLine().has_value());
  SmallVector<int64_t> packed{groups, llvm::divideCeilSigned(out.back() / groups, tile[1]), points,
                              taps * (channels / groups), tile[1]};
  if (weights != ArrayRef(packed))
    return emitOpError() << "(C5) expected w of shape [" << ArrayRef(packed) << "], found ["
                         << weights << "]";
  SmallVector<int64_t> expected(out);
  if (!transformed) {
    expected.assign(in.begin(), in.end());
    expected.back() = out.back();
    const int64_t dims = in.size() - 2;
    for (int64_t i = 0; i < dims; ++i)
      if (getLine() ? i == static_cast<int64_t>(*getLine()) : i >= dims - 2)
        expected[1 + i] =
            getResultSize(in[1 + i], getPads()[i], getPads()[dims + i], getTaps(), getDilation());
  }
  if (ArrayRef(expected) != out || llvm::any_of(out, [](int64_t size) { return size < 1; }))
    return emitOpError() << "(C6) expected a result of shape [" << ArrayRef(expected)
                         << "], found [" << out << "]";
  auto elements = getTransformedType(getResult().getType(), channels, getOutputs(), getTaps(),
                                     getLine(), getDilation(), taps)
                      .getShape();
  if (transformed && in != elements)
    return emitOpError() << "(C6) expected a transformed x of shape [" << elements << "], found ["
                         << in << "]";
  return success();
}

RankedTensorType KernelWinogradConvOp::getTransformedType(RankedTensorType result, int64_t channels,
                                                          int64_t outputs, int64_t taps,
                                                          std::optional<int64_t> line,
                                                          int64_t dilation, int64_t frames) {
  const Images images(result.getShape(), line);
  const int64_t tiles = images.clips * (images.frames + frames - 1) *
                        countTiles(images.lines, outputs, dilation) *
                        (line ? images.columns : countTiles(images.columns, outputs, dilation));
  return result.clone({getPoints(outputs, taps, line.has_value()), getPitch(tiles, channels)});
}

StringRef KernelWinogradConvOp::getKernelSymbol() { return "ttc_kernel_winograd_conv"; }
void KernelWinogradConvOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this), params);
}
int64_t KernelWinogradConvOp::getGrid() {
  const WinogradParams p = getParams(*this);
  return p.rowSplits * p.panelSplits;
}
int64_t KernelWinogradConvOp::getScratchBytes() {
  const WinogradParams p = getParams(*this);
  return p.productsAt + llvm::alignTo(getBlockBytes(p, p.blockTiles, p.nr), 64);
}
/// None is inlined: what stores results is called (kernels/Winograd.cpp).
int64_t KernelWinogradConvOp::getMaxEpilogueConstants() { return -1; }
/// The tiles of a transformed image are numbered as it is, image by image.
bool KernelWinogradConvOp::getBounds(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                                     MutableArrayRef<int64_t> params) {
  auto &p = *reinterpret_cast<WinogradParams *>(params.data());
  SmallVector<BoundedFactors> images(dims);
  if (getLine() && dims.size() == 3) // lines of one column
    images.insert(images.end() - 1, BoundedFactors());
  else if (getLine() || dims.size() != 4)
    return false;
  if (p.transformed)
    for (BoundedFactors &factors : MutableArrayRef(images).drop_front())
      for (BoundedFactor &factor : factors)
        factor.bound = {};
  p.bounded = boundImage(images, bounds);
  return p.bounded;
}
std::optional<int64_t> KernelWinogradConvOp::getSpatialDim(int64_t dim) {
  return getX().getType().getRank() != 2 && dim >= 1 && dim <= getNumSpatialDims()
             ? std::optional(dim - 1)
             : std::nullopt;
}
int64_t KernelWinogradConvOp::getNumSpatialDims() { return getResult().getType().getRank() - 2; }
bool KernelWinogradConvOp::acceptsStrided(unsigned index, const StridedRange &rows) {
  if (index == 0)
    return getX().getType().getRank() != 2 && rows.row == getX().getType().getShape().back();
  return index == getNumOperands() && rows.row == getResult().getType().getShape().back();
}

/// As the convolution counts: Winograd's algorithm executes fewer.
int64_t KernelWinogradConvOp::getOperationCount() {
  using namespace mlir::ttc::detail;
  return times(2, elementsOf(getResult()), getTaps() * (getLine() ? 1 : getTaps()),
               getW().getType().getDimSize(3));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/WinogradPlan.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "kernels/Budgets.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;

namespace {

/// The weights that stay in a usual L3, beside what else is there.
constexpr int64_t kL3Budget = 24 << 20;

/// The sizes of a convolution with one number of taps in both dimensions, or in the lines only.
struct Sizes {
  int64_t n, oh, ow, c, o, groups, taps;
  bool isLine;
  int64_t dilation;
  int64_t frames;        ///< taps of the third dimension: a result sums these frames of a clip
  int64_t inImages;      ///< that are transformed: `n`, and for clips those of the padding
  int64_t constantBytes; ///< of all weights of a run
  int64_t vectorLength;
  double memoryByte, l3Byte; ///< costs, see below

  /// Those of one image.
  int64_t countTiles(int64_t outputs) const {
    auto count = [](int64_t size, int64_t outputs, int64_t dilation) {
      const int64_t together = outputs * dilation;
      return size / together * dilation + std::min(size % together, dilation);
    };
    return count(oh, outputs, dilation) * (isLine ? ow : count(ow, outputs, dilation));
  }
  int64_t countPoints(int64_t outputs) const {
    const int64_t edge = outputs + taps - 1;
    return isLine ? edge : edge * edge;
  }
  bool stayInL2() const { return constantBytes <= kernels::kL2Budget; }
  bool stayInL3() const { return vectorLength == 16 && constantBytes <= kL3Budget; }
};

// Costs are in multiply-adds of one lane at full speed. What other work costs in them was measured
// on AVX-512 (Zen 5) and is coarse: an error of a tenth decides only between ways of nearly equal
// speed.

/// A byte of the weights: that is read from memory, for each lane (measured with 8 on Zen 3 and
/// with 16 on Granite Rapids); with 16 lanes, of a model whose weights stay in L3 from one
/// inference to the next (with 8, more weights for fewer products gained nothing there); and of one
/// whose weights stay in L2. And a byte that comes from L3 again and again.
constexpr double kMemoryByte = 0.425, kL3Byte = 2.9, kResidentByte = 0.7, kCachedByte = 0.5;

/// A byte from memory, and one from L3, for CPUs whose cores read more of them in the time of a
/// multiply-add: 25 GB/s at 59 G/s for Zen 4, 39 GB/s at 137 G/s for Zen 5.
struct NearMemory {
  StringLiteral cpu;
  double memoryByte, l3Byte;
};
constexpr NearMemory kNearMemory[] = {{"znver4", 2.4, 1.2}, {"znver5", 3.5, 2.9}};
/// The bytes of all tiles' elements at the points beyond which L3 no longer holds them when they
/// are read, and how much longer a byte then takes.
constexpr double kCachedBytes = 4 << 20, kUncached = 3;
/// One element of the image, and of the result, of a tile: what the transforms compute, load and
/// store for all points: 36, 16, 6 and 4.
struct TransformWork {
  int64_t points;
  double input, output;
};
constexpr TransformWork kTransformWork[] = {
    {36, 290, 320}, {16, 110, 110}, {6, 30, 40}, {4, 20, 25}};
/// A direct convolution's multiply-add: the pointers to its rows are loaded for each tap.
constexpr double kDirectWork = 1.08;
/// A command of its own with its barrier.
constexpr double kCommandWork = 100'000;
/// Winograd must save at least this part of the direct convolution: its weights take more memory.
constexpr double kLeastSaving = 0.15;

} // namespace

/// The products of `rows` rows with all weights, each at `work`. The weights arrive while the first
/// tile is computed, and are near for the others.
static double getProductCost(const Sizes &s, double rows, double weights, double work) {
  const double first = std::min<double>(rows, s.vectorLength == 16 ? 14 : 6);
  const double byte = s.stayInL2() ? kResidentByte : s.stayInL3() ? s.l3Byte : s.memoryByte;
  return std::max(first * weights * work, weights * 4 * byte) + (rows - first) * weights * work;
}

static double getDirectCost(const Sizes &s) {
  const double weights = double(s.frames) * s.taps * (s.isLine ? 1 : s.taps) * s.c / s.groups * s.o;
  return getProductCost(s, double(s.n) * s.oh * s.ow, weights, kDirectWork);
}

static double getWinogradCost(const Sizes &s, const WinogradChoice &choice) {
  const int64_t points = s.countPoints(choice.outputs), ofImage = s.countTiles(choice.outputs);
  const int64_t tiles = s.n * ofImage, inTiles = s.inImages * ofImage;
  const int64_t groupPanels = llvm::divideCeil(s.o / s.groups, choice.tile.columns);
  const double weights = double(points) * s.frames * s.c * groupPanels * choice.tile.columns;
  const double elementBytes = 4.0 * points * inTiles * s.c;
  const TransformWork &work = *llvm::find_if(
      kTransformWork, [&](const TransformWork &work) { return work.points == points; });
  const double transforms = double(inTiles) * s.c * work.input + double(tiles) * s.o * work.output;
  double cachedBytes = 0, others = 0;
  if (choice.transformFirst) {
    // Written, which reads the lines first, and read by each panel.
    cachedBytes = elementBytes * double(2 + groupPanels * s.frames);
    if (elementBytes > kCachedBytes)
      cachedBytes *= kUncached;
    others = kCommandWork;
  } else {
    const double tileBytes = 4.0 * points * (s.c + choice.tile.columns);
    const double block = std::max<double>(std::min(tiles, choice.tile.rows),
                                          std::floor(kernels::kL2Budget / tileBytes));
    // All weights for each block; the first one may find them near.
    cachedBytes = (std::ceil(tiles / block) - s.stayInL2()) * weights * 4 * 2;
  }
  return getProductCost(s, double(tiles), weights, 1) + transforms + cachedBytes * kCachedByte +
         others;
}

ConstantBytes::ConstantBytes(ModuleOp module) {
  for (Operation &function : module.getOps())
    function.walk([&](ConstantOp op) { functions[&function] += getTensorBytes(tensorType(op)); });
}

int64_t ConstantBytes::get(Operation *op) const {
  while (!isa<ModuleOp>(op->getParentOp()))
    op = op->getParentOp();
  return functions.lookup(op);
}

static bool isInVariant(Operation *op) {
  while (op && !op->hasAttr(kVariantAttrName))
    op = op->getParentOp();
  return op != nullptr;
}

std::optional<WinogradShape> mlir::ttc::getWinogradShape(ConvOp op) {
  auto weights = tensorType(op.getW()).getShape();
  auto isOne = [](int64_t value) { return value == 1; };
  auto isNegative = [](int64_t value) { return value < 0; };
  if (!op.getChannelsLast() || weights.size() < 3 || weights.size() > 5 ||
      !llvm::all_of(op.getStrides(), isOne) || llvm::any_of(op.getPads(), isNegative) ||
      tensorType(op.getY()).getNumElements() == 0 || !isConstantExpression(op.getW()))
    return std::nullopt;
  // Fewer channels do not fill a vector of the transforms.
  if (tensorType(op.getX()).getShape().back() / op.getGroups() < 8 ||
      tensorType(op.getY()).getShape().back() / op.getGroups() < 8)
    return std::nullopt;

  auto kernel = weights.drop_front(2);
  const size_t dims = kernel.size();
  SmallVector<int64_t> dilations(dims, 1), pads(2 * dims);
  if (!op.getDilations().empty())
    dilations.assign(op.getDilations().begin(), op.getDilations().end());
  if (!op.getPads().empty())
    pads.assign(op.getPads().begin(), op.getPads().end());
  WinogradShape shape{kernel.back(), std::nullopt, dilations.back(), 1, false};
  if (llvm::count_if(kernel, isOne) == static_cast<int64_t>(dims) - 1) {
    const auto *taps = llvm::find_if_not(kernel, isOne);
    const size_t line = taps - kernel.begin();
    shape = {*taps, line, dilations[line], 1, false};
    for (size_t i = 0; i < 2 * dims; ++i)
      if (i % dims != line && pads[i] != 0)
        return std::nullopt;
  } else if (dims == 1 || kernel[dims - 2] != kernel.back() ||
             dilations[dims - 2] != dilations.back()) {
    return std::nullopt;
  } else if (dims == 3) {
    shape.frames = kernel.front();
    shape.needsTransform = shape.frames > 1 || pads[0] != 0 || pads[3] != 0;
    if (dilations.front() != 1 && shape.frames > 1)
      return std::nullopt;
  }
  // The kernels know the valid part of images, and of lines alone.
  if (dims != (shape.line ? 1 : 2) && isInVariant(op))
    return std::nullopt;
  return shape.taps == 3 || shape.taps == 5 ? std::optional(shape) : std::nullopt;
}

/// The CPU of the op's target; empty without a target.
static StringRef getCpuName(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(kTargetAttrName))
      return target.getCpu();
  return {};
}

static Sizes getSizes(ConvOp op, int64_t constantBytes, int64_t vectorLength) {
  auto out = tensorType(op.getY()).getShape();
  double memoryByte = kMemoryByte * double(vectorLength), l3Byte = kL3Byte;
  const StringRef cpu = getCpuName(op);
  for (const NearMemory &known : kNearMemory)
    if (known.cpu == cpu && vectorLength == 16)
      std::tie(memoryByte, l3Byte) = std::pair(known.memoryByte, known.l3Byte);
  const WinogradShape shape = *getWinogradShape(op);
  // Dimensions before the lines are images, those after them columns.
  const size_t lines = shape.line ? 1 + *shape.line : out.size() - 3;
  const int64_t images = ShapedType::getNumElements(out.take_front(lines));
  return {.n = images,
          .oh = out[lines],
          .ow = ShapedType::getNumElements(out.drop_front(lines + 1).drop_back()),
          .c = tensorType(op.getX()).getShape().back(),
          .o = out.back(),
          .groups = op.getGroups(),
          .taps = shape.taps,
          .isLine = shape.line.has_value(),
          .dilation = shape.dilation,
          .frames = shape.frames,
          .inImages = images + out[0] * (shape.frames - 1),
          .constantBytes = constantBytes,
          .vectorLength = vectorLength,
          .memoryByte = memoryByte,
          .l3Byte = l3Byte};
}

/// The sizes that runs of an op have: its own; of a variant, also images of which a half and a
/// quarter of each line and of the lines count.
static SmallVector<Sizes> getRuns(const Sizes &own, bool isVariant) {
  SmallVector<Sizes> runs{own};
  for (int64_t part = 2; isVariant && part <= 4; part *= 2) {
    runs.push_back(own);
    runs.back().oh = llvm::divideCeil(own.oh, part);
    runs.back().ow = llvm::divideCeil(own.ow, part);
  }
  return runs;
}

SmallVector<WinogradChoice> mlir::ttc::chooseWinograd(ArrayRef<ConvOp> ops, int64_t vectorLength,
                                                      ArrayRef<int64_t> constantBytes) {
  if (!llvm::all_of(ops, [](ConvOp op) { return getWinogradShape(op).has_value(); }))
    return {};
  const bool isVariant = llvm::any_of(ops, isInVariant);
  SmallVector<Sizes> sizes;
  double least = 0;
  for (auto [op, bytes] : llvm::zip_equal(ops, constantBytes)) {
    sizes.push_back(getSizes(op, bytes, vectorLength));
    for (const Sizes &run : getRuns(sizes.back(), isVariant))
      least += (1 - kLeastSaving) * getDirectCost(run);
  }
  const int64_t columns = sizes.front().o / sizes.front().groups;
  WinogradChoice choice;
  // One panel of two vectors needs fewer loads for each multiply-add than wide ones of few rows.
  choice.tile = vectorLength == 16 ? GemmTile{14, columns <= 16 ? 16 : 32}
                                   : GemmTile{columns <= 8 ? 12 : 6, columns <= 8 ? 8 : 16};
  SmallVector<WinogradChoice> best;
  for (int64_t outputs : {4, 2}) {
    if (outputs == 4 && sizes.front().taps != 3)
      continue;
    choice.outputs = outputs;
    double cost = 0;
    SmallVector<WinogradChoice> choices;
    for (auto [op, its] : llvm::zip_equal(ops, sizes)) {
      choice.transformFirst = false;
      const double each = getWinogradCost(its, choice);
      choice.transformFirst = true;
      choice.transformFirst =
          getWinogradShape(op)->needsTransform || getWinogradCost(its, choice) < each;
      for (const Sizes &run : getRuns(its, isVariant))
        cost += getWinogradCost(run, choice);
      choices.push_back(choice);
    }
    if (cost < least) {
      least = cost;
      best = std::move(choices);
    }
  }
  return best;
}

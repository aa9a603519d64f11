// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/GemmPlan.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "kernels/Budgets.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;
using kernels::GemmParams;

static GemmTile chooseFastestTile(int64_t vectorLength, int64_t rows, int64_t columns) {
  if (vectorLength == 8)
    // 16 vector registers: 12 accumulators, 2 of B, 1 of A. With up to 8 columns one vector.
    return columns <= 8 ? GemmTile{12, 8} : GemmTile{6, 16};
  // 32 vector registers: 24 accumulators of 8 x 3 lose least where rows are few (91-97 % of peak
  // from 64 rows on); 14 x 2 where three vectors would leave most of the last panel empty.
  if (columns <= 16)
    return {14, 16};
  auto waste = [&](int64_t nr) {
    return static_cast<int64_t>(llvm::alignTo(columns, nr)) - columns;
  };
  // With few rows, most of the time is waiting for the panel: the narrow one takes an eighth less
  // time for MiniLM's 16 rows.
  if (rows < 32 && waste(32) <= waste(48))
    return {14, 32};
  return waste(32) * 12 < waste(48) * 12 - columns ? GemmTile{14, 32} : GemmTile{8, 48};
}

GemmTile mlir::ttc::chooseGemmTile(int64_t vectorLength, int64_t rows, int64_t columns,
                                   bool compact) {
  GemmTile best = chooseFastestTile(vectorLength, rows, columns);
  if (!compact)
    return best;
  // What each vector length has, wide tiles first.
  static constexpr GemmTile wide[] = {{14, 32}, {8, 48}, {14, 16}}, narrow[] = {{6, 16}, {12, 8}};
  for (GemmTile tile : vectorLength == 16 ? ArrayRef(wide) : ArrayRef(narrow))
    if (llvm::alignTo(columns, tile.columns) < llvm::alignTo(columns, best.columns))
      best = tile;
  return best;
}

bool mlir::ttc::isPackedAhead(Value b) {
  auto batch = cast<RankedTensorType>(b.getType()).getShape().drop_back(2);
  return llvm::all_of(batch, [](int64_t size) { return size == 1; }) && isConstantExpression(b);
}

bool mlir::ttc::isAlsoRead(Value b) {
  Operation *op = b.getDefiningOp();
  while (isa_and_present<TransposeOp, ReshapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<ConstantOp>(op) && llvm::any_of(op->getUsers(), [](Operation *user) {
           return !isa<TransposeOp, ReshapeOp, MatmulOp, PackOp>(user);
         });
}

/// The cheapest way to the rows of A.
static GemmRows chooseRows(const GemmParams &loops) {
  if (hasDirectRows(loops))
    return GemmRows::direct;
  bool copies = canCopyRows(loops) && loops.c < kernels::kCopyBelowChannels && loops.kernel[2] > 1;
  copies |= loops.aC != 1;
  return copies ? GemmRows::copied : GemmRows::table;
}

namespace {
/// The sizes that the grid and the blocks are chosen by.
struct GemmSizes {
  int64_t batch, rows, taps, depth, tiles, panels;
  /// Elements of A and of B that one batch element reads.
  int64_t aElements, bElements;
};
} // namespace

static GemmSizes getSizes(const GemmParams &p) {
  GemmSizes s;
  s.batch = p.batch[0] * p.batch[1] * p.batch[2];
  s.rows = p.n * p.od * p.oh * p.ow;
  s.taps = p.kernel[0] * p.kernel[1] * p.kernel[2];
  s.depth = s.taps * p.c;
  s.tiles = llvm::divideCeil(s.rows, p.mr);
  // Panels of one column are multiplied together.
  s.panels = p.nr == 1 ? 1 : p.groups * llvm::divideCeil(p.o, p.nr);
  // A window that is smaller than its strides leaves out elements of the image.
  s.aElements = p.aMode == kernels::kRowsDirect
                    ? s.rows * s.depth
                    : std::min(p.n * p.id * p.ih * p.iw * p.c, s.rows * s.depth) * p.groups;
  s.bElements = s.depth * p.cols;
  return s;
}

/// Parts of the batch, the row tiles and the panels. Whole batch elements first; then rows or
/// panels, whichever makes the workgroups together stream fewer bytes; then the other one if there
/// are too few (splitSecond). Bytes of B are work, too: a product of few rows waits for them.
static SmallVector<int64_t> chooseSplits(KernelGemmOp op, const GemmParams &p, const GemmSizes &s) {
  int64_t wanted = chooseWorkgroups(
      op, std::max(s.batch * s.rows * s.depth * p.cols, s.batch * s.depth * p.cols * 4));
  int64_t batch = std::min(s.batch, wanted), rest = std::max<int64_t>(1, wanted / batch);
  bool byRows = rest * s.bElements + s.aElements <= s.bElements + rest * s.aElements;
  int64_t first = std::min(byRows ? s.tiles : s.panels, rest);
  int64_t second = splitSecond(first, rest, byRows ? s.panels : s.tiles, byRows ? 0 : s.rows);
  return byRows ? SmallVector<int64_t>{batch, first, second}
                : SmallVector<int64_t>{batch, second, first};
}

/// The parts that a panel is walked in: none if it fits into L2 beside A, or if a few rows use it
/// only once or twice.
static int64_t chooseDepth(const GemmParams &p, const GemmSizes &s, int64_t groupTiles) {
  constexpr int64_t kPartDepth = 768, kLeastTiles = 3;
  if (p.aMode != kernels::kRowsDirect || p.bMode != kernels::kBPacked || p.nr == 1 ||
      s.depth <= 1024 || groupTiles < kLeastTiles)
    return 0;
  return llvm::divideCeil(s.depth, llvm::divideCeil(s.depth, kPartDepth));
}

/// Row tiles of a block: its A and a panel, or a part of it, stay in L2 while all panels pass. If
/// that means many blocks, which each stream all panels, A may rather come from L3 for every panel.
static int64_t chooseBlock(const GemmParams &p, const GemmSizes &s, int64_t groupTiles,
                           int64_t groupPanels, int64_t depth) {
  int64_t panelBytes = (depth != 0 ? depth : s.depth) * p.nr * 4;
  int64_t aBudget = std::max(kernels::kL2Budget - panelBytes, kernels::kMinBlockBytes);
  int64_t rowBytes = std::max<int64_t>(1, s.aElements * 4 / s.rows);
  int64_t rows = std::max(p.mr, aBudget / rowBytes);
  bool copied = p.aMode == kernels::kRowsCopied;
  if (p.aMode != kernels::kRowsDirect) {
    int64_t tableTaps = copied ? p.kernel[1] : s.taps;
    rows = std::min(rows, std::max(p.mr, kernels::kTableBudget / (8 * tableTaps)));
  }
  if (copied)
    while (rows > p.mr && getCopiedBytes(p, rows) > kernels::kCopyBudget)
      rows = std::max(p.mr, rows * 3 / 4);
  int64_t block = std::clamp<int64_t>(rows / p.mr, 1, groupTiles);
  if (depth != 0) {
    int64_t aBytes = groupTiles * p.mr * rowBytes, bBytes = groupPanels * s.depth * p.nr * 4;
    if (bBytes + aBytes * groupPanels < bBytes * llvm::divideCeilSigned(groupTiles, block) + aBytes)
      block = groupTiles;
  }
  // Blocks of nearly equal size, so that no last one is left with a single tile.
  return llvm::divideCeil(groupTiles, llvm::divideCeil(groupTiles, block));
}

GemmPlanAttr mlir::ttc::planGemm(KernelGemmOp op) {
  std::optional<GemmParams> loops = getGemmLoops(op);
  if (!loops)
    return {};
  GemmRows rows = chooseRows(*loops);
  GemmParams p = withRows(*loops, rows);
  GemmSizes sizes = getSizes(p);
  SmallVector<int64_t> splits = chooseSplits(op, p, sizes);
  int64_t groupTiles = llvm::divideCeil(sizes.tiles, splits[1]);
  int64_t groupPanels = llvm::divideCeil(sizes.panels, splits[2]);
  int64_t depth = chooseDepth(p, sizes, groupTiles);
  int64_t block = chooseBlock(p, sizes, groupTiles, groupPanels, depth);
  return GemmPlanAttr::get(op.getContext(), rows, splits, block, depth);
}

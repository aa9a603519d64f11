// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Candidates.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "kernels/Budgets.h"
#include "ttc/Analysis/Tuning.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;

SmallVector<Attribute> mlir::ttc::getKernelCandidates(Operation *op, KernelChoiceAttr estimated,
                                                      int64_t vectorLength, bool winograd) {
  MLIRContext *context = op->getContext();
  SmallVector<Attribute> candidates;
  int64_t columns = tensorType(op->getResult(0)).getShape().back();
  if (auto conv = dyn_cast<ConvOp>(op))
    columns /= conv.getGroups();
  auto add = [&](KernelMethod method, int64_t rows, int64_t width, int64_t outputs) {
    // A panel that is a vector wider than the columns only computes more zeros.
    if (width - vectorLength >= columns)
      return;
    auto choice = KernelChoiceAttr::get(context, method, {rows, width}, outputs);
    if (choice != estimated && checkKernelChoice(op, choice, vectorLength).empty())
      candidates.push_back(choice);
  };
  // As many accumulators as fit beside B's vectors, and some fewer.
  using Tiles = SmallVector<std::pair<int64_t, int64_t>>;
  const Tiles tiles = vectorLength == 16 ? Tiles{{8, 48}, {9, 48}, {14, 32}, {12, 32}, {14, 16}}
                                         : Tiles{{6, 16}, {5, 16}, {4, 16}, {12, 8}};
  for (auto [rows, width] : tiles)
    add(KernelMethod::direct, rows, width, 0);
  if (!winograd)
    return candidates;
  const Tiles winogradTiles =
      vectorLength == 16 ? Tiles{{14, 32}, {14, 16}} : Tiles{{6, 16}, {12, 8}};
  for (int64_t outputs : {4, 2})
    for (KernelMethod method : {KernelMethod::winograd, KernelMethod::winograd_transformed})
      for (auto [rows, width] : winogradTiles)
        add(method, rows, width, outputs);
  return candidates;
}

namespace {

/// Collects plans that differ, and that the op's verifier accepts.
class Plans {
public:
  Plans(KernelGemmOp op, GemmPlanAttr best) : op(op), best(best) {}

  void add(GemmRows rows, ArrayRef<int64_t> splits, int64_t block, int64_t depth) {
    auto plan = GemmPlanAttr::get(op.getContext(), rows, splits, block, depth);
    if (plan == best || llvm::is_contained(plans, plan))
      return;
    ScopedDiagnosticHandler quiet(op.getContext(), [](Diagnostic &) { return success(); });
    std::optional<GemmPlanAttr> before = op.getPlan();
    op.setPlanAttr(plan);
    if (succeeded(op.verify()))
      plans.push_back(plan);
    if (before)
      op.setPlanAttr(*before);
    else
      op.removePlanAttr();
  }

  SmallVector<Attribute> take() { return std::move(plans); }

private:
  KernelGemmOp op;
  GemmPlanAttr best;
  SmallVector<Attribute> plans;
};

} // namespace

SmallVector<Attribute> mlir::ttc::getPlanCandidates(KernelGemmOp op, GemmPlanAttr best,
                                                    unsigned step) {
  const kernels::GemmParams p = withRows(*getGemmLoops(op), best.getRows());
  const int64_t rowTiles = llvm::divideCeil(p.n * p.od * p.oh * p.ow, p.mr);
  const int64_t panels = p.groups * llvm::divideCeil(p.o, p.nr);
  auto splits = best.getSplits();
  const int64_t groupTiles = llvm::divideCeil(rowTiles, splits[1]);
  auto evenBlock = [](int64_t tiles, int64_t block) {
    block = std::clamp<int64_t>(block, 1, tiles);
    return llvm::divideCeilSigned(tiles, llvm::divideCeilSigned(tiles, block));
  };
  Plans plans(op, best);
  if (step == 0) {
    // As many workgroups as now, or half or twice as many where that leaves enough for 8 cores.
    const int64_t grid = splits[1] * splits[2];
    SmallVector<int64_t> grids{grid};
    if (grid >= 8 && splits[0] == 1)
      grids.append({grid / 2, std::min<int64_t>(grid * 2, 2 * getMaxWorkgroups(op))});
    for (int64_t wanted : grids)
      for (int64_t rows = 1; rows <= wanted; rows *= 2) {
        const int64_t rowSplits = std::min(rows, rowTiles);
        const int64_t panelSplits = std::min(wanted / rows, panels);
        // Where a dimension is too short, the same grid is another pair.
        if (panelSplits < 1 || rowSplits * panelSplits * 4 < wanted * 3)
          continue;
        const int64_t tiles = llvm::divideCeil(rowTiles, rowSplits);
        // A block keeps its size if it fits; a smaller part is one block.
        plans.add(best.getRows(), {splits[0], rowSplits, panelSplits},
                  evenBlock(tiles, best.getBlock()), best.getDepth());
      }
  } else if (step == 1) {
    for (int64_t block : {best.getBlock() / 4, best.getBlock() / 2, best.getBlock() * 2,
                          best.getBlock() * 4, groupTiles})
      plans.add(best.getRows(), splits, evenBlock(groupTiles, block), best.getDepth());
    for (GemmRows rows : {GemmRows::table, GemmRows::copied})
      if (best.getRows() != GemmRows::direct)
        plans.add(rows, splits, best.getBlock(), 0);
  } else if (best.getRows() == GemmRows::direct && op.getPacked()) {
    plans.add(best.getRows(), splits, best.getBlock(), 0);
    for (int64_t depth : {256, 512, 768, 1024})
      if (depth * 3 <= p.c * 2) {
        const int64_t even = llvm::divideCeil(p.c, llvm::divideCeil(p.c, depth));
        plans.add(best.getRows(), splits, best.getBlock(), even);
        plans.add(best.getRows(), splits, groupTiles, even);
      }
  }
  return plans.take();
}

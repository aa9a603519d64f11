// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/KernelGrid.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
using ::ttc::kernels::GemmParams;

/// A workgroup below some 10 us (400 thousand multiply-adds at 40 G/s) costs more in barriers than
/// another core saves; 16 workgroups are even on 1, 2, 4, 8 and 16 cores.
static constexpr int64_t kWorkPerGroup = 400'000;
static constexpr int64_t kMaxGroups = 16;
/// What a row block's A and one panel may take of a 512 KiB L2.
static constexpr int64_t kL2Budget = 384 * 1024;
static constexpr int64_t kTableBudget = 64 * 1024;
static constexpr int64_t kCopyBudget = 96 * 1024;

int64_t mlir::ttc::chooseWorkgroups(int64_t work) {
  return std::clamp<int64_t>(work / kWorkPerGroup, 1, kMaxGroups);
}

/// Bytes of the padded input lines behind `rows` consecutive output rows.
static int64_t copyBytes(const GemmParams &p, int64_t rows) {
  int64_t window = (p.kernel[1] - 1) * p.dilation[1] + 1;
  int64_t lines = std::min(p.n * p.oh, (rows - 1) / p.ow + 2);
  int64_t crossings = std::min(p.n - 1, (rows - 1) / (p.ow * p.oh) + 1);
  int64_t inputLines = (lines - 1) * p.stride[1] + window + crossings * window;
  int64_t width = ((p.ow - 1) * p.stride[2] + p.kernel[2]) * p.c;
  return inputLines * width * 4;
}

void mlir::ttc::splitGemm(KernelGemmPlan &plan) {
  GemmParams &p = plan.params;
  int64_t taps = p.kernel[0] * p.kernel[1] * p.kernel[2];
  int64_t depth = taps * p.c;
  int64_t rows = p.n * p.od * p.oh * p.ow;
  int64_t batch = p.batch[0] * p.batch[1] * p.batch[2];
  int64_t tiles = llvm::divideCeil(rows, p.mr);
  int64_t panels = p.groups * llvm::divideCeil(p.o, p.nr);

  // Whole batch elements first; then rows or panels, whichever makes the workgroups together
  // stream fewer bytes; then the other one if there are too few.
  int64_t wanted = chooseWorkgroups(batch * rows * depth * p.cols);
  p.batchSplits = std::min(batch, wanted);
  int64_t rest = wanted / p.batchSplits;
  int64_t aElements = p.aMode == ::ttc::kernels::kRowsDirect
                          ? rows * depth
                          : p.n * p.id * p.ih * p.iw * p.c * p.groups;
  int64_t bElements = depth * p.cols;
  bool byRows = rest * bElements + aElements <= bElements + rest * aElements;
  if (byRows) {
    p.rowSplits = std::min(tiles, rest);
    p.panelSplits = std::min(panels, rest / p.rowSplits);
  } else {
    p.panelSplits = std::min(panels, rest);
    p.rowSplits = std::min(tiles, rest / p.panelSplits);
  }

  // Row blocks: the A of one block and a panel stay in L2 while all panels pass.
  int64_t groupTiles = llvm::divideCeil(tiles, p.rowSplits);
  int64_t panelBytes = depth * p.nr * 4;
  int64_t aBudget = std::max<int64_t>(kL2Budget - panelBytes, 96 * 1024);
  int64_t rowBytes = std::max<int64_t>(1, aElements * 4 / rows);
  int64_t blockRows = std::max<int64_t>(p.mr, aBudget / rowBytes);
  bool table = p.aMode != ::ttc::kernels::kRowsDirect;
  bool copied = p.aMode == ::ttc::kernels::kRowsCopied;
  int64_t tableTaps = copied ? p.kernel[1] : taps;
  if (table)
    blockRows = std::min(blockRows, std::max(p.mr, kTableBudget / (8 * tableTaps)));
  if (copied)
    while (blockRows > p.mr && copyBytes(p, blockRows) > kCopyBudget)
      blockRows = std::max(p.mr, blockRows * 3 / 4);
  p.blockTiles = std::clamp<int64_t>(blockRows / p.mr, 1, groupTiles);
  // Blocks of nearly equal size, so that no last one is left with a single tile.
  p.blockTiles = llvm::divideCeil(groupTiles, llvm::divideCeil(groupTiles, p.blockTiles));
  blockRows = p.blockTiles * p.mr;

  int64_t at = 0;
  auto reserve = [&](int64_t bytes) {
    int64_t begin = at;
    at += llvm::alignTo(bytes, 64);
    return begin;
  };
  p.zeroAt = table && !copied ? reserve(p.c * p.groups * 4) : 0;
  p.tableAt = table ? reserve(blockRows * tableTaps * 8) : 0;
  p.copyAt = copied ? reserve(copyBytes(p, blockRows)) : 0;
  p.panelAt = p.bMode == ::ttc::kernels::kBStrided ? reserve(panelBytes) : 0;
  plan.scratchBytes = at;
}

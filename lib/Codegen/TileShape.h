// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a root is cut into tiles: decided from shapes and loop structure only.
#ifndef TTC_LIB_CODEGEN_TILESHAPE_H
#define TTC_LIB_CODEGEN_TILESHAPE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ttc {

/// How much work a workgroup has at least, and how many there are at most.
struct GridOptions {
  int64_t workgroupBytes;
  int64_t maxWorkgroups;
};

struct TileShape {
  /// The root's iteration space and the part of it that is one tile.
  SmallVector<int64_t> extents, tiles;
  /// Producers that every tile reads as a whole: computed before the loop.
  llvm::SmallPtrSet<Operation *, 4> hoisted;
  /// The number of workgroups that the work is good for, and the most that it can have before
  /// what every workgroup repeats outweighs the gain.
  int64_t grid = 1, gridLimit = 1;

  int64_t numTiles() const {
    int64_t count = 1;
    for (auto [extent, tile] : llvm::zip_equal(extents, tiles))
      count *= extent == 0 ? 0 : llvm::divideCeil(extent, tile);
    return count;
  }
};

/// What one iteration of an op costs, in simple instructions.
int64_t bodyCost(linalg::LinalgOp op);

TileShape chooseTileShape(linalg::LinalgOp root, const GridOptions &options);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_TILESHAPE_H

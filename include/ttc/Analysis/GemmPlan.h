// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All decisions about a ttc.kernel.gemm. Choosing the kernel decides the tile and whether B is
// packed ahead of time: both are the shape of the weights. The rest depends on layouts and shards,
// and is decided once they are known (--ttc-plan-gemms). What is decided is stored in the op;
// nothing is decided again when it is lowered.
#ifndef TTC_ANALYSIS_GEMMPLAN_H
#define TTC_ANALYSIS_GEMMPLAN_H

#include "dialects/Ttc/Programs/KernelOps.h"

namespace mlir::ttc {

/// A register tile of ttc.kernel.gemm: rows, and columns of a packed panel.
struct GemmTile {
  int64_t rows, columns;
};

/// The best tile for a product of `rows` x `columns` on vectors of `vectorLength` lanes. With
/// `compact`, the best one of those whose last panel has the fewest columns too many.
GemmTile chooseGemmTile(int64_t vectorLength, int64_t rows, int64_t columns, bool compact = false);

/// Whether ttc.pack makes the panels of a product's `b`, at compile time: it is one constant
/// matrix. Others are packed panel by panel when the kernel uses them.
bool isPackedAhead(Value b);

/// Whether something else than products reads the constant of which `b` is a view, as the table of
/// an embedding whose transpose is the last product's matrix: panels would be a second copy.
bool isAlsoRead(Value b);

/// How A's rows are found, the grid, and the blocks of rows. Depends on the op, its tile, and the
/// layouts of its operands and result only. Null if no strides express the op's views in these
/// layouts.
GemmPlanAttr planGemm(KernelGemmOp op);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_GEMMPLAN_H

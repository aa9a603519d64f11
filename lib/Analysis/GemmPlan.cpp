// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/GemmPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

GemmTile mlir::ttc::chooseGemmTile(int64_t vectorLength, int64_t rows, int64_t columns) {
  if (vectorLength == 8)
    // 16 vector registers: 12 accumulators, 2 of B, 1 of A. With up to 8 columns one vector.
    return columns <= 8 ? GemmTile{12, 8} : GemmTile{6, 16};
  // 32 vector registers: 24 accumulators of 8 x 3 lose least where rows are few (91-97 % of peak
  // from 64 rows on); 14 x 2 where three vectors would leave most of the last panel empty.
  if (columns <= 16)
    return {14, 16};
  auto waste = [&](int64_t nr) { return llvm::alignTo(columns, nr) - columns; };
  return waste(32) * 12 < waste(48) * 12 - columns ? GemmTile{14, 32} : GemmTile{8, 48};
}

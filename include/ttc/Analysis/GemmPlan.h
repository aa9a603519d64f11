// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler decides about a ttc.kernel.gemm.
#ifndef TTC_ANALYSIS_GEMMPLAN_H
#define TTC_ANALYSIS_GEMMPLAN_H

#include <cstdint>

namespace mlir::ttc {

/// A register tile of ttc.kernel.gemm: rows, and columns of a packed panel.
struct GemmTile {
  int64_t rows, columns;
};

/// The best tile for a product of `rows` x `columns` on vectors of `vectorLength` lanes.
GemmTile chooseGemmTile(int64_t vectorLength, int64_t rows, int64_t columns);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_GEMMPLAN_H

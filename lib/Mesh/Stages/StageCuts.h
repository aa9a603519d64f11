// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a sequence of work is cut into stages.
#ifndef TTC_LIB_MESH_STAGECUTS_H
#define TTC_LIB_MESH_STAGECUTS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace mlir::ttc {

struct StageProblem {
  /// What each position costs.
  std::vector<int64_t> costs;
  /// The bytes that are sent where a stage begins at a position. Negative: none can begin there.
  std::vector<int64_t> bytes;
  /// The first and the last stage that each position can be in.
  std::vector<std::pair<unsigned, unsigned>> range;
};

/// The positions at which stages begin, and the number of positions. Each stage has at least one
/// position. The largest stage costs at most 5 % more than it has to; of such cuts, those with the
/// fewest bytes. Nothing if there are no cuts.
std::optional<SmallVector<size_t>> chooseCuts(const StageProblem &problem, unsigned stages);

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_STAGECUTS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans one memory for all entry points of a module.
#ifndef TTC_LIB_TRANSFORMS_PLANENTRIES_H
#define TTC_LIB_TRANSFORMS_PLANENTRIES_H

#include "mlir/Support/LLVM.h"
#include "ttc/Planner/Planner.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::ttc {

/// Plans buffers that belong to entry points, which `entries` gives by number. Entry points never
/// run at the same time: with `share` their buffers share bytes, otherwise each entry point gets a
/// range of its own. Buffers in `fixed` are taken into account, but are not part of the plan. With
/// a capacity, the first plan that fits is returned instead of the smallest one.
::ttc::planner::Plan planEntries(ArrayRef<::ttc::planner::Buffer> problem,
                                 ArrayRef<unsigned> entries, ArrayRef<::ttc::planner::Buffer> fixed,
                                 std::optional<int64_t> capacity, bool share);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_PLANENTRIES_H

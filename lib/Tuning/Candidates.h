// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is worth measuring instead of what heuristics choose.
#ifndef TTC_LIB_TUNING_CANDIDATES_H
#define TTC_LIB_TUNING_CANDIDATES_H

#include "dialects/Ttc/Programs/KernelOps.h"

namespace mlir::ttc {

/// Other choices of a kernel for an op: tiles, and Winograd's algorithm with `winograd`.
SmallVector<Attribute> getKernelCandidates(Operation *op, KernelChoiceAttr estimated,
                                           int64_t vectorLength, bool winograd);

/// Steps in which a gemm's plan is improved, one after the other.
constexpr unsigned kPlanSteps = 3;
/// Other plans that differ from `best` in what step `step` is about: the grid; the blocks and how
/// rows are found; the depth.
SmallVector<Attribute> getPlanCandidates(KernelGemmOp op, GemmPlanAttr best, unsigned step);

} // namespace mlir::ttc

#endif // TTC_LIB_TUNING_CANDIDATES_H

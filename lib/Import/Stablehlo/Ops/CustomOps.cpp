// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of what a backend has.
#include "LinearAlgebraOps.h"
#include "SortOps.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult importCustomCall(StablehloOp &op) {
  op.ignoreAttrs({"api_version", "backend_config", "called_computations", "has_side_effect",
                  "operand_layouts", "output_operand_aliases", "result_layouts"});
  StringRef target = op.getString("call_target_name");
  // How values are divided among devices, and in which memory they are.
  constexpr StringRef identities[] = {
      "Sharding",     "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement",
      "MoveToDevice", "MoveToHost",           "LayoutConstraint"};
  if (llvm::is_contained(identities, target))
    return op.results(op.allOperands());
  if (target.starts_with("lapack_") || target.starts_with("blas_"))
    return importLapackCall(op, target);
  if (target == "ApproxTopK")
    return importApproxTopK(op);
  return op.error() << "calls '" << target
                    << "', which only the compiler that it was written for has: use ops of "
                       "StableHLO";
}

void mlir::ttc::registerStablehloCustomOps(StablehloRegistry &registry) {
  registry.add(
      "custom_call", importCustomCall, OnComplex::Handled,
      "all but `Sharding` and the like, which do nothing on one device, `ApproxTopK`, which "
      "is exact, and LAPACK's potrf, trsm, getrf, geqrf and orgqr as JAX calls them, for real "
      "numbers");
}

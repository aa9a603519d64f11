// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that order elements, for the handler of custom calls.
#ifndef TTC_LIB_IMPORT_STABLEHLO_SORTOPS_H
#define TTC_LIB_IMPORT_STABLEHLO_SORTOPS_H

#include "lib/Import/Stablehlo/Core/StablehloOp.h"

namespace mlir::ttc {

/// Imports a call of ApproxTopK, as jax.lax.approx_max_k and approx_min_k make it: exactly.
LogicalResult importApproxTopK(StablehloOp &op);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_SORTOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of LAPACK, for the handler of custom calls.
#ifndef TTC_LIB_IMPORT_STABLEHLO_LINEARALGEBRAOPS_H
#define TTC_LIB_IMPORT_STABLEHLO_LINEARALGEBRAOPS_H

#include "lib/Import/Stablehlo/Core/StablehloOp.h"

namespace mlir::ttc {

/// Imports a call of a routine of LAPACK, as JAX makes them on CPUs.
LogicalResult importLapackCall(StablehloOp &op, StringRef target);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_LINEARALGEBRAOPS_H

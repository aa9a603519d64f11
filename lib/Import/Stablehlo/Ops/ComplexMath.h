// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on pairs of real and imaginary parts.
#ifndef TTC_LIB_IMPORT_STABLEHLO_COMPLEXMATH_H
#define TTC_LIB_IMPORT_STABLEHLO_COMPLEXMATH_H

#include "lib/Import/Stablehlo/Core/StablehloOp.h"

namespace mlir::ttc {

Value makeComplexMul(StablehloOp &op, Value a, Value b);
Value makeComplexDiv(StablehloOp &op, Value a, Value b);
/// Scaled by the larger part, so that squares do not overflow.
Value makeComplexAbs(StablehloOp &op, Value x);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_COMPLEXMATH_H

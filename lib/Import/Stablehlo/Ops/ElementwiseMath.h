// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of elements that ttc has no op for, composed of ops that it has.
#ifndef TTC_LIB_IMPORT_STABLEHLO_ELEMENTWISEMATH_H
#define TTC_LIB_IMPORT_STABLEHLO_ELEMENTWISEMATH_H

#include "lib/Import/Tensors/Expressions.h"

namespace mlir::ttc {

/// exp(x) - 1 and log(1 + x), without the loss of digits near 0 (W. Kahan's forms).
Value makeExpm1(TensorBuilder &builder, Value x);
Value makeLog1p(TensorBuilder &builder, Value x);
Value makeTan(TensorBuilder &builder, Value x);
/// The real cube root.
Value makeCbrt(TensorBuilder &builder, Value x);
/// Halves away from zero.
Value makeRoundAwayFromZero(TensorBuilder &builder, Value x);
/// How many bits are 1, and how many are 0 before the first 1, of integers of any width.
Value makePopulationCount(TensorBuilder &builder, Value x);
Value makeLeadingZeros(TensorBuilder &builder, Value x);
/// The angle of (x, y) in (-pi, pi], as C's atan2: signs of zero count.
Value makeAtan2(TensorBuilder &builder, Value y, Value x);

/// Integers that are ordered as the IEEE standard's total order of the floats: -NaN, -inf, ..., -0,
/// 0, ..., inf, NaN.
Value makeTotalOrder(TensorBuilder &builder, Value x);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_ELEMENTWISEMATH_H

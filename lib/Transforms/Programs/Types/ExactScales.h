// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights that are products of bytes and one scale for each column, as DequantizeLinear makes them.
#ifndef TTC_LIB_TRANSFORMS_PROGRAMS_TYPES_EXACTSCALES_H
#define TTC_LIB_TRANSFORMS_PROGRAMS_TYPES_EXACTSCALES_H

#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"

namespace mlir::ttc {

/// The packed f32 weights [group][panel][k][column] as i8 with scales, as ttc.kernel.gemm reads
/// them: [group][panel][k + 4][column]. Nothing if a weight is not a byte times the scale of its
/// column, rounded once to f32: every weight that is computed from them has its bits.
std::optional<ConstantTensor> findExactScales(const ConstantTensor &weights);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_PROGRAMS_TYPES_EXACTSCALES_H

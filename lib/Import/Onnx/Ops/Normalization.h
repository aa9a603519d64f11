// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalizations that ops of several domains have.
#ifndef TTC_LIB_IMPORT_NORMALIZATION_H
#define TTC_LIB_IMPORT_NORMALIZATION_H

#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

namespace mlir::ttc {

/// Over the dimensions from `axis` on, to which scale and bias (may be null) broadcast.
Value createLayerNorm(OnnxNode &node, Value x, Value scale, Value bias, int64_t axis,
                      double epsilon);

/// The mean and 1 / sqrt(variance + epsilon) over the dimensions from `axis` on, which stay with
/// size 1. Of f16 and bf16, they are computed and returned in f32.
struct Moments {
  Value mean, inverseDeviation;
};
Moments createMoments(OnnxNode &node, Value x, int64_t axis, double epsilon);

/// y = x * factor * scale, where the scale may be null; factor = 1 / sqrt(mean of the squares from
/// `axis` on + epsilon). Of f16 and bf16, all is computed in f32, which is the type of the factor;
/// y has the type of the scale, or that of x.
struct RmsNorm {
  Value y, factor;
};
RmsNorm createRmsNorm(OnnxNode &node, Value x, Value scale, int64_t axis, double epsilon);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_NORMALIZATION_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations that a node names in an attribute.
#ifndef TTC_LIB_IMPORT_ACTIVATIONS_H
#define TTC_LIB_IMPORT_ACTIVATIONS_H

#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

namespace mlir::ttc {

/// Makes an activation of an operand; `alpha` and `beta` are its parameters, if it has any.
struct Activation {
  Value (*create)(Expressions &e, Value x, double alpha, double beta);
  /// The parameters that it has, with the values of the ONNX op of the same name.
  std::optional<double> alpha, beta;
};

/// The activation of that name, in any case; null after an error.
const Activation *findActivation(OnnxNode &node, StringRef name);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ACTIVATIONS_H

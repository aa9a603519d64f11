// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole way of a model in one call.
#ifndef TTC_DRIVER_ONNXTOBUNDLE_H
#define TTC_DRIVER_ONNXTOBUNDLE_H

namespace mlir::ttc {

/// Adds --onnx-to-bundle, with --target, --target-cpu, --dump-ir and --progress, to a translation
/// tool.
void registerOnnxToBundle();

} // namespace mlir::ttc

#endif // TTC_DRIVER_ONNXTOBUNDLE_H

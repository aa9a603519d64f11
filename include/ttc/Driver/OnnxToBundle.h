// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole way of a model in one call.
#ifndef TTC_DRIVER_ONNXTOBUNDLE_H
#define TTC_DRIVER_ONNXTOBUNDLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/StringSaver.h"

namespace mlir::ttc {

/// Adds --onnx-to-bundle, with --target, --target-cpu, --queues, --entry, --dump-ir and --progress,
/// to a translation tool.
void registerOnnxToBundle();

/// Lets --onnx-to-bundle take several models: translation tools take one file, so of `arguments`
/// (the program's, its name first) the others become options that the translation knows.
void gatherModels(SmallVectorImpl<const char *> &arguments, llvm::StringSaver &strings);

} // namespace mlir::ttc

#endif // TTC_DRIVER_ONNXTOBUNDLE_H

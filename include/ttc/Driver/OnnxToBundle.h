// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From models to a bundle in one translation.
#ifndef TTC_DRIVER_ONNXTOBUNDLE_H
#define TTC_DRIVER_ONNXTOBUNDLE_H

#include "mlir/Support/LLVM.h"

namespace mlir::ttc {

/// Adds --onnx-to-bundle to a translation tool, with all options of compiling (--target, --queues,
/// --entry, --dump-ir, ...). It takes a source manager of one or more models.
void registerOnnxToBundle();

/// Whether `translation` (a name without dashes) takes more than one file.
bool takesSeveralFiles(StringRef translation);

/// Fails, with a line on stderr, if an option of compiling or importing was given to a translation
/// that does not use it.
LogicalResult checkOptions(StringRef translation);

} // namespace mlir::ttc

#endif // TTC_DRIVER_ONNXTOBUNDLE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From models to a bundle in one translation.
#ifndef TTC_DRIVER_ONNXTOBUNDLE_H
#define TTC_DRIVER_ONNXTOBUNDLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>
#include <string>

namespace mlir::ttc {

/// A file that replaces another one of its name when it is complete, and not before.
struct PendingFile {
  std::unique_ptr<llvm::raw_ostream> stream;
  std::function<LogicalResult(std::string &error)> keep;
};
/// Opens such a file for text; without a stream, and with a message in `error`, if it cannot be
/// written.
using FileOpener = std::function<PendingFile(StringRef path, std::string &error)>;

/// Names of the translations, without dashes.
inline constexpr llvm::StringLiteral kOnnxToBundle = "onnx-to-bundle";
inline constexpr llvm::StringLiteral kGgufToBundle = "gguf-to-bundle";
inline constexpr llvm::StringLiteral kMlirToBundle = "mlir-to-bundle";

/// Adds --onnx-to-bundle to a translation tool, with all options of compiling (--target, --queues,
/// --entry, --dump-ir, ...). It takes a source manager of one or more models. `openFile` opens
/// files beside the bundle, as the tool opens its own.
void registerOnnxToBundle(FileOpener openFile);

/// Adds --gguf-to-bundle, for one model, with the same options of compiling but --entry.
void registerGgufToBundle(FileOpener openFile);

/// Adds --mlir-to-bundle, for one module of ttc or TOSA ops on tensors, with the same options.
void registerMlirToBundle(FileOpener openFile);

/// Whether `translation` (a name without dashes) takes more than one file.
bool takesSeveralFiles(StringRef translation);

/// Fails, with a line on stderr, if an option of compiling or importing was given to a translation
/// that does not use it.
LogicalResult checkOptions(StringRef translation);

} // namespace mlir::ttc

#endif // TTC_DRIVER_ONNXTOBUNDLE_H

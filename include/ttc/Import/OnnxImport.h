// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an ONNX model to ttc ops on tensors.
#ifndef TTC_IMPORT_ONNXIMPORT_H
#define TTC_IMPORT_ONNXIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::ttc {

struct OnnxImportOptions {
  /// Shapes of graph inputs, by name. They fix dynamic dimensions; a dimension that the
  /// model fixes itself must agree.
  llvm::StringMap<SmallVector<int64_t>> inputShapes;
  /// The name of the imported function.
  std::string functionName = "main";
};

/// Parses "name:1x3x224x224" (the name may contain colons; "name:" is a scalar) and adds it to
/// the options. Returns what is wrong with it, or an empty string.
std::string addInputShape(StringRef text, OnnxImportOptions &options);

/// Imports a serialized onnx.ModelProto as a module with one function. The buffer's identifier
/// is the path that external data is relative to. Emits errors and returns null if the file is
/// damaged or needs something that ttc does not support; all such places are reported at once.
OwningOpRef<ModuleOp> importOnnx(const llvm::MemoryBuffer &buffer, MLIRContext *context,
                                 const OnnxImportOptions &options = {});

/// Adds --input-shape to the command line, for every translation that starts from ONNX.
void registerOnnxImportCLOptions();

/// What the command line says. Reports wrong values on stderr and returns failure.
FailureOr<OnnxImportOptions> getOnnxImportOptionsFromCL();

/// Whether the command line has any.
bool hasOnnxImportOptions();

/// Adds --import-onnx to a translation tool.
void registerImportOnnx();

} // namespace mlir::ttc

#endif // TTC_IMPORT_ONNXIMPORT_H

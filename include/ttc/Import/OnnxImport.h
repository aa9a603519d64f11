// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports ONNX models as ttc ops on tensors.
#ifndef TTC_IMPORT_ONNXIMPORT_H
#define TTC_IMPORT_ONNXIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ttc/Import/Sizes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::ttc {

/// The type of a value that a host function computes.
struct HostResult {
  std::string elementType; ///< as in the IR: "f32"
  SmallVector<int64_t> shape;
};

/// For importOnnx(), `dimRanges` is empty: the driver imports the model once for each variant.
struct OnnxImportOptions : SizeOptions {
  /// Shapes of graph inputs, by name. They set dynamic dimensions, and must agree with the
  /// dimensions that the model sets itself.
  llvm::StringMap<SmallVector<int64_t>> inputShapes;
  /// Shapes of other values, by name, that the model does not declare.
  llvm::StringMap<SmallVector<int64_t>> valueShapes;
  /// Values of graph inputs, by name, which are then constants of the compiled model: a number,
  /// which fills the input, a list "[1, 2]", or the path of an .npy file.
  llvm::StringMap<std::string> inputValues;
  /// Patterns for the names of ops that host functions compute: "com.acme.*", "NonMaxSuppression".
  std::vector<std::string> hostOps;
  /// Types of their results, by name, for those that the model does not declare.
  llvm::StringMap<HostResult> hostResults;
  /// Whether a second function, NAME.values, has the results of nodes as its own. If there are
  /// patterns, only of those whose op, name or result matches one.
  bool keepsValues = false;
  std::vector<std::string> keptValues;
  /// The most nodes that are imported, with loops unrolled and functions inlined: each node counts
  /// each time that its body is. A trace of as many commands is still useful.
  int64_t nodeLimit = int64_t(1) << 19;
  /// Whether the model is imported again with other sizes, and must then have the same ops.
  bool isOneOfSeveralSizes = false;
  /// Whether it is compiled without loops, because it is for a mesh or shards.
  bool isDivided = false;
  /// What precedes the names of inputs in options for this model alone: "prefill/", if there are
  /// several.
  std::string prefix;
  /// The name of the imported function.
  std::string functionName = "main";
  /// Large constants by name, of earlier imports into the same context and of this one: what they
  /// have is not stored again. May be null.
  llvm::StringMap<ElementsAttr> *constants = nullptr;
  /// Locations of nodes whose ops are not folded, though their operands are small constants. May be
  /// null.
  const llvm::DenseSet<Location> *unfolded = nullptr;
};

/// Parses "name:1x3x224x224" (the name may contain colons; "name:" is a scalar) and adds it to
/// the options. Returns an error message, or an empty string.
std::string addInputShape(StringRef text, OnnxImportOptions &options);

/// The same as addInputShape() for the shape of a value that a node computes.
std::string addValueShape(StringRef text, OnnxImportOptions &options);

/// Parses "name=value" and adds it to the options. Returns an error message, or an empty string.
std::string addInputValue(StringRef text, OnnxImportOptions &options);

/// The key of the metadata that tell which nodes computed the results of a function NAME.values;
/// NAME follows. JSON: [{"name": ..., "node": ..., "op": ..., "inputs": [...]}, ...].
constexpr llvm::StringLiteral kValuesMetadata = "values/";

/// Adds a pattern to the options, or with an empty one keeps all values. Returns an error message,
/// or an empty string.
std::string addKeepValues(StringRef pattern, OnnxImportOptions &options);

/// Adds a pattern to the options. Returns an error message, or an empty string.
std::string addHostOps(StringRef pattern, OnnxImportOptions &options);

/// Parses "name:f32:1x3x224x224" and adds it to the options. Returns an error message, or an empty
/// string.
std::string addHostResult(StringRef text, OnnxImportOptions &options);

/// Imports a serialized onnx.ModelProto as a module with one function. External data is looked up
/// relative to the buffer's identifier, which is the path of the model. Returns null and emits
/// errors if the file is damaged or needs something that ttc does not support; one call reports up
/// to 30 of them.
OwningOpRef<ModuleOp> importOnnx(const llvm::MemoryBuffer &buffer, MLIRContext *context,
                                 const OnnxImportOptions &options = {});

/// Prints the supported ONNX ops as a page of Markdown, docs/onnx-ops.md.
void printOnnxOps(llvm::raw_ostream &output);

/// Adds --input-shape, --input-value, --value-shape, --host-ops, --host-result, --keep-values,
/// --node-limit and the options of sizes to the command line, for every translation that starts
/// from ONNX.
void registerOnnxImportCLOptions();

/// The options from the command line. Fails, with a message on stderr, if a value is wrong.
FailureOr<OnnxImportOptions> getOnnxImportOptionsFromCL();

/// Whether the command line has any of these options; those of sizes do not count.
bool hasOnnxImportOptions();

/// Adds --import-onnx to a translation tool.
void registerImportOnnx();

} // namespace mlir::ttc

#endif // TTC_IMPORT_ONNXIMPORT_H

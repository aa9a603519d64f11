// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all graphs of one import share: the main graph, bodies of control flow, functions.
#ifndef TTC_LIB_IMPORT_IMPORTCONTEXT_H
#define TTC_LIB_IMPORT_IMPORTCONTEXT_H

#include "KeptValues.h"
#include "OnnxTensor.h"
#include "lib/Import/Tensors/TensorBuilder.h"

#include "ttc/Import/OnnxImport.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>
#include <vector>

namespace onnx {
class FunctionProto;
class GraphProto;
class ModelProto;
} // namespace onnx

namespace mlir::ttc {

/// The errors of an import. All are reported, up to a limit.
class ImportErrors {
public:
  /// Errors are located in the file; their text names what they concern.
  explicit ImportErrors(Location file) : file(file) {}
  InFlightDiagnostic emit();
  Location getLoc() const { return file; }
  /// Whether the limit is reached. The first such call reports that.
  bool isFull();
  void count() { ++errors; }
  bool any() const { return errors; }

private:
  static constexpr unsigned kLimit = 30;
  Location file;
  unsigned errors = 0;
  bool saidFull = false;
};

/// Versions by domain; the default domain is "ai.onnx".
using OpsetVersions = llvm::StringMap<int64_t>;

struct ImportContext {
  ImportContext(onnx::ModelProto &model, StringRef modelPath, MLIRContext *context,
                const OnnxImportOptions &options)
      : model(model), modelPath(modelPath), context(context), options(options),
        errors(FileLineColLoc::get(context, modelPath, 0, 0)), builder(context) {}

  /// The tensor as a constant, which is made once however often the graph that contains it is
  /// imported: its data is moved out of the tensor.
  FailureOr<ElementsAttr> convertTensor(onnx::TensorProto &tensor, StringRef name,
                                        EmitErrorFn emitError);

  onnx::ModelProto &model;
  StringRef modelPath;
  MLIRContext *context;
  const OnnxImportOptions &options;
  ImportErrors errors;
  OpBuilder builder;
  /// Functions of the model by domain, name and overload; see getFunctionKey().
  llvm::StringMap<const onnx::FunctionProto *> functions;
  /// The bytes of generated constants and of copied functions, and the nodes imported so far, for
  /// limits of their number: a loop of a few bytes can stand for any number of both.
  int64_t generatedBytes = 0;
  int64_t importedNodes = 0;

  /// In a body that is computed even where the model would not execute it: whether it would. Null
  /// elsewhere.
  Value executes;
  /// Imports under way that may fail (OnnxNode::attempt).
  unsigned attempts = 0;

  KeptValues kept;
  /// Whether the file can be imported with other options; null in such a trial.
  std::function<bool(const OnnxImportOptions &)> isImported;

  /// Bodies of function calls. They are kept, because `tensors` identifies tensors by address.
  std::vector<std::shared_ptr<onnx::GraphProto>> instances;

private:
  DenseMap<const onnx::TensorProto *, ElementsAttr> tensors;
};

/// "ai.onnx" for the default domain, which has two names.
StringRef normalizeDomain(StringRef domain);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_IMPORTCONTEXT_H

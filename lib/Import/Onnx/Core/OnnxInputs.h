// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of the model: static shapes, and values that are fixed when it is compiled.
#ifndef TTC_LIB_IMPORT_ONNXINPUTS_H
#define TTC_LIB_IMPORT_ONNXINPUTS_H

#include "ImportContext.h"

#include "mlir/IR/BuiltinTypes.h"

namespace onnx {
class TensorShapeProto_Dimension;
} // namespace onnx

namespace mlir::ttc {
class OnnxGraph;

/// Whether the model sets the size. Exporters write -1 for unknown sizes.
bool isFixedSize(const onnx::TensorShapeProto_Dimension &dim);

/// The name of a dimension of an input that the model leaves open without a name: "image.2".
std::string getDimName(StringRef input, int axis);

struct GraphInput {
  StringRef name;
  RankedTensorType type;
  /// The value that --input-value gives; null for an input of the compiled model.
  ElementsAttr value;
};

/// Names all open dimensions. Reports inputs that cannot be compiled, and leaves them out.
SmallVector<GraphInput> collectGraphInputs(ImportContext &shared, const OnnxGraph &graph);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ONNXINPUTS_H

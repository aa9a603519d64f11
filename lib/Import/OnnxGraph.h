// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structure of an ONNX graph: names, the nodes that define them, and an order of the nodes.
#ifndef TTC_LIB_IMPORT_ONNXGRAPH_H
#define TTC_LIB_IMPORT_ONNXGRAPH_H

#include "ttc/Import/OnnxImport.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
class TensorProto;
class TensorShapeProto;
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

struct GraphInput {
  StringRef name;
  RankedTensorType type;
};

class OnnxGraph {
public:
  /// Checks names and order; reports errors to `errors`.
  OnnxGraph(onnx::GraphProto &graph, MLIRContext *context, const OnnxImportOptions &options,
            ImportErrors &errors);

  onnx::GraphProto &getProto() { return graph; }
  ArrayRef<GraphInput> getInputs() const { return inputs; }
  onnx::TensorProto *getInitializer(StringRef name) const { return initializers.lookup(name); }
  /// Indices of the nodes, each after the nodes that define its inputs; otherwise as in the file.
  ArrayRef<int> getOrder() const { return order; }
  /// Whether a node or the graph's outputs use the value.
  bool isUsed(StringRef name) const { return used.contains(name); }

private:
  void collectInitializers();
  void collectInputs(const OnnxImportOptions &options);
  void collectUses();
  void sortNodes();

  onnx::GraphProto &graph;
  MLIRContext *context;
  ImportErrors &errors;
  SmallVector<GraphInput> inputs;
  llvm::StringMap<onnx::TensorProto *> initializers;
  llvm::StringSet<> inputNames;
  llvm::StringSet<> used;
  SmallVector<int> order;
};

/// "[1, N, ?]": sizes, names of dimensions, and ? for a dimension that has neither.
std::string printShape(const onnx::TensorShapeProto &shape);
/// The node's name, or the name of its first output if it has none.
StringRef getNodeName(const onnx::NodeProto &node);
/// The location of the node of that name (getNodeName()).
Location getNodeLoc(MLIRContext *context, StringRef name);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ONNXGRAPH_H

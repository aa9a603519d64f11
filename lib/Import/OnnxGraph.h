// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structure of an ONNX graph: names, who makes them, an order to visit the nodes in.
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

/// Errors of a whole import: all are reported, up to a limit.
class ImportErrors {
public:
  /// All errors are located in the file; what they concern, they say.
  explicit ImportErrors(Location file) : file(file) {}
  InFlightDiagnostic emit();
  Location getLoc() const { return file; }
  /// Whether the limit is reached: stop, and say so once.
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
  /// Checks names and order. Reports what is wrong to `errors`.
  OnnxGraph(onnx::GraphProto &graph, MLIRContext *context, const OnnxImportOptions &options,
            ImportErrors &errors);

  onnx::GraphProto &getProto() { return graph; }
  ArrayRef<GraphInput> getInputs() const { return inputs; }
  onnx::TensorProto *getInitializer(StringRef name) const { return initializers.lookup(name); }
  /// Indices of the nodes, each after those that make its inputs; otherwise as in the file.
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
/// The node's name; that of what it makes where it has none.
StringRef getNodeName(const onnx::NodeProto &node);
/// The location of the node of that name (getNodeName()).
Location getNodeLoc(MLIRContext *context, StringRef name);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ONNXGRAPH_H

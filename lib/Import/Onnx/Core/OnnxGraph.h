// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structure of an ONNX graph: names, the nodes that define them, and an order of the nodes.
#ifndef TTC_LIB_IMPORT_ONNXGRAPH_H
#define TTC_LIB_IMPORT_ONNXGRAPH_H

#include "ImportContext.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
class SparseTensorProto;
class TensorProto;
class TensorShapeProto;
} // namespace onnx

namespace mlir::ttc {

/// The names and the order of a graph's nodes.
class OnnxGraph {
public:
  /// Checks names and order; reports errors to `errors`. `isOuter` tells whether a graph around
  /// this one defines a name.
  OnnxGraph(onnx::GraphProto &graph, ImportErrors &errors,
            llvm::function_ref<bool(StringRef)> isOuter);

  onnx::GraphProto &getProto() const { return graph; }
  onnx::TensorProto *getInitializer(StringRef name) const { return initializers.lookup(name); }
  onnx::SparseTensorProto *getSparseInitializer(StringRef name) const {
    return sparseInitializers.lookup(name);
  }
  bool isInitializer(StringRef name) const {
    return initializers.contains(name) || sparseInitializers.contains(name);
  }
  /// Whether an input, an initializer or a node defines the value.
  bool defines(StringRef name) const {
    return inputNames.contains(name) || isInitializer(name) || producers.contains(name);
  }
  /// Indices of the nodes, each after the nodes that define its inputs; otherwise as in the file.
  ArrayRef<int> getOrder() const { return order; }
  /// Whether a node, also in a body, or the graph's outputs use the value.
  bool isUsed(StringRef name) const { return used.contains(name); }

private:
  void checkNames();
  void collectInitializers();
  void collectInputs();
  void collectUses();
  void sortNodes(llvm::function_ref<bool(StringRef)> isOuter);

  onnx::GraphProto &graph;
  ImportErrors &errors;
  llvm::StringMap<onnx::TensorProto *> initializers;
  llvm::StringMap<onnx::SparseTensorProto *> sparseInitializers;
  llvm::StringSet<> inputNames;
  llvm::StringSet<> used;
  llvm::StringMap<int> producers;
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

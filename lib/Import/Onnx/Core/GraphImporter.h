// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports the nodes of one graph: the model's, the body of a control flow op, or a function.
#ifndef TTC_LIB_IMPORT_GRAPHIMPORTER_H
#define TTC_LIB_IMPORT_GRAPHIMPORTER_H

#include "ImportContext.h"
#include "OnnxGraph.h"
#include "OnnxRegistry.h"

namespace onnx {
class ValueInfoProto;
} // namespace onnx

namespace mlir::ttc {

/// A scope of names. The bodies of control flow see the names of the graphs around them; functions
/// do not.
class GraphImporter {
public:
  /// `prefix` precedes the names of nodes in locations and diagnostics: "" or "node/".
  GraphImporter(ImportContext &shared, onnx::GraphProto &proto, const OpsetVersions &opsets,
                std::string prefix = "", const GraphImporter *outer = nullptr);

  ImportContext &getShared() const { return shared; }
  const OnnxGraph &getGraph() const { return graph; }
  /// Whether the graph is the body of a node or a function, and not the model.
  bool isBody() const { return !prefix.empty(); }

  /// Defines an input; null if a call omits it.
  void bind(StringRef name, Value value) {
    values[name] = value;
    if (!value)
      omitted.insert(name);
  }
  /// Reports nodes whose op cannot be imported.
  void checkOpsAreSupported();
  /// Imports all nodes. Errors are reported; later nodes that use a failed one are left out.
  void importNodes();
  /// The value of that name, here or in a graph around this one. Null if nothing defines it, or if
  /// its node failed, which has been reported.
  Value getValue(StringRef name);
  /// The values of the graph's outputs. Fails if one is missing.
  FailureOr<SmallVector<Value>> getOutputs();
  /// The shape that the model declares for a value, if it is static, or, `withNamed`, if its named
  /// dimensions have the sizes that the options give them.
  std::optional<SmallVector<int64_t>> getDeclaredShape(StringRef name,
                                                       bool withNamed = false) const;

  /// The nodes of a body, with those of bodies in it and of functions that it calls, as far as they
  /// matter for whether a loop is long.
  int64_t countNodes(const onnx::GraphProto &body) const;
  /// Imports the body of a control flow op. `step` tells several imports of one body apart.
  FailureOr<SmallVector<Value>> importBody(onnx::GraphProto &body, ArrayRef<Value> inputs,
                                           const Twine &step) const;

private:
  /// Whether the value is an input that a call omits, of this graph or of one around it.
  bool isOmitted(StringRef name) const;
  /// Whether a graph around this one defines the value.
  bool isOuter(StringRef name) const;
  /// The name with the prefix of the graph that defines it.
  std::string qualify(StringRef name) const;
  int64_t getOpset(const onnx::NodeProto &node) const;
  std::string nameOf(const onnx::NodeProto &node) const;
  const onnx::FunctionProto *findFunction(const onnx::NodeProto &node) const;
  /// The entry of a node's op; null if the op, its domain or its opset is not supported, which is
  /// an error if `report` is set.
  const OnnxOpEntry *findEntry(const onnx::NodeProto &node, bool report);
  /// The values of the node's inputs, null for omitted ones. Fails if one could not be imported.
  FailureOr<SmallVector<Value>> getInputs(const onnx::NodeProto &node);
  /// Defines the result of that name of a node.
  void define(const onnx::NodeProto &node, StringRef name, Value value);
  void importNode(onnx::NodeProto &node);
  /// A node that a function of the application computes.
  void importHosted(onnx::NodeProto &node);
  void importCall(const onnx::FunctionProto &function, onnx::NodeProto &node);
  LogicalResult checkLimits(const onnx::NodeProto &node);
  InFlightDiagnostic emitError(const onnx::NodeProto &node);

  ImportContext &shared;
  const OpsetVersions &opsets;
  std::string prefix;
  const GraphImporter *outer;
  /// The depth of bodies within bodies, and of calls within functions.
  unsigned depth;
  OnnxGraph graph;
  llvm::StringMap<Value> values;
  llvm::StringSet<> omitted;
  llvm::StringMap<const onnx::ValueInfoProto *> declared;
};

/// Collects the functions of the model. Reports functions of the same name.
void collectFunctions(ImportContext &shared);
std::string getFunctionKey(StringRef domain, StringRef name, StringRef overload);
/// The function's nodes as a graph whose attribute references are replaced by the attributes of the
/// call `node`, or by the function's defaults.
onnx::GraphProto instantiateFunction(const onnx::FunctionProto &function,
                                     const onnx::NodeProto &node);
/// Which of several functions of the same name a node calls.
std::string getOverload(const onnx::NodeProto &node);
OpsetVersions getFunctionOpsets(const onnx::FunctionProto &function, const OpsetVersions &model);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GRAPHIMPORTER_H

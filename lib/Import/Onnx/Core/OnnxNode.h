// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between a handler and the node that it imports.
#ifndef TTC_LIB_IMPORT_ONNXNODE_H
#define TTC_LIB_IMPORT_ONNXNODE_H

#include "OnnxTensor.h"
#include "lib/Import/Tensors/TensorBuilder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringSet.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
} // namespace onnx

namespace mlir::ttc {
class GraphImporter;
struct ImportContext;

/// One node of the graph. Handlers read inputs and attributes, create ttc ops and set outputs.
/// Errors are reported with the node's name, op and opset, and make the node fail; getters then
/// return a harmless value, so that handlers need no checks of their own. If an operand is null,
/// no op is created and the result is null.
class OnnxNode : public TensorBuilder {
public:
  /// `name` is the node's, in ops' locations and in errors, which are located in the file.
  OnnxNode(onnx::NodeProto &proto, int64_t opset, const GraphImporter &importer, std::string name,
           ArrayRef<Value> inputs);

  //===--- The node ---===//
  StringRef opType() const;
  /// The version of the op's domain.
  int64_t opset() const { return opsetVersion; }
  /// "node 'conv1' (Conv, opset 13)"
  std::string describe() const;
  InFlightDiagnostic warning();

  /// Whether the same ops must be made for all sizes (OnnxImportOptions::isOneOfSeveralSizes).
  bool isOneOfSeveralSizes() const;
  /// Whether the device may repeat steps: there is one size and one device, and no value of a step
  /// is kept.
  bool canRepeat() const;

  //===--- Inputs ---===//
  unsigned numInputs() const { return inputs.size(); }
  bool hasInput(unsigned index) const { return index < inputs.size() && inputs[index]; }
  /// Null if the input is omitted.
  Value input(unsigned index) const { return hasInput(index) ? inputs[index] : Value(); }
  ArrayRef<Value> allInputs() const { return inputs; }
  /// The integers of an input that must be constant, flattened. `what` names it.
  FailureOr<SmallVector<int64_t>> constantInts(unsigned index, StringRef what);
  /// The number in an input that must be constant and have one element.
  FailureOr<int64_t> constantInt(unsigned index, StringRef what);
  FailureOr<double> constantNumber(unsigned index, StringRef what);
  FailureOr<SmallVector<double>> constantNumbers(unsigned index, StringRef what);
  bool isConstantInput(unsigned index) const;

  //===--- Attributes ---===//
  bool hasAttr(StringRef name) const { return findAttr(name); }
  int64_t getInt(StringRef name, int64_t defaultValue);
  double getFloat(StringRef name, double defaultValue);
  StringRef getString(StringRef name, StringRef defaultValue);
  SmallVector<int64_t> getInts(StringRef name, ArrayRef<int64_t> defaultValue = {});
  SmallVector<float> getFloats(StringRef name, ArrayRef<float> defaultValue = {});
  SmallVector<StringRef> getStrings(StringRef name);
  /// The tensor as a constant, or null if the attribute is absent.
  ElementsAttr getTensor(StringRef name);
  /// The sparse tensor as a dense constant, or null if the attribute is absent.
  ElementsAttr getSparseTensor(StringRef name);
  /// The body of a control flow op. Reports its absence.
  onnx::GraphProto *getGraph(StringRef name);
  /// The elements of a tensor as numbers, none if the attribute is absent.
  SmallVector<double> getTensorNumbers(StringRef name);
  /// Accepts attributes that have no effect on inference.
  void ignoreAttrs(ArrayRef<StringRef> names);
  /// getInt(), counted from the front. Reports an axis out of range.
  int64_t getAxis(StringRef name, int64_t defaultValue, int64_t rank);
  /// Counts axes from the front. Reports axes that are out of range or repeated.
  LogicalResult normalizeAxes(MutableArrayRef<int64_t> axes, int64_t rank);
  /// Reports attributes that the handler did not read.
  LogicalResult checkAllAttrsUsed();

  /// What a message about a value that is computed at run time adds: the inputs of the model that
  /// it is computed from, where fixing them would make it constant. Otherwise nothing.
  std::string describeOrigin(Value value) const;
  /// What a message about the shape of output 0 adds: the option that declares another one.
  std::string describeShapeOption() const;
  /// States that a declared shape of output 0 would do where an input is not constant.
  void acceptDeclaredShape() { acceptsDeclaredShape = true; }
  bool takesDeclaredShape() const { return acceptsDeclaredShape; }

  //===--- Bodies and sequences ---===//
  /// Imports a body of this node; `step` tells several imports of it apart, as in "loop/3/add".
  /// `executes`: whether the model would execute it, where it is computed anyhow; null: it would.
  FailureOr<SmallVector<Value>> importBody(onnx::GraphProto &body, ArrayRef<Value> inputs,
                                           const Twine &step = "", Value executes = {});
  /// The nodes of a body, with those of bodies in it and of functions that it calls.
  int64_t countNodes(const onnx::GraphProto &body) const;
  /// The nodes that have been imported so far, in all graphs.
  int64_t countImported() const;
  /// Whether so many ops of unrolled steps are within the limit of nodes.
  bool canUnroll(int64_t ops) const;
  /// Counts them as nodes. Reports too many.
  LogicalResult countUnrolled(int64_t ops);
  /// Whether the import succeeds. If not, nothing is reported, and another way may be tried.
  bool attempt(llvm::function_ref<LogicalResult()> import);
  /// A sequence, or an empty optional: known while importing, no value of the compiled model.
  Value sequence(ArrayRef<Value> elements);
  Value emptyOptional();
  bool isSequence(Value value) const { return value && isa<TupleType>(value.getType()); }
  /// The elements of a sequence. Reports other values.
  FailureOr<SmallVector<Value>> elementsOf(Value sequence);

  //===--- What must hold ---===//
  /// A run in which the bool `holds` is false fails, unless it would not execute the node. `what`
  /// is the message, after the node: "has another shape than the declared [4]". Without effect if
  /// `holds` is null, or the import is one of several sizes, where what is computed from a size
  /// differs from run to run.
  void require(Value holds, const Twine &what);

  //===--- Outputs ---===//
  unsigned numOutputs() const;
  /// Whether the node has this output.
  bool wantsOutput(unsigned index) const;
  /// The shape that the model declares for an output, if it is static. Where an input that shapes
  /// the result is computed at run time, it decides.
  std::optional<SmallVector<int64_t>> declaredShape(unsigned index) const;
  /// Sets the first outputs. Fails if one of them is null.
  LogicalResult results(ArrayRef<Value> values);
  ArrayRef<Value> getResults() const { return outputs; }

private:
  InFlightDiagnostic startError() override;
  const onnx::AttributeProto *findAttr(StringRef name) const;
  /// Finds the attribute, marks it as used and checks its type.
  onnx::AttributeProto *useAttr(StringRef name, int type);
  onnx::NodeProto &proto;
  int64_t opsetVersion;
  const GraphImporter &importer;
  ImportContext &shared;
  std::string name;
  ArrayRef<Value> inputs;
  SmallVector<Value> outputs;
  llvm::StringSet<> usedAttrs;
  bool acceptsDeclaredShape = false;
};

/// Reports an input whose shape is not the expected one; an absent input is as expected. `what`
/// names it. Negative sizes are arbitrary.
LogicalResult checkShape(OnnxNode &node, unsigned index, StringRef what,
                         ArrayRef<int64_t> expected);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ONNXNODE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a handler sees of the node that it imports.
#ifndef TTC_LIB_IMPORT_ONNXNODE_H
#define TTC_LIB_IMPORT_ONNXNODE_H

#include "OnnxTensor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringSet.h"

namespace onnx {
class AttributeProto;
class NodeProto;
} // namespace onnx

namespace mlir::ttc {

/// One node of the graph. Handlers read inputs and attributes, create ttc ops and set outputs.
/// Whatever goes wrong in here is reported with the node's name, op and opset, and makes the
/// node fail; getters then return something harmless, so that handlers need no checks of their
/// own. An op without operands that are missing is never created: null in, null out.
class OnnxNode {
public:
  /// Ops are located at `loc`, errors in the file.
  OnnxNode(onnx::NodeProto &proto, int64_t opset, StringRef modelPath, OpBuilder &builder,
           Location loc, Location file, ArrayRef<Value> inputs);

  //===--- The node ---===//
  StringRef opType() const;
  int64_t opset() const { return opsetVersion; }
  /// "node 'conv1' (Conv, opset 13)"
  std::string describe() const;
  InFlightDiagnostic error();
  bool hasFailed() const { return anyError; }
  MLIRContext *context() const { return builder.getContext(); }
  OpBuilder &getBuilder() { return builder; }

  //===--- Inputs ---===//
  unsigned numInputs() const { return inputs.size(); }
  bool hasInput(unsigned index) const { return index < inputs.size() && inputs[index]; }
  /// Null if the input was left out.
  Value input(unsigned index) const { return hasInput(index) ? inputs[index] : Value(); }
  ArrayRef<Value> allInputs() const { return inputs; }
  /// The integers of an input that must be constant, flattened. `what` names it.
  FailureOr<SmallVector<int64_t>> constantInts(unsigned index, StringRef what);
  /// The one number of an input that must be constant.
  FailureOr<double> constantNumber(unsigned index, StringRef what);
  FailureOr<SmallVector<double>> constantNumbers(unsigned index, StringRef what);

  //===--- Attributes ---===//
  bool hasAttr(StringRef name) const { return findAttr(name); }
  int64_t getInt(StringRef name, int64_t defaultValue);
  double getFloat(StringRef name, double defaultValue);
  StringRef getString(StringRef name, StringRef defaultValue);
  SmallVector<int64_t> getInts(StringRef name, ArrayRef<int64_t> defaultValue = {});
  SmallVector<float> getFloats(StringRef name, ArrayRef<float> defaultValue = {});
  /// The tensor as a constant, or null if there is none.
  ElementsAttr getTensor(StringRef name);
  /// These attributes mean nothing for inference.
  void ignoreAttrs(ArrayRef<StringRef> names);
  /// `getInt("axis")` counted from the front; reports axes out of range.
  int64_t getAxis(StringRef name, int64_t defaultValue, int64_t rank);
  /// Counts axes from the front. Reports axes out of range and repeated ones.
  LogicalResult normalizeAxes(MutableArrayRef<int64_t> axes, int64_t rank);
  /// Reports attributes that no handler asked for.
  LogicalResult checkAllAttrsUsed();

  //===--- Creating ops ---===//
  /// An op whose result types are inferred. Operands that are null are left out if they come
  /// last, else the result is null. Constants are folded.
  template <typename OpTy> Value create(ValueRange operands, ArrayRef<NamedAttribute> attrs = {}) {
    SmallVector<Value> results = createOp<OpTy>(operands, attrs, std::nullopt);
    return results.empty() ? Value() : results.front();
  }
  template <typename OpTy>
  SmallVector<Value> createMulti(ValueRange operands, ArrayRef<NamedAttribute> attrs = {}) {
    return createOp<OpTy>(operands, attrs, std::nullopt);
  }
  /// An op whose result type is given.
  template <typename OpTy>
  Value createAs(Type type, ValueRange operands, ArrayRef<NamedAttribute> attrs = {}) {
    SmallVector<Value> results = createOp<OpTy>(operands, attrs, type);
    return results.empty() ? Value() : results.front();
  }
  Value constant(ElementsAttr value);
  Value constant(ArrayRef<int64_t> values);
  /// A tensor of rank 0 with the element type of `like`.
  Value scalarLike(Value like, double value);
  /// `value` in another shape of as many elements.
  Value reshape(Value value, ArrayRef<int64_t> shape);
  Value cast(Value value, Type elementType);

  NamedAttribute attr(StringRef name, Attribute value) { return builder.getNamedAttr(name, value); }
  NamedAttribute attr(StringRef name, ArrayRef<int64_t> value) {
    return attr(name, builder.getDenseI64ArrayAttr(value));
  }
  NamedAttribute i64(StringRef name, int64_t value) {
    return attr(name, builder.getI64IntegerAttr(value));
  }
  NamedAttribute f32(StringRef name, double value) {
    return attr(name, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  NamedAttribute flag(StringRef name) { return attr(name, builder.getUnitAttr()); }

  //===--- Outputs ---===//
  unsigned numOutputs() const;
  /// Whether the node names this output.
  bool wantsOutput(unsigned index) const;
  /// Sets the first outputs; fails if one of them is null.
  LogicalResult results(ArrayRef<Value> values);
  ArrayRef<Value> getResults() const { return outputs; }

private:
  const onnx::AttributeProto *findAttr(StringRef name) const;
  /// Finds the attribute, marks it as used and checks its type.
  onnx::AttributeProto *useAttr(StringRef name, int type);
  template <typename OpTy>
  SmallVector<Value> createOp(ValueRange operands, ArrayRef<NamedAttribute> attrs,
                              std::optional<Type> type);
  /// Runs `action` and reports what it complains about as an error of this node.
  LogicalResult withContext(llvm::function_ref<LogicalResult()> action);
  SmallVector<Value> createOp(OperationState &state, bool infer);

  onnx::NodeProto &proto;
  int64_t opsetVersion;
  StringRef modelPath;
  OpBuilder &builder;
  Location loc;
  Location file;
  ArrayRef<Value> inputs;
  SmallVector<Value> outputs;
  llvm::StringSet<> usedAttrs;
  bool anyError = false;
};

/// The static type of a tensor.
inline RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
inline ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }
inline int64_t rankOf(Value value) { return typeOf(value).getRank(); }
inline Type elementTypeOf(Value value) { return typeOf(value).getElementType(); }

template <typename OpTy>
SmallVector<Value> OnnxNode::createOp(ValueRange operands, ArrayRef<NamedAttribute> attrs,
                                      std::optional<Type> type) {
  // An optional last operand may be absent; any other null comes from an error before.
  while (!operands.empty() && !operands.back())
    operands = operands.drop_back();
  if (anyError || llvm::is_contained(operands, Value()))
    return {};
  OperationState state(loc, OpTy::getOperationName());
  state.addOperands(operands);
  if (type)
    state.addTypes(*type);
  using Properties = typename OpTy::Properties;
  if constexpr (std::is_same_v<Properties, EmptyProperties>) {
    state.addAttributes(attrs);
  } else {
    Properties &properties = state.getOrAddProperties<Properties>();
    if (failed(withContext([&] {
          return OpTy::setPropertiesFromAttr(properties, builder.getDictionaryAttr(attrs),
                                             [&] { return mlir::emitError(loc); });
        })))
      return {};
  }
  return createOp(state, /*infer=*/!type);
}

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ONNXNODE_H

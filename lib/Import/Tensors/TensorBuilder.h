// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How importers make tensor ops: result types are inferred, small ops on constants are folded, and
// errors are reported where the source has them.
#ifndef TTC_LIB_IMPORT_TENSORBUILDER_H
#define TTC_LIB_IMPORT_TENSORBUILDER_H

#include "dialects/Ttc/Tensors/TensorOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>

namespace mlir::ttc {

/// Bytes together of what the file does not contain: generated constants and copies of functions.
constexpr int64_t kMostGenerated = int64_t(1) << 31;

/// "1, 3, 224": a list for diagnostics.
std::string printList(ArrayRef<int64_t> values, StringRef separator = ", ");

/// The number of elements, or nullopt if a dimension is negative or the number is too large, even
/// where dimensions of size 0 are left out.
std::optional<int64_t> getNumElementsChecked(ArrayRef<int64_t> shape);

/// The number as an element. For integers it is cut off towards zero, and limited to those of 64
/// bits.
Attribute getNumberAttr(Type elementType, double value);

/// A constant's elements as int64_t or double. Fails if ttc has no such type.
template <typename T> FailureOr<SmallVector<T>> readElements(ElementsAttr attr);
extern template FailureOr<SmallVector<int64_t>> readElements(ElementsAttr attr);
extern template FailureOr<SmallVector<double>> readElements(ElementsAttr attr);

inline ArrayRef<int64_t> shapeOf(Value value) { return tensorType(value).getShape(); }
inline int64_t rankOf(Value value) { return tensorType(value).getRank(); }
inline Type elementTypeOf(Value value) { return tensorType(value).getElementType(); }

/// Makes the ops that stand for one op of a source. After an error, or if an operand is null, no op
/// is made and the result is null, so that handlers check once, at their end.
class TensorBuilder {
public:
  /// `generatedBytes` counts the bytes of generated constants for all ops of a source; what is at a
  /// location of `unfolded`, which may be null, is not folded.
  TensorBuilder(OpBuilder &builder, Location loc, int64_t &generatedBytes,
                const llvm::DenseSet<Location> *unfolded = nullptr)
      : builder(builder), loc(loc), generatedBytes(generatedBytes), unfolded(unfolded) {}
  virtual ~TensorBuilder() = default;

  /// Reports an error of the source's op.
  InFlightDiagnostic error() {
    anyError = true;
    return startError();
  }
  bool hasFailed() const { return anyError; }
  MLIRContext *context() const { return builder.getContext(); }
  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }

  //===--- Ops ---===//
  /// Creates an op whose result types are inferred. Null operands at the end are omitted; any other
  /// null operand makes the result null. Ops on constants are folded.
  template <typename OpTy> Value create(ValueRange operands, ArrayRef<NamedAttribute> attrs = {}) {
    SmallVector<Value> results = createOp<OpTy>(operands, attrs, std::nullopt);
    return results.empty() ? Value() : results.front();
  }
  template <typename OpTy>
  SmallVector<Value> createMulti(ValueRange operands, ArrayRef<NamedAttribute> attrs = {}) {
    return createOp<OpTy>(operands, attrs, std::nullopt);
  }
  /// Creates an op of the given result type.
  template <typename OpTy>
  Value createAs(Type type, ValueRange operands, ArrayRef<NamedAttribute> attrs = {}) {
    SmallVector<Value> results = createOp<OpTy>(operands, attrs, type);
    return results.empty() ? Value() : results.front();
  }
  /// As create(), but an op on constants stays.
  template <typename OpTy>
  Value createUnfolded(ValueRange operands, ArrayRef<NamedAttribute> attrs = {}) {
    SmallVector<Value> results = createOp<OpTy>(operands, attrs, std::nullopt, /*fold=*/false);
    return results.empty() ? Value() : results.front();
  }
  Value constant(ElementsAttr value);
  /// Of i64 and rank 1.
  Value constant(ArrayRef<int64_t> values);
  /// Checks the size of a constant that the source does not contain, before it is made: an op of
  /// fifty bytes can name one of any size. Together they may have as many bytes as a file of 2 GiB
  /// could contain.
  LogicalResult checkGenerated(RankedTensorType type);
  /// A tensor of rank 0 with the element type of `like`.
  Value scalarLike(Value like, double value);
  /// Reshapes `value`; the number of elements stays the same.
  Value reshape(Value value, ArrayRef<int64_t> shape);
  Value cast(Value value, Type elementType);

  //===--- Attributes ---===//
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

protected:
  /// Begins an error that names the source's op.
  virtual InFlightDiagnostic startError() = 0;
  /// Reports errors of a part of the op's import that reports them itself.
  void setFailed() { anyError = true; }
  void clearFailed() { anyError = false; }

  OpBuilder &builder;
  Location loc;

private:
  template <typename OpTy>
  SmallVector<Value> createOp(ValueRange operands, ArrayRef<NamedAttribute> attrs,
                              std::optional<Type> type, bool fold = true);
  /// Runs `action` and reports its errors as errors of the source's op.
  LogicalResult withContext(llvm::function_ref<LogicalResult()> action);
  SmallVector<Value> createOp(OperationState &state, bool infer, bool fold);

  int64_t &generatedBytes;
  const llvm::DenseSet<Location> *unfolded;
  bool anyError = false;
};

template <typename OpTy>
SmallVector<Value> TensorBuilder::createOp(ValueRange operands, ArrayRef<NamedAttribute> attrs,
                                           std::optional<Type> type, bool fold) {
  // Optional operands at the end may be absent; any other null is the result of an earlier error.
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
    OpTy::populateDefaultProperties(state.name, properties);
    if (failed(withContext([&] {
          return OpTy::setPropertiesFromAttr(properties, builder.getDictionaryAttr(attrs),
                                             [&] { return mlir::emitError(loc); });
        })))
      return {};
  }
  return createOp(state, /*infer=*/!type, fold);
}

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_TENSORBUILDER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ops on tensors share: traits and inference of result types. Included by TtcOpBase.h.
#ifndef TTC_DIALECTS_TTC_TENSORS_TENSOROPS_H
#define TTC_DIALECTS_TTC_TENSORS_TENSOROPS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::ttc {

/// The type of a value that is a ranked tensor.
inline RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// One of equal parts of a dimension, and the concatenation of parts.
Value slicePart(OpBuilder &builder, Value value, int64_t dim, int64_t part, int64_t parts);
Value concatParts(OpBuilder &builder, ValueRange values, int64_t dim);

namespace detail {
class InferenceScope;

/// Infers the type of an elementwise op's result: the operands' broadcast shape with the given
/// element type, or that of the last operand. `constraint` is the constraint on the shapes.
LogicalResult inferBroadcast(const InferenceScope &scope, ValueRange operands, Type elementType,
                             SmallVectorImpl<Type> &types, StringRef constraint = "C2");

/// Calls `infer` if all operands are ranked tensors with static shapes.
LogicalResult inferFromTensors(MLIRContext *context, std::optional<Location> location,
                               StringRef opName, ValueRange operands,
                               function_ref<LogicalResult(const InferenceScope &)> infer);

/// Compares an op's result types with the inferred ones.
LogicalResult verifyInferredResults(Operation *op, TypeRange inferred);

/// Prints the attributes except those equal to `defaults` and enumerations, which the op's format
/// prints.
void printTensorAttributes(OpAsmPrinter &printer, DictionaryAttr attributes,
                           DictionaryAttr defaults);

/// The default attributes of an op.
template <typename OpTy> DictionaryAttr getDefaultAttributes(OpTy op) {
  if constexpr (OpTy::hasProperties()) {
    std::remove_cvref_t<decltype(op.getProperties())> properties{};
    OpTy::populateDefaultProperties(op->getName(), properties);
    return dyn_cast_or_null<DictionaryAttr>(
        OpTy::getPropertiesAsAttr(op->getContext(), properties));
  }
  return {};
}
} // namespace detail

/// The attributes of an op on tensors: `{axes = [0, 1], epsilon = 1.0e-5, keepdims}`. Numbers
/// without a type are i64 or f32, the only types these ops use.
ParseResult parseTensorAttributes(OpAsmParser &parser, NamedAttrList &attributes);
template <typename OpTy>
void printTensorAttributes(OpAsmPrinter &printer, OpTy op, DictionaryAttr attributes) {
  detail::printTensorAttributes(printer, attributes, detail::getDefaultAttributes(op));
}

/// Verifies the result types of an op that infers them, with exactly one diagnostic.
template <typename ConcreteType>
class InferredResults : public OpTrait::TraitBase<ConcreteType, InferredResults> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    SmallVector<Type> inferred;
    if (failed(ConcreteType::inferReturnTypes(
            op->getContext(), op->getLoc(), op->getOperands(), op->getDiscardableAttrDictionary(),
            op->getPropertiesStorage(), op->getRegions(), inferred)))
      return failure();
    return detail::verifyInferredResults(op, inferred);
  }
};

/// Every element of a result is one of an operand's elements, or a constant that the op is given.
template <typename ConcreteType>
class SelectsElements : public OpTrait::TraitBase<ConcreteType, SelectsElements> {};

/// The op itself converts elements of f16 and bf16.
template <typename ConcreteType>
class ConvertsItself : public OpTrait::TraitBase<ConcreteType, ConvertsItself> {};

/// Every NaN of a result is one of an operand's, made quiet, or the one that the CPU makes.
template <typename ConcreteType>
class PassesNan : public OpTrait::TraitBase<ConcreteType, PassesNan> {};

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TENSORS_TENSOROPS_H

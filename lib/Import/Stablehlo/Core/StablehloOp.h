// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between a handler and the op of StableHLO that it imports.
#ifndef TTC_LIB_IMPORT_STABLEHLOOP_H
#define TTC_LIB_IMPORT_STABLEHLOOP_H

#include "StablehloAttributes.h"
#include "lib/Import/Tensors/Expressions.h"

#include "llvm/ADT/StringSet.h"

namespace mlir::ttc {
class StablehloImporter;
class StablehloScope;

/// "(C1, C2) " for constraints of the specification; nothing for none.
std::string cite(StringRef constraints);

/// One op of the source. Handlers read operands and attributes, create ttc ops and set results.
/// Getters report what is missing or of another form, and then return a harmless value. Errors cite
/// the constraints of the specification of StableHLO, as in "(C4)".
///
/// The body of a reduction or of a sort is written for single elements; importBody() imports it for
/// whole tensors of them. Elementwise handlers therefore take shapes from their operands, and only
/// element types from what the source declares (isBroadened()).
class StablehloOp : public TensorBuilder {
public:
  /// What `operands` and results are of an op on complex numbers.
  enum class Part { Whole, Real, Imaginary };

  StablehloOp(Operation *source, StablehloImporter &importer, const StablehloScope &scope,
              ArrayRef<Value> operands, Part part);

  /// Without the dialect: "dot_general".
  StringRef name() const;
  Operation *getSource() const { return source; }
  /// Whether shapes are not those of the source.
  bool isBroadened() const;

  //===--- Operands ---===//
  unsigned numOperands() const { return operands.size(); }
  /// Null after an error.
  Value operand(unsigned index) const { return operands[index]; }
  ArrayRef<Value> allOperands() const { return operands; }
  /// Reports another number of operands.
  LogicalResult checkOperands(unsigned count);
  /// Reports operands of different shapes, which ttc's ops would broadcast. In a broadened body,
  /// numbers stand beside tensors.
  LogicalResult checkSameShape(StringRef constraint);
  /// The integers of a constant operand, flattened, or nullopt.
  std::optional<SmallVector<int64_t>> constantInts(unsigned index) const;
  /// Whether the operand is a constant whose elements are all this number.
  bool isConstant(unsigned index, double number) const;

  //===--- Results ---===//
  unsigned numResults() const { return source->getNumResults(); }
  /// As the source declares it; of a complex result the type of one part.
  RankedTensorType resultType(unsigned index = 0) const;
  Type resultElementType(unsigned index = 0) const { return resultType(index).getElementType(); }
  bool hasComplexResult(unsigned index = 0) const;
  /// Sets the results. Fails if one is null, and reports one that is not of the declared type.
  LogicalResult results(ArrayRef<Value> values);
  ArrayRef<Value> getResults() const { return made; }

  //===--- Attributes ---===//
  Attribute getAttr(StringRef name);
  int64_t getInt(StringRef name, std::optional<int64_t> defaultValue = std::nullopt);
  bool getBool(StringRef name, bool defaultValue);
  /// An array; a missing one is an error without a default.
  SmallVector<int64_t> getInts(StringRef name,
                               std::optional<ArrayRef<int64_t>> defaultValue = std::nullopt);
  /// The value of `#stablehlo<KIND VALUE>`.
  StringRef getEnum(StringRef name, StringRef kind, StringRef defaultValue = "");
  StringRef getString(StringRef name, StringRef defaultValue = "");
  /// `#stablehlo.KIND<...>`; empty if it is missing.
  StablehloFields getFields(StringRef name, StringRef kind);
  /// Accepts attributes that do not change results.
  void ignoreAttrs(ArrayRef<StringRef> names);
  /// Reports attributes that the handler did not read, but for those of other dialects.
  LogicalResult checkAllAttrsUsed();

  //===--- Bodies ---===//
  unsigned numBodies() const { return source->getNumRegions(); }
  /// The one block of a region. Reports another number of blocks, or of arguments.
  Block *body(unsigned index, unsigned arguments);
  /// Reports a body that returns values of other types.
  LogicalResult checkReturned(Block &body, TypeRange types, StringRef constraint);
  /// Imports a body, with these values for its arguments, and returns the operands of its return.
  /// Broadened, they are tensors of one shape where the body has tensors of rank 0.
  FailureOr<SmallVector<Value>> importBody(unsigned index, ArrayRef<Value> arguments,
                                           bool broadened = false);
  /// The same, but returns what became of values of the body.
  FailureOr<SmallVector<Value>> importBodyValues(unsigned index, ArrayRef<Value> arguments,
                                                 std::optional<ArrayRef<Value>> wanted,
                                                 bool broadened);
  /// Imports the function that an attribute names, as importBody(). `constraint` is that on the
  /// types of its arguments.
  FailureOr<SmallVector<Value>> importCallee(StringRef attr, ArrayRef<Value> arguments,
                                             StringRef constraint = "");

  //===--- Complex numbers ---===//
  // A tensor of complex numbers is a pair of tensors, which only the importer knows.

  static bool isComplex(Value value) { return value && isa<TupleType>(value.getType()); }
  Value complex(Value real, Value imaginary);
  /// The real part; what is real is its own.
  static Value realOf(Value value);
  /// The imaginary part; null if `value` is null or real.
  static Value imaginaryOf(Value value);
  /// The type that the source has for the value.
  static RankedTensorType sourceTypeOf(Value value);

private:
  InFlightDiagnostic startError() override;
  /// Reports arguments that are not of the types of the block's. `name` is what the block is.
  LogicalResult checkArguments(Block &block, const Twine &name, ArrayRef<Value> arguments,
                               bool broadened, StringRef constraint);

  Operation *source;
  StablehloImporter &importer;
  const StablehloScope &scope;
  SmallVector<Value> operands, made;
  llvm::StringSet<> usedAttrs;
  Part part;
};

/// The one element of a constant of integers or bools, or nullopt.
std::optional<int64_t> getConstantInt(Value value);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLOOP_H

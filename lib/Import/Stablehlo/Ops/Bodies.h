// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of reductions: what they compute, and how they combine whole tensors.
#ifndef TTC_LIB_IMPORT_STABLEHLO_BODIES_H
#define TTC_LIB_IMPORT_STABLEHLO_BODIES_H

#include "lib/Import/Stablehlo/Core/StablehloOp.h"

namespace mlir::ttc {

/// A body that is one op on its two arguments. Of bools, sums are Or and products And.
enum class BodyKind { Other, Add, Multiply, Maximum, Minimum, And, Or, Xor };

/// The body of a reduction of one tensor, or of several at once.
class Reducer {
public:
  /// `count` tensors are reduced. `constraint` is that on the type of the body.
  Reducer(StablehloOp &op, unsigned body, unsigned count, StringRef constraint);

  /// Reports a body of another form, or for elements that those of `inputs` cannot be.
  LogicalResult check(ArrayRef<Value> inputs);
  BodyKind getKind() const { return kind; }
  unsigned getCount() const { return count; }
  /// The tensors with the element types that the body computes in.
  SmallVector<Value> convert(ArrayRef<Value> values);
  /// Whether the values, each of one element, change nothing. Of an unknown body none is known.
  bool isNeutral(ArrayRef<Value> initial) const;
  /// The number of rank 0 that changes nothing, of this element type; null for an unknown body.
  Value makeNeutral(Value like);
  /// Combines tensors of one shape element by element; empty after an error.
  SmallVector<Value> combine(ArrayRef<Value> left, ArrayRef<Value> right);
  /// Reduces a dimension to size 1: in the order of its elements, unless the body commutes.
  SmallVector<Value> reduceInOrder(SmallVector<Value> values, int64_t axis);
  /// What ttc reduces itself, without the initial value; null for other kinds and types.
  Value reduceKnown(Value x, ArrayRef<int64_t> axes, bool keepDims);
  /// Combines the initial values, of rank 0, with what is reduced, unless they change nothing.
  SmallVector<Value> applyInitial(ArrayRef<Value> initial, SmallVector<Value> values);

private:
  StablehloOp &op;
  unsigned body, count;
  StringRef constraint;
  BodyKind kind = BodyKind::Other;
};

/// The body as text: its ops, with numbers of arguments ("a0") and ops ("0"). Empty for one with
/// regions, or with operands from around it.
std::string printBody(Block &block);

/// The operand, or of complex numbers each part, changed by `function`.
Value mapParts(StablehloOp &op, Value value, llvm::function_ref<Value(Value)> function);
/// Of several operands of one type.
Value mapParts(StablehloOp &op, ArrayRef<Value> values,
               llvm::function_ref<Value(ArrayRef<Value>)> function);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_BODIES_H

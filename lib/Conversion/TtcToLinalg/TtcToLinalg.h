// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of this conversion share: one populate function for each family of ops, and
// builders for the shapes of loop nest that they all become.
#ifndef TTC_LIB_CONVERSION_TTCTOLINALG_TTCTOLINALG_H
#define TTC_LIB_CONVERSION_TTCTOLINALG_TTCTOLINALG_H

#include "dialects/Ttc/TtcOpBase.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::ttc::to_linalg {

void populateElementwise(const TypeConverter &types, RewritePatternSet &patterns);
void populateContraction(const TypeConverter &types, RewritePatternSet &patterns);
void populateIntProducts(const TypeConverter &types, RewritePatternSet &patterns);
void populatePooling(const TypeConverter &types, RewritePatternSet &patterns);
void populateNormalization(const TypeConverter &types, RewritePatternSet &patterns);
void populateReduction(const TypeConverter &types, RewritePatternSet &patterns);
void populateDataMovement(const TypeConverter &types, RewritePatternSet &patterns);
void populateGather(const TypeConverter &types, RewritePatternSet &patterns);
void populateResize(const TypeConverter &types, RewritePatternSet &patterns);

using Body = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;
using Bodies = llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

inline RankedTensorType withElement(RankedTensorType type, Type element) {
  return RankedTensorType::get(type.getShape(), element);
}

/// Whether the tensor's integers are unsigned, which converted types no longer say.
inline bool hasUnsignedElements(Value tensor) {
  return tensorType(tensor).getElementType().isUnsignedInteger();
}

/// The type that sums of elements of this type are made in: f32 for narrower floats.
Type accumulationType(Type element);
/// The type for a chain of this many additions: f64 where the rounding errors of f32 would show.
Type accumulationType(Type element, int64_t additions);
/// The type that sums over `axes` are made in.
Type accumulationType(RankedTensorType type, ArrayRef<int64_t> axes);

/// A tensor whose elements are not written yet.
Value emptyTensor(OpBuilder &b, Location loc, RankedTensorType type);
/// A tensor with every element equal to `value`.
Value filledTensor(OpBuilder &b, Location loc, RankedTensorType type, TypedAttr value);
/// The numbers 0 and 1, or any other, as an attribute of a float or integer type.
TypedAttr numberAttr(Type type, double value);
Value number(OpBuilder &b, Location loc, Type type, double value);
/// The identities of max and min: the lowest and highest value, infinite for floats.
TypedAttr lowestAttr(Type type, bool isUnsigned);
TypedAttr highestAttr(Type type, bool isUnsigned);

/// The map by which an operand of `shape` is read in a nest over `result`'s dimensions
/// `loops` (all of them, in order, when empty), broadcasting by NumPy's rules.
AffineMap broadcastMap(MLIRContext *context, ArrayRef<int64_t> shape, ArrayRef<int64_t> result);

/// result[i...] = body(inputs broadcast at i...): a nest of parallel loops.
Value mapElements(OpBuilder &b, Location loc, RankedTensorType resultType, ValueRange inputs,
                  Body body);
/// The same with a map for each input.
Value mapElements(OpBuilder &b, Location loc, RankedTensorType resultType, ValueRange inputs,
                  ArrayRef<AffineMap> maps, Body body);
/// result[i...] = body(i...): for elements that come from computed places.
Value pullElements(OpBuilder &b, Location loc, RankedTensorType resultType, Body body);

/// A nest over all of `input` that folds the dimensions `axes`, beginning with `init`. These
/// dimensions stay with size 1. Body: (element, accumulator) -> accumulator.
Value reduceDims(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes, TypedAttr init,
                 Body body);
/// The map by which such a nest, of `rank` dimensions and one more for each of `axes`, writes.
AffineMap reducedMap(MLIRContext *context, int64_t rank, ArrayRef<int64_t> axes);
/// `shape` with size 1 in the dimensions `axes`.
SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes);
/// The nest's kinds of loops.
SmallVector<utils::IteratorType> reducedIterators(int64_t rank, ArrayRef<int64_t> axes);

/// Sum of a float tensor, given in the element's accumulation type.
Value sumDims(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes);

/// The tensor with elements of the type that sums are made in, and back.
Value widen(OpBuilder &b, Location loc, Value input);
Value narrow(OpBuilder &b, Location loc, Value input, Type element);

/// The element at `indices`, which may be outside of `tensor`: then `outside`. Only the
/// dimensions in `checked` can be outside.
Value extractOr(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> indices,
                ArrayRef<int64_t> checked, Value outside);

/// True if nothing of level 1 reads the op's result: it goes to the function's results, so that
/// it can be made of parts that are written one by one.
bool isWrittenOut(Operation *op);

/// Converts between element types without ttc.cast's rounding rules: widening and narrowing
/// of floats only; the identity where the types are equal.
Value convertFloat(OpBuilder &b, Location loc, Value v, Type element);

/// a*b and a+b for floats and integers; max and min by signedness.
Value mulOf(OpBuilder &b, Location loc, Value x, Value y);
Value addOf(OpBuilder &b, Location loc, Value x, Value y);
Value maxOf(OpBuilder &b, Location loc, Value x, Value y, bool isUnsigned);
Value minOf(OpBuilder &b, Location loc, Value x, Value y, bool isUnsigned);

/// Index arithmetic with folding of constants.
Value indexConstant(OpBuilder &b, Location loc, int64_t value);
Value linearIndex(OpBuilder &b, Location loc, Value index, int64_t scale, int64_t offset);

/// A reshape as tensor.collapse_shape and tensor.expand_shape.
Value reshapeTensor(OpBuilder &b, Location loc, Value v, RankedTensorType type);

} // namespace mlir::ttc::to_linalg

#endif // TTC_LIB_CONVERSION_TTCTOLINALG_TTCTOLINALG_H

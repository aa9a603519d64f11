// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of this conversion share: one populate function for each family of ops, and
// builders for the shapes of loop nest that they all become.
#ifndef TTC_LIB_CONVERSION_TTCTOLINALG_TTCTOLINALG_H
#define TTC_LIB_CONVERSION_TTCTOLINALG_TTCTOLINALG_H

#include "dialects/Ttc/TtcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::ttc::to_linalg {

void populateElementwise(const TypeConverter &types, RewritePatternSet &patterns);
void populateContraction(const TypeConverter &types, RewritePatternSet &patterns);
void populatePooling(const TypeConverter &types, RewritePatternSet &patterns);
void populateNormalization(const TypeConverter &types, RewritePatternSet &patterns);
void populateReduction(const TypeConverter &types, RewritePatternSet &patterns);
void populateDataMovement(const TypeConverter &types, RewritePatternSet &patterns);
void populateGather(const TypeConverter &types, RewritePatternSet &patterns);
void populateResize(const TypeConverter &types, RewritePatternSet &patterns);

using Body = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;
using Bodies = llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

inline RankedTensorType tensorType(Value v) { return cast<RankedTensorType>(v.getType()); }
inline RankedTensorType withElement(RankedTensorType type, Type element) {
  return RankedTensorType::get(type.getShape(), element);
}

/// The type that sums of elements of this type are made in: f32 for narrower floats.
Type accumulationType(Type element);

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

/// A nest over all of `input` that folds the dimensions `axes` away, beginning with `init`;
/// the result keeps only the other dimensions. Body: (element, accumulator) -> accumulator.
Value reduceDims(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes, Value init,
                 Body body);

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

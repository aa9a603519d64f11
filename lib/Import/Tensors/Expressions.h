// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short names for the ttc ops that importers compose where ttc has no equivalent of an op.
#ifndef TTC_LIB_IMPORT_EXPRESSIONS_H
#define TTC_LIB_IMPORT_EXPRESSIONS_H

#include "TensorBuilder.h"

#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"

namespace mlir::ttc {

/// Creates the ops of handlers that compose many: `e.add(e.mul(a, b), 1.0)`. Binary ops broadcast;
/// a number is a scalar of the other operand's element type. As with TensorBuilder::create(), null
/// operands give a null result, so that handlers check once, when they set their outputs.
class Expressions {
public:
  explicit Expressions(TensorBuilder &builder) : builder(builder) {}

  //===--- Elementwise ---===//
  Value add(Value a, Value b) { return builder.create<AddOp>({a, b}); }
  Value add(Value a, double b) { return add(a, number(a, b)); }
  Value sub(Value a, Value b) { return builder.create<SubOp>({a, b}); }
  Value sub(Value a, double b) { return sub(a, number(a, b)); }
  Value sub(double a, Value b) { return sub(number(b, a), b); }
  Value mul(Value a, Value b) { return builder.create<MulOp>({a, b}); }
  /// Times 1 is left out.
  Value mul(Value a, double b) { return b == 1 ? a : mul(a, number(a, b)); }
  Value div(Value a, Value b) { return builder.create<DivOp>({a, b}); }
  Value div(Value a, double b) { return b == 1 ? a : div(a, number(a, b)); }
  Value min(Value a, Value b) { return builder.create<MinOp>({a, b}); }
  Value min(Value a, double b) { return min(a, number(a, b)); }
  Value max(Value a, Value b) { return builder.create<MaxOp>({a, b}); }
  Value max(Value a, double b) { return max(a, number(a, b)); }
  /// The remainder of a division of floats, with the sign of `a`.
  Value fmod(Value a, double b) {
    return builder.create<ModOp>({a, number(a, b)}, builder.flag("fmod"));
  }
  Value abs(Value x) { return builder.create<AbsOp>(x); }
  Value floor(Value x) { return builder.create<FloorOp>(x); }
  /// Halves to even.
  Value round(Value x) { return builder.create<RoundOp>(x); }
  Value square(Value x) { return mul(x, x); }
  template <typename OpTy> Value unary(Value x) { return builder.create<OpTy>(x); }
  /// With attributes of type f32.
  template <typename OpTy>
  Value unaryWith(Value x, ArrayRef<std::pair<StringRef, double>> numbers) {
    SmallVector<NamedAttribute> attrs;
    for (auto [name, number] : numbers)
      attrs.push_back(builder.f32(name, number));
    return builder.create<OpTy>(x, attrs);
  }
  Value clamp(Value x, double low, double high) {
    return builder.create<ClampOp>(x, {builder.f32("min", low), builder.f32("max", high)});
  }
  Value compare(ComparePredicate predicate, Value a, Value b) {
    return builder.create<CompareOp>(
        {a, b}, builder.attr("predicate", ComparePredicateAttr::get(builder.context(), predicate)));
  }
  Value compare(ComparePredicate predicate, Value a, double b) {
    return compare(predicate, a, number(a, b));
  }
  Value both(Value a, Value b) { return builder.create<AndOp>({a, b}); }
  Value where(Value condition, Value a, Value b) {
    return builder.create<WhereOp>({condition, a, b});
  }
  Value where(Value condition, Value a, double b) { return where(condition, a, number(a, b)); }
  Value cast(Value x, Type elementType) { return builder.cast(x, elementType); }
  Value gelu(Value x, GeluApproximation kind) {
    return builder.create<GeluOp>(
        x, builder.attr("approximate", GeluApproximationAttr::get(builder.context(), kind)));
  }

  //===--- Matrices and reductions ---===//
  Value matmul(Value a, Value b, Value bias = {}) { return builder.create<MatmulOp>({a, b, bias}); }
  /// a times the transposed b
  Value matmulTransposed(Value a, Value b, Value bias = {}) {
    return builder.create<MatmulOp>({a, b, bias}, builder.flag("transpose_b"));
  }
  /// The reduced dimensions stay, with size 1.
  template <typename OpTy> Value reduce(Value x, ArrayRef<int64_t> axes) {
    return builder.create<OpTy>(x, {builder.attr("axes", axes), builder.flag("keepdims")});
  }
  /// The reduced dimensions are removed.
  template <typename OpTy> Value reduceAway(Value x, ArrayRef<int64_t> axes) {
    return builder.create<OpTy>(x, builder.attr("axes", axes));
  }
  Value sum(Value x, ArrayRef<int64_t> axes, bool keepDims = false) {
    return keepDims ? reduce<ReduceSumOp>(x, axes) : reduceAway<ReduceSumOp>(x, axes);
  }
  Value maximum(Value x, ArrayRef<int64_t> axes) { return reduceAway<ReduceMaxOp>(x, axes); }
  Value minimum(Value x, ArrayRef<int64_t> axes) { return reduceAway<ReduceMinOp>(x, axes); }
  Value softmax(Value x, int64_t axis) {
    return builder.create<SoftmaxOp>(x, builder.i64("axis", axis));
  }

  //===--- Movement ---===//
  Value reshape(Value x, ArrayRef<int64_t> shape) { return builder.reshape(x, shape); }
  /// The identity is left out.
  Value transpose(Value x, ArrayRef<int64_t> permutation);
  // An axis that the operand does not have is an error, and gives null.

  /// `size` elements from `start` on of one dimension, every `step`th; `x` itself if that is all.
  Value slice(Value x, int64_t axis, int64_t start, int64_t size, int64_t step = 1);
  /// The elements of these dimensions from the last to the first; `x` itself without dimensions.
  Value reverse(Value x, ArrayRef<int64_t> axes);
  /// One index of a dimension, which is removed.
  Value take(Value x, int64_t axis, int64_t index) {
    return squeeze(slice(x, axis, index, 1), axis);
  }
  /// Adds elements before and after each dimension.
  Value pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
            PadMode mode = PadMode::Constant, double value = 0);
  /// Appends zeros to the end of a dimension, or cuts elements off, to reach `size`.
  Value fit(Value x, int64_t axis, int64_t size);
  /// One operand is the result.
  Value concat(ValueRange operands, int64_t axis) {
    return operands.size() == 1 ? operands.front()
                                : builder.create<ConcatOp>(operands, builder.i64("axis", axis));
  }
  Value gather(Value data, Value indices, int64_t axis) {
    return builder.create<GatherOp>({data, indices}, builder.i64("axis", axis));
  }
  Value gatherElements(Value data, Value indices, int64_t axis) {
    return builder.create<GatherElementsOp>({data, indices}, builder.i64("axis", axis));
  }
  /// Broadcasts to a shape by NumPy's rules; null stays null.
  Value expand(Value x, ArrayRef<int64_t> shape);
  /// Adds a dimension of size 1.
  Value unsqueeze(Value x, int64_t axis);
  /// Removes a dimension of size 1.
  Value squeeze(Value x, int64_t axis);

  //===--- Constants ---===//
  // A constant of a given shape that is too large is null, and an error at the builder.

  /// A tensor of rank 0 with the element type of `like`.
  Value number(Value like, double value) { return builder.scalarLike(like, value); }
  /// A tensor of i64 and rank 0.
  Value scalar(int64_t value);
  /// A tensor of f32 and rank 1.
  Value floats(ArrayRef<float> values);
  Value floats(ArrayRef<int64_t> shape, ArrayRef<double> values, Type elementType);
  /// A tensor of rank 1, rounded to a type of floats.
  Value numbers(ArrayRef<double> values, Type elementType);
  /// A tensor of i64 and rank 1.
  Value ints(ArrayRef<int64_t> values) { return builder.constant(values); }
  Value ints(ArrayRef<int64_t> shape, ArrayRef<int64_t> values, Type elementType);
  /// 0, 1, ..., count - 1, of rank 1.
  Value iota(int64_t count, Type elementType);
  /// The same of type i64, in dimension `axis` of a tensor of that rank, other dimensions 1.
  Value iota(int64_t count, int64_t axis, int64_t rank);
  Value splat(ArrayRef<int64_t> shape, Type elementType, double value);

private:
  /// Reports an axis that a tensor of this rank does not have.
  bool checkAxis(int64_t axis, int64_t rank);

  TensorBuilder &builder;
};

/// Reports a constant of more elements than are written one by one, before they are.
LogicalResult checkCount(TensorBuilder &builder, int64_t count);

/// The type that sums and interpolations of this type are computed in: f64 for f64, else f32.
Type getArithmeticType(Type elementType);

/// `value` converted to `elementType`; integers are rounded towards zero and saturate.
Value castSaturated(TensorBuilder &builder, Value value, Type elementType);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_EXPRESSIONS_H

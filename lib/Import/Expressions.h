// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compositions of ttc ops, written as expressions.
#ifndef TTC_LIB_IMPORT_EXPRESSIONS_H
#define TTC_LIB_IMPORT_EXPRESSIONS_H

#include "OnnxNode.h"

#include "dialects/Ttc/TtcOps.h"

namespace mlir::ttc {

/// Creates the ops of handlers that compose many: `e.add(e.mul(a, b), 1.0)`. A number is a scalar
/// of the other operand's element type. As with OnnxNode::create(), null operands give a null
/// result.
class Expressions {
public:
  explicit Expressions(OnnxNode &node) : node(node) {}

  //===--- Elementwise ---===//
  Value add(Value a, Value b) { return node.create<AddOp>({a, b}); }
  Value add(Value a, double b) { return add(a, node.scalarLike(a, b)); }
  Value sub(Value a, Value b) { return node.create<SubOp>({a, b}); }
  Value sub(double a, Value b) { return sub(node.scalarLike(b, a), b); }
  Value mul(Value a, Value b) { return node.create<MulOp>({a, b}); }
  /// Times 1 is left out.
  Value mul(Value a, double b) { return b == 1 ? a : mul(a, node.scalarLike(a, b)); }
  Value div(Value a, Value b) { return node.create<DivOp>({a, b}); }
  Value div(Value a, double b) { return b == 1 ? a : div(a, node.scalarLike(a, b)); }
  Value square(Value x) { return mul(x, x); }
  template <typename OpTy> Value unary(Value x) { return node.create<OpTy>(x); }
  /// With attributes of type f32.
  template <typename OpTy>
  Value unaryWith(Value x, ArrayRef<std::pair<StringRef, double>> numbers) {
    SmallVector<NamedAttribute> attrs;
    for (auto [name, number] : numbers)
      attrs.push_back(node.f32(name, number));
    return node.create<OpTy>(x, attrs);
  }
  Value clamp(Value x, double low, double high) {
    return node.create<ClampOp>(x, {node.f32("min", low), node.f32("max", high)});
  }
  Value compare(ComparePredicate predicate, Value a, Value b) {
    return node.create<CompareOp>(
        {a, b}, node.attr("predicate", ComparePredicateAttr::get(node.context(), predicate)));
  }
  Value compare(ComparePredicate predicate, Value a, double b) {
    return compare(predicate, a, node.scalarLike(a, b));
  }
  Value both(Value a, Value b) { return node.create<AndOp>({a, b}); }
  Value where(Value condition, Value a, Value b) { return node.create<WhereOp>({condition, a, b}); }
  Value where(Value condition, Value a, double b) {
    return where(condition, a, node.scalarLike(a, b));
  }
  Value gelu(Value x, GeluApproximation kind) {
    return node.create<GeluOp>(
        x, node.attr("approximate", GeluApproximationAttr::get(node.context(), kind)));
  }

  //===--- Matrices and reductions ---===//
  Value matmul(Value a, Value b, Value bias = {}) { return node.create<MatmulOp>({a, b, bias}); }
  /// a times the transposed b
  Value matmulTransposed(Value a, Value b, Value bias = {}) {
    return node.create<MatmulOp>({a, b, bias}, node.flag("transpose_b"));
  }
  /// The reduced dimensions stay, with size 1.
  template <typename OpTy> Value reduce(Value x, ArrayRef<int64_t> axes) {
    return node.create<OpTy>(x, {node.attr("axes", axes), node.flag("keepdims")});
  }
  /// The reduced dimensions are removed.
  template <typename OpTy> Value reduceAway(Value x, ArrayRef<int64_t> axes) {
    return node.create<OpTy>(x, node.attr("axes", axes));
  }
  Value softmax(Value x, int64_t axis) { return node.create<SoftmaxOp>(x, node.i64("axis", axis)); }

  //===--- Movement ---===//
  Value transpose(Value x, ArrayRef<int64_t> permutation) {
    return node.create<TransposeOp>(x, node.attr("permutation", permutation));
  }
  /// `size` elements from `start` on of one dimension, every `step`th; `x` itself if that is all.
  Value slice(Value x, int64_t axis, int64_t start, int64_t size, int64_t step = 1);
  /// One operand is the result.
  Value concat(ValueRange operands, int64_t axis) {
    return operands.size() == 1 ? operands.front()
                                : node.create<ConcatOp>(operands, node.i64("axis", axis));
  }
  Value gather(Value data, Value indices, int64_t axis) {
    return node.create<GatherOp>({data, indices}, node.i64("axis", axis));
  }
  Value gatherElements(Value data, Value indices, int64_t axis) {
    return node.create<GatherElementsOp>({data, indices}, node.i64("axis", axis));
  }
  /// Broadcasts to a shape by NumPy's rules; null stays null.
  Value expand(Value x, ArrayRef<int64_t> shape);
  /// Adds a dimension of size 1.
  Value unsqueeze(Value x, int64_t axis);
  /// Removes a dimension of size 1.
  Value squeeze(Value x, int64_t axis);

  //===--- Constants ---===//
  /// Of rank 1.
  Value floats(ArrayRef<float> values);
  /// Of rank 1, rounded to a type of floats.
  Value numbers(ArrayRef<double> values, Type elementType);
  Value ints(ArrayRef<int64_t> values) { return node.constant(values); }
  /// 0, 1, ..., count - 1 in dimension `axis` of a tensor of that rank, other dimensions 1.
  Value iota(int64_t count, int64_t axis, int64_t rank);
  Value splat(ArrayRef<int64_t> shape, Type elementType, double value);

private:
  OnnxNode &node;
};

/// Reports an input whose shape is not the expected one; an absent input is as expected. `what`
/// names it. Negative sizes are arbitrary.
LogicalResult checkShape(OnnxNode &node, unsigned index, StringRef what,
                         ArrayRef<int64_t> expected);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_EXPRESSIONS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short names for the tensor ops that handlers compose when an ONNX op has no equivalent in ttc.
#ifndef TTC_LIB_IMPORT_TENSORMATH_H
#define TTC_LIB_IMPORT_TENSORMATH_H

#include "OnnxNode.h"

#include "dialects/Ttc/TtcOps.h"

namespace mlir::ttc {

/// Creates ops for one node. A null operand gives a null result, so that handlers check once, when
/// they set their outputs. Binary ops broadcast; numbers take the element type of the other
/// operand.
class TensorMath {
public:
  explicit TensorMath(OnnxNode &node) : node(node) {}

  //===--- Constants ---===//
  Value number(Value like, double value) { return node.scalarLike(like, value); }
  /// Null, and an error at the node, if the constant is too large.
  Value floats(ArrayRef<int64_t> shape, ArrayRef<double> values, Type elementType);
  Value ints(ArrayRef<int64_t> shape, ArrayRef<int64_t> values, Type elementType);
  /// 0, 1, ..., size - 1
  Value iota(int64_t size, Type elementType);
  Value splat(ArrayRef<int64_t> shape, Type elementType, double value);

  //===--- Elementwise ---===//
  Value add(Value a, Value b) { return node.create<AddOp>({a, b}); }
  Value sub(Value a, Value b) { return node.create<SubOp>({a, b}); }
  Value mul(Value a, Value b) { return node.create<MulOp>({a, b}); }
  Value div(Value a, Value b) { return node.create<DivOp>({a, b}); }
  Value min(Value a, Value b) { return node.create<MinOp>({a, b}); }
  Value max(Value a, Value b) { return node.create<MaxOp>({a, b}); }
  Value both(Value a, Value b) { return node.create<AndOp>({a, b}); }
  Value add(Value a, double b) { return add(a, number(a, b)); }
  Value sub(Value a, double b) { return sub(a, number(a, b)); }
  Value mul(Value a, double b) { return mul(a, number(a, b)); }
  Value div(Value a, double b) { return div(a, number(a, b)); }
  Value min(Value a, double b) { return min(a, number(a, b)); }
  Value max(Value a, double b) { return max(a, number(a, b)); }
  /// The remainder of a division of floats, with the sign of `a`.
  Value fmod(Value a, double b);
  Value floor(Value x) { return node.create<FloorOp>(x); }
  /// Halves to even.
  Value round(Value x) { return node.create<RoundOp>(x); }
  Value abs(Value x) { return node.create<AbsOp>(x); }
  Value compare(ComparePredicate predicate, Value a, Value b);
  Value compare(ComparePredicate predicate, Value a, double b) {
    return compare(predicate, a, number(a, b));
  }
  Value where(Value condition, Value a, Value b) { return node.create<WhereOp>({condition, a, b}); }
  Value cast(Value x, Type elementType) { return node.cast(x, elementType); }

  //===--- Movement ---===//
  Value reshape(Value x, ArrayRef<int64_t> shape) { return node.reshape(x, shape); }
  Value transpose(Value x, ArrayRef<int64_t> permutation);
  Value expand(Value x, ArrayRef<int64_t> shape);
  Value gather(Value data, Value indices, int64_t axis);
  /// Elements `start` to `start + size - 1` of one axis.
  Value slice(Value x, int64_t axis, int64_t start, int64_t size, int64_t step = 1);
  Value concat(ArrayRef<Value> values, int64_t axis);
  /// Appends elements to the end of an axis, or cuts elements off, to reach `size`.
  Value fit(Value x, int64_t axis, int64_t size);

  //===--- Reductions and products ---===//
  Value sum(Value x, ArrayRef<int64_t> axes, bool keepDims = false);
  Value maximum(Value x, ArrayRef<int64_t> axes, bool keepDims = false);
  Value minimum(Value x, ArrayRef<int64_t> axes, bool keepDims = false);
  Value matmul(Value a, Value b) { return node.create<MatmulOp>({a, b}); }

private:
  OnnxNode &node;
};

/// The type that sums and interpolations of this type are computed in: f64 for f64, else f32.
Type getArithmeticType(Type elementType);

/// `value` converted to `elementType`; integers are rounded towards zero and saturate.
Value castSaturated(OnnxNode &node, Value value, Type elementType);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_TENSORMATH_H

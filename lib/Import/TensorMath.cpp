// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TensorMath.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value TensorMath::floats(ArrayRef<int64_t> shape, ArrayRef<double> values, Type elementType) {
  Type f32 = node.getBuilder().getF32Type();
  auto type = RankedTensorType::get(shape, elementType.isF64() ? elementType : f32);
  if (failed(node.checkGenerated(type)))
    return {};
  if (elementType.isF64())
    return node.constant(DenseElementsAttr::get(type, values));
  SmallVector<float> narrow(values.begin(), values.end());
  return cast(node.constant(DenseElementsAttr::get(type, ArrayRef<float>(narrow))), elementType);
}

Value TensorMath::ints(ArrayRef<int64_t> shape, ArrayRef<int64_t> values, Type elementType) {
  bool isNarrow = elementType.isInteger(32);
  Type stored = isNarrow ? elementType : Type(node.getBuilder().getI64Type());
  auto type = RankedTensorType::get(shape, stored);
  if (failed(node.checkGenerated(type)))
    return {};
  if (!isNarrow)
    return cast(node.constant(DenseElementsAttr::get(type, values)), elementType);
  SmallVector<int32_t> narrow(values.begin(), values.end());
  return node.constant(DenseElementsAttr::get(type, ArrayRef<int32_t>(narrow)));
}

Value TensorMath::iota(int64_t size, Type elementType) {
  return ints(size, llvm::to_vector(llvm::seq<int64_t>(0, size)), elementType);
}

Value TensorMath::splat(ArrayRef<int64_t> shape, Type elementType, double value) {
  auto type = RankedTensorType::get(shape, elementType);
  Attribute element = isa<FloatType>(elementType)
                          ? Attribute(node.getBuilder().getFloatAttr(elementType, value))
                          : Attribute(IntegerAttr::get(elementType, static_cast<int64_t>(value)));
  return node.constant(DenseElementsAttr::get(type, element));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value TensorMath::fmod(Value a, double b) {
  return node.create<ModOp>({a, number(a, b)}, node.flag("fmod"));
}

Value TensorMath::compare(ComparePredicate predicate, Value a, Value b) {
  return node.create<CompareOp>(
      {a, b}, node.attr("predicate", ComparePredicateAttr::get(node.context(), predicate)));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value TensorMath::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return x;
  return node.create<TransposeOp>(x, node.attr("permutation", permutation));
}

Value TensorMath::expand(Value x, ArrayRef<int64_t> shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  return node.createAs<ExpandOp>(RankedTensorType::get(shape, elementTypeOf(x)), x);
}

Value TensorMath::gather(Value data, Value indices, int64_t axis) {
  return node.create<GatherOp>({data, indices}, node.i64("axis", axis));
}

Value TensorMath::slice(Value x, int64_t axis, int64_t start, int64_t size, int64_t step) {
  if (!x)
    return {};
  SmallVector<int64_t> starts(rankOf(x), 0), sizes(shapeOf(x)), steps(rankOf(x), 1);
  if (start == 0 && size == sizes[axis] && step == 1)
    return x;
  starts[axis] = start;
  sizes[axis] = size;
  steps[axis] = step;
  return node.create<SliceOp>(
      x, {node.attr("starts", starts), node.attr("sizes", sizes), node.attr("steps", steps)});
}

Value TensorMath::concat(ArrayRef<Value> values, int64_t axis) {
  if (values.size() == 1)
    return values.front();
  return node.create<ConcatOp>(values, node.i64("axis", axis));
}

Value TensorMath::fit(Value x, int64_t axis, int64_t size) {
  if (!x)
    return {};
  int64_t have = shapeOf(x)[axis];
  if (have >= size)
    return slice(x, axis, 0, size);
  SmallVector<int64_t> low(rankOf(x), 0), high(rankOf(x), 0);
  high[axis] = size - have;
  return node.create<PadOp>(x,
                            {node.attr("low", low), node.attr("high", high),
                             node.attr("mode", PadModeAttr::get(node.context(), PadMode::Constant)),
                             node.f32("value", 0)});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Value reduce(OnnxNode &node, Value x, ArrayRef<int64_t> axes, bool keepDims) {
  SmallVector<NamedAttribute> attrs = {node.attr("axes", axes)};
  if (keepDims)
    attrs.push_back(node.flag("keepdims"));
  return node.create<OpTy>(x, attrs);
}

Value TensorMath::sum(Value x, ArrayRef<int64_t> axes, bool keepDims) {
  return reduce<ReduceSumOp>(node, x, axes, keepDims);
}

Value TensorMath::maximum(Value x, ArrayRef<int64_t> axes, bool keepDims) {
  return reduce<ReduceMaxOp>(node, x, axes, keepDims);
}

Value TensorMath::minimum(Value x, ArrayRef<int64_t> axes, bool keepDims) {
  return reduce<ReduceMinOp>(node, x, axes, keepDims);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type mlir::ttc::getArithmeticType(Type elementType) {
  return elementType.isF64() ? elementType : Float32Type::get(elementType.getContext());
}

Value mlir::ttc::castSaturated(OnnxNode &node, Value value, Type elementType) {
  if (!value)
    return {};
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || !isa<FloatType>(elementTypeOf(value)))
    return node.cast(value, elementType);
  // The largest number of the float type that the integer type holds, too: beyond 24 bits, its
  // own bounds are not numbers of f32.
  const llvm::fltSemantics &semantics = cast<FloatType>(elementTypeOf(value)).getFloatSemantics();
  bool isUnsigned = integer.isUnsigned();
  unsigned width = integer.getWidth();
  auto bound = [&](const APInt &limit) {
    APFloat number(semantics);
    number.convertFromAPInt(limit, !isUnsigned, APFloat::rmTowardZero);
    return number.convertToDouble();
  };
  TensorMath math(node);
  value = math.max(value,
                   bound(isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width)));
  value = math.min(value,
                   bound(isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width)));
  // Types that are only stored are made of wider ones.
  if (width < 8)
    value = node.cast(value, node.getBuilder().getI32Type());
  return node.cast(value, elementType);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Expressions.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

bool Expressions::checkAxis(int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return true;
  builder.error() << "axis " << axis << " is out of range for a tensor of rank " << rank;
  return false;
}

Value Expressions::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (!x || llvm::equal(permutation, llvm::seq<int64_t>(0, rankOf(x))))
    return x;
  return builder.create<TransposeOp>(x, builder.attr("permutation", permutation));
}

Value Expressions::slice(Value x, int64_t axis, int64_t start, int64_t size, int64_t step) {
  if (!x || !checkAxis(axis, rankOf(x)))
    return {};
  SmallVector<int64_t> starts(rankOf(x), 0), sizes(shapeOf(x)), steps(rankOf(x), 1);
  if (start == 0 && size == sizes[axis] && step == 1)
    return x;
  starts[axis] = start;
  sizes[axis] = size;
  steps[axis] = step;
  return builder.create<SliceOp>(x, {builder.attr("starts", starts), builder.attr("sizes", sizes),
                                     builder.attr("steps", steps)});
}

Value Expressions::reverse(Value x, ArrayRef<int64_t> axes) {
  if (!x || axes.empty())
    return x;
  SmallVector<int64_t> starts(rankOf(x), 0), sizes(shapeOf(x)), steps(rankOf(x), 1);
  for (int64_t axis : axes) {
    if (!checkAxis(axis, rankOf(x)))
      return {};
    starts[axis] = std::max<int64_t>(sizes[axis] - 1, 0);
    steps[axis] = -1;
  }
  return builder.create<SliceOp>(x, {builder.attr("starts", starts), builder.attr("sizes", sizes),
                                     builder.attr("steps", steps)});
}

Value Expressions::pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high, PadMode mode,
                       double value) {
  return builder.create<PadOp>(x, {builder.attr("low", low), builder.attr("high", high),
                                   builder.attr("mode", PadModeAttr::get(builder.context(), mode)),
                                   builder.f32("value", value)});
}

Value Expressions::fit(Value x, int64_t axis, int64_t size) {
  if (!x || !checkAxis(axis, rankOf(x)))
    return {};
  int64_t have = shapeOf(x)[axis];
  if (have >= size)
    return slice(x, axis, 0, size);
  SmallVector<int64_t> low(rankOf(x), 0), high(rankOf(x), 0);
  high[axis] = size - have;
  return pad(x, low, high);
}

Value Expressions::expand(Value x, ArrayRef<int64_t> shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  return builder.createAs<ExpandOp>(RankedTensorType::get(shape, elementTypeOf(x)), x);
}

Value Expressions::unsqueeze(Value x, int64_t axis) {
  if (!x || !checkAxis(axis, rankOf(x) + 1))
    return {};
  SmallVector<int64_t> shape(shapeOf(x));
  shape.insert(shape.begin() + axis, 1);
  return builder.reshape(x, shape);
}

Value Expressions::squeeze(Value x, int64_t axis) {
  if (!x || !checkAxis(axis, rankOf(x)))
    return {};
  SmallVector<int64_t> shape(shapeOf(x));
  shape.erase(shape.begin() + axis);
  return builder.reshape(x, shape);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Expressions::scalar(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getBuilder().getI64Type());
  return builder.constant(DenseElementsAttr::get(type, value));
}

Value Expressions::floats(ArrayRef<float> values) {
  auto type = RankedTensorType::get(values.size(), builder.getBuilder().getF32Type());
  return builder.constant(DenseElementsAttr::get(type, values));
}

Value Expressions::floats(ArrayRef<int64_t> shape, ArrayRef<double> values, Type elementType) {
  Type f32 = builder.getBuilder().getF32Type();
  auto type = RankedTensorType::get(shape, elementType.isF64() ? elementType : f32);
  if (failed(builder.checkGenerated(type)))
    return {};
  if (elementType.isF64())
    return builder.constant(DenseElementsAttr::get(type, values));
  SmallVector<float> narrow(values.begin(), values.end());
  return cast(builder.constant(DenseElementsAttr::get(type, ArrayRef<float>(narrow))), elementType);
}

Value Expressions::numbers(ArrayRef<double> values, Type elementType) {
  const llvm::fltSemantics &semantics = cast<FloatType>(elementType).getFloatSemantics();
  SmallVector<APFloat> elements;
  for (double value : values) {
    bool losesInfo;
    elements.emplace_back(value);
    elements.back().convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  }
  auto type = RankedTensorType::get(values.size(), elementType);
  return builder.constant(DenseElementsAttr::get(type, elements));
}

Value Expressions::ints(ArrayRef<int64_t> shape, ArrayRef<int64_t> values, Type elementType) {
  bool isNarrow = elementType.isInteger(32);
  Type stored = isNarrow ? elementType : Type(builder.getBuilder().getI64Type());
  auto type = RankedTensorType::get(shape, stored);
  if (failed(builder.checkGenerated(type)))
    return {};
  if (!isNarrow)
    return cast(builder.constant(DenseElementsAttr::get(type, values)), elementType);
  SmallVector<int32_t> narrow(values.begin(), values.end());
  return builder.constant(DenseElementsAttr::get(type, ArrayRef<int32_t>(narrow)));
}

/// Written element by element.
static constexpr int64_t kMostCounted = int64_t(1) << 24;

LogicalResult mlir::ttc::checkCount(TensorBuilder &builder, int64_t count) {
  if (count > kMostCounted)
    return builder.error() << "expected at most " << kMostCounted << " positions, found " << count;
  return success();
}

Value Expressions::iota(int64_t count, Type elementType) {
  if (failed(checkCount(builder, count)))
    return {};
  return ints(count, llvm::to_vector(llvm::seq<int64_t>(0, count)), elementType);
}

Value Expressions::iota(int64_t count, int64_t axis, int64_t rank) {
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = count;
  auto type = RankedTensorType::get(shape, builder.getBuilder().getI64Type());
  if (failed(checkCount(builder, count)) || failed(builder.checkGenerated(type)))
    return {};
  SmallVector<int64_t> values = llvm::to_vector(llvm::seq<int64_t>(0, count));
  return builder.constant(DenseElementsAttr::get(type, ArrayRef<int64_t>(values)));
}

Value Expressions::splat(ArrayRef<int64_t> shape, Type elementType, double value) {
  auto type = RankedTensorType::get(shape, elementType);
  if (failed(builder.checkGenerated(type)))
    return {};
  return builder.constant(DenseElementsAttr::get(type, getNumberAttr(elementType, value)));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type mlir::ttc::getArithmeticType(Type elementType) {
  return elementType.isF64() ? elementType : Float32Type::get(elementType.getContext());
}

Value mlir::ttc::castSaturated(TensorBuilder &builder, Value value, Type elementType) {
  if (!value)
    return {};
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || !isa<FloatType>(elementTypeOf(value)))
    return builder.cast(value, elementType);
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
  Expressions e(builder);
  value =
      e.max(value, bound(isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width)));
  value =
      e.min(value, bound(isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width)));
  // Types that are only stored are made of wider ones.
  if (width < 8)
    value = builder.cast(value, builder.getBuilder().getI32Type());
  return builder.cast(value, elementType);
}

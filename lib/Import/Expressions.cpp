// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Expressions.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ttc;

Value Expressions::slice(Value x, int64_t axis, int64_t start, int64_t size, int64_t step) {
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

Value Expressions::expand(Value x, ArrayRef<int64_t> shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  return node.createAs<ExpandOp>(RankedTensorType::get(shape, elementTypeOf(x)), x);
}

Value Expressions::unsqueeze(Value x, int64_t axis) {
  if (!x)
    return {};
  SmallVector<int64_t> shape(shapeOf(x));
  shape.insert(shape.begin() + axis, 1);
  return node.reshape(x, shape);
}

Value Expressions::squeeze(Value x, int64_t axis) {
  if (!x)
    return {};
  SmallVector<int64_t> shape(shapeOf(x));
  shape.erase(shape.begin() + axis);
  return node.reshape(x, shape);
}

Value Expressions::floats(ArrayRef<float> values) {
  auto type = RankedTensorType::get(values.size(), node.getBuilder().getF32Type());
  return node.constant(DenseElementsAttr::get(type, values));
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
  return node.constant(DenseElementsAttr::get(type, elements));
}

Value Expressions::iota(int64_t count, int64_t axis, int64_t rank) {
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = count;
  auto type = RankedTensorType::get(shape, node.getBuilder().getI64Type());
  if (failed(node.checkGenerated(type)))
    return {};
  SmallVector<int64_t> values = llvm::to_vector(llvm::seq<int64_t>(0, count));
  return node.constant(DenseElementsAttr::get(type, ArrayRef<int64_t>(values)));
}

Value Expressions::splat(ArrayRef<int64_t> shape, Type elementType, double value) {
  auto type = RankedTensorType::get(shape, elementType);
  if (failed(node.checkGenerated(type)))
    return {};
  Attribute element = isa<FloatType>(elementType)
                          ? Attribute(FloatAttr::get(elementType, value))
                          : Attribute(IntegerAttr::get(elementType, static_cast<int64_t>(value)));
  return node.constant(DenseElementsAttr::get(type, element));
}

LogicalResult mlir::ttc::checkShape(OnnxNode &node, unsigned index, StringRef what,
                                    ArrayRef<int64_t> expected) {
  if (!node.hasInput(index))
    return success();
  ArrayRef<int64_t> found = shapeOf(node.input(index));
  bool fits = found.size() == expected.size() &&
              llvm::all_of(llvm::zip_equal(found, expected), [](auto pair) {
                auto [size, wanted] = pair;
                return wanted < 0 || size == wanted;
              });
  if (fits)
    return success();
  SmallVector<std::string> sizes;
  for (int64_t size : expected)
    sizes.push_back(size < 0 ? "any" : std::to_string(size));
  return node.error() << "input " << index << " (" << what << ") must have the shape ["
                      << llvm::join(sizes, ", ") << "], but is " << node.input(index).getType();
}

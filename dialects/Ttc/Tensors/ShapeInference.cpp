// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

std::string mlir::ttc::detail::toString(ArrayRef<int64_t> array) {
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  // An attribute of a file can have a million elements.
  constexpr size_t most = 64;
  llvm::interleaveComma(array.take_front(most), stream);
  if (array.size() > most)
    stream << ", ... (" << array.size() << " elements)";
  return text + "]";
}

LogicalResult mlir::ttc::detail::broadcastShape(SmallVectorImpl<int64_t> &shape,
                                                ArrayRef<int64_t> other) {
  if (other.size() > shape.size())
    shape.insert(shape.begin(), other.size() - shape.size(), 1);
  size_t offset = shape.size() - other.size();
  for (auto [i, size] : llvm::enumerate(other)) {
    int64_t &mine = shape[offset + i];
    if (mine == size || size == 1)
      continue;
    if (mine != 1)
      return failure();
    mine = size;
  }
  return success();
}

LogicalResult InferenceScope::checkTensors(ValueRange operands) const {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape())
      return fail("expected operand ", i, " to be a ranked tensor with a static shape, found ",
                  operand.getType());
  }
  return success();
}

LogicalResult InferenceScope::checkSameElementType(StringRef constraint,
                                                   ValueRange operands) const {
  if (operands.empty())
    return success();
  Type expected = tensorType(operands[0]).getElementType();
  for (Value operand : operands.drop_front()) {
    Type found = tensorType(operand).getElementType();
    if (found != expected)
      return fail("(", constraint, ") expected operands of the same element type, found ", expected,
                  " and ", found);
  }
  return success();
}

LogicalResult InferenceScope::checkAxis(StringRef constraint, int64_t axis, int64_t rank) const {
  if (axis >= 0 && axis < rank)
    return success();
  return fail("(", constraint, ") expected an axis from 0 to ", rank - 1, ", found ", axis);
}

LogicalResult InferenceScope::checkVector(StringRef constraint, StringRef name, Value value,
                                          int64_t size) const {
  auto type = tensorType(value);
  if (type.getRank() == 1 && type.getDimSize(0) == size)
    return success();
  return fail("(", constraint, ") expected '", name, "' to be a vector of ", size,
              " elements, found ", type);
}

LogicalResult InferenceScope::checkArray(StringRef constraint, StringRef name,
                                         ArrayRef<int64_t> array, int64_t size,
                                         int64_t least) const {
  if (static_cast<int64_t>(array.size()) != size ||
      llvm::any_of(array, [&](int64_t element) { return element < least; }))
    return fail("(", constraint, ") expected '", name, "' to have ", size,
                " elements that are at least ", least, ", found ", toString(array));
  if (llvm::any_of(array, [](int64_t element) { return element > kMostElements; }))
    return fail("(", constraint, ") expected '", name, "' to have elements that are at most ",
                kMostElements, ", found ", toString(array));
  return success();
}

LogicalResult
mlir::ttc::detail::inferFromTensors(MLIRContext *context, std::optional<Location> location,
                                    StringRef opName, ValueRange operands,
                                    function_ref<LogicalResult(const InferenceScope &)> infer) {
  InferenceScope scope(context, location, opName);
  return failed(scope.checkTensors(operands)) ? failure() : infer(scope);
}

LogicalResult mlir::ttc::detail::inferBroadcast(const InferenceScope &scope, ValueRange operands,
                                                Type elementType, SmallVectorImpl<Type> &types,
                                                StringRef constraint) {
  // The first of three operands is a condition, with an element type of its own.
  ValueRange alike = operands.take_back(2);
  if (failed(scope.checkSameElementType("C1", alike)))
    return failure();
  SmallVector<int64_t> shape;
  for (Value operand : operands) {
    ArrayRef<int64_t> other = tensorType(operand).getShape();
    SmallVector<int64_t> before = shape;
    if (failed(broadcastShape(shape, other)))
      return scope.fail("(", constraint, ") expected operands whose shapes broadcast, found ",
                        toString(before), " and ", toString(other));
  }
  if (!elementType)
    elementType = tensorType(alike.back()).getElementType();
  types.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

LogicalResult mlir::ttc::detail::verifyInferredResults(Operation *op, TypeRange inferred) {
  if (inferred.size() != op->getNumResults())
    return op->emitOpError() << "expected " << inferred.size() << " results, found "
                             << op->getNumResults();
  for (auto [i, expected, found] : llvm::enumerate(inferred, op->getResultTypes()))
    if (expected != found)
      return op->emitOpError() << "expected result " << i << " to be " << expected << ", found "
                               << found;
  return success();
}

ImageDims::ImageDims(RankedTensorType type, bool channelsLast)
    : channel(channelsLast ? type.getRank() - 1 : 1), firstSpatial(channelsLast ? 1 : 2),
      numSpatial(type.getRank() - 2) {}

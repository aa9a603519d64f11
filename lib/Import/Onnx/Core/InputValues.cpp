// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputValues.h"
#include "lib/Import/Tensors/TensorBuilder.h"

#include "NpyFile.h"

#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ttc;

bool InputValue::fits(ArrayRef<int64_t> shape) const {
  if (hasShape())
    return fileType.getShape() == shape;
  if (numbers.empty() && !list)
    return true;
  return (!list && numbers.size() == 1) ||
         getNumElementsChecked(shape) == static_cast<int64_t>(numbers.size());
}

std::string InputValue::describe() const {
  if (hasShape())
    return "shape [" + printList(fileType.getShape()) + "]";
  return std::to_string(numbers.size()) + (numbers.size() == 1 ? " element" : " elements");
}

ElementsAttr InputValue::get(RankedTensorType type, StringRef name) const {
  if (hasShape())
    return makeConstant(type, bytes, name);
  if (!list)
    return DenseElementsAttr::get(type, numbers.front());
  return DenseElementsAttr::get(type, numbers);
}

/// A number as an element, or null.
static Attribute parseNumber(StringRef text, Type elementType) {
  if (elementType.isInteger(1)) {
    if (text == "true" || text == "1" || text == "True")
      return BoolAttr::get(elementType.getContext(), true);
    if (text == "false" || text == "0" || text == "False")
      return BoolAttr::get(elementType.getContext(), false);
    return {};
  }
  if (auto type = dyn_cast<IntegerType>(elementType)) {
    APInt value;
    const bool isNegative = text.consume_front("-");
    if (text.getAsInteger(10, value))
      return {};
    value = value.zext(std::max(value.getBitWidth() + 1, type.getWidth() + 1));
    if (isNegative)
      value.negate();
    if (type.isUnsigned() ? isNegative || !value.isIntN(type.getWidth())
                          : !value.isSignedIntN(type.getWidth()))
      return {};
    return IntegerAttr::get(type, value.trunc(type.getWidth()));
  }
  auto type = cast<FloatType>(elementType);
  double number;
  if (text.getAsDouble(number))
    return {};
  return FloatAttr::get(type, number);
}

FailureOr<InputValue> mlir::ttc::parseInputValue(StringRef text, Type elementType,
                                                 EmitErrorFn emitError) {
  InputValue value;
  if (text.ends_with(".npy")) {
    FailureOr<NpyArray> array = readNpyFile(text, emitError);
    if (failed(array))
      return failure();
    if (!isNpyOf(array->descr, elementType))
      return emitError() << "expected elements of type " << elementType << ", found NumPy's '"
                         << array->descr << "'";
    value.fileType = RankedTensorType::get(array->shape, elementType);
    value.bytes = std::move(array->bytes);
    if (elementType.isInteger(1))
      for (char &byte : value.bytes)
        byte = byte != 0;
    return value;
  }
  StringRef rest = text;
  SmallVector<StringRef> parts = {text};
  if (rest.consume_front("[") && rest.consume_back("]")) {
    value.list = true;
    parts.clear();
    if (!rest.trim().empty())
      rest.split(parts, ',');
  }
  for (StringRef part : parts) {
    Attribute number = parseNumber(part.trim(), elementType);
    if (!number)
      return emitError() << "expected a number of type " << elementType
                         << ", a list like [1, 2] or the path of an .npy file, found '"
                         << part.trim() << "'";
    value.numbers.push_back(number);
  }
  return value;
}

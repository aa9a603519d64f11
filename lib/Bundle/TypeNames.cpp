// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TypeNames.h"
#include "ttc/Support/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ttc;
using ttrt::fb::DType;

std::string mlir::ttc::toText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t extent : type.getShape())
    stream << extent << 'x';
  stream << type.getElementType();
  return text;
}

RankedTensorType mlir::ttc::fromText(StringRef text, MLIRContext *context) {
  SmallVector<int64_t> shape;
  // Extents start with a digit, element types with a letter.
  while (!text.empty() && llvm::isDigit(text.front())) {
    int64_t extent;
    if (text.consumeInteger(10, extent) || extent < 0 || !text.consume_front("x"))
      return {};
    shape.push_back(extent);
  }
  for (int i = static_cast<int>(DType::MIN); i <= static_cast<int>(DType::MAX); ++i) {
    Type element = fromDType(static_cast<DType>(i), context);
    if (toText(RankedTensorType::get({}, element)) == text)
      return RankedTensorType::get(shape, element);
  }
  return {};
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of --input-value: numbers on the command line, or arrays in .npy files.
#ifndef TTC_LIB_IMPORT_INPUTVALUES_H
#define TTC_LIB_IMPORT_INPUTVALUES_H

#include "OnnxTensor.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ttc {

/// One number, a list of numbers, or an array. Empty if no value is given.
class InputValue {
public:
  InputValue() = default;

  /// Whether the value has a shape of its own: it is an array of a file.
  bool hasShape() const { return fileType != nullptr; }
  ArrayRef<int64_t> getShape() const { return fileType.getShape(); }
  bool isList() const { return list; }
  int64_t getListSize() const { return numbers.size(); }
  /// Whether the value can fill a tensor of the shape. One number fills any.
  bool fits(ArrayRef<int64_t> shape) const;
  /// "3 elements", "shape [1, 3]"
  std::string describe() const;
  /// The constant, of a type that the value fits.
  ElementsAttr get(RankedTensorType type, StringRef name) const;

private:
  friend FailureOr<InputValue> parseInputValue(StringRef, Type, EmitErrorFn);
  bool list = false;
  SmallVector<Attribute> numbers;
  RankedTensorType fileType;
  SmallVector<char> bytes;
};

/// Parses "16000", "true", "[1, 2, 3]" or the path of a .npy file, whose elements must have the
/// type. Reports what is wrong.
FailureOr<InputValue> parseInputValue(StringRef text, Type elementType, EmitErrorFn emitError);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_INPUTVALUES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of StableHLO. Its dialect is not registered, so they are text: what stands between
// `#stablehlo` and the end, as in `dot<lhs_contracting_dimensions = [1]>`.
#ifndef TTC_LIB_IMPORT_STABLEHLOATTRIBUTES_H
#define TTC_LIB_IMPORT_STABLEHLOATTRIBUTES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace mlir::ttc {

/// An attribute of an op: the generic form has them in `<{...}>` today, and had them in `{...}`
/// once.
Attribute getStablehloAttr(Operation *op, StringRef name);

/// `#stablehlo.NAME<field = [1, 2], field = 3>`. A number is a list of one.
class StablehloFields {
public:
  /// Null unless the attribute has this form and name.
  static std::optional<StablehloFields> parse(Attribute attr, StringRef name);

  /// Empty if there is no such field.
  ArrayRef<int64_t> getInts(StringRef field) const;
  int64_t getInt(StringRef field, int64_t defaultValue) const;
  /// The name of a field that is not one of these, or an empty string.
  StringRef findOther(ArrayRef<StringRef> known) const;

private:
  llvm::StringMap<SmallVector<int64_t>> fields;
};

/// What stands between the brackets of `#stablehlo.NAME<...>`; nullopt for another attribute.
std::optional<StringRef> parseStablehloBody(Attribute attr, StringRef name);

/// `#stablehlo<KIND VALUE>`: the value, or an empty string unless the attribute has this form.
StringRef parseStablehloEnum(Attribute attr, StringRef kind);

/// Where the dimensions of one tensor of a convolution stand. For weights, `first` is the dimension
/// of output features and `second` that of input features; otherwise they are batch and feature.
struct ConvTensorDims {
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;
};
/// `#stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>`, or its raw form.
struct ConvDims {
  ConvTensorDims input, kernel, output;
  /// Null unless the attribute is one, in which each dimension stands once.
  static std::optional<ConvDims> parse(Attribute attr);
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLOATTRIBUTES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the IR and their names in a bundle, in both directions.
#ifndef TTC_LIB_BUNDLE_TYPENAMES_H
#define TTC_LIB_BUNDLE_TYPENAMES_H

#include "mlir/IR/BuiltinTypes.h"
#include <string>

namespace mlir::ttc {

/// "1x64x56x56xf32".
std::string toText(RankedTensorType type);
/// The inverse of toText(). Returns null if the text is not such a type.
RankedTensorType fromText(StringRef text, MLIRContext *context);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_TYPENAMES_H

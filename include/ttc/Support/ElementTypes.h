// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of the IR and of bundles.
#ifndef TTC_SUPPORT_ELEMENTTYPES_H
#define TTC_SUPPORT_ELEMENTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "ttrt/ttc_bundle_generated.h"
#include <optional>

namespace mlir::ttc {

/// Returns nothing if the bundle format has no such element type.
std::optional<ttrt::fb::DType> toDType(Type elementType);
Type fromDType(ttrt::fb::DType type, MLIRContext *context);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_ELEMENTTYPES_H

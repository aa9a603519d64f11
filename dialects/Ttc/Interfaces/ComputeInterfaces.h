// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_INTERFACES_COMPUTEINTERFACES_H
#define TTC_DIALECTS_TTC_INTERFACES_COMPUTEINTERFACES_H

#include "dialects/Ttc/Layout/BoundedFactors.h"
#include "dialects/Ttc/Layout/StridedRange.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ttc {
/// What counts more than one operation (Ttc_CountedOpInterface).
inline constexpr int64_t kDivision = 4, kFunction = 8;

namespace detail {
/// Whether the value is a constant whose elements are all `number`.
bool isSplatOf(Value value, double number);
/// The constraints of Ttc_WindowKernelOpInterface.
LogicalResult verifyValid(Operation *op);
} // namespace detail
} // namespace mlir::ttc

#include "dialects/Ttc/TtcComputeInterfaces.h.inc"

namespace mlir::ttc {
/// The operations of one execution of any op, by CountedOpInterface, ElementwiseOpInterface, or
/// because it only moves elements; limited to INT64_MAX. Nothing if the op does not tell.
std::optional<int64_t> countOperations(Operation *op);
} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_INTERFACES_COMPUTEINTERFACES_H

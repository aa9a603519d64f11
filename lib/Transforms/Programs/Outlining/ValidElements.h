// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conditions by which --ttc-mask-padding tells valid elements from padding.
#ifndef TTC_LIB_TRANSFORMS_PROGRAMS_OUTLINING_VALIDELEMENTS_H
#define TTC_LIB_TRANSFORMS_PROGRAMS_OUTLINING_VALIDELEMENTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace mlir::ttc {

/// The number of elements that a condition of `size` elements is true for, an i32 of one element,
/// if these are the first ones: ttc.compare lt of 0, 1, ... with it, reshaped. Null if it is
/// something else. `resolve` finds what a value of a fusion is outside.
Value getValidExtent(
    Value condition, int64_t size,
    llvm::function_ref<Value(Value)> resolve = [](Value value) { return value; });

/// The only dimension of a condition that has more than one element, counted from the last one of
/// what it broadcasts to.
std::optional<int64_t> getValidDim(Value condition);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_PROGRAMS_OUTLINING_VALIDELEMENTS_H

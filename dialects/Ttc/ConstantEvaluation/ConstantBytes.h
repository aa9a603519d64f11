// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of constants as bytes, and constants made of bytes.
//
// Bytes are row-major, in the machine's byte order, one element after the other (bool: one byte,
// 0 or 1), as the runtime lays them out.
#ifndef TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTBYTES_H
#define TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/FunctionExtras.h"
#include <optional>

namespace mlir::ttc {

/// Constants above this size are resources: they are not hashed, not compared and not printed
/// with the ops.
inline constexpr int64_t maxInlineConstantBytes = 1024;

/// The elements in place, without a copy. Nothing for splats and bools, which are stored in
/// another form.
std::optional<ArrayRef<char>> viewConstantBytes(ElementsAttr constant);

/// A copy of the elements; splats are expanded. Copies everything: for large constants see
/// viewConstantBytes().
SmallVector<char> getConstantBytes(ElementsAttr constant);

/// A constant of these elements: dense if small, otherwise a resource. Its name is `nameHint`, with
/// a number appended if that name is taken, so that equal compilations give equal names.
ElementsAttr makeConstant(RankedTensorType type, ArrayRef<char> bytes, StringRef nameHint);

/// The same for elements whose memory the constant takes over: `release` is called when the
/// context no longer needs it (at once where the elements were copied).
ElementsAttr makeConstant(RankedTensorType type, ArrayRef<char> bytes, StringRef nameHint,
                          llvm::unique_function<void()> release);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTBYTES_H

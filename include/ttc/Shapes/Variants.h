// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants of a model, for ranges of its named dimensions.
#ifndef TTC_SHAPES_VARIANTS_H
#define TTC_SHAPES_VARIANTS_H

#include "dialects/Ttc/Interfaces/Extents.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ttc {

/// The dimensions of a variant.
ExtentSpace getExtentSpace(VariantAttr variant);

/// An import of the same model at other sizes.
struct Probe {
  SmallVector<int64_t> extents; ///< one per dimension
  func::FuncOp function;
};

/// Makes variants of functions that were imported from one model at other sizes, each at the sizes
/// `getHigh()` of its attribute; the last one is the largest. Probes are further imports, to
/// compare with. Adds the argument `extents`, and attributes `ttc.variant`, `ttc.dims`,
/// `ttc.probed` and `ttc.numbers`. Fails, with a diagnostic that names the op, if the imports
/// differ in what is no size.
LogicalResult makeVariants(ArrayRef<std::pair<func::FuncOp, VariantAttr>> variants,
                           ArrayRef<Probe> probes);

} // namespace mlir::ttc

#endif // TTC_SHAPES_VARIANTS_H

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

/// Imports the model at further sizes. Null, with diagnostics, if that fails.
using ProbeImporter = llvm::function_ref<func::FuncOp(ArrayRef<int64_t> extents)>;

/// Makes variants of functions that were imported from one model at other sizes, each at the sizes
/// `getHigh()` of its attribute; the last one is the largest. Probes are further imports, to
/// compare with; where they allow several functions of the sizes, as for lengths after strides,
/// `importAt` makes some more. Adds the argument `extents`, and attributes `ttc.variant`,
/// `ttc.dims`, `ttc.probed` and `ttc.numbers`. Fails, with a diagnostic that names the op, if the
/// imports differ in what is no size.
LogicalResult makeVariants(ArrayRef<std::pair<func::FuncOp, VariantAttr>> variants,
                           ArrayRef<Probe> probes, ProbeImporter importAt);

} // namespace mlir::ttc

#endif // TTC_SHAPES_VARIANTS_H

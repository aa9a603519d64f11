// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model for ranges of its dimensions: one function for each choice of buckets.
#ifndef TTC_LIB_DRIVER_VARIANTS_H
#define TTC_LIB_DRIVER_VARIANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ttc/Import/Sizes.h"

namespace mlir::ttc {

/// The sizes that are compiled for a range: those of the user, or from high downwards, each a
/// `ratio`th of the last one, as far as that is worth it. Ascending; the last one is high.
SmallVector<int64_t> chooseBuckets(const DimRange &range, int64_t ratio);

/// Imports a model with one size for each dimension, as one function of this name. Ops of the nodes
/// at `unfolded` stay, although they could be evaluated. Null, with diagnostics, if that fails.
using SizedImporter = llvm::function_ref<OwningOpRef<ModuleOp>(
    ArrayRef<std::pair<std::string, int64_t>> sizes, StringRef name,
    const llvm::DenseSet<Location> &unfolded)>;

/// Imports a model for `options.dimRanges`, as functions MODEL.8x64 with `ttc.variant`. Null, with
/// diagnostics, if it cannot be imported for all sizes, or not as one model.
OwningOpRef<ModuleOp> importVariants(StringRef model, const SizeOptions &options,
                                     MLIRContext *context, SizedImporter importAt);

} // namespace mlir::ttc

#endif // TTC_LIB_DRIVER_VARIANTS_H

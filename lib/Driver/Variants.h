// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model for ranges of its dimensions: one function for each choice of buckets.
#ifndef TTC_LIB_DRIVER_VARIANTS_H
#define TTC_LIB_DRIVER_VARIANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ttc/Import/OnnxImport.h"

namespace mlir::ttc {

/// The sizes that are compiled for a range: those of the user, or from high downwards, each a
/// `ratio`th of the last one, as far as that is worth it. Ascending; the last one is high.
SmallVector<int64_t> chooseBuckets(const DimRange &range, int64_t ratio);

/// Imports the model for `options.dimRanges`, as functions NAME.8x64 with `ttc.variant`. Null, with
/// diagnostics, if it cannot be imported for all sizes, or not as one model.
OwningOpRef<ModuleOp> importVariants(const llvm::MemoryBuffer &model, MLIRContext *context,
                                     const OnnxImportOptions &options);

} // namespace mlir::ttc

#endif // TTC_LIB_DRIVER_VARIANTS_H

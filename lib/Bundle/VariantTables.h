// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variants of models as tables of a bundle, and back.
#ifndef TTC_LIB_BUNDLE_VARIANTTABLES_H
#define TTC_LIB_BUNDLE_VARIANTTABLES_H

#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "ttrt/ttc_bundle_generated.h"

namespace mlir::ttc {

/// Stores the `ttc.variant` of an entry point whose ports are in the table, if it has one. It must
/// agree with other variants of the model among `others`, the entry points before it.
LogicalResult writeVariant(EntryOp entry,
                           llvm::ArrayRef<std::unique_ptr<ttrt::fb::EntryPointT>> others,
                           ttrt::fb::EntryPointT &table);
/// Stores the `ttc.dims` of an input or output, if it has them.
void writeDims(Operation *port, ttrt::fb::PortT &table);

/// Give an entry point, and an input or output, what the tables have. They fail, with a diagnostic,
/// if a table has no equivalent in the IR.
LogicalResult readVariant(EntryOp entry, const ttrt::fb::EntryPoint &table,
                          function_ref<InFlightDiagnostic()> emitError);
LogicalResult readDims(Operation *port, const ttrt::fb::Port &table,
                       function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_VARIANTTABLES_H

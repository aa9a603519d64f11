// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host functions as tables of the bundle's schema, and back.
#ifndef TTC_LIB_BUNDLE_HOSTFUNCTIONTABLES_H
#define TTC_LIB_BUNDLE_HOSTFUNCTIONTABLES_H

#include "dialects/Ttc/Programs/ProgramOps.h"
#include "ttrt/ttc_bundle_generated.h"

namespace mlir::ttc {

/// The function of a program that has one. Fails if an attribute has an element type that bundles
/// lack.
FailureOr<std::unique_ptr<ttrt::fb::HostFunctionT>> writeHostFunction(ProgramOp program);

/// Null, with a diagnostic, if the table is damaged.
HostFunctionAttr readHostFunction(const ttrt::fb::HostFunction &table, MLIRContext *context,
                                  function_ref<InFlightDiagnostic()> emitError);

/// The type of an operand of a host function; null if the table has none.
RankedTensorType readHostType(const ttrt::fb::Operand &operand, MLIRContext *context);

/// The digest that stands for the function in a dataflow (ttrt/format/host_digest.h).
uint64_t digestOfHostFunction(const ttrt::fb::ProgramT &program);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_HOSTFUNCTIONTABLES_H

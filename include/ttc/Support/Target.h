// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets: the built-in ones, and any other from a JSON description.
#ifndef TTC_SUPPORT_TARGET_H
#define TTC_SUPPORT_TARGET_H

#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// Name of the module's attribute that holds its target.
inline constexpr llvm::StringLiteral kTargetAttrName = "ttc.target";

/// The target of a name ("cpu", "wormhole_n150", "wormhole_n300", "blackhole_p150") or of a JSON
/// file (anything that ends with .json), with code for the CPU of a name ("native" is this
/// machine's). An error says what is known.
FailureOr<TargetAttr> getTarget(MLIRContext *context, StringRef nameOrFile, StringRef cpu,
                                llvm::function_ref<InFlightDiagnostic()> emitError);

/// The module's target; an error where it has none.
FailureOr<TargetAttr> getTarget(ModuleOp module);

/// All banks.
int64_t getDramBytes(TargetAttr target);
int64_t getCores(TargetAttr target);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_TARGET_H

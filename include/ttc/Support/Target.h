// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets: the built-in ones, and any other from a JSON description.
#ifndef TTC_SUPPORT_TARGET_H
#define TTC_SUPPORT_TARGET_H

#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "ttc/Support/Cpu.h"

namespace mlir::ttc {

/// Name of the module's attribute that holds its target.
inline constexpr llvm::StringLiteral kTargetAttrName = "ttc.target";

/// Name of the module's attribute that holds the bytes of its trace region, where they are more
/// than the streams need.
inline constexpr llvm::StringLiteral kTraceRegionAttrName = "ttc.trace_region";

/// The target of a name ("cpu", "wormhole_n150", "wormhole_n300", "blackhole_p150") or of a JSON
/// file (anything that ends with .json), with code for the CPU of a name ("native" is this
/// machine's). An error says what is known.
FailureOr<TargetAttr> getTarget(MLIRContext *context, StringRef nameOrFile, StringRef cpu,
                                llvm::function_ref<InFlightDiagnostic()> emitError);

/// The module's target; an error where it has none.
FailureOr<TargetAttr> getTarget(ModuleOp module);

/// The CPU that a target's machine code is for.
CpuTarget getCpuTarget(TargetAttr target);
/// The CPU of the `ttc.target` of the module that holds `op`; this machine's if it has none.
CpuTarget getCpuTarget(Operation *op);

/// All banks.
int64_t getDramBytes(TargetAttr target);
/// What `bytes` that are spread evenly over all banks take of each, at DRAM's alignment.
int64_t getBytesPerBank(TargetAttr target, int64_t bytes);
int64_t getCores(TargetAttr target);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_TARGET_H

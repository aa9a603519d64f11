// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets: the built-in ones, and any other from a JSON description.
#ifndef TTC_SUPPORT_TARGET_H
#define TTC_SUPPORT_TARGET_H

#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "ttc/Support/Cpu.h"

namespace mlir::ttc {

/// The target with the given name ("cpu", "wormhole_n150", "wormhole_n300", "blackhole_p150") or
/// from a JSON file (a name that ends with .json), with code for the CPU with LLVM's name `cpu`
/// ("native" is this machine's). The error about an unknown name lists the known ones.
FailureOr<TargetAttr> getTarget(MLIRContext *context, StringRef nameOrFile, StringRef cpu,
                                llvm::function_ref<InFlightDiagnostic()> emitError);

/// The module's target; an error if it has none.
FailureOr<TargetAttr> getTarget(ModuleOp module);

/// The CPU that a target's machine code is for.
CpuTarget getCpuTarget(TargetAttr target);
/// The CPU of the `ttc.target` of the module that holds `op`; this machine's if it has none.
CpuTarget getCpuTarget(Operation *op);

/// The size of all banks together.
int64_t getDramBytes(TargetAttr target);
/// The bytes that each bank holds of `bytes` that are spread evenly over all banks, at DRAM's
/// alignment.
int64_t getBytesPerBank(TargetAttr target, int64_t bytes);
int64_t getCores(TargetAttr target);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_TARGET_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels ask of an architecture, defined for the CPU that is compiled for.
#ifndef TTC_LIB_CODEGEN_TARGETOPS_H
#define TTC_LIB_CODEGEN_TARGETOPS_H

#include "ttc/Support/Cpu.h"
#include "llvm/IR/Module.h"

namespace mlir::ttc {

/// Defines the functions of kernels/TargetOps.h that `module` declares, to be inlined.
void defineTargetOps(llvm::Module &module, const CpuTarget &target);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_TARGETOPS_H

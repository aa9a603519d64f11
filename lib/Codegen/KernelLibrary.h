// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels' bitcode in a program's module: linked, specialised, set to the target.
#ifndef TTC_LIB_CODEGEN_KERNELLIBRARY_H
#define TTC_LIB_CODEGEN_KERNELLIBRARY_H

#include "ttc/Support/Cpu.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <set>
#include <string>

namespace mlir::ttc {

/// Links the kernels that `module` calls into it.
llvm::Error linkKernels(llvm::Module &module, int64_t vectorLength);

/// The functions that code generation may call (memcpy, fmodf, ...), as a module of its own.
llvm::Expected<std::unique_ptr<llvm::Module>> loadKernelLibc(llvm::LLVMContext &context);

/// Inlines the kernels into the programs, from the outside in.
///
/// A kernel is a tree of always-inlined templates of which constant shapes select a few. Inlining
/// a level and simplifying before the next one never expands what the constants rule out:
/// LLVM's own order, inside out, would inline all 2 x 14 tile heights for each of them.
void specializeKernels(llvm::Module &module, llvm::TargetMachine &machine);

/// Replaces ttc_zone_id() of each name (kernels/ZoneMarkers.h) by its hash, and adds the name to
/// `names`. For specialised kernels: what the shapes rule out is gone.
llvm::Error resolveZoneNames(llvm::Module &module, std::set<std::string> &names);

/// Every function for this CPU, with its full vectors: 512-bit ones are otherwise split in two
/// and spill.
void setTarget(llvm::Module &module, llvm::TargetMachine &machine, const CpuTarget &target);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_KERNELLIBRARY_H

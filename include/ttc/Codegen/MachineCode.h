// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From lowered programs to one shared object.
#ifndef TTC_CODEGEN_MACHINECODE_H
#define TTC_CODEGEN_MACHINECODE_H

#include "mlir/Support/LLVM.h"
#include "ttc/Support/Cpu.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <set>
#include <string>

namespace mlir {
class Operation;
}

namespace mlir::ttc {

/// One lowered program: a module of the LLVM dialect that defines `symbol` and may call kernels
/// (`ttc_kernel_*`). Its other functions become internal, so that names never clash.
struct LoweredProgram {
  Operation *module;
  llvm::StringRef symbol;
  /// The numbers of the variants that run it, ascending. Programs of different variants that differ
  /// in sizes only share their code.
  llvm::SmallVector<unsigned, 1> variants = {};
};

/// What is known about the code.
struct MachineCodeFacts {
  /// The names of zones, data and events (kernels/ZoneMarkers.h) that are left in the programs.
  std::set<std::string> zoneNames;
  /// Programs that run another one's code, with other sizes.
  size_t merged = 0;
};

struct MachineCodeOptions {
  CpuTarget target;
  /// Called after each group of programs with the number of programs done and of all programs;
  /// never concurrently.
  std::function<void(size_t done, size_t total)> progress;
  /// Assembly text instead of an object: for tests that read the inner loops.
  bool assembly = false;
};

/// Compiles programs on all cores, in groups, and links them into one ELF shared object that
/// exports each program's symbol and needs no library. The same programs give the same bytes:
/// groups depend on the list alone. With `assembly`, returns the concatenated assembly instead of
/// the object. On failure, diagnostics are emitted at the programs' modules.
FailureOr<llvm::SmallVector<char, 0>> compilePrograms(ArrayRef<LoweredProgram> programs,
                                                      const MachineCodeOptions &options,
                                                      MachineCodeFacts *facts = nullptr);

} // namespace mlir::ttc

#endif // TTC_CODEGEN_MACHINECODE_H

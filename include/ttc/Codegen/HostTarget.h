// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler knows about the CPU that a bundle's machine code runs on.
#ifndef TTC_CODEGEN_HOSTTARGET_H
#define TTC_CODEGEN_HOSTTARGET_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}

namespace mlir::ttc {

/// A CPU as LLVM names it.
struct CpuTarget {
  std::string triple;
  std::string cpu;
  /// Features beyond those the CPU's name implies, "+a,-b".
  std::string features;
};

/// The CPU of a name; "native" is this machine's, with the features that it really has.
/// Nothing if LLVM does not know the name for this machine's architecture.
std::optional<CpuTarget> getCpuTarget(llvm::StringRef name);

/// The `ttc.target` of the module that holds `op`; this machine's CPU if it has none.
CpuTarget getCpuTarget(Operation *op);

/// The features that the code needs, by LLVM's names without sign, sorted: what the CPU's name
/// implies and what is beyond that.
std::vector<std::string> getNeededFeatures(const CpuTarget &target);

/// f32 lanes of the vectors that kernels and epilogues for this CPU are made of: 16 with
/// AVX-512, else 8 (narrower registers split them in two).
int64_t getVectorLength(const CpuTarget &target);

/// A register tile of ttc.kernel.gemm: rows, and columns of a packed panel.
struct GemmTile {
  int64_t rows, columns;
};

/// The best tile for a product of `rows` x `columns` on vectors of `vectorLength` lanes.
GemmTile chooseGemmTile(int64_t vectorLength, int64_t rows, int64_t columns);

} // namespace mlir::ttc

#endif // TTC_CODEGEN_HOSTTARGET_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU that a bundle's machine code is generated for.
#ifndef TTC_SUPPORT_CPU_H
#define TTC_SUPPORT_CPU_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ttc {

/// A CPU, in LLVM's terms.
struct CpuTarget {
  std::string triple;
  std::string cpu;
  /// Features beyond those the CPU's name implies, "+a,-b".
  std::string features;
};

/// The CPU with the given LLVM name. "native" is this machine's CPU with the features that the
/// machine reports. Returns nothing for a name that is not a CPU of this machine's architecture,
/// x86-64: the kernels (kernels/) exist for no other.
std::optional<CpuTarget> getCpuTarget(llvm::StringRef name);

/// The features that the code needs, as LLVM's names without a sign, sorted: those that the CPU's
/// name implies, with `features` applied.
std::vector<std::string> getNeededFeatures(const CpuTarget &target);

/// The number of f32 lanes in the vectors that kernels and epilogues for this CPU use: 16 with
/// AVX-512, otherwise 8 (LLVM splits them in two where registers are narrower).
int64_t getVectorLength(const CpuTarget &target);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_CPU_H

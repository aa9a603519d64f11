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
/// machine reports. The name determines the architecture: x86-64 or AArch64. Returns nothing for
/// other names.
std::optional<CpuTarget> getCpuTarget(llvm::StringRef name);

/// The features that the code needs, as LLVM's names without a sign, sorted: those that the CPU's
/// name implies, with `features` applied. Of AArch64's, those that code of programs can use: CPUs
/// of one name come with and without some of the others, such as those for cryptography.
std::vector<std::string> getNeededFeatures(const CpuTarget &target);

/// Whether the CPU has instructions that convert between f16 and f32, and those for fused
/// multiply-add.
bool convertsF16(const CpuTarget &target);
bool fusesProducts(const CpuTarget &target);

/// The number of f32 lanes in the vectors that kernels and epilogues for this CPU use: 16 with
/// AVX-512, otherwise 8 (LLVM splits them in two where registers are narrower, as AArch64's are).
int64_t getVectorLength(const CpuTarget &target);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_CPU_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The features of AArch64 that code of programs can use, and how Linux reports them. What else a
// CPU may lack, such as instructions for cryptography and checksums, no program needs.

#ifndef TTRT_FORMAT_ARM_FEATURES_H
#define TTRT_FORMAT_ARM_FEATURES_H

#include <cstdint>

namespace ttrt {

struct ArmFeature {
  const char *name; ///< LLVM's
  uint8_t word;     ///< 0: AT_HWCAP, 1: AT_HWCAP2
  uint8_t bit;
};

inline constexpr ArmFeature kArmFeatures[] = {
    {"fp-armv8", 0, 0}, {"neon", 0, 1},     {"lse", 0, 8},        {"fullfp16", 0, 10},
    {"rdm", 0, 12},     {"jsconv", 0, 13},  {"complxnum", 0, 14}, {"rcpc", 0, 15},
    {"sha3", 0, 17},    {"dotprod", 0, 20}, {"sve", 0, 22},       {"fp16fml", 0, 23},
    {"sve2", 1, 1},     {"fptoint", 1, 8},  {"i8mm", 1, 13},      {"bf16", 1, 14},
};

} // namespace ttrt

#endif // TTRT_FORMAT_ARM_FEATURES_H

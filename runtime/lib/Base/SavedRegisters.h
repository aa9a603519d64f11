// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_BASE_SAVEDREGISTERS_H
#define TTRT_LIB_BASE_SAVEDREGISTERS_H

#if defined(__x86_64__)
#include <cpuid.h>
#include <cstdint>

namespace ttrt {

/// Registers that the operating system saves, and that are usable for this reason: XCR0, or 0.
inline uint64_t savedRegisters() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}
/// XMM and YMM.
inline constexpr uint64_t kVectorRegisters = 0x6;

} // namespace ttrt
#endif

#endif // TTRT_LIB_BASE_SAVEDREGISTERS_H

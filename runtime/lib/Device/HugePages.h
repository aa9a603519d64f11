// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transparent huge pages: memory of which the CPU looks up addresses 512 times as seldom.

#ifndef TTRT_LIB_DEVICE_HUGEPAGES_H
#define TTRT_LIB_DEVICE_HUGEPAGES_H

#include <cstddef>
#include <cstdint>

namespace ttrt {

inline constexpr uint64_t kHugePageSize = 2 * 1024 * 1024;

/// Why the system gives this process no huge pages where they are asked for; null if it does, or if
/// that cannot be known.
const char *whyNoHugePages() noexcept;

/// Bytes of the whole huge pages in the memory [begin, begin + bytes).
uint64_t wholeHugePages(const uint8_t *begin, uint64_t bytes) noexcept;

/// Asks for huge pages for the whole ones in the memory [begin, begin + bytes), and no others, so
/// that no memory is taken beyond it. Returns how many bytes they have: 0 if there are none, or if
/// the kernel refuses. What is not touched still takes no memory.
uint64_t adviseHugePages(uint8_t *begin, uint64_t bytes) noexcept;

/// Bytes of the memory [begin, begin + bytes) that are in huge pages now. Reads /proc/self/smaps;
/// allocates nothing. Throws Error if that is not possible.
uint64_t countHugePages(const uint8_t *begin, uint64_t bytes);

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_HUGEPAGES_H

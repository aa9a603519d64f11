// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_BASE_CLOCK_H
#define TTRT_LIB_BASE_CLOCK_H

#include <cstdint>
#include <ctime>

namespace ttrt {

/// Nanoseconds of a steady clock.
inline uint64_t nowNs() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

} // namespace ttrt

#endif // TTRT_LIB_BASE_CLOCK_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_DEVICE_FLOATINGPOINT_H
#define TTRT_LIB_DEVICE_FLOATINGPOINT_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ttrt {

/// The caller may have changed rounding or denormals, and a new thread inherits that. All cores
/// must give the same bits, so every thread that computes uses the defaults, or flushes subnormal
/// numbers to zero. The end of the object restores what was there.
class OwnFloatingPoint {
#if defined(__x86_64__)
public:
  explicit OwnFloatingPoint(bool flushes) : saved(_mm_getcsr()) {
    _mm_setcsr(flushes ? 0x9fc0 : 0x1f80); // FTZ and DAZ
  }
  ~OwnFloatingPoint() { _mm_setcsr(saved); }

private:
  unsigned saved;
#elif defined(__aarch64__)
public:
  explicit OwnFloatingPoint(bool flushes) {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t(flushes) << 24)); // FZ
  }
  ~OwnFloatingPoint() { __asm__ volatile("msr fpcr, %0" : : "r"(saved)); }

private:
  uint64_t saved;
#endif
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_FLOATINGPOINT_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between host memory and slots. They can be slowed down to the speed of a bus.

#ifndef TTRT_LIB_DEVICE_HOSTLINK_H
#define TTRT_LIB_DEVICE_HOSTLINK_H

#include "Base/Clock.h"
#include "Device/Flag.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace ttrt {

class HostLink {
public:
  explicit HostLink(uint64_t bytesPerSecond = 0) : bytesPerSecond(bytesPerSecond) {}

  /// Copies, and takes as long as the link would. It sleeps for most of that time, because a bus
  /// leaves the CPU free.
  void move(void *dst, const void *src, uint64_t bytes) const noexcept {
    if (bytesPerSecond == 0) {
      memcpy(dst, src, bytes);
      return;
    }
    constexpr double kLongestNs = 1e18; // some 30 years: neither the cast nor the sum overflows
    const double ns = static_cast<double>(bytes) * 1e9 / static_cast<double>(bytesPerSecond);
    const uint64_t end = nowNs() + static_cast<uint64_t>(std::min(ns, kLongestNs));
    memcpy(dst, src, bytes);
    waitUntil(end);
  }

private:
  static void waitUntil(uint64_t end) noexcept {
    constexpr uint64_t kSpinNs = 50000; // a sleeping thread may wake up this late
    const uint64_t now = nowNs();
    if (now + kSpinNs < end) {
      const uint64_t alarm = end - kSpinNs;
      const timespec time{static_cast<time_t>(alarm / 1000000000u),
                          static_cast<long>(alarm % 1000000000u)};
      while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
      } // a signal handler of the application ran on this thread
    }
    while (nowNs() < end)
      pauseCpu();
  }

  uint64_t bytesPerSecond; ///< 0: as fast as memory
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_HOSTLINK_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long one waiter has waited for one thing, again and again. Being woken takes an operating
// system 10 to 60 microseconds, and so much was the thing late for who slept. In a steady state
// every wait is as long as the one before; then the waiter sleeps for most of it, and spins for the
// end instead of for the beginning.

#ifndef TTRT_LIB_PACE_H
#define TTRT_LIB_PACE_H

#include <algorithm>
#include <cstdint>

namespace ttrt {

class Pace {
public:
  /// How long before the expected time the alarm goes. Timers are as late as other wake-ups.
  static constexpr uint64_t kEarlyNs = 150000;
  /// How much waits may differ, and so how long after the expected time it is spun.
  static constexpr uint64_t kMarginNs = 100000;
  /// After longer waits, being woken makes no difference, and they differ by more.
  static constexpr uint64_t kLongestNs = 20000000;

  /// When the waiter shall be awake again, in nanoseconds after the wait has begun; it spins until
  /// kEarlyNs + kMarginNs later. 0: nobody knows.
  uint64_t alarm() const noexcept {
    const uint64_t difference = last > before ? last - before : before - last;
    const bool isKnown = difference < kMarginNs && last > 2 * kEarlyNs && last < kLongestNs;
    return isKnown && pauses == 0 ? last - kEarlyNs : 0;
  }
  /// A wait is over that took so long; 0: it was so short that nobody looked. Who was asleep until
  /// the end has seen it late: by about a margin.
  void note(uint64_t nanoseconds, bool wasAsleep) noexcept {
    before = last;
    last = nanoseconds - (wasAsleep ? std::min(nanoseconds, kMarginNs) : 0);
    if (pauses)
      --pauses;
  }
  /// After the alarm. Who spins in vain does so less and less often.
  void spun(bool inVain) noexcept {
    patience = inVain ? std::min(2 * patience + 2, kMostPauses) : 0;
    pauses = patience;
  }

private:
  static constexpr uint32_t kMostPauses = 126;
  uint64_t last = 0, before = 0;
  uint32_t pauses = 0;   ///< waits without alarm
  uint32_t patience = 0; ///< so many after the last time in vain
};

} // namespace ttrt

#endif // TTRT_LIB_PACE_H

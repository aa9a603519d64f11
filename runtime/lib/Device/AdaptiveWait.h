// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts how long a repeated wait takes. A wake-up by the operating system costs 10 to 60
// microseconds, by which a sleeping waiter is late. In a steady state each wait is as long as the
// one before it, so the waiter sleeps through most of it and spins at its end instead of at its
// beginning.

#ifndef TTRT_LIB_DEVICE_ADAPTIVEWAIT_H
#define TTRT_LIB_DEVICE_ADAPTIVEWAIT_H

#include <algorithm>
#include <cstdint>

namespace ttrt {

class AdaptiveWait {
public:
  /// The alarm is set this long before the expected time: timers are as late as other wake-ups.
  static constexpr uint64_t kEarlyNs = 150000;
  /// Waits may differ by this much; the waiter spins this long after the expected time.
  static constexpr uint64_t kMarginNs = 100000;
  /// Longer waits are not predicted: a late wake-up is less than 3 % of them, and spinning takes
  /// more than that from the threads that compute, where all CPUs have one.
  static constexpr uint64_t kLongestNs = 2000000;

  /// When to wake up, in nanoseconds after the start of the wait; 0 if no prediction is possible.
  /// The waiter then spins for kEarlyNs + kMarginNs.
  uint64_t alarm() const noexcept {
    const uint64_t difference = last > before ? last - before : before - last;
    const bool isKnown = difference < kMarginNs && last > 2 * kEarlyNs && last < kLongestNs;
    return isKnown && pauses == 0 ? last - kEarlyNs : 0;
  }
  /// Records a completed wait; 0 if it was too short to measure. A waiter that slept until the end
  /// noticed it about kMarginNs late, which is subtracted.
  void note(uint64_t nanoseconds, bool wasAsleep) noexcept {
    before = last;
    last = nanoseconds - (wasAsleep ? std::min(nanoseconds, kMarginNs) : 0);
    if (pauses)
      --pauses;
  }
  /// Records the spinning after an alarm. Spinning in vain makes the next alarms rarer.
  void spun(bool inVain) noexcept {
    patience = inVain ? std::min(2 * patience + 2, kMostPauses) : 0;
    pauses = patience;
  }

private:
  static constexpr uint32_t kMostPauses = 126;
  uint64_t last = 0, before = 0;
  uint32_t pauses = 0;   ///< waits still to go without an alarm
  uint32_t patience = 0; ///< the number of such waits after spinning in vain
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_ADAPTIVEWAIT_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_DEVICE_FLAG_H
#define TTRT_LIB_DEVICE_FLAG_H

#include "Base/Clock.h"
#include "Device/AdaptiveWait.h"

#include <atomic>
#include <climits>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ttrt {

inline void pauseCpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  __asm__ volatile("yield");
#endif
}

/// Points at which one thread of a flag can overtake another; tests hold threads there.
enum class FlagPoint {
  WakeUp, ///< the counter is raised and a thread sleeps; its target is not yet known
  Sleep,  ///< about to sleep; its target is published
  Alarm,  ///< woken by the alarm, before the counter was raised, to spin
};
struct NoFlagHook {
  static void at(FlagPoint) noexcept {}
};

/// A counter on its own cache line that is raised and that threads wait for. A waiting thread
/// spins for a while and then sleeps, so that it does not slow down other threads. The lowest bit
/// of the word says that a thread sleeps. Raising the counter and reading the bit are one atomic
/// operation, so no wake-up is lost.
template <typename Hook> class alignas(64) FlagWith {
public:
  /// About 100 microseconds. Spinning longer slows down other threads by up to 2x.
  static constexpr int kSpins = 3000;

  /// Counts modulo 2^31. The counter is only raised, by one thread at a time.
  void set(uint32_t value) noexcept {
    if (word_.exchange(value << 1, std::memory_order_acq_rel) & kAsleep) [[unlikely]]
      wakeReached(value << 1);
  }
  /// set(value() + 1)
  void raise() noexcept { set(value() + 1); }
  /// Raises the counter by `count`. Several threads may, unlike with set().
  void add(uint32_t count) noexcept {
    const uint32_t word = word_.fetch_add(count << 1, std::memory_order_acq_rel) + (count << 1);
    if (word & kAsleep) [[unlikely]]
      wakeReached(word & ~kAsleep);
  }

  uint32_t value() const noexcept { return word_.load(std::memory_order_acquire) >> 1; }
  /// Whether the counter is at least `value` (and less than 2^30 past it).
  bool isReached(uint32_t value) const noexcept {
    return isReached(word_.load(std::memory_order_acquire), value);
  }

  /// Waits until the counter has reached `value`. With 0 `spins`, sleeps immediately.
  void await(uint32_t value, int spins = kSpins) noexcept {
    if (!spinUntil(value, nullptr, spins))
      sleepUntil(value, nullptr);
  }
  /// The same, but returns false if `cancelled` is set and poke() has been called.
  bool await(uint32_t value, const std::atomic<bool> &cancelled, int spins = kSpins) noexcept {
    return spinUntil(value, &cancelled, spins) || sleepUntil(value, &cancelled);
  }
  /// The same for a thread that waits here repeatedly; `wait` belongs to that thread.
  bool await(uint32_t value, const std::atomic<bool> &cancelled, AdaptiveWait &wait) noexcept {
    return isReached(value) || awaitAdaptively(value, cancelled, wait);
  }
  /// Makes sleeping threads check `cancelled` again. Thread-safe. It always wakes them, because a
  /// concurrent set() may be about to restore the bit.
  void poke() noexcept {
    word_.fetch_and(~kAsleep, std::memory_order_acq_rel);
    wake();
  }

private:
  static constexpr uint32_t kAsleep = 1;

  static bool isReached(uint32_t word, uint32_t value) {
    return static_cast<int32_t>((word & ~kAsleep) - (value << 1)) >= 0;
  }

  [[gnu::noinline]] bool awaitAdaptively(uint32_t value, const std::atomic<bool> &cancelled,
                                         AdaptiveWait &wait) noexcept {
    const uint64_t begin = nowNs(), alarm = wait.alarm();
    if (spinUntil(value, &cancelled, alarm ? kSpins / 4 : kSpins)) {
      wait.note(0, /*wasAsleep=*/false);
      return true;
    }
    bool wasAsleep = true;
    if (alarm && !sleepUntil(value, &cancelled, begin + alarm)) {
      Hook::at(FlagPoint::Alarm);
      const uint64_t end = begin + alarm + AdaptiveWait::kEarlyNs + AdaptiveWait::kMarginNs;
      while (!spinUntil(value, &cancelled, 32) && nowNs() < end &&
             !cancelled.load(std::memory_order_acquire)) {
      }
      wasAsleep = !isReached(value);
      wait.spun(/*inVain=*/wasAsleep);
    }
    const bool reached = !wasAsleep || sleepUntil(value, &cancelled);
    wait.note(nowNs() - begin, wasAsleep);
    return reached;
  }

  bool spinUntil(uint32_t value, const std::atomic<bool> *cancelled, int spins) const noexcept {
    for (int i = 0; i < spins; ++i) {
      if (isReached(value))
        return true;
      if (cancelled && cancelled->load(std::memory_order_acquire)) [[unlikely]]
        break;
      pauseCpu();
    }
    return isReached(value);
  }

  /// Signed distance of two words.
  static int32_t distance(uint32_t from, uint32_t to) { return static_cast<int32_t>(to - from); }

  /// Does not wake threads whose target has not been reached: a host that waits for the last of
  /// many commands sleeps through the others.
  [[gnu::cold, gnu::noinline]] void wakeReached(uint32_t word) noexcept {
    Hook::at(FlagPoint::WakeUp);
    const uint32_t wanted = wanted_.exchange(word + kFar, std::memory_order_acq_rel);
    // Clears the bit once more: since the word was set, a thread may have set the bit to wait for
    // another value, and its target has just been removed. It must not fall asleep now.
    if (distance(wanted, word) >= 0)
      return poke();
    want(wanted);
    // Another thread may have added in between, and found that no thread waited for its value.
    if (distance(wanted, word_.fetch_or(kAsleep, std::memory_order_acq_rel) & ~kAsleep) >= 0)
      poke();
  }

  /// Lowers `wanted_`.
  void want(uint32_t word) noexcept {
    uint32_t lowest = wanted_.load(std::memory_order_acquire);
    while (distance(lowest, word) < 0 &&
           !wanted_.compare_exchange_weak(lowest, word, std::memory_order_acq_rel,
                                          std::memory_order_acquire)) {
    }
  }

  [[gnu::cold, gnu::noinline]] void wake() noexcept {
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  /// If `alarm` is not 0, gives up at that time.
  [[gnu::cold, gnu::noinline]] bool sleepUntil(uint32_t value, const std::atomic<bool> *cancelled,
                                               uint64_t alarm = 0) noexcept {
    uint32_t word = word_.load(std::memory_order_acquire);
    while (!isReached(word, value)) {
      if (!(word & kAsleep) &&
          !word_.compare_exchange_weak(word, word | kAsleep, std::memory_order_acq_rel,
                                       std::memory_order_acquire))
        continue;
      // After setting the bit: a set() that misses this target has changed the word since.
      want(value << 1);
      // Also after setting the bit: `cancelled` is set before the poke() that clears the bit.
      if (cancelled && cancelled->load(std::memory_order_acquire))
        return isReached(value);
      Hook::at(FlagPoint::Sleep);
      timespec left{};
      if (alarm) {
        const uint64_t now = nowNs();
        if (now >= alarm)
          return isReached(value);
        left = {static_cast<time_t>((alarm - now) / 1000000000u),
                static_cast<long>((alarm - now) % 1000000000u)};
      }
      // Returns at once if the word has changed since.
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, word | kAsleep, alarm ? &left : nullptr,
              nullptr, 0);
      word = word_.load(std::memory_order_acquire);
    }
    return true;
  }

  static constexpr uint32_t kFar = 1u << 30;
  std::atomic<uint32_t> word_{0};
  std::atomic<uint32_t> wanted_{kFar}; ///< the lowest word that a thread sleeps for
};

using Flag = FlagWith<NoFlagHook>;

static_assert(sizeof(std::atomic<uint32_t>) == 4, "a futex is 32 bits");

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_FLAG_H

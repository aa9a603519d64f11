// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_FLAG_H
#define TTRT_LIB_FLAG_H

#include "AdaptiveWait.h"
#include "Clock.h"

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

/// Where a thread of a flag can be overtaken; a test holds it there.
enum class FlagPoint {
  WakeUp, ///< the counter is raised, and somebody sleeps: before asking for what
  Sleep,  ///< about to sleep, and has said for what
  Alarm,  ///< awake before anybody has raised the counter, to spin
};
struct NoFlagHook {
  static void at(FlagPoint) noexcept {}
};

/// A counter that one thread raises and others wait for, on a cache line of its own. A waiting
/// thread spins for a while and then sleeps, so that it costs its neighbours nothing. The lowest
/// bit of the word says that somebody sleeps: setting and asking are one atomic operation, so no
/// wake-up can be lost.
template <typename Hook> class alignas(64) FlagWith {
public:
  /// Some 100 microseconds. Spinning longer slows every neighbour by up to 2x.
  static constexpr int kSpins = 3000;

  /// Counts modulo 2^31; only ever raised, and by one thread at a time.
  void set(uint32_t value) noexcept {
    if (word_.exchange(value << 1, std::memory_order_acq_rel) & kAsleep) [[unlikely]]
      wakeReached(value << 1);
  }
  /// set(value() + 1)
  void raise() noexcept { set(value() + 1); }

  uint32_t value() const noexcept { return word_.load(std::memory_order_acquire) >> 1; }
  /// Whether the counter is at least `value` (and less than 2^30 past it).
  bool isReached(uint32_t value) const noexcept {
    return isReached(word_.load(std::memory_order_acquire), value);
  }

  /// Returns once the counter has reached `value`. `spins` 0: goes to sleep at once.
  void await(uint32_t value, int spins = kSpins) noexcept {
    if (!spinUntil(value, nullptr, spins))
      sleepUntil(value, nullptr);
  }
  /// The same, but gives up, and returns false, once `cancelled` is set and poke() was called.
  bool await(uint32_t value, const std::atomic<bool> &cancelled, int spins = kSpins) noexcept {
    return spinUntil(value, &cancelled, spins) || sleepUntil(value, &cancelled);
  }
  /// The same for who waits here again and again; `wait` is the waiter's own.
  bool await(uint32_t value, const std::atomic<bool> &cancelled, AdaptiveWait &wait) noexcept {
    return isReached(value) || awaitAdaptively(value, cancelled, wait);
  }
  /// Makes those who sleep look at their `cancelled` again. Any thread; so it wakes in any case: a
  /// set() may be about to put the bit back.
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

  /// Who sleeps for a value that is still far away is left alone: a host that waits for the last of
  /// many commands need not hear of each.
  [[gnu::cold, gnu::noinline]] void wakeReached(uint32_t word) noexcept {
    Hook::at(FlagPoint::WakeUp);
    const uint32_t wanted = wanted_.exchange(word + kFar, std::memory_order_acq_rel);
    // Clears the bit once more: somebody may have set it since the word was, to wait for another
    // value, and what they want has just been taken away. They must not go to sleep on it.
    if (distance(wanted, word) >= 0)
      return poke();
    want(wanted);
    word_.fetch_or(kAsleep, std::memory_order_acq_rel);
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

  /// `alarm`: gives up at that time, if it is not 0.
  [[gnu::cold, gnu::noinline]] bool sleepUntil(uint32_t value, const std::atomic<bool> *cancelled,
                                               uint64_t alarm = 0) noexcept {
    uint32_t word = word_.load(std::memory_order_acquire);
    while (!isReached(word, value)) {
      if (!(word & kAsleep) &&
          !word_.compare_exchange_weak(word, word | kAsleep, std::memory_order_acq_rel,
                                       std::memory_order_acquire))
        continue;
      // After the bit was set: a set() that has not seen this has changed the word since.
      want(value << 1);
      // After the bit was set, too: who cancels does so before the poke() that clears it.
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
  std::atomic<uint32_t> wanted_{kFar}; ///< the lowest word that somebody sleeps for
};

using Flag = FlagWith<NoFlagHook>;

static_assert(sizeof(std::atomic<uint32_t>) == 4, "a futex is 32 bits");

} // namespace ttrt

#endif // TTRT_LIB_FLAG_H

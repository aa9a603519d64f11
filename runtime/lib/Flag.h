// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_FLAG_H
#define TTRT_LIB_FLAG_H

#include <atomic>
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

/// A counter that one thread raises and one other waits for, on a cache line of its own. The
/// waiting thread spins for a while and then sleeps, so that it costs its neighbours nothing. The
/// lowest bit of the word says that it sleeps: setting and asking are one atomic operation, so no
/// wake-up can be lost.
class alignas(64) Flag {
public:
  /// Counts modulo 2^31; only ever raised.
  void set(uint32_t value) noexcept {
    if (word_.exchange(value << 1, std::memory_order_acq_rel) & kAsleep) [[unlikely]]
      wake();
  }

  /// Returns once the counter is at least `value` (and less than 2^30 past it).
  void await(uint32_t value) noexcept {
    for (int i = 0; i < kSpins; ++i) {
      if (isReached(word_.load(std::memory_order_acquire), value))
        return;
      pauseCpu();
    }
    sleepUntil(value);
  }

private:
  static constexpr uint32_t kAsleep = 1;
  /// Some 100 microseconds. Spinning longer slows every neighbour by up to 2x.
  static constexpr int kSpins = 3000;

  static bool isReached(uint32_t word, uint32_t value) {
    return static_cast<int32_t>((word & ~kAsleep) - (value << 1)) >= 0;
  }

  [[gnu::cold, gnu::noinline]] void wake() noexcept {
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  [[gnu::cold, gnu::noinline]] void sleepUntil(uint32_t value) noexcept {
    uint32_t word = word_.load(std::memory_order_acquire);
    while (!isReached(word, value)) {
      if (!(word & kAsleep) &&
          !word_.compare_exchange_weak(word, word | kAsleep, std::memory_order_acq_rel,
                                       std::memory_order_acquire))
        continue;
      // Returns at once if the word has changed since.
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, word | kAsleep, nullptr, nullptr, 0);
      word = word_.load(std::memory_order_acquire);
    }
  }

  std::atomic<uint32_t> word_{0};
};

static_assert(sizeof(std::atomic<uint32_t>) == 4, "a futex is 32 bits");

} // namespace ttrt

#endif // TTRT_LIB_FLAG_H

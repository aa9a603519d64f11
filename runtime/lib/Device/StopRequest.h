// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ends the work of a device early: ttrt_device_cancel(), or a deadline that has passed. Cores
// look at it before each command. Commands that follow do nothing but count, so that no core waits
// for another, and whoever runs the device reports it.

#ifndef TTRT_LIB_DEVICE_STOPREQUEST_H
#define TTRT_LIB_DEVICE_STOPREQUEST_H

#include "Base/Clock.h"
#include "ttrt/ttrt.h"

#include <atomic>
#include <cstdint>

namespace ttrt {

class StopRequest {
public:
  /// Whether work is to be skipped. One core of each queue watches the clock: all others see what
  /// it has found.
  bool isMade(bool watches) noexcept {
    return state_.load(std::memory_order_relaxed) != kNone && look(watches);
  }
  /// Why; TTRT_FAILED if there was no request, but something else.
  ttrt_status status() noexcept {
    return !isMade(/*watches=*/true)                              ? TTRT_FAILED
           : state_.load(std::memory_order_relaxed) == kCancelled ? TTRT_CANCELLED
                                                                  : TTRT_DEADLINE_EXCEEDED;
  }
  const char *message() noexcept {
    return status() == TTRT_CANCELLED ? "the device was cancelled"
                                      : "the deadline of the device has passed";
  }

  // Thread-safe; any of these may be called while the device runs.

  void cancel() noexcept {
    uint32_t found = state_.load(std::memory_order_relaxed);
    while (found < kCancelled && !state_.compare_exchange_weak(found, kCancelled)) {
    }
  }
  /// `when`: nowNs() then; 0: never. After a request, nothing changes.
  void setDeadline(uint64_t when) noexcept {
    deadline_.store(when, std::memory_order_relaxed);
    uint32_t found = when ? kNone : kTimed;
    state_.compare_exchange_strong(found, when ? kTimed : kNone);
  }
  /// Nothing runs.
  void clear() noexcept { state_.store(kNone, std::memory_order_relaxed); }

private:
  [[gnu::cold, gnu::noinline]] bool look(bool watches) noexcept {
    uint32_t found = state_.load(std::memory_order_acquire);
    if (found == kTimed && watches && nowNs() >= deadline_.load(std::memory_order_relaxed) &&
        state_.compare_exchange_strong(found, kLate))
      return true;
    return found >= kCancelled;
  }

  enum : uint32_t { kNone, kTimed, kCancelled, kLate };
  std::atomic<uint32_t> state_{kNone};
  std::atomic<uint64_t> deadline_{0};
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_STOPREQUEST_H

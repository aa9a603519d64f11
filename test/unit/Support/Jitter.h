// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_SUPPORT_JITTER_H
#define TTC_TEST_UNIT_SUPPORT_JITTER_H

#include "ttrt/pipeline.h"

#include <atomic>
#include <cstdint>
#include <thread>

namespace ttrt::test {

/// Lets the queues of a pipeline run late, by a different time before and after each step; now and
/// then long enough that the others become late, or fall asleep.
struct Jitter {
  std::atomic<uint32_t> state{1};
  std::atomic<uint32_t> steps{0};
  uint32_t failAt = 0; ///< call that fails; 0: none

  /// For ttrt_pipeline_options.
  static int delay(void *user, uint32_t, ttrt_step_kind, int) {
    auto *jitter = static_cast<Jitter *>(user);
    uint32_t bits = jitter->state.fetch_add(0x9e3779b9u, std::memory_order_relaxed);
    bits ^= bits >> 15;
    bits *= 0x2c1b3c6du;
    bits ^= bits >> 12;
    bits *= 0x297a2d39u;
    bits ^= bits >> 15;
    if (bits % 64 == 0)
      std::this_thread::yield();
    if (bits % 65536 == 1)
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    for (uint32_t i = 0; i < (bits >> 8) % 512; ++i)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    return ++jitter->steps == jitter->failAt ? 5 : 0;
  }
};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_JITTER_H

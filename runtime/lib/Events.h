// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events between queues. An event counts its records, each queue for itself: what a queue records
// comes in that queue's order, so a wait names a queue and a count, and never takes one record for
// another.

#ifndef TTRT_LIB_EVENTS_H
#define TTRT_LIB_EVENTS_H

#include "Flag.h"
#include "ttrt/bundle_format.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace ttrt {

/// What a wait was enqueued for: the last record enqueued before it.
struct EventTarget {
  Flag *flag = nullptr; ///< null: nothing was recorded; the wait is over
  uint32_t value = 0;
  uint32_t queue = 0; ///< that records it
};

class Event {
public:
  /// The host: one more record has been enqueued on `queue`.
  void issue(uint32_t queue) noexcept {
    issued[queue].fetch_add(1, std::memory_order_relaxed);
    last.store(static_cast<uint8_t>(queue), std::memory_order_relaxed);
  }
  /// The host: what a wait enqueued now is for.
  EventTarget target() noexcept {
    const uint8_t queue = last.load(std::memory_order_relaxed);
    if (queue == kNever)
      return {};
    return {&recorded[queue], issued[queue].load(std::memory_order_relaxed), queue};
  }
  /// The queue: what was enqueued before the record is complete.
  void record(uint32_t queue) noexcept { recorded[queue].raise(); }
  /// Wakes who waits for records of `queue`, which has stopped.
  void poke(uint32_t queue) noexcept { recorded[queue].poke(); }
  /// As new. Nobody may use the event meanwhile.
  void reset() noexcept {
    for (uint32_t queue = 0; queue < kMaxQueues; ++queue)
      issued[queue].store(recorded[queue].value(), std::memory_order_relaxed);
    last.store(kNever, std::memory_order_relaxed);
  }

private:
  static constexpr uint8_t kNever = 255;
  Flag recorded[kMaxQueues];
  std::atomic<uint32_t> issued[kMaxQueues] = {};
  std::atomic<uint8_t> last{kNever};
};

/// What the event commands of a stream mean while a queue runs it.
struct StreamEvents {
  Event *events = nullptr; ///< the bundle's, by index
  uint32_t queue = 0;
  std::unique_ptr<EventTarget[]> targets; ///< per event: set by the steps before the stream's
  std::unique_ptr<AdaptiveWait[]> waits;  ///< per event: of the queue's waits for it
  const std::atomic<bool> *stopped[kMaxQueues] = {}; ///< per queue
  bool aborted = false;                              ///< core 0's own
  /// The barrier behind which all cores leave the stream: 2^32 + its number, 0 for none. Core 0
  /// may be a barrier ahead of who reads it.
  std::atomic<uint64_t> abortedAt{0};

  void record(uint32_t event) noexcept { events[event].record(queue); }
  bool await(uint32_t event) noexcept {
    const EventTarget &target = targets[event];
    return !target.flag || target.flag->await(target.value, *stopped[target.queue], waits[event]);
  }
};

} // namespace ttrt

#endif // TTRT_LIB_EVENTS_H

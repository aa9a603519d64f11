// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events between queues. An event counts its records per queue. A queue records in its own order,
// so a queue and a count identify a record, and a wait cannot mistake one record for another.

#ifndef TTRT_LIB_DEVICE_EVENTS_H
#define TTRT_LIB_DEVICE_EVENTS_H

#include "Device/Flag.h"
#include "ttrt/format/bundle_format.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace ttrt {

/// The record that a wait refers to: the last one that was enqueued before it.
struct EventTarget {
  Flag *flag = nullptr; ///< null: no record; the wait returns immediately
  uint32_t value = 0;
  uint32_t queue = 0; ///< that records it
};

class Event {
public:
  /// Host: one more record has been enqueued on `queue`.
  void issue(uint32_t queue) noexcept {
    issued[queue].fetch_add(1, std::memory_order_relaxed);
    last.store(static_cast<uint8_t>(queue), std::memory_order_relaxed);
  }
  /// Host: the record that a wait enqueued now refers to.
  EventTarget target() noexcept {
    const uint8_t queue = last.load(std::memory_order_relaxed);
    if (queue == kNever)
      return {};
    return {&recorded[queue], issued[queue].load(std::memory_order_relaxed), queue};
  }
  /// Queue: everything enqueued before the record is complete.
  void record(uint32_t queue) noexcept { recorded[queue].raise(); }
  /// Wakes threads that wait for records of `queue`, which has stopped.
  void poke(uint32_t queue) noexcept { recorded[queue].poke(); }
  /// Forgets all records. No other thread may use the event meanwhile.
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

/// The meaning of a stream's event commands while a queue executes it.
struct StreamEvents {
  Event *events = nullptr; ///< of the bundle, by index
  uint32_t queue = 0;
  std::unique_ptr<EventTarget[]> targets; ///< per event: set by the steps before the stream's
  std::unique_ptr<AdaptiveWait[]> waits;  ///< per event: of the queue's waits for it
  const std::atomic<bool> *stopped[kMaxQueues] = {}; ///< per queue

  void record(uint32_t event) noexcept { events[event].record(queue); }
  bool await(uint32_t event) noexcept {
    const EventTarget &target = targets[event];
    return !target.flag || target.flag->await(target.value, *stopped[target.queue], waits[event]);
  }
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_EVENTS_H

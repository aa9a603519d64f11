// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rings that a profiler's markers are written to: one per core, with one writer, and one for
// all threads of the host. Writing allocates nothing and takes no lock.

#ifndef TTRT_LIB_OBSERVE_MARKERS_H
#define TTRT_LIB_OBSERVE_MARKERS_H

#include "Base/Clock.h"
#include "ttrt/format/profile_log.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

namespace ttrt {

using profile::ClockKind;
using profile::HostMarker;
using profile::HostMarkerKind;
using profile::Marker;
using profile::MarkerKind;

/// The device's clock.
inline uint64_t deviceTime(ClockKind kind) noexcept {
#if defined(__x86_64__)
  if (kind == ClockKind::Tsc)
    return __builtin_ia32_rdtsc(); // the header of __rdtsc() takes most of a second to parse
#endif
  return nowNs();
}

class CounterGroup;

/// Markers that were dropped until now, and where the first one since the last call was missing.
struct Drops {
  uint64_t count;
  uint32_t step, command;
};

/// Counts what is dropped. One writer; readers take turns.
class DropCounter {
public:
  void add(uint32_t count, uint32_t step, uint32_t command) noexcept {
    uint64_t none = kNowhere;
    first.compare_exchange_strong(none, uint64_t(step) << 32 | command, std::memory_order_relaxed);
    sum.fetch_add(count, std::memory_order_release);
  }
  Drops take() noexcept {
    const uint64_t all = sum.load(std::memory_order_acquire);
    if (all == known)
      return {0, profile::kNone, profile::kNone};
    const uint64_t place = first.exchange(kNowhere, std::memory_order_relaxed);
    const Drops drops{all - known, uint32_t(place >> 32), uint32_t(place)};
    known = all;
    return drops;
  }

private:
  static constexpr uint64_t kNowhere = UINT64_MAX; ///< kNone, kNone
  std::atomic<uint64_t> sum{0}, first{kNowhere};
  uint64_t known = 0; ///< the readers'
};

/// Markers of one core. One thread writes at a time; readers take turns.
class MarkerRing {
public:
  /// Throws std::bad_alloc. `capacity`: markers, a power of two. Pages are taken when they are
  /// first written.
  MarkerRing(uint32_t capacity, ClockKind clock)
      : clock(clock), mask(capacity - 1), markers(new Marker[capacity]) {}

  // For the writer.

  /// Begins something that end() ends. If there is no room for both markers and for `more` that
  /// end() writes, drops all.
  void begin(MarkerKind kind, uint32_t id, uint16_t value = 0, uint32_t more = 0) noexcept {
    // What is open keeps its room until it ends; what is in something dropped is dropped.
    if (droppedOpen || !reserve(2 + more + open)) [[unlikely]] {
      drop(2 + more);
      ++droppedOpen;
      return;
    }
    open += 1 + more;
    write({time(), id, value, kind, 0});
  }
  void end(MarkerKind kind, uint32_t id) noexcept {
    const uint64_t known = std::exchange(endTime, 0);
    if (droppedOpen) [[unlikely]] {
      --droppedOpen;
      return;
    }
    --open;
    write({known ? known : time(), id, 0, kind, 0});
  }
  /// The next end has this time: what is written until then takes time of its own.
  void endAt(uint64_t time) noexcept { endTime = time; }
  /// Ends a command at a time, with the markers that it has kept room for.
  void end(uint32_t command, uint64_t time, const Marker *more, uint32_t count) noexcept {
    const uint64_t known = std::exchange(endTime, 0);
    if (droppedOpen) [[unlikely]] {
      --droppedOpen;
      return;
    }
    open -= 1 + count;
    for (uint32_t i = 0; i < count; ++i)
      write(more[i]);
    write({known ? known : time, command, 0, MarkerKind::CommandEnd, 0});
  }
  void single(MarkerKind kind, uint32_t id) noexcept {
    if (!reserve(1 + open)) [[unlikely]]
      return drop(1);
    write({time(), id, 0, kind, 0});
  }
  // Markers of a program, inside of what is open.

  /// How many have room.
  uint32_t room() noexcept {
    if (droppedOpen)
      return 0;
    knownTaken = taken.load(std::memory_order_acquire);
    const uint64_t used = head - knownTaken + open + (missing ? 1 : 0);
    return used < mask + 1 ? static_cast<uint32_t>(mask + 1 - used) : 0;
  }
  /// There is room for it.
  void put(const Marker &marker) noexcept {
    if (missing) [[unlikely]]
      writeMissing();
    write(marker);
  }
  /// There is no room for `count` markers.
  void dropInside(uint32_t count) noexcept { drop(count); }
  /// The program had no room for `count` markers.
  void dropInProgram(uint32_t count) noexcept { droppedInProgram.add(count, step, command); }

  ClockKind clockKind() const noexcept { return clock; }
  /// What is executed, for messages about dropped markers.
  uint32_t step = profile::kNone, command = profile::kNone;
  uint16_t streams = 0;             ///< begun so far
  uint16_t turn = 0;                ///< iterations of loops that have begun in this stream
  CounterGroup *counters = nullptr; ///< of this core; null: nothing is counted
  uint64_t time() const noexcept { return deviceTime(clock); }

  // For readers.

  /// Calls function(markers, count) for all markers that are there, in at most two pieces.
  template <typename Function> void read(Function function) {
    const uint64_t from = taken.load(std::memory_order_relaxed);
    const uint64_t to = written.load(std::memory_order_acquire);
    const uint64_t first = std::min<uint64_t>(to - from, mask + 1 - (from & mask));
    if (first)
      function(&markers[from & mask], first);
    if (to - from > first)
      function(&markers[0], to - from - first);
    taken.store(to, std::memory_order_release);
  }
  Drops takeDrops(profile::Dropper by) noexcept {
    return (by == profile::Dropper::Ring ? dropped : droppedInProgram).take();
  }

private:
  /// Whether `count` markers have room, after one that tells what was dropped before.
  bool reserve(uint32_t count) noexcept {
    const uint32_t wanted = count + (missing ? 1 : 0);
    if (head + wanted - knownTaken > mask + 1) [[unlikely]] {
      knownTaken = taken.load(std::memory_order_acquire);
      if (head + wanted - knownTaken > mask + 1)
        return false;
    }
    if (missing) [[unlikely]]
      writeMissing();
    return true;
  }
  [[gnu::cold, gnu::noinline]] void writeMissing() noexcept {
    write({time(), missing, 0, MarkerKind::Dropped, 0});
    missing = 0;
  }
  void write(const Marker &marker) noexcept {
    markers[head & mask] = marker;
    written.store(++head, std::memory_order_release);
  }
  [[gnu::cold, gnu::noinline]] void drop(uint32_t count) noexcept {
    missing += count;
    dropped.add(count, step, command);
  }

  const ClockKind clock;
  const uint32_t mask;
  const std::unique_ptr<Marker[]> markers;
  // The writer's.
  uint64_t head = 0;
  uint64_t knownTaken = 0;  ///< the last value of `taken` that it has seen
  uint32_t open = 0;        ///< markers that what is begun and not ended needs
  uint32_t droppedOpen = 0; ///< begun and not ended, innermost, and their markers were dropped
  uint32_t missing = 0;     ///< dropped since the last marker
  uint64_t endTime = 0;     ///< of the next end; 0: now
  std::atomic<uint64_t> written{0};
  DropCounter dropped, droppedInProgram;
  // The readers'.
  alignas(64) std::atomic<uint64_t> taken{0};
};

/// Markers of all threads of the host.
class HostRing {
public:
  /// `capacity` is a power of two. Throws std::bad_alloc.
  explicit HostRing(uint32_t capacity) : capacity(capacity), slots(new Slot[capacity]) {}

  /// Any thread.
  void write(HostMarkerKind kind, uint32_t zone, uint32_t device) noexcept;

  /// Calls function(marker) for all markers that are there, in order. Readers take turns.
  template <typename Function> void read(Function function) {
    for (uint64_t at = taken.load(std::memory_order_relaxed);; ++at) {
      Slot &slot = slots[at & (capacity - 1)];
      if (slot.turn.load(std::memory_order_acquire) != at + 1)
        return;
      function(slot.marker);
      taken.store(at + 1, std::memory_order_release);
    }
  }
  uint64_t takeDrops() noexcept {
    const uint64_t all = dropped.load(std::memory_order_relaxed);
    const uint64_t result = all - knownDropped;
    knownDropped = all;
    return result;
  }

private:
  struct Slot {
    HostMarker marker;
    std::atomic<uint64_t> turn{0}; ///< number of the marker in it, plus one
  };
  const uint32_t capacity;
  const std::unique_ptr<Slot[]> slots;
  alignas(64) std::atomic<uint64_t> claimed{0};
  std::atomic<uint64_t> dropped{0};
  alignas(64) std::atomic<uint64_t> taken{0};
  uint64_t knownDropped = 0;
};

/// A step that is executed without walking a stream. A null ring costs one comparison.
class MarkedStep {
public:
  MarkedStep(MarkerRing *ring, uint32_t step) noexcept : ring(ring), step(step) {
    if (!ring) [[likely]]
      return;
    ring->step = step;
    ring->begin(MarkerKind::StepBegin, step);
  }
  ~MarkedStep() {
    if (!ring) [[likely]]
      return;
    ring->end(MarkerKind::StepEnd, step);
    ring->step = profile::kNone;
  }
  MarkedStep(const MarkedStep &) = delete;
  MarkedStep &operator=(const MarkedStep &) = delete;

private:
  MarkerRing *const ring;
  const uint32_t step;
};

} // namespace ttrt

#endif // TTRT_LIB_OBSERVE_MARKERS_H

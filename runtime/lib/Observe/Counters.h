// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CPU and the kernel count during each command (ttrt_profiler_options::counters). Events
// are those of perf_event_open(), in one group for each core, which counts the core's thread.

#ifndef TTRT_LIB_OBSERVE_COUNTERS_H
#define TTRT_LIB_OBSERVE_COUNTERS_H

#include "Observe/Markers.h"

#include <cstddef>

namespace ttrt {

/// What decides which raw events count floating-point operations.
struct CounterCpu {
  enum class Vendor { Other, Intel, Amd } vendor = Vendor::Other;
  uint32_t family = 0, model = 0;
  bool adx = false;
};

/// Where events come from: the kernel, or a test.
struct CounterSource {
  /// Counts an event of the calling thread from now on, in the group of `leader`, or in a new one
  /// if that is -1. Returns a descriptor; or -1, and errno says why.
  int (*open)(uint32_t type, uint64_t config, int leader) noexcept;
  /// Reads a group: the number of its events, the time that it was enabled, the time that it
  /// counted, and the events' values, in the order in which they were opened. Returns the bytes.
  ptrdiff_t (*read)(int leader, uint64_t *words, size_t bytes) noexcept;
  void (*close)(int event) noexcept;
  CounterCpu (*cpu)() noexcept;
};
extern const CounterSource kPerfEvents;

/// The counters of a recording.
class CounterSet {
public:
  struct Counter {
    char name[24];   ///< as in the list
    int32_t problem; ///< CounterRecord::problem
    uint32_t type;   ///< PERF_TYPE_..., or kUsage
    uint64_t config;
  };
  /// An event of PERF_TYPE_SOFTWARE, but not through perf_event_open(): what the kernel tells every
  /// thread about itself.
  static constexpr uint32_t kUsage = profile::kNone;

  /// Chooses events for a list of names, and tries on the calling thread which of them can be
  /// counted. Throws Error if the list is wrong.
  CounterSet(const char *list, const CounterSource &source);

  const CounterSource &source() const { return source_; }
  uint32_t size() const { return size_; }
  const Counter &operator[](uint32_t counter) const { return counters_[counter]; }
  /// Those without a problem: first the events of the group, then those of kUsage.
  uint32_t events() const { return events_; }
  uint32_t grouped() const { return grouped_; } ///< how many are in the group
  uint32_t numberOf(uint32_t event) const { return numbers_[event]; }
  const Counter &event(uint32_t event) const { return counters_[numbers_[event]]; }

private:
  void add(const char *name, size_t length, const CounterCpu &cpu);
  void addAll(const char *list, const CounterCpu &cpu);
  void tryAll();

  const CounterSource &source_;
  uint32_t size_ = 0, events_ = 0, grouped_ = 0;
  Counter counters_[profile::kMaxCounters];
  uint32_t numbers_[profile::kMaxCounters];
};

/// The counters of one core. Events belong to a thread, and core 0 is whatever thread calls
/// ttrt_run(): bind() opens them again for another one. That costs system calls and memory of the
/// kernel. All else costs a system call or two at each end of a command, and no memory.
class CounterGroup {
public:
  /// `set` outlives it.
  explicit CounterGroup(const CounterSet &set) : set_(set) {}
  ~CounterGroup() { close(); }
  CounterGroup(const CounterGroup &) = delete;
  CounterGroup &operator=(const CounterGroup &) = delete;

  /// Markers in each counted command, besides its begin and end.
  static uint32_t markersOf(const CounterSet &set) { return 1 + set.events(); }

  /// Counts the calling thread from now on. Before each stream, and each command outside of one.
  void bind() noexcept;
  /// Write a command's markers. end() adds what was counted since begin().
  void begin(MarkerRing &ring, uint32_t command) noexcept;
  void end(MarkerRing &ring, uint32_t command) noexcept;

private:
  struct Reading {
    bool isRead = false;
    uint64_t enabled, ran; ///< nanoseconds
    uint64_t values[profile::kMaxCounters];
  };
  bool read(Reading &reading) const noexcept;
  void close() noexcept;

  const CounterSet &set_;
  int64_t thread_ = 0; ///< whose events these are; 0: none
  int fds_[profile::kMaxCounters];
  uint32_t opened_ = 0; ///< of the group: all, or none
  Reading before_;
};

} // namespace ttrt

#endif // TTRT_LIB_OBSERVE_COUNTERS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source of events whose counts are known, and recordings with it. Few machines that run tests
// have hardware events.

#ifndef TTC_TEST_UNIT_SUPPORT_FAKECOUNTERS_H
#define TTC_TEST_UNIT_SUPPORT_FAKECOUNTERS_H

#include "Observe/Counters.h"
#include "Observe/Profiler.h"
#include "Recordings.h"

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

namespace ttrt::test {

/// Each read of a group adds as much to every event as its place in the group, from 1, times 1000,
/// times the reads of this group so far: increments of the k-th command of a core are known.
struct Fake {
  CounterCpu cpu{CounterCpu::Vendor::Amd, 0x19, 1, true};
  struct Group {
    std::vector<std::pair<uint32_t, uint64_t>> events;
    std::vector<int> fds;
    std::thread::id thread;
    uint64_t reads = 0;
  };
  std::mutex mutex;
  std::map<int, Group> groups; ///< by leader
  std::map<std::pair<uint32_t, uint64_t>, int> refused;
  std::atomic<int> opens{0}, closes{0}, wrongThreads{0};
  int next = 1000;
  uint64_t ranPercent = 100;
  bool opensNothing = false;
};
inline Fake *fake;

inline int openFake(uint32_t type, uint64_t config, int leader) noexcept {
  const std::lock_guard<std::mutex> lock(fake->mutex);
  const auto refused = fake->refused.find({type, config});
  if (refused != fake->refused.end() || fake->opensNothing) {
    errno = fake->opensNothing ? EMFILE : refused->second;
    return -1;
  }
  const int fd = fake->next++;
  Fake::Group &group = fake->groups[leader < 0 ? fd : leader];
  group.events.emplace_back(type, config);
  group.fds.push_back(fd);
  group.thread = std::this_thread::get_id();
  ++fake->opens;
  return fd;
}

inline ptrdiff_t readFake(int leader, uint64_t *words, size_t bytes) noexcept {
  const std::lock_guard<std::mutex> lock(fake->mutex);
  Fake::Group &group = fake->groups.at(leader);
  fake->wrongThreads += group.thread != std::this_thread::get_id();
  const uint64_t reads = ++group.reads;
  words[0] = group.events.size();
  words[1] = 1000 * reads;
  words[2] = 1000 * reads * fake->ranPercent / 100;
  for (size_t i = 0; i < group.events.size(); ++i)
    words[3 + i] = (i + 1) * 1000 * reads;
  const size_t needed = (3 + group.events.size()) * sizeof(uint64_t);
  return needed > bytes ? -1 : static_cast<ptrdiff_t>(needed);
}

inline void closeFake(int) noexcept { ++fake->closes; }

inline CounterCpu cpuOfFake() noexcept { return fake->cpu; }

inline constexpr CounterSource kFake = {openFake, readFake, closeFake, cpuOfFake};
inline constexpr CounterCpu kIntel = {CounterCpu::Vendor::Intel, 6, 0x8f, true};
inline constexpr size_t kElements = 8; // of chainBundle()

class CounterRecordings : public Recordings {
protected:
  CounterRecordings() { fake = &source; }
  void open(const char *counters, const CounterSource &from = kFake, uint32_t programs = 0) {
    ttrt_profiler_options options = TTRT_PROFILER_OPTIONS_INIT;
    options.counters = counters;
    options.programs = programs;
    profiler =
        new ttrt_profiler{std::make_unique<Profiler>((root + "/profile").c_str(), options, from)};
  }
  /// Runs a chain of `length` commands, with barriers between them.
  void run(uint32_t length, uint32_t cores, int runs, bool noTrace = false) {
    bundle.emplace(chainBundle(length, /*barriers=*/true).finish());
    Loaded loaded(bundle->path(), device(cores));
    for (int i = 0; i < runs; ++i)
      loaded.run(ramp(kElements), kElements, noTrace);
  }
  /// Runs a model of four commands with work on all cores.
  void runSample(uint32_t cores, int runs) {
    bundle.emplace(sampleBundle().finish());
    Loaded loaded(bundle->path(), device(cores));
    for (int i = 0; i < runs; ++i)
      loaded.run(ramp(kSampleElements), kSampleElements);
  }

  Fake source;
  std::optional<TemporaryFile> bundle; ///< for the names of a report
};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_FAKECOUNTERS_H

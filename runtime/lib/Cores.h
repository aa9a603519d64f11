// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads that compute. Core 0 is the thread that calls run(); the others are workers, which
// sleep between runs.

#ifndef TTRT_LIB_CORES_H
#define TTRT_LIB_CORES_H

#include "Bundle.h"
#include "Code.h"
#include "Events.h"
#include "Flag.h"
#include "ForkGuard.h"
#include "Markers.h"
#include "Memory.h"
#include "ProgramZones.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace ttrt {

/// A program on one core: its function, and the core's workgroups.
struct BoundProgram {
  ProgramFunction *function;
  uint64_t first, end;
  ProgramMarkers *markers; ///< in the core's scratch; null: it writes none
};

/// Flags of a dissemination barrier. In round r, core c raises a flag of core c + 2^r and waits for
/// its own; after ceil(log2 cores) rounds, every core knows that all have arrived. Each flag has
/// one writer and one waiter.
struct CoreFlags {
  static constexpr uint32_t kMaxRounds = 10;
  static constexpr uint32_t kMaxCores = 1u << kMaxRounds;
  Flag go; ///< core 0 -> worker: there is a stream to walk
  Flag rounds[kMaxRounds];
};

/// State of one core, on its own cache lines. Only the core's thread accesses it, except `flags`.
struct alignas(64) Core {
  uint32_t index = 0;
  uint32_t cores = 1;
  uint32_t rounds = 0;  ///< of the barrier
  uint32_t meeting = 0; ///< barriers passed
  uint8_t *base = nullptr;
  uint8_t *scratch = nullptr;
  std::vector<BoundProgram> programs;
  CoreFlags *flags = nullptr;     ///< of all cores
  StreamEvents *events = nullptr; ///< of the queue; null in a run on the calling thread
  MarkerRing *markers = nullptr;  ///< null: nothing is recorded

  void barrier() noexcept {
    ++meeting;
    for (uint32_t round = 0, distance = 1; round < rounds; ++round, distance *= 2) {
      uint32_t partner = index + distance;
      flags[partner < cores ? partner : partner - cores].rounds[round].set(meeting);
      flags[index].rounds[round].await(meeting);
    }
  }
  /// A barrier, then the event is recorded.
  void signal(uint32_t event) noexcept;
  /// Returns false, on all cores alike, if the event will never be recorded.
  bool wait(uint32_t event) noexcept;
};

/// Executes a stream up to its end command, on one core. Allocates nothing, takes no lock.
void walkStream(Core &core, const uint8_t *stream) noexcept;
/// The same with markers around the stream and every command. `step` executes it.
void walkStreamMarked(Core &core, const uint8_t *stream, uint32_t step) noexcept;
/// Executes one command, which is neither an end nor a wait.
void executeCommand(Core &core, const CommandHeader &header) noexcept;

struct ResolvedStep;

class Cores {
public:
  /// `firstL1`: index of the first core's L1; the others have the following ones.
  Cores(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
        const ForkGuard &process, uint32_t count, uint32_t firstL1, bool pin);
  ~Cores();
  Cores(const Cores &) = delete;
  Cores &operator=(const Cores &) = delete;

  uint32_t count() const { return static_cast<uint32_t>(cores_.size()); }
  /// The core of the calling thread.
  Core &first() { return cores_[0]; }

  /// Records on the cores' rings from now on. Nothing is running.
  void setMarkers(uint32_t core, MarkerRing &ring) { cores_[core].markers = &ring; }

  /// Executes the stream of a step on all cores and returns when all have reached its end. `events`
  /// gives the event commands their meaning on a queue; without it, the stream runs alone and they
  /// have no effect. Returns false if an event that the stream waits for will never be recorded;
  /// the rest of the stream is then skipped.
  bool run(const ResolvedStep &step, StreamEvents *events = nullptr) noexcept;
  /// Executes one command of a step's stream on all cores and returns when all have completed it.
  void run(const ResolvedStep &step, const CommandHeader &command, uint32_t index) noexcept;
  /// Executes what a step computes or copies; does nothing for transfers, records and waits.
  /// Returns null, or why it failed.
  const char *execute(const ResolvedStep &step, StreamEvents *events) noexcept;

private:
  struct Job {
    const uint8_t *position = nullptr; ///< in a stream
    uint32_t step = 0;                 ///< for markers
    uint32_t command = kWholeStream;   ///< the only one to execute
  };
  static constexpr uint32_t kWholeStream = UINT32_MAX;

  void handOver(const Job &job) noexcept;
  static void perform(Core &core, const Job &job) noexcept;
  void work(Core &core) noexcept;
  void stop() noexcept;

  const ForkGuard &process_;
  Job job_; ///< the workers' next one; written before `go` is raised, read after
  bool stop_ = false;
  uint32_t jobs_ = 0;

  std::unique_ptr<CoreFlags[]> flags_;
  std::vector<Core> cores_;
  std::vector<std::thread> threads_;
};

} // namespace ttrt

#endif // TTRT_LIB_CORES_H

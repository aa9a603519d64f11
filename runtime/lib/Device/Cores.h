// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads that compute. Core 0 is the thread that calls run(); the others are workers, which
// sleep between runs.

#ifndef TTRT_LIB_DEVICE_CORES_H
#define TTRT_LIB_DEVICE_CORES_H

#include "Base/ForkGuard.h"
#include "Bundle/Bundle.h"
#include "Bundle/Code.h"
#include "Device/Events.h"
#include "Device/Flag.h"
#include "Device/Memory.h"
#include "Device/StopRequest.h"
#include "Device/WorkgroupClaims.h"
#include "Observe/Markers.h"
#include "Observe/ProgramZones.h"
#include "ttrt/transport.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace ttrt {

/// A program on one core: its function, and the core's share of the workgroups.
struct BoundProgram {
  ProgramFunction *function;
  uint64_t first, end;
  uint64_t grid;
  ProgramMarkers *markers; ///< in the core's scratch; null: it writes none
  /// Any core may run any workgroup. Otherwise each runs its own share: if there is one core, one
  /// workgroup, an operand per workgroup (for both, commands are ordered without barriers), or
  /// markers.
  bool shared;
};

/// Flags of one worker.
struct WorkerFlags {
  Flag go;      ///< raised by core 0: there is a job
  Flag arrived; ///< raised by the worker: it is at the end of that job
};

/// State of one core, on its own cache lines. Only the core's thread accesses it.
struct alignas(64) Core {
  uint32_t index = 0;
  uint32_t cores = 1;
  uint32_t group = 0; ///< of WorkgroupClaims
  uint8_t *base = nullptr;
  uint8_t *scratch = nullptr;
  std::vector<BoundProgram> programs;
  WorkgroupClaims *claims = nullptr;     ///< of all cores
  std::unique_ptr<uint32_t[]> expected;  ///< per group: what it completes up to here
  std::unique_ptr<uint32_t[]> completed; ///< of it, by this core since the last barrier
  uint32_t sequence = 0;                 ///< commands so far whose workgroups were claimed
  Job job;                               ///< that it executes
  StreamEvents *events = nullptr;        ///< of the queue; core 0's
  MarkerRing *markers = nullptr;         ///< null: nothing is recorded
  ttrt_transport *transport = nullptr;   ///< of the mesh; null: the device is alone
  StopRequest *stop = nullptr;           ///< of the device
  // Of the job.
  uint32_t met = 0;     ///< expected[0] where all cores were last known to be in it
  bool stopped = false; ///< all cores have agreed to leave every loop
  const RepeatCommand *overrun = nullptr; ///< core 0's: a loop that should have ended

  /// Whether what follows is skipped.
  bool skips() const noexcept { return stop->isMade(/*watches=*/index == 0); }

  /// Returns when all workgroups of the commands before are complete.
  void barrier() noexcept {
    if (cores != 1)
      awaitAll();
  }
  /// The same for several cores.
  [[gnu::noinline]] void awaitAll() noexcept;
  /// A barrier, then the event is recorded.
  void signal(uint32_t event) noexcept;
  /// Returns false if the event will never be recorded.
  [[gnu::noinline]] bool wait(uint32_t event) noexcept;

  /// Executes a loop.
  void repeat(const RepeatCommand &command) noexcept;
  /// Takes part in a collective.
  void exchange(const ExchangeCommand &command) noexcept;

  void beginJob() noexcept {
    met = expected[0];
    stopped = false;
  }
  /// Core 0's: how a loop goes on after so many iterations.
  WorkgroupClaims::Decision decide(const RepeatCommand &command, uint64_t done) noexcept;
  /// Whether an iteration of a loop begins, which all cores ask at the same place; if there are
  /// several, it is a barrier.
  bool begins(const RepeatCommand &command, uint64_t done) noexcept;
  /// Counts this core, of all.
  void countIn() noexcept {
    ++completed[group];
    expectShares(cores);
  }
  /// Begins a command of which each core completes its share of `grid` workgroups.
  void expectShares(uint64_t grid) noexcept;
  /// The same for a command whose workgroups are claimed. `grid` is at most kMostClaimed.
  void expectAll(uint64_t grid) noexcept;
};

/// Executes a stream up to its end command, on one core. Allocates nothing, takes no lock.
void walkStream(Core &core, const uint8_t *stream) noexcept;
/// The same with markers around the stream and every command. `step` executes it.
void walkStreamMarked(Core &core, const uint8_t *stream, uint32_t step) noexcept;
/// Executes one command, which is neither an end nor a wait; a loop as a whole. Not in line: the
/// walk, which is, would be as large as all of them.
[[gnu::noinline]] void executeCommand(Core &core, const CommandHeader &header) noexcept;
/// The same with markers.
void executeMarked(Core &core, uint32_t command, const CommandHeader &header) noexcept;

struct ResolvedStep;

class Cores {
public:
  static constexpr uint32_t kMaxCores = 1024;
  static constexpr uint32_t kWholeStream = UINT32_MAX;

  /// `firstL1`: index of the first core's L1; the others have the following ones. `flushes`:
  /// subnormal numbers are zero.
  Cores(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
        const ForkGuard &process, StopRequest &stop, uint32_t count, uint32_t firstL1, bool pin,
        bool flushes);
  ~Cores();
  Cores(const Cores &) = delete;
  Cores &operator=(const Cores &) = delete;

  uint32_t count() const { return static_cast<uint32_t>(cores_.size()); }
  bool flushes() const { return flushes_; }
  /// The core of the calling thread.
  Core &first() { return cores_[0]; }

  /// Records on a core's ring from now on. Nothing is running.
  void setMarkers(uint32_t core, MarkerRing &ring) noexcept {
    settle();
    cores_[core].markers = &ring;
  }
  /// Returns when no thread is in a stream any more. One that was late may still be there when
  /// run() has returned; it touches nothing but the stream.
  void settle() noexcept;

  /// Executes the stream of a step on all cores and returns when all of its work is done. `events`
  /// gives the event commands their meaning on a queue; without it, the stream runs alone and they
  /// have no effect. Returns false if an event that the stream waits for will never be recorded;
  /// the rest of the stream is then skipped.
  bool run(const ResolvedStep &step, StreamEvents *events = nullptr) noexcept;
  /// Executes one command of a step's stream on all cores and returns when it is complete.
  /// Returns null, or why it failed.
  const char *run(const ResolvedStep &step, const CommandHeader &command, uint32_t index) noexcept;
  /// Executes what a step computes or copies; does nothing for transfers, records and waits.
  /// Returns null, or why it failed.
  const char *execute(const ResolvedStep &step, StreamEvents *events) noexcept;

private:
  bool hasFailed() const noexcept;
  const char *whyFailed(const ResolvedStep &step) noexcept;
  void execute(const Job &job) noexcept;
  static void perform(Core &core) noexcept;
  void work(Core &core) noexcept;
  void stop() noexcept;

  const Bundle &bundle_;
  const ForkGuard &process_;
  const bool flushes_;
  WorkgroupClaims claims_;
  std::atomic<bool> stop_{false};
  uint64_t jobs_ = 0;
  uint32_t settled_ = 0; ///< the first core's count when no thread was late
  char overrun_[256];    ///< why a loop has failed

  std::unique_ptr<WorkerFlags[]> flags_;
  std::vector<Core> cores_;
  std::vector<std::thread> threads_;
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_CORES_H

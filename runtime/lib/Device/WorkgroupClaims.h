// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who runs which workgroups of a command. Each core begins with a share of its own, so that data
// stay in its cache from command to command, and then takes over what is left of the others'
// shares. A command is over as soon as its workgroups are, whether or not every thread has been
// there: a preempted thread delays the others only by the workgroup that it is executing.

#ifndef TTRT_LIB_DEVICE_WORKGROUPCLAIMS_H
#define TTRT_LIB_DEVICE_WORKGROUPCLAIMS_H

#include "Bundle/Workgroups.h"
#include "Device/Flag.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace ttrt {

/// A queue's job for its cores.
struct Job {
  uint64_t number = 0;               ///< from 1
  const uint8_t *position = nullptr; ///< in a stream
  uint32_t step = 0;                 ///< for markers
  uint32_t command = 0;              ///< the only one to execute, or Cores::kWholeStream
  bool hasEvents = false;            ///< event commands have a meaning
  uint32_t sequence = 0;             ///< of the commands before it
};

/// What the cores of a queue share. Thread-safe.
///
/// What is completed of the shares of kGroup cores has a counter of its own: one that 64 cores
/// raise at once would take longer than the rest of a barrier.
class WorkgroupClaims {
public:
  static constexpr uint32_t kGroup = 8;

  explicit WorkgroupClaims(uint32_t cores)
      : groups((cores + kGroup - 1) / kGroup), shares(new Share[cores]),
        completed(new Flag[groups]), base(new std::atomic<uint32_t>[groups]) {
    for (uint32_t group = 0; group < groups; ++group)
      base[group].store(0, std::memory_order_relaxed);
  }

  const uint32_t groups;

  /// Claims the next workgroup of a core's own share [first, end) of the command `sequence`;
  /// returns false if none is left. `end` is at most kMostClaimed.
  bool claimOwn(uint32_t core, uint32_t sequence, uint32_t first, uint32_t end,
                uint32_t &workgroup) noexcept {
    return claim</*isOwn=*/true>(core, sequence, first, end, workgroup);
  }
  /// The same for the last workgroup of another core's share. Who calls this has left no workgroup
  /// of an earlier command unclaimed, so nothing is lost if that core has not begun yet.
  bool claimOther(uint32_t core, uint32_t sequence, uint32_t first, uint32_t end,
                  uint32_t &workgroup) noexcept {
    return claim</*isOwn=*/false>(core, sequence, first, end, workgroup);
  }

  /// A core's share has no workgroup left of commands up to `sequence`, and of none after it was
  /// one claimed. Sequences are compared modulo 2^32, so a share that has long been empty must not
  /// keep its last one.
  void leaveShare(uint32_t core, uint32_t sequence) noexcept {
    shares[core].left.store(pack(sequence, 0, 0), std::memory_order_relaxed);
  }

  /// How a loop of all cores goes on.
  enum Decision : uint32_t { kContinue, kEnd, kStop };
  /// Core 0 decides, at a place of the stream that `turn` identifies. All cores that have left an
  /// earlier loop by a decision have done so before.
  void decide(Decision decision, uint32_t turn) noexcept {
    decided.store(uint64_t(decision) << 32 | turn, std::memory_order_release);
  }
  /// Whether it was decided so there. A core that is late may find a later decision: then the one
  /// that it asks for was to continue, because others can leave a loop only with it.
  Decision decision(uint32_t turn) const noexcept {
    const uint64_t found = decided.load(std::memory_order_acquire);
    return static_cast<uint32_t>(found) == turn ? static_cast<Decision>(found >> 32) : kContinue;
  }

  /// Counts what is completed of a group's shares.
  void complete(uint32_t group, uint32_t count) noexcept { completed[group].add(count); }
  /// Waits until so much of them is.
  void await(uint32_t group, uint32_t count) noexcept { completed[group].await(count); }

  /// The first core of the queue: publishes a job. `expected` is what each group has completed
  /// before it.
  void post(const Job &job, const uint32_t *expected) noexcept {
    // A reader that sees any of the new values sees an odd version, too, or the next one.
    const uint32_t next = version.load(std::memory_order_relaxed) + 2;
    version.store(next - 1, std::memory_order_relaxed);
    number.store(job.number, std::memory_order_release);
    position.store(job.position, std::memory_order_release);
    step.store(job.step, std::memory_order_release);
    command.store(job.command, std::memory_order_release);
    hasEvents.store(job.hasEvents, std::memory_order_release);
    sequence.store(job.sequence, std::memory_order_release);
    for (uint32_t group = 0; group < groups; ++group)
      base[group].store(expected[group], std::memory_order_release);
    version.store(next, std::memory_order_release);
  }
  /// Another core: the latest job. A core that was late may find that others have done earlier
  /// ones.
  Job take(uint32_t *expected) const noexcept {
    for (;;) {
      const uint32_t before = version.load(std::memory_order_acquire);
      const Job job{
          number.load(std::memory_order_acquire),    position.load(std::memory_order_acquire),
          step.load(std::memory_order_acquire),      command.load(std::memory_order_acquire),
          hasEvents.load(std::memory_order_acquire), sequence.load(std::memory_order_acquire)};
      for (uint32_t group = 0; group < groups; ++group)
        expected[group] = base[group].load(std::memory_order_acquire);
      if (!(before & 1) && version.load(std::memory_order_relaxed) == before)
        return job;
      pauseCpu();
    }
  }

  /// A job ends at a wait for an event that will never be recorded, or at the first wait after an
  /// exchange that failed. Only core 0 decides so, at a place of the stream that `turn` identifies,
  /// before it completes what is there.
  void abort(uint64_t job, uint32_t turn) noexcept {
    abortedTurn.store(turn, std::memory_order_relaxed);
    aborted.store(job, std::memory_order_release);
  }
  bool isAborted(uint64_t job) const noexcept {
    return aborted.load(std::memory_order_acquire) >= job;
  }
  /// Checked after a wait. A core that is late must not leave a job at an earlier wait: others
  /// would wait for its shares of the commands from there on.
  bool isAborted(uint64_t job, uint32_t turn) const noexcept {
    return isAborted(job) &&
           static_cast<int32_t>(turn - abortedTurn.load(std::memory_order_relaxed)) >= 0;
  }

private:
  /// Needs no order of its own: whoever claims a workgroup has passed the barrier before its
  /// command, and what it writes is published by the barrier after it.
  template <bool isOwn>
  bool claim(uint32_t core, uint32_t sequence, uint32_t first, uint32_t end,
             uint32_t &workgroup) noexcept {
    std::atomic<uint64_t> &share = shares[core].left;
    uint64_t left = share.load(std::memory_order_relaxed);
    for (;;) {
      const int32_t ahead = static_cast<int32_t>(sequenceOf(left) - sequence);
      const uint32_t from = ahead < 0 ? first : firstOf(left), to = ahead < 0 ? end : endOf(left);
      if (ahead > 0 || from >= to)
        return false;
      if (share.compare_exchange_weak(
              left, isOwn ? pack(sequence, from + 1, to) : pack(sequence, from, to - 1),
              std::memory_order_relaxed)) {
        workgroup = isOwn ? from : to - 1;
        return true;
      }
    }
  }

  static uint64_t pack(uint32_t sequence, uint32_t first, uint32_t end) {
    return uint64_t(sequence) << 32 | uint64_t(first) << 16 | end;
  }
  static uint32_t sequenceOf(uint64_t left) { return static_cast<uint32_t>(left >> 32); }
  static uint32_t firstOf(uint64_t left) { return left >> 16 & 0xffff; }
  static uint32_t endOf(uint64_t left) { return left & 0xffff; }

  /// The latest command of which workgroups of a core's share were claimed, and which are left.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
  };

  const std::unique_ptr<Share[]> shares;        ///< per core
  const std::unique_ptr<Flag[]> completed;      ///< per group
  alignas(64) std::atomic<uint32_t> version{0}; ///< odd while a job is written
  std::atomic<uint64_t> number{0};
  std::atomic<const uint8_t *> position{nullptr};
  std::atomic<uint32_t> step{0}, command{0}, sequence{0};
  std::atomic<bool> hasEvents{false};
  const std::unique_ptr<std::atomic<uint32_t>[]> base; ///< per group
  std::atomic<uint64_t> aborted{0}, decided{0};
  std::atomic<uint32_t> abortedTurn{0};
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_WORKGROUPCLAIMS_H

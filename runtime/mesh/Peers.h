// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of a mesh as one of them sees them: it synchronizes with them, waits for them, and
// notices when one has ended.

#ifndef TTRT_MESH_PEERS_H
#define TTRT_MESH_PEERS_H

#include "Control.h"

#include <memory>
#include <mutex>
#include <vector>

namespace ttrt::mesh {

/// Nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share.
uint64_t nowNs() noexcept;

/// Memory that is mapped, shared. Unmapped with the object.
class Mapping {
public:
  /// Throws Error. Without a descriptor, -1, it is anonymous.
  Mapping(int descriptor, uint64_t offset, uint64_t bytes);
  ~Mapping();
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;

  uint8_t *data() const { return data_; }

private:
  uint8_t *data_;
  uint64_t bytes_;
};

/// One device's view of the shared memory. All functions but fail() and failure() are called by one
/// thread at a time.
class Peers {
public:
  /// `control` has the memory up to Layout::boards. `areThreads`: all devices are of this process.
  Peers(std::shared_ptr<Mapping> control, uint32_t device, uint32_t devices, bool areThreads);
  ~Peers();
  Peers(const Peers &) = delete;
  Peers &operator=(const Peers &) = delete;

  const uint32_t device, devices;
  const bool areThreads;

  Header &header() const { return *reinterpret_cast<Header *>(control_->data()); }
  Member &member(uint32_t index) const {
    return reinterpret_cast<Member *>(control_->data() + layout_.members)[index];
  }
  /// For gather().
  uint8_t *slot(uint32_t index, uint32_t slot) const {
    return control_->data() + layout_.slots + (uint64_t(index) * kSlots + slot) * kSlotBytes;
  }

  /// From now on, the boards of all devices are there. The next call, or detach(), ends that.
  void attach(std::vector<uint8_t *> boards, uint32_t collectives);
  void detach() noexcept;
  Progress &progress(uint32_t index, uint32_t collective) const {
    return reinterpret_cast<Progress *>(boards_[index])[collective];
  }

  /// First: of devices that open; waits also for those that were closed, and will open again.
  /// Opening: the others are there, and open. Running: waits as long as all devices live.
  enum class Meeting { First, Opening, Running };
  /// Returns when all devices have called this as often. False: the mesh has failed.
  bool meet(Meeting kind) noexcept;
  /// After a meeting of all: from now on, processes that end are noticed, and it is known how long
  /// spinning pays.
  void know();

  /// Tells the others how far this device is, and wakes those that wait for it.
  void publish(uint32_t collective, uint64_t value) noexcept {
    std::atomic<uint64_t> &word = progress(device, collective).word;
    if (word.exchange(value << 1, std::memory_order_acq_rel) & 1) [[unlikely]]
      wake(word);
  }
  /// Waits until a device is so far. False: the mesh has failed.
  bool await(uint32_t peer, uint32_t collective, uint64_t value) noexcept;
  /// Whether it is; does not wait.
  bool hasCome(uint32_t peer, uint32_t collective, uint64_t value) noexcept {
    uint64_t &seen = seen_[uint64_t(collective) * devices + peer];
    if (seen < value)
      seen = progress(peer, collective).word.load(std::memory_order_acquire) >> 1;
    return seen >= value;
  }

  bool hasFailed() const noexcept {
    return header().failure.load(std::memory_order_acquire) != Header::kGood;
  }
  /// Fails the mesh; the first message stays. Thread-safe.
  [[gnu::format(printf, 2, 3)]] void fail(const char *pattern, ...) noexcept;
  /// Whoever sleeps looks again.
  void wakeAll() noexcept;
  /// Waits end as ttrt_transport::limit() says. Thread-safe.
  void limit(uint32_t waitMs, uint64_t deadline) noexcept {
    waitLimitMs_.store(waitMs, std::memory_order_relaxed);
    deadline_.store(deadline, std::memory_order_relaxed);
  }
  /// nullptr: it has not failed. Thread-safe.
  const char *failure() const noexcept;

private:
  template <typename Word> void wake(std::atomic<Word> &word) const noexcept;
  /// Sleeps until the word changes, or for a while.
  template <typename Word> void sleep(std::atomic<Word> &word, Word expected) const noexcept;
  bool awaitAsleep(uint32_t peer, uint32_t collective, uint64_t value) noexcept;
  /// The device's process has ended.
  bool hasEnded(uint32_t peer) noexcept;
  /// Fails the mesh if a device has ended, or if `peer` is closed, unless isThere(device).
  template <typename Function>
  void checkAlive(uint32_t peer, bool mayBeClosed, Function isThere) noexcept;
  /// Fails the mesh if a wait for `peer` since `begin` has lasted too long.
  void checkTime(uint32_t peer, uint64_t begin) noexcept;

  const std::shared_ptr<Mapping> control_;
  const Layout layout_;
  std::mutex attaching_; ///< held while boards come and go, and by wakeAll(); not by await()
  std::vector<uint8_t *> boards_;
  uint32_t collectives_ = 0;
  std::vector<uint64_t> seen_; ///< progress of collectives and devices, as this one has seen it
  std::vector<int> processes_; ///< descriptors of the others' processes; -1: none
  uint32_t meetings_;          ///< of this device
  int spins_ = 0;
  std::atomic<uint32_t> waitLimitMs_{0}; ///< 0: none
  std::atomic<uint64_t> deadline_{0};    ///< 0: none
};

} // namespace ttrt::mesh

#endif // TTRT_MESH_PEERS_H

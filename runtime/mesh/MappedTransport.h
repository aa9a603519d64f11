// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport for devices whose memory can be read directly: threads of a process, and processes
// that share it. A device takes what it needs from the others' memory; it waits until they have
// it, and before it overwrites what they need.
//
// Devices count how often they execute each collective (Progress). Those of one group have executed
// it as often as each other when they meet, whatever else each of them executes: their counters are
// equal, for exchanges of some devices and for pairs of send and receive, too. An offer is the
// begin of an exchange, so that exchanges of other collectives can come between.
//
// Small messages (Control.h) go through two slots of their collective in turn. A device may write a
// slot again when all that have read it have begun a later exchange of the collective, or have
// received what was in it. Usually the writer has seen that already.

#ifndef TTRT_MESH_MAPPEDTRANSPORT_H
#define TTRT_MESH_MAPPEDTRANSPORT_H

#include "ExchangePlan.h"
#include "Peers.h"
#include "SlowLinks.h"
#include "ttrt/transport.h"

#include <memory>
#include <vector>

namespace ttrt::mesh {

class MappedTransport {
public:
  /// Throws Error. `descriptor`: of the shared memory, which this owns; -1: devices are threads.
  MappedTransport(std::shared_ptr<Mapping> control, int descriptor, uint32_t device,
                  uint32_t devices);
  ~MappedTransport();
  MappedTransport(const MappedTransport &) = delete;
  MappedTransport &operator=(const MappedTransport &) = delete;

  ttrt_transport *interface() { return &interface_; }
  static MappedTransport &of(ttrt_transport *transport) {
    return *static_cast<MappedTransport *>(transport->state);
  }
  static const MappedTransport *find(const ttrt_transport *transport);

  // As in transport.h. The first two throw Error.
  void prepare(const ttrt_transport_plan &plan, int &memory, uint64_t &offset);
  void bind(uint8_t *base);
  void unbind() noexcept;
  int exchange(uint32_t collective, const uint64_t *operands) noexcept;
  int send(uint32_t collective, uint64_t input) noexcept;
  int receive(uint32_t collective, uint64_t output) noexcept;
  int offer(uint32_t collective, uint64_t input) noexcept;
  int gather(const void *data, size_t bytes, void *all) noexcept;
  void fail(const char *message) noexcept;
  const char *failure() const noexcept { return peers_.failure(); }
  void limit(uint32_t waitMs, uint64_t deadline) noexcept { peers_.limit(waitMs, deadline); }

private:
  void compare(const ttrt_transport_plan &plan);
  void makePlans(const ttrt_transport_plan &plan);
  void openMemory(int &memory, uint64_t &offset);
  uint64_t boardBytes() const { return BoardLayout(plans_.size(), small_).bytes; }
  uint64_t boardOffset(uint32_t device) const {
    return Layout(peers_.devices).boards + device * boardBytes();
  }
  uint64_t dramBytes(uint32_t device) const {
    return peers_.member(device).dramEnd - peers_.member(device).dramBegin;
  }
  /// Where a device's DRAM begins in the shared memory; for `devices`, where the last one ends.
  /// Only while devices open: one that has closed may say already what it will have next.
  uint64_t dramOffset(uint32_t device) const;
  bool clear(uint64_t offset, uint64_t bytes) const noexcept;
  [[noreturn]] void throwFailure();
  /// Calls function(), which reads other devices' memory; 0 if it returns true and no device has
  /// failed meanwhile.
  template <typename Function> int takePart(Function function) noexcept;
  /// A device that fails unmaps its memory when it sees no other inside, and one that is inside
  /// reads no memory once it sees the failure: one of the two sees the other. On x86-64, the
  /// exchange of publish() is such a fence; AArch64 may load before it stores.
  static void announceInside(bool hasPublished) noexcept {
#if defined(__x86_64__)
    if (hasPublished)
      return;
#endif
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  bool exchangeSmall(uint32_t collective, const uint64_t *operands) noexcept;
  bool exchangeLarge(uint32_t collective, const uint64_t *operands) noexcept;
  void depart(uint32_t collective, uint32_t round, uint64_t progress) noexcept;
  void makePasses(const ExchangePlan &plan, const Round &round, const uint64_t *operands,
                  uint32_t slot) noexcept;
  void makePass(const ExchangePlan &plan, const Pass &pass, const uint64_t *operands,
                uint32_t slot) noexcept;
  uint8_t *slot(const ExchangePlan &plan, uint32_t device, uint32_t slot) const noexcept {
    return boards_[device] + plan.slots + slot * kSlotBytes;
  }
  const uint8_t *place(const ExchangePlan &plan, const Source &source, const uint64_t *operands,
                       uint32_t slot) const noexcept {
    return plan.isSmall && source.device != peers_.device
               ? this->slot(plan, source.device, slot) + source.offset
               : bases_[source.device] + operands[static_cast<size_t>(source.place)] +
                     source.offset;
  }

  ttrt_transport interface_;
  Peers peers_;
  const int descriptor_;
  const int process_;
  bool isPrepared_ = false, isBound_ = false;
  ttrt_transport_plan plan_{};
  std::vector<std::unique_ptr<Mapping>> memories_; ///< of the other devices; boards of all
  uint64_t dramOffset_ = 0;                        ///< of this device
  /// Threads: stays until the device opens again, because others may still read what it has sent.
  std::unique_ptr<Mapping> board_;
  std::vector<const uint8_t *> bases_; ///< flat address 0 of each device
  std::vector<uint8_t *> boards_;
  std::vector<ExchangePlan> plans_; ///< by collective
  uint64_t small_ = 0;              ///< collectives with slots
  std::unique_ptr<SlowLinks> slow_; ///< mostly null
  uint8_t *base_ = nullptr;

  /// The counts of this device, by collective.
  struct Count {
    uint64_t progress = 0; ///< published
    bool isOffered = false;
  };
  std::vector<Count> counts_;
};

} // namespace ttrt::mesh

#endif // TTRT_MESH_MAPPEDTRANSPORT_H

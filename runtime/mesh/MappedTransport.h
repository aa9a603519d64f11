// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport for devices whose memory can be read directly: threads of a process, and processes
// that share it. A device takes what it needs from the others' memory; it waits until they have
// it, and before it overwrites what they need.
//
// Small messages (Control.h) go through two slots in turn. A device may write a slot again when all
// that have read it have begun a later exchange. That it usually knows already.

#ifndef TTRT_MESH_MAPPEDTRANSPORT_H
#define TTRT_MESH_MAPPEDTRANSPORT_H

#include "ExchangePlan.h"
#include "Peers.h"
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
  int gather(const void *data, size_t bytes, void *all) noexcept;
  void fail(const char *message) noexcept;
  const char *failure() const noexcept { return peers_.failure(); }

private:
  void compare(const ttrt_transport_plan &plan);
  void grow(const ttrt_transport_plan &plan);
  [[noreturn]] void throwFailure();
  bool exchangeSmall(const ExchangePlan &plan, const uint64_t *operands) noexcept;
  bool exchangeLarge(const ExchangePlan &plan, const uint64_t *operands) noexcept;
  void makePasses(const ExchangePlan &plan, const Round &round, const uint64_t *operands) noexcept;
  void makePass(const ExchangePlan &plan, const Pass &pass, const uint64_t *operands) noexcept;
  const uint8_t *place(const ExchangePlan &plan, const Source &source,
                       const uint64_t *operands) const noexcept {
    return plan.isSmall && source.device != peers_.device
               ? peers_.slot(source.device, slot_) + source.offset
               : bases_[source.device] + operands[static_cast<size_t>(source.place)] +
                     source.offset;
  }
  bool mayWriteSlot() noexcept;

  ttrt_transport interface_;
  Peers peers_;
  const int descriptor_;
  const int process_;
  bool isPrepared_ = false, isBound_ = false;
  ttrt_transport_plan plan_{};
  std::vector<std::unique_ptr<Mapping>> memories_; ///< of the other devices
  std::vector<const uint8_t *> bases_;             ///< flat address 0 of each device
  std::vector<ExchangePlan> plans_;                ///< by collective
  uint8_t *base_ = nullptr;

  uint64_t progress_ = 0; ///< published
  uint32_t slot_ = 0;     ///< the next one
  /// Who has read a slot, and how far those are when they have done so.
  struct SlotUse {
    const ExchangePlan *plan;
    uint64_t progress;
  };
  SlotUse uses_[kSlots] = {};
};

} // namespace ttrt::mesh

#endif // TTRT_MESH_MAPPEDTRANSPORT_H

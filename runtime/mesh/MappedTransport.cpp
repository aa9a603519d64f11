// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MappedTransport.h"

#include "Copy.h"
#include "Support.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ttrt::mesh {

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

static ttrt_status prepare(ttrt_transport *transport, const ttrt_transport_plan *plan, int *memory,
                           uint64_t *offset, ttrt_error *error) {
  return guarded(error, [&] { MappedTransport::of(transport).prepare(*plan, *memory, *offset); });
}
static ttrt_status bind(ttrt_transport *transport, uint8_t *base, ttrt_error *error) {
  return guarded(error, [&] { MappedTransport::of(transport).bind(base); });
}
static void unbind(ttrt_transport *transport) { MappedTransport::of(transport).unbind(); }
static int exchange(ttrt_transport *transport, uint32_t collective, const uint64_t *operands) {
  return MappedTransport::of(transport).exchange(collective, operands);
}
static int gather(ttrt_transport *transport, const void *data, size_t bytes, void *all) {
  return MappedTransport::of(transport).gather(data, bytes, all);
}
static void failTransport(ttrt_transport *transport, const char *message) {
  MappedTransport::of(transport).fail(message);
}
static const char *failure(ttrt_transport *transport) {
  return MappedTransport::of(transport).failure();
}

const MappedTransport *MappedTransport::find(const ttrt_transport *transport) {
  return transport && transport->exchange == mesh::exchange
             ? static_cast<const MappedTransport *>(transport->state)
             : nullptr;
}

MappedTransport::MappedTransport(std::shared_ptr<Mapping> control, int descriptor, uint32_t device,
                                 uint32_t devices)
    : interface_{sizeof(ttrt_transport),
                 this,
                 device,
                 devices,
                 mesh::prepare,
                 mesh::bind,
                 mesh::unbind,
                 mesh::exchange,
                 mesh::gather,
                 failTransport,
                 mesh::failure,
                 nullptr,
                 nullptr,
                 nullptr},
      peers_(std::move(control), device, devices, descriptor < 0), descriptor_(descriptor),
      process_(getpid()), bases_(devices) {}

MappedTransport::~MappedTransport() {
  if (process_ == getpid()) {
    unbind();
    peers_.member(peers_.device).taken.store(0, std::memory_order_release);
  }
  if (descriptor_ >= 0)
    close(descriptor_);
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

void MappedTransport::throwFailure() { throw Error{TTRT_FAILED, failure()}; }

void MappedTransport::prepare(const ttrt_transport_plan &plan, int &memory, uint64_t &offset) {
  if (process_ != getpid())
    mesh::fail(TTRT_UNSUPPORTED, "the transport belongs to the process that opened it, and this is "
                                 "a forked child of that process");
  if (isPrepared_)
    mesh::fail(TTRT_BUSY, "another device uses the transport");
  if (failure())
    throwFailure();
  Member &self = peers_.member(peers_.device);
  self.pid.store(process_, std::memory_order_release);
  self.hash = plan.metadata_hash;
  self.dramBytes = plan.dram_end - plan.dram_begin;
  static_assert(sizeof(cpu_set_t) == sizeof(self.cpus));
  if (sched_getaffinity(0, sizeof(self.cpus), reinterpret_cast<cpu_set_t *>(self.cpus)) != 0)
    memset(self.cpus, 0, sizeof(self.cpus));
  self.inside.store(0, std::memory_order_relaxed);
  self.closed.store(0, std::memory_order_release);
  // The counters begin anew; nobody looks at them before the meeting in bind().
  progress_ = 0;
  slot_ = 0;
  std::fill(std::begin(uses_), std::end(uses_), SlotUse{});
  isPrepared_ = true;
  plan_ = plan;
  if (!peers_.meet(/*isFirst=*/true))
    throwFailure();
  peers_.know();
  compare(plan);
  peers_.progress(peers_.device).store(0, std::memory_order_release);
  memory = descriptor_;
  offset = 0;
  if (descriptor_ >= 0) {
    grow(plan);
    offset = Layout(peers_.devices).dram + peers_.device * (plan.dram_end - plan.dram_begin);
  }
}

void MappedTransport::compare(const ttrt_transport_plan &plan) {
  const uint64_t bytes = plan.dram_end - plan.dram_begin;
  for (uint32_t i = 0; i < peers_.devices; ++i) {
    const Member &other = peers_.member(i);
    if (other.hash != plan.metadata_hash || other.dramBytes != bytes)
      mesh::fail(TTRT_INVALID_ARGUMENT,
                 "device %u of the mesh has another bundle than device %u: its metadata has hash "
                 "%016llx, expected %016llx",
                 i, peers_.device, static_cast<unsigned long long>(other.hash),
                 static_cast<unsigned long long>(plan.metadata_hash));
  }
}

void MappedTransport::grow(const ttrt_transport_plan &plan) {
  const uint64_t size =
      Layout(peers_.devices).dram + peers_.devices * (plan.dram_end - plan.dram_begin);
  struct stat status;
  // All devices extend it to the same size.
  if (fstat(descriptor_, &status) != 0 || (static_cast<uint64_t>(status.st_size) < size &&
                                           ftruncate(descriptor_, static_cast<off_t>(size)) != 0))
    mesh::fail(TTRT_OUT_OF_MEMORY, "cannot extend the mesh's memory to %llu bytes: %s",
               static_cast<unsigned long long>(size), strerror(errno));
}

void MappedTransport::bind(uint8_t *base) {
  const uint64_t bytes = plan_.dram_end - plan_.dram_begin;
  const auto *tables = fb::GetBundle(plan_.metadata);
  plans_.clear();
  if (tables->collectives())
    for (const fb::Collective *collective : *tables->collectives()) {
      plans_.emplace_back(*collective, peers_.device);
      plans_.back().combine = findCombine(collective->dtype(), collective->reduction());
    }
  base_ = base;
  bases_[peers_.device] = base;
  peers_.member(peers_.device).base = reinterpret_cast<uintptr_t>(base);
  for (uint32_t i = 0; i < peers_.devices && descriptor_ >= 0 && bytes > 0; ++i) {
    if (i == peers_.device)
      continue;
    memories_.push_back(
        std::make_unique<Mapping>(descriptor_, Layout(peers_.devices).dram + i * bytes, bytes));
    bases_[i] = memories_.back()->data() - plan_.dram_begin;
  }
  isBound_ = true;
  if (!peers_.meet())
    throwFailure();
  for (uint32_t i = 0; i < peers_.devices && descriptor_ < 0; ++i)
    bases_[i] = reinterpret_cast<const uint8_t *>(uintptr_t(peers_.member(i).base));
}

void MappedTransport::unbind() noexcept {
  if (!isPrepared_ || process_ != getpid())
    return;
  Member &self = peers_.member(peers_.device);
  self.closed.store(1, std::memory_order_seq_cst);
  peers_.wakeAll();
  // After a failure, others may still be in the exchange that failed here.
  if (descriptor_ < 0 && peers_.hasFailed())
    for (uint32_t i = 0; i < peers_.devices; ++i)
      while (i != peers_.device && peers_.member(i).inside.load(std::memory_order_seq_cst))
        sched_yield();
  memories_.clear();
  const uint64_t bytes = plan_.dram_end - plan_.dram_begin;
  if (descriptor_ >= 0 && bytes > 0) // the next device finds zeros
    fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(Layout(peers_.devices).dram + peers_.device * bytes),
              static_cast<off_t>(bytes));
  isPrepared_ = isBound_ = false;
}

void MappedTransport::fail(const char *message) noexcept {
  peers_.fail("device %u of the mesh has failed: %s", peers_.device, message);
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

int MappedTransport::exchange(uint32_t collective, const uint64_t *operands) noexcept {
  const ExchangePlan &plan = plans_[collective];
  std::atomic<uint32_t> &inside = peers_.member(peers_.device).inside;
  inside.store(1, std::memory_order_relaxed);
  const bool isDone = plan.isSmall ? exchangeSmall(plan, operands) : exchangeLarge(plan, operands);
  // A device that fails goes on, and may have changed what this one has read meanwhile.
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool isGood = isDone && !peers_.hasFailed();
  inside.store(0, std::memory_order_release);
  return isGood ? 0 : 1;
}

/// Whether all that have read the next slot have done so.
bool MappedTransport::mayWriteSlot() noexcept {
  const SlotUse &use = uses_[slot_];
  if (use.plan)
    for (const Taker &taker : use.plan->takers)
      if (!peers_.await(taker.device, use.progress + 1)) [[unlikely]]
        return false;
  return true;
}

bool MappedTransport::exchangeSmall(const ExchangePlan &plan, const uint64_t *operands) noexcept {
  const uint64_t begun = progress_ + 1;
  if (plan.sendsInput) {
    if (!mayWriteSlot()) [[unlikely]]
      return false;
    memcpy(peers_.slot(peers_.device, slot_), base_ + operands[0], plan.inputBytes);
    uses_[slot_] = {&plan, begun};
  }
  peers_.publish(progress_ = begun);
  const Round &round = plan.schedule[0];
  for (uint32_t i = 0; i < round.waits; ++i)
    if (!peers_.await(plan.waits[round.firstWait + i], begun)) [[unlikely]]
      return false;
  if (plan.takesPart)
    makePasses(plan, round, operands);
  slot_ = (slot_ + 1) % kSlots;
  return true;
}

bool MappedTransport::exchangeLarge(const ExchangePlan &plan, const uint64_t *operands) noexcept {
  const uint64_t begun = progress_ + 1, end = begun + plan.rounds;
  progress_ = end;
  if (!plan.takesPart) {
    peers_.publish(end);
    return true;
  }
  peers_.publish(begun);
  for (uint32_t k = 0; k < plan.rounds; ++k) {
    const Round &round = plan.schedule[k];
    for (uint32_t i = 0; i < round.waits; ++i)
      if (!peers_.await(plan.waits[round.firstWait + i], begun + k)) [[unlikely]]
        return false;
    if (peers_.hasFailed()) [[unlikely]] // whose memory may be gone
      return false;
    makePasses(plan, round, operands);
    peers_.publish(begun + k + 1);
  }
  for (const Taker &taker : plan.takers)
    if (!peers_.await(taker.device, begun + taker.round + 1)) [[unlikely]]
      return false;
  return true;
}

void MappedTransport::makePasses(const ExchangePlan &plan, const Round &round,
                                 const uint64_t *operands) noexcept {
  for (uint32_t i = 0; i < round.passes; ++i)
    makePass(plan, plan.passes[round.firstPass + i], operands);
}

void MappedTransport::makePass(const ExchangePlan &plan, const Pass &pass,
                               const uint64_t *operands) noexcept {
  uint8_t *to = base_ + operands[static_cast<size_t>(pass.to)] + pass.toOffset;
  const Source *sources = &plan.sources[pass.firstSource];
  for (uint64_t row = 0; row < pass.rows; ++row, to += pass.toPitch) {
    auto at = [&](uint32_t source) {
      return place(plan, sources[source], operands) + row * sources[source].pitch;
    };
    if (pass.sources == 1 && !pass.accumulates) {
      copyBytes(to, at(0), pass.bytes);
      continue;
    }
    // With more sources than one pass takes, what is summed up so far stays in the cache.
    const uint64_t block = pass.sources + pass.accumulates > kMostSources ? 16384 : pass.bytes;
    for (uint64_t begin = 0; begin < pass.bytes; begin += block) {
      const uint64_t bytes = std::min(block, pass.bytes - begin);
      const uint8_t *list[kMostSources];
      uint32_t count = 0;
      if (pass.accumulates)
        list[count++] = to + begin;
      for (uint32_t i = 0; i < pass.sources; ++i) {
        list[count++] = at(i) + begin;
        if (count == kMostSources || i + 1 == pass.sources) {
          plan.combine(to + begin, list, count, bytes);
          list[0] = to + begin;
          count = 1;
        }
      }
    }
  }
}

int MappedTransport::gather(const void *data, size_t bytes, void *all) noexcept {
  if (!isBound_)
    return 1;
  auto *to = static_cast<uint8_t *>(all);
  constexpr size_t kChunk = kSlots * kSlotBytes; // the slots of a device follow each other
  if (!peers_.meet())                            // nobody reads slots any more
    return 1;
  for (size_t begin = 0; begin < bytes; begin += kChunk) {
    const size_t chunk = std::min(kChunk, bytes - begin);
    memcpy(peers_.slot(peers_.device, 0), static_cast<const uint8_t *>(data) + begin, chunk);
    if (!peers_.meet())
      return 1;
    for (uint32_t i = 0; i < peers_.devices; ++i)
      memcpy(to + i * bytes + begin, peers_.slot(i, 0), chunk);
    if (!peers_.meet())
      return 1;
  }
  return 0;
}

} // namespace ttrt::mesh

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
#include <utility>

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
static int send(ttrt_transport *transport, uint32_t collective, uint64_t input) {
  return MappedTransport::of(transport).send(collective, input);
}
static int receive(ttrt_transport *transport, uint32_t collective, uint64_t output) {
  return MappedTransport::of(transport).receive(collective, output);
}
static int offer(ttrt_transport *transport, uint32_t collective, uint64_t input) {
  return MappedTransport::of(transport).offer(collective, input);
}
static void failTransport(ttrt_transport *transport, const char *message) {
  MappedTransport::of(transport).fail(message);
}
static void limit(ttrt_transport *transport, uint32_t waitMs, uint64_t deadline) {
  MappedTransport::of(transport).limit(waitMs, deadline);
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
    : interface_{sizeof(ttrt_transport), this,          device,        devices,
                 mesh::prepare,          mesh::bind,    mesh::unbind,  mesh::exchange,
                 mesh::gather,           failTransport, mesh::failure, mesh::send,
                 mesh::receive,          mesh::offer,   mesh::limit},
      peers_(std::move(control), device, devices, descriptor < 0), descriptor_(descriptor),
      process_(getpid()), bases_(devices), boards_(devices) {}

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
  self.dramBegin = plan.dram_begin;
  self.dramEnd = plan.dram_end;
  static_assert(sizeof(cpu_set_t) == sizeof(self.cpus));
  if (sched_getaffinity(0, sizeof(self.cpus), reinterpret_cast<cpu_set_t *>(self.cpus)) != 0)
    memset(self.cpus, 0, sizeof(self.cpus));
  self.inside.store(0, std::memory_order_relaxed);
  self.closed.store(0, std::memory_order_release);
  isPrepared_ = true;
  plan_ = plan;
  if (!peers_.meet(Peers::Meeting::First))
    throwFailure();
  // Nothing uses what a device had here before.
  peers_.know();
  compare(plan);
  makePlans(plan);
  openMemory(memory, offset);
}

void MappedTransport::compare(const ttrt_transport_plan &plan) {
  for (uint32_t i = 0; i < peers_.devices; ++i)
    if (const Member &other = peers_.member(i); other.hash != plan.metadata_hash)
      mesh::fail(TTRT_INVALID_ARGUMENT,
                 "device %u of the mesh has another bundle than device %u: its metadata has hash "
                 "%016llx, expected %016llx",
                 i, peers_.device, static_cast<unsigned long long>(other.hash),
                 static_cast<unsigned long long>(plan.metadata_hash));
}

void MappedTransport::makePlans(const ttrt_transport_plan &plan) {
  plans_.clear();
  small_ = 0;
  if (const auto *collectives = fb::GetBundle(plan.metadata)->collectives())
    for (const fb::Collective *collective : *collectives) {
      ExchangePlan &made = plans_.emplace_back(*collective, peers_.device);
      made.combine = findCombine(collective->dtype(), collective->reduction());
      small_ += made.isSmall;
    }
  uint64_t number = 0;
  for (ExchangePlan &made : plans_)
    if (made.isSmall)
      made.slots = BoardLayout(plans_.size(), number++).bytes;
  counts_.assign(plans_.size(), Count{});
}

uint64_t MappedTransport::dramOffset(uint32_t device) const {
  uint64_t offset = boardOffset(peers_.devices);
  for (uint32_t i = 0; i < device; ++i)
    offset += dramBytes(i);
  return offset;
}

/// What is read there is zero from now on, and takes no memory. False: it keeps what it had.
bool MappedTransport::clear(uint64_t offset, uint64_t bytes) const noexcept {
  return bytes == 0 || fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                 static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0;
}

void MappedTransport::openMemory(int &memory, uint64_t &offset) {
  memory = descriptor_;
  offset = 0;
  memories_.clear();
  if (descriptor_ < 0) {
    board_ = boardBytes() ? std::make_unique<Mapping>(-1, 0, boardBytes()) : nullptr;
    return;
  }
  const uint64_t links = alignUp(dramOffset(peers_.devices), kPageSize),
                 linksBytes = SlowLinks::bytesFor(peers_.devices);
  const uint64_t size = linksBytes ? links + linksBytes : dramOffset(peers_.devices);
  struct stat status;
  // All devices extend it to the same size.
  if (fstat(descriptor_, &status) != 0 || (static_cast<uint64_t>(status.st_size) < size &&
                                           ftruncate(descriptor_, static_cast<off_t>(size)) != 0))
    mesh::fail(TTRT_OUT_OF_MEMORY, "cannot extend the mesh's memory to %llu bytes: %s",
               static_cast<unsigned long long>(size), strerror(errno));
  // The mesh may have had other boards here.
  dramOffset_ = offset = dramOffset(peers_.device);
  if (!clear(boardOffset(peers_.device), boardBytes()) ||
      !clear(dramOffset_, dramBytes(peers_.device)) || !clear(links, linksBytes))
    mesh::fail(TTRT_IO_ERROR,
               "cannot clear the mesh's memory: %s; expected a file that can have "
               "holes, as memfd_create() makes it",
               strerror(errno));
}

void MappedTransport::bind(uint8_t *base) {
  base_ = base;
  Member &self = peers_.member(peers_.device);
  self.base = reinterpret_cast<uintptr_t>(base);
  self.board = board_ ? reinterpret_cast<uintptr_t>(board_->data()) : 0;
  for (uint32_t i = 0; i < peers_.devices && descriptor_ >= 0; ++i) {
    auto map = [&](uint64_t offset, uint64_t bytes) -> uint8_t * {
      if (bytes == 0)
        return nullptr;
      memories_.push_back(std::make_unique<Mapping>(descriptor_, offset, bytes));
      return memories_.back()->data();
    };
    boards_[i] = map(boardOffset(i), boardBytes());
    if (i == peers_.device)
      bases_[i] = base;
    else if (const uint8_t *dram = map(dramOffset(i), dramBytes(i)))
      bases_[i] = dram - peers_.member(i).dramBegin;
  }
  slow_ = SlowLinks::create(*fb::GetBundle(plan_.metadata), peers_, descriptor_,
                            alignUp(dramOffset(peers_.devices), kPageSize));
  isBound_ = true;
  if (!peers_.meet(Peers::Meeting::Opening))
    throwFailure();
  for (uint32_t i = 0; i < peers_.devices && descriptor_ < 0; ++i) {
    bases_[i] = reinterpret_cast<const uint8_t *>(uintptr_t(peers_.member(i).base));
    boards_[i] = reinterpret_cast<uint8_t *>(uintptr_t(peers_.member(i).board));
  }
  peers_.attach(boards_, static_cast<uint32_t>(plans_.size()));
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
  peers_.detach();
  memories_.clear();
  if (descriptor_ >= 0 && isBound_)
    clear(dramOffset_, plan_.dram_end - plan_.dram_begin);
  isPrepared_ = isBound_ = false;
}

void MappedTransport::fail(const char *message) noexcept {
  if (process_ != getpid()) // a forked child has no part in the mesh
    return;
  peers_.fail("device %u of the mesh has failed: %s", peers_.device, message);
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

template <typename Function> int MappedTransport::takePart(Function function) noexcept {
  std::atomic<uint32_t> &inside = peers_.member(peers_.device).inside;
  inside.store(1, std::memory_order_relaxed);
  const bool isDone = function();
  // A device that fails continues, and may have changed what this one has read meanwhile.
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool isGood = isDone && !peers_.hasFailed();
  inside.store(0, std::memory_order_release);
  return isGood ? 0 : 1;
}

int MappedTransport::exchange(uint32_t collective, const uint64_t *operands) noexcept {
  if (!plans_[collective].takesPart)
    return peers_.hasFailed();
  return takePart([&] {
    return plans_[collective].isSmall ? exchangeSmall(collective, operands)
                                      : exchangeLarge(collective, operands);
  });
}

bool MappedTransport::exchangeSmall(uint32_t collective, const uint64_t *operands) noexcept {
  const ExchangePlan &plan = plans_[collective];
  Count &count = counts_[collective];
  const bool isOffered = std::exchange(count.isOffered, false);
  const uint64_t begun = isOffered ? count.progress : ++count.progress;
  const uint32_t slot = begun % kSlots;
  if (!isOffered) {
    if (plan.sendsInput) {
      for (const Taker &taker : plan.takers)
        if (begun > kSlots && !peers_.await(taker.device, collective, begun - kSlots + 1))
            [[unlikely]]
          return false;
      memcpy(this->slot(plan, peers_.device, slot), base_ + operands[0], plan.inputBytes);
    }
    peers_.publish(collective, begun);
  }
  const Round &round = plan.schedule[0];
  if (slow_) [[unlikely]]
    depart(collective, 0, begun);
  for (uint32_t i = 0; i < round.waits; ++i)
    if (!peers_.await(plan.waits[round.firstWait + i], collective, begun)) [[unlikely]]
      return false;
  makePasses(plan, round, operands, slot);
  if (slow_) [[unlikely]]
    slow_->arrive();
  return true;
}

bool MappedTransport::exchangeLarge(uint32_t collective, const uint64_t *operands) noexcept {
  const ExchangePlan &plan = plans_[collective];
  Count &count = counts_[collective];
  const bool isOffered = std::exchange(count.isOffered, false);
  const uint64_t begun = isOffered ? count.progress : count.progress + 1;
  count.progress = begun + plan.rounds;
  if (!isOffered)
    peers_.publish(collective, begun);
  announceInside(/*hasPublished=*/!isOffered);
  for (uint32_t k = 0; k < plan.rounds; ++k) {
    const Round &round = plan.schedule[k];
    if (slow_) [[unlikely]]
      depart(collective, k, begun + k);
    for (uint32_t i = 0; i < round.waits; ++i)
      if (!peers_.await(plan.waits[round.firstWait + i], collective, begun + k)) [[unlikely]]
        return false;
    if (peers_.hasFailed()) [[unlikely]] // whose memory may be gone
      return false;
    makePasses(plan, round, operands, 0);
    if (slow_) [[unlikely]]
      slow_->arrive();
    peers_.publish(collective, begun + k + 1);
  }
  for (const Taker &taker : plan.takers)
    if (!peers_.await(taker.device, collective, begun + taker.round + 1)) [[unlikely]]
      return false;
  return true;
}

/// Over slow links: what peers have for this device leaves when they are so far.
void MappedTransport::depart(uint32_t collective, uint32_t round, uint64_t progress) noexcept {
  const ExchangePlan &plan = plans_[collective];
  const Round &of = plan.schedule[round];
  slow_->depart(collective, round, &plan.waits[of.firstWait], of.waits,
                [&](uint32_t peer) { return peers_.hasCome(peer, collective, progress); });
}

/// Publishes the begin of an exchange. A small input goes to a slot, unless that is still in use.
int MappedTransport::offer(uint32_t collective, uint64_t input) noexcept {
  const ExchangePlan &plan = plans_[collective];
  Count &count = counts_[collective];
  if (!plan.takesPart || count.isOffered)
    return peers_.hasFailed();
  const uint64_t begun = count.progress + 1;
  if (plan.isSmall && plan.sendsInput) {
    for (const Taker &taker : plan.takers)
      if (begun > kSlots && !peers_.hasCome(taker.device, collective, begun - kSlots + 1))
        return peers_.hasFailed();
    memcpy(slot(plan, peers_.device, begun % kSlots), base_ + input, plan.inputBytes);
  }
  count = {begun, true};
  peers_.publish(collective, begun);
  return peers_.hasFailed();
}

//===----------------------------------------------------------------------===//
// Sends and receives
//===----------------------------------------------------------------------===//

/// A sender counts what it has sent, a receiver what it has got.
int MappedTransport::send(uint32_t collective, uint64_t input) noexcept {
  const ExchangePlan &plan = plans_[collective];
  const uint64_t number = ++counts_[collective].progress;
  return takePart([&] {
    const uint64_t before = plan.isSmall ? kSlots : 0; // that may still be on their way
    auto await = [&] {
      return number <= before ||
             std::all_of(plan.takers.begin(), plan.takers.end(), [&](const Taker &taker) {
               return peers_.await(taker.device, collective, number - before);
             });
    };
    if (!plan.isSmall) {
      peers_.progress(peers_.device, collective).input = input;
      peers_.publish(collective, number);
      return await();
    }
    if (!await()) [[unlikely]]
      return false;
    memcpy(slot(plan, peers_.device, number % kSlots), base_ + input, plan.inputBytes);
    peers_.publish(collective, number);
    return true;
  });
}

int MappedTransport::receive(uint32_t collective, uint64_t output) noexcept {
  const ExchangePlan &plan = plans_[collective];
  const uint64_t number = ++counts_[collective].progress;
  return takePart([&] {
    if (plan.waits.empty()) { // the loader has refused such streams
      peers_.fail("device %u of the mesh receives nothing in collective %u", peers_.device,
                  collective);
      return false;
    }
    const uint32_t from = plan.waits.front();
    announceInside(/*hasPublished=*/false);
    if (slow_) [[unlikely]]
      depart(collective, 0, number);
    if (!peers_.await(from, collective, number) || peers_.hasFailed()) [[unlikely]]
      return false;
    copyBytes(base_ + output,
              plan.isSmall ? slot(plan, from, number % kSlots)
                           : bases_[from] + peers_.progress(from, collective).input,
              plan.inputBytes);
    if (slow_) [[unlikely]]
      slow_->arrive();
    peers_.publish(collective, number);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void MappedTransport::makePasses(const ExchangePlan &plan, const Round &round,
                                 const uint64_t *operands, uint32_t slot) noexcept {
  for (uint32_t i = 0; i < round.passes; ++i)
    makePass(plan, plan.passes[round.firstPass + i], operands, slot);
}

void MappedTransport::makePass(const ExchangePlan &plan, const Pass &pass, const uint64_t *operands,
                               uint32_t slot) noexcept {
  uint8_t *to = base_ + operands[static_cast<size_t>(pass.to)] + pass.toOffset;
  const Source *sources = &plan.sources[pass.firstSource];
  for (uint64_t row = 0; row < pass.rows; ++row, to += pass.toPitch) {
    auto at = [&](uint32_t source) {
      return place(plan, sources[source], operands, slot) + row * sources[source].pitch;
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
  auto meet = [&] { return peers_.meet(Peers::Meeting::Running); };
  if (!meet()) // nothing reads slots any more
    return 1;
  for (size_t begin = 0; begin < bytes; begin += kChunk) {
    const size_t chunk = std::min(kChunk, bytes - begin);
    memcpy(peers_.slot(peers_.device, 0), static_cast<const uint8_t *>(data) + begin, chunk);
    if (!meet())
      return 1;
    for (uint32_t i = 0; i < peers_.devices; ++i)
      memcpy(to + i * bytes + begin, peers_.slot(i, 0), chunk);
    if (!meet())
      return 1;
  }
  return 0;
}

} // namespace ttrt::mesh

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Peers.h"

#include "Support.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace ttrt::mesh {

/// How often a thread that sleeps looks whether the others still live.
static constexpr long kLookNs = 50000000;
/// How long a device waits for the others to open.
static constexpr uint64_t kMeetSeconds = 120;
/// How often a thread looks before it sleeps: for about 100 microseconds, or 5 where another device
/// may need the CPU. It never yields: on a busy machine that costs a time slice of each other
/// thread.
static constexpr int kSpins = 3000, kFewSpins = 150;
/// How often a device looks, every 0.1 ms, for the message of one that fails.
static constexpr int kLooksForMessage = 3000;

static void pauseCpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  __asm__ volatile("yield");
#endif
}

uint64_t nowNs() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

Mapping::Mapping(int descriptor, uint64_t offset, uint64_t bytes) : bytes_(bytes) {
  const int flags = descriptor < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
  void *address =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, static_cast<off_t>(offset));
  if (address == MAP_FAILED)
    mesh::fail(TTRT_OUT_OF_MEMORY, "cannot map %llu bytes of the mesh's memory: %s",
               static_cast<unsigned long long>(bytes), strerror(errno));
  data_ = static_cast<uint8_t *>(address);
}

Mapping::~Mapping() { munmap(data_, bytes_); }

Peers::Peers(std::shared_ptr<Mapping> control, uint32_t device, uint32_t devices, bool areThreads)
    : device(device), devices(devices), areThreads(areThreads), control_(std::move(control)),
      layout_(devices), processes_(devices, -1), meetings_(member(device).arrived.load()),
      spins_(kFewSpins) {}

Peers::~Peers() {
  for (int process : processes_)
    if (process >= 0)
      close(process);
}

void Peers::attach(std::vector<uint8_t *> boards, uint32_t collectives) {
  std::vector<uint64_t> seen(uint64_t(collectives) * devices);
  const std::lock_guard<std::mutex> lock(attaching_);
  boards_ = std::move(boards);
  collectives_ = collectives;
  seen_ = std::move(seen);
}

void Peers::detach() noexcept {
  const std::lock_guard<std::mutex> lock(attaching_);
  boards_.clear();
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// The 32 bits that a futex is; the lower ones.
template <typename Word> static uint32_t *futexOf(std::atomic<Word> &word) {
  static_assert(std::endian::native == std::endian::little);
  return reinterpret_cast<uint32_t *>(&word);
}

bool Peers::hasEnded(uint32_t peer) noexcept {
  const pid_t pid = member(peer).pid.load(std::memory_order_acquire);
  if (areThreads || peer == device || pid == 0 || pid == getpid())
    return false;
  int &process = processes_[peer];
  if (process < 0)
    process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) // ask kill(), until its parent has been told
    return errno == ESRCH || (kill(pid, 0) != 0 && errno == ESRCH);
  pollfd one{process, POLLIN, 0}; // also if its parent has not been told yet
  return poll(&one, 1, 0) > 0 && one.revents != 0;
}

template <typename Function>
void Peers::checkAlive(uint32_t peer, bool mayBeClosed, Function isThere) noexcept {
  // A device that has done its part may close and end. So what it has done is looked at last.
  for (uint32_t i = 0; i < devices; ++i) {
    if (i != peer && member(i).closed.load(std::memory_order_acquire))
      continue;
    if (hasEnded(i) && !isThere(i))
      return fail("device %u of the mesh has ended: process %d", i, member(i).pid.load());
  }
  if (!mayBeClosed && member(peer).closed.load(std::memory_order_acquire) && !isThere(peer))
    fail("device %u of the mesh has ended: it is closed", peer);
}

void Peers::checkTime(uint32_t peer, uint64_t begin) noexcept {
  const uint64_t now = nowNs(), deadline = deadline_.load(std::memory_order_relaxed);
  const uint32_t limit = waitLimitMs_.load(std::memory_order_relaxed);
  if (limit && now - begin > uint64_t(limit) * 1000000)
    fail("device %u of the mesh has waited for device %u for longer than its limit of %u ms",
         device, peer, limit);
  else if (deadline && now >= deadline)
    fail("the deadline of device %u of the mesh has passed while it waited for device %u", device,
         peer);
}

template <typename Word> void Peers::wake(std::atomic<Word> &word) const noexcept {
  syscall(SYS_futex, futexOf(word), areThreads ? FUTEX_WAKE_PRIVATE : FUTEX_WAKE, INT_MAX, nullptr,
          nullptr, 0);
}

template void Peers::wake(std::atomic<uint64_t> &word) const noexcept; // publish() calls it

template <typename Word> void Peers::sleep(std::atomic<Word> &word, Word expected) const noexcept {
  const timespec patience{0, kLookNs};
  syscall(SYS_futex, futexOf(word), areThreads ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT,
          static_cast<uint32_t>(expected), &patience, nullptr, 0);
}

bool Peers::await(uint32_t peer, uint32_t collective, uint64_t value) noexcept {
  uint64_t &seen = seen_[uint64_t(collective) * devices + peer];
  if (seen >= value)
    return true;
  std::atomic<uint64_t> &word = progress(peer, collective).word;
  for (int i = 0; i < spins_; ++i) {
    const uint64_t found = word.load(std::memory_order_acquire) >> 1;
    if (found >= value) [[likely]] {
      seen = found;
      return true;
    }
    pauseCpu();
  }
  return awaitAsleep(peer, collective, value);
}

[[gnu::cold, gnu::noinline]] bool Peers::awaitAsleep(uint32_t peer, uint32_t collective,
                                                     uint64_t value) noexcept {
  std::atomic<uint64_t> &word = progress(peer, collective).word;
  for (const uint64_t begin = nowNs();;) {
    uint64_t found = word.load(std::memory_order_acquire);
    if (found >> 1 >= value) {
      seen_[uint64_t(collective) * devices + peer] = found >> 1;
      return true;
    }
    if (hasFailed())
      return false;
    if (!(found & 1) && !word.compare_exchange_strong(found, found | 1, std::memory_order_acq_rel))
      continue;
    // Before the first sleep, too: a device that closes wakes those that sleep then.
    checkAlive(peer, /*mayBeClosed=*/false, [&](uint32_t other) {
      return other == peer ? word.load(std::memory_order_acquire) >> 1 >= value
                           : member(other).closed.load(std::memory_order_acquire) != 0;
    });
    checkTime(peer, begin);
    sleep(word, found | 1);
  }
}

bool Peers::meet(Meeting kind) noexcept {
  Member &self = member(device);
  self.arrived.store(++meetings_, std::memory_order_release);
  wake(self.arrived);
  const uint64_t begin = nowNs();
  for (uint32_t i = 0; i < devices; ++i) {
    std::atomic<uint32_t> &arrived = member(i).arrived;
    for (;;) {
      const uint32_t found = arrived.load(std::memory_order_acquire);
      if (static_cast<int32_t>(found - meetings_) >= 0)
        break;
      if (hasFailed())
        return false;
      checkAlive(i, kind == Meeting::First, [&](uint32_t other) {
        return static_cast<int32_t>(member(other).arrived.load(std::memory_order_acquire) -
                                    meetings_) >= 0;
      });
      checkTime(i, begin);
      if (kind != Meeting::Running && nowNs() - begin > kMeetSeconds * 1000000000u)
        fail("device %u of the mesh has not come within %u seconds", i,
             static_cast<unsigned>(kMeetSeconds));
      sleep(arrived, found);
    }
  }
  return !hasFailed();
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

void Peers::know() {
  uint64_t cpus[std::size(Member{}.cpus)] = {};
  for (uint32_t i = 0; i < devices; ++i) {
    const Member &other = member(i);
    for (size_t word = 0; word < std::size(cpus); ++word)
      cpus[word] |= other.cpus[word];
  }
  uint32_t count = 0;
  for (uint64_t word : cpus)
    count += static_cast<uint32_t>(std::popcount(word));
  spins_ = count >= devices ? kSpins : kFewSpins;
  for (int &process : processes_)
    if (process >= 0)
      close(std::exchange(process, -1));
}

void Peers::fail(const char *pattern, ...) noexcept {
  Header &shared = header();
  uint32_t good = Header::kGood;
  if (!shared.failure.compare_exchange_strong(good, Header::kFailing))
    return;
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(shared.message, sizeof(shared.message), pattern, arguments);
  va_end(arguments);
  shared.failure.store(Header::kFailed);
  wakeAll();
}

void Peers::wakeAll() noexcept {
  for (uint32_t i = 0; i < devices; ++i)
    wake(member(i).arrived);
  const std::lock_guard<std::mutex> lock(attaching_);
  for (uint32_t i = 0; i < boards_.size(); ++i)
    for (uint32_t collective = 0; collective < collectives_; ++collective)
      if (std::atomic<uint64_t> &word = progress(i, collective).word; word.load() & 1)
        wake(word);
}

const char *Peers::failure() const noexcept {
  const uint32_t state = header().failure.load(std::memory_order_acquire);
  if (state == Header::kGood)
    return nullptr;
  // Whoever writes the message may have lost its CPU; or it has ended.
  for (int i = 0; i < kLooksForMessage; ++i) {
    if (header().failure.load(std::memory_order_acquire) == Header::kFailed)
      return header().message;
    const timespec pause{0, 100000};
    nanosleep(&pause, nullptr);
  }
  return "a device of the mesh has ended while it failed";
}

} // namespace ttrt::mesh

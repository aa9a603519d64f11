// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Members.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace ttrt::mpi {

using namespace std::chrono_literals;

static constexpr int kNoticeTag = 1;
static constexpr uint32_t kForEver = UINT32_MAX;
/// How long a peer that has left may be waited for: messages that it sent before are on their way.
static constexpr auto kGrace = 100ms;
/// How often a waiting rank looks whether the others' processes live.
static constexpr auto kWatch = 50ms;
/// After this time, a waiting rank sleeps between its looks.
static constexpr auto kPatience = 20ms;
static constexpr auto kNap = 100us;

static std::string messageOf(const char *call, int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    snprintf(text, sizeof text, "error %d", code);
  return std::string(call) + ": " + text;
}

MpiError::MpiError(const char *call, int code) : runtime_error(messageOf(call, code)) {}

void check(const char *call, int code) {
  if (code != MPI_SUCCESS)
    throw MpiError(call, code);
}

Members::Members(MPI_Comm communicator) {
  check("MPI_Comm_dup", MPI_Comm_dup(communicator, &data_));
  check("MPI_Comm_dup", MPI_Comm_dup(communicator, &notices_));
  for (MPI_Comm own : {data_, notices_})
    check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
  check("MPI_Comm_rank", MPI_Comm_rank(data_, &self_));
  check("MPI_Comm_size", MPI_Comm_size(data_, &size_));
  peers_.resize(size_);
  sends_.reserve(2 * size_);
  meetProcesses();
}

Members::~Members() {
  for (Peer &peer : peers_)
    if (peer.process >= 0)
      close(peer.process);
  int ended = 0;
  if (MPI_Finalized(&ended) != MPI_SUCCESS || ended)
    return;
  // Freeing communicators is collective: after a failure, not all ranks may come here.
  if (failure())
    return;
  MPI_Comm_free(&data_);
  MPI_Comm_free(&notices_);
}

/// Opens the processes of this host, so that a rank that dies is noticed even if its launcher does
/// not end the job.
void Members::meetProcesses() {
  struct Process {
    char host[MPI_MAX_PROCESSOR_NAME];
    uint64_t pids; ///< the namespace of the number
    int64_t pid;
  };
  Process own = {};
  int length = 0;
  check("MPI_Get_processor_name", MPI_Get_processor_name(own.host, &length));
  struct stat status = {};
  own.pids = stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
  own.pid = getpid();
  std::vector<Process> all(size_);
  check("MPI_Allgather",
        MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, data_));
  int here = 0;
  for (int rank = 0; rank < size_; ++rank) {
    if (strncmp(own.host, all[rank].host, sizeof own.host) != 0)
      continue;
    ++here;
    if (rank == self_ || !own.pids || own.pids != all[rank].pids || own.pid == all[rank].pid)
      continue;
    peers_[rank].pid = static_cast<pid_t>(all[rank].pid);
    peers_[rank].process = static_cast<int>(syscall(SYS_pidfd_open, all[rank].pid, 0));
  }
  cpu_set_t cpus;
  const int available = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
  // Ranks that are bound to a CPU each see one of them.
  const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  crowded_ = here > std::max(available, online);
}

void Members::setFailure(const char *text) {
  int expected = kNew;
  if (!state_.compare_exchange_strong(expected, kWriting))
    return;
  snprintf(text_, sizeof text_, "%s", text);
  state_.store(kFailed, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Notices
//===----------------------------------------------------------------------===//

/// Small messages: they are sent at once, without the receiver.
void Members::tell(Kind kind, uint32_t session) {
  Notice &notice = kind == Kind::Failed ? failed_ : left_;
  // The buffer may be that of an earlier notice which is still being sent.
  auto complete = [&] {
    int done = 0;
    return MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done,
                       MPI_STATUSES_IGNORE) != MPI_SUCCESS ||
           done;
  };
  const auto begin = Clock::now();
  while (!complete() && Clock::now() - begin < kGrace)
    sched_yield();
  sends_.clear();
  notice.kind = kind;
  notice.session = session;
  notice.gathers = gathers_;
  if (const char *text = failure(); text && kind == Kind::Failed)
    memcpy(notice.text, text, sizeof notice.text);
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == self_)
      continue;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&notice, sizeof notice, MPI_BYTE, rank, kNoticeTag, notices_, &request) ==
        MPI_SUCCESS)
      sends_.push_back(request);
  }
  for (const auto told = Clock::now(); !complete() && Clock::now() - told < kGrace;)
    sched_yield();
}

void Members::announceFailure() {
  if (announced_ || !failure())
    return;
  announced_ = true;
  tell(Kind::Failed, session_);
}

void Members::leave() {
  if (!failure())
    tell(Kind::Left, session_);
}

bool Members::leaveForEver() {
  session_ = kForEver;
  if (!failure()) {
    tell(Kind::Left, session_);
    return true;
  }
  announceFailure();
  auto allKnow = [&] {
    for (int rank = 0; rank < size_; ++rank)
      if (const Peer &peer = peers_[rank];
          rank != self_ && !peer.knows && !peer.hasEnded && peer.session != kForEver)
        return false;
    return true;
  };
  for (const auto begin = Clock::now(); !allKnow();) {
    if (Clock::now() - begin > 500ms)
      return false;
    readNotices();
    std::this_thread::sleep_for(kNap);
  }
  return std::none_of(peers_.begin(), peers_.end(), [](const Peer &peer) { return peer.hasEnded; });
}

void Members::readNotices() {
  for (;;) {
    int found = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, kNoticeTag, notices_, &found, &status) != MPI_SUCCESS || !found)
      return;
    Notice notice;
    if (MPI_Recv(&notice, sizeof notice, MPI_BYTE, status.MPI_SOURCE, kNoticeTag, notices_,
                 MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return;
    Peer &peer = peers_[status.MPI_SOURCE];
    if (notice.kind == Kind::Left) {
      peer.session = notice.session;
      peer.gathers = notice.gathers;
      continue;
    }
    peer.knows = true;
    notice.text[sizeof notice.text - 1] = 0;
    setFailure(notice.text);
  }
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

bool Members::keepWaiting(Waiter &waiter, int peer) {
  constexpr uint32_t kSpins = 64, kBusySpins = 2048;
  const uint32_t spin = waiter.spins++;
  if (failure())
    return false;
  if (spin % kSpins == kSpins - 1 && !watch(waiter, peer))
    return false;
  if (crowded_ || spin > kBusySpins)
    sched_yield();
  return true;
}

/// Whether a signal has stopped a process.
static bool isStopped(pid_t pid) {
  char path[32], state = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  if (FILE *file = fopen(path, "re")) { // "123 (name) T ..."
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
      state = 0;
    fclose(file);
  }
  return state == 'T' || state == 't';
}

/// What is waited for, and which process is stopped: not always that of the peer, which may itself
/// wait. In a gather, which device has not come is not known, unless its process is stopped.
std::string Members::awaited(int peer) const {
  auto hasStopped = [&](int rank) {
    return peers_[rank].process >= 0 && isStopped(peers_[rank].pid);
  };
  int stopped = peer != kAnybody && hasStopped(peer) ? peer : 0;
  while (stopped < size_ && !hasStopped(stopped))
    ++stopped;
  if (stopped == size_)
    return peer == kAnybody ? "the other devices" : "device " + std::to_string(peer);
  if (peer == kAnybody || peer == stopped)
    return "device " + std::to_string(stopped) + " (its process is stopped)";
  return "device " + std::to_string(peer) + " (the process of device " + std::to_string(stopped) +
         " is stopped)";
}

bool Members::isInTime(const Waiter &waiter, Clock::time_point now, int peer) {
  const uint64_t deadline = deadline_.load(std::memory_order_relaxed);
  const uint32_t limit = waitLimitMs_.load(std::memory_order_relaxed);
  const auto time = std::chrono::nanoseconds(now.time_since_epoch()).count();
  const bool isTooLong = limit && now - waiter.begin > std::chrono::milliseconds(limit);
  if (!isTooLong && !(deadline && static_cast<uint64_t>(time) >= deadline))
    return true;
  const std::string own = "device " + std::to_string(self_) + " of the mesh";
  const std::string text =
      isTooLong ? own + " has waited for " + awaited(peer) + " for longer than its limit of " +
                      std::to_string(limit) + " ms"
                : "the deadline of " + own + " has passed while it waited for " + awaited(peer);
  setFailure(text.c_str());
  return false;
}

/// Looks for what may keep a peer from coming.
bool Members::watch(Waiter &waiter, int peer) {
  readNotices();
  if (failure())
    return false;
  const auto now = Clock::now();
  if (waiter.begin == Clock::time_point())
    waiter.begin = waiter.watched = now;
  if (now - waiter.begin > kPatience)
    std::this_thread::sleep_for(kNap);
  if (now - waiter.watched < kWatch)
    return true;
  waiter.watched = now;
  char text[96];
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == self_)
      continue;
    const bool awaits = peer == rank || (peer == kAnybody && peers_[rank].gathers < gathers_);
    pollfd process = {peers_[rank].process, POLLIN, 0};
    if (process.fd >= 0 && poll(&process, 1, 0) == 1) {
      peers_[rank].hasEnded = true;
      snprintf(text, sizeof text, "device %d of the mesh has ended", rank);
    } else if (awaits && peers_[rank].session && peers_[rank].session >= session_ &&
               now - waiter.begin > kGrace)
      snprintf(text, sizeof text, "device %d of the mesh has closed", rank);
    else
      continue;
    setFailure(text);
    return false;
  }
  return isInTime(waiter, now, peer);
}

} // namespace ttrt::mpi

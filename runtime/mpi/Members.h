// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of a mesh: who has failed, left or died, and how to wait without waiting for one of
// those.

#ifndef TTRT_MPI_MEMBERS_H
#define TTRT_MPI_MEMBERS_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ttrt::mpi {

/// A call of MPI that has failed.
struct MpiError : std::runtime_error {
  MpiError(const char *call, int code);
};
/// Throws MpiError.
void check(const char *call, int code);

class Members {
public:
  /// Collective: all ranks of the communicator call it.
  explicit Members(MPI_Comm communicator);
  ~Members();
  Members(const Members &) = delete;
  Members &operator=(const Members &) = delete;

  int self() const { return self_; }
  int size() const { return size_; }
  /// For the messages of collectives.
  MPI_Comm data() const { return data_; }

  /// Why the mesh has failed; nullptr if it has not. Thread-safe.
  const char *failure() const {
    return state_.load(std::memory_order_acquire) == kFailed ? text_ : nullptr;
  }
  /// Waits end as ttrt_transport::limit() says. Thread-safe.
  void limit(uint32_t waitMs, uint64_t deadline) {
    waitLimitMs_.store(waitMs, std::memory_order_relaxed);
    deadline_.store(deadline, std::memory_order_relaxed);
  }
  /// The first failure counts. Does not inform others. Thread-safe.
  void setFailure(const char *text);

  // All others are calls of one thread at a time.

  /// Tells the others of the failure, once.
  void announceFailure();
  /// A device opens: until leave(), the others may wait for it.
  void enter() { ++session_; }
  /// The others must not wait for this one any more.
  void leave();
  /// The same for ever. After a failure, waits briefly until all others have noticed it; returns
  /// whether MPI can be ended.
  bool leaveForEver();

  /// All ranks take part in each gather, so one that has left may have completed this one.
  void beginGather() { ++gathers_; }
  static constexpr int kAnybody = -1;
  /// Calls done() until it returns true. `peer` is the rank that it depends on; kAnybody: all of
  /// them, for the gather that was begun last.
  /// Returns false if the mesh has failed.
  template <typename Done> bool wait(int peer, Done done) {
    if (done())
      return failure() == nullptr;
    Waiter waiter;
    do
      if (!keepWaiting(waiter, peer))
        return false;
    while (!done());
    return failure() == nullptr;
  }

private:
  using Clock = std::chrono::steady_clock;
  enum class Kind : uint32_t { Failed, Left };
  struct Notice {
    Kind kind;
    uint32_t session;
    uint32_t gathers; ///< that the rank has completed, or begun
    char text[500];
  };
  struct Waiter {
    uint32_t spins = 0;
    Clock::time_point begin = {}, watched = {};
  };
  struct Peer {
    bool knows = false; ///< of the failure
    bool hasEnded = false;
    uint32_t session = 0; ///< the latest that it has left; 0: none
    uint32_t gathers = 0; ///< in which it took part until then
    int process = -1;     ///< a pidfd, if it is on this host
    pid_t pid = 0;        ///< with it
  };

  void meetProcesses();
  bool keepWaiting(Waiter &waiter, int peer);
  bool watch(Waiter &waiter, int peer);
  bool isInTime(const Waiter &waiter, Clock::time_point now, int peer);
  std::string awaited(int peer) const;
  void readNotices();
  void tell(Kind kind, uint32_t session);

  static constexpr int kNew = 0, kWriting = 1, kFailed = 2;
  MPI_Comm data_ = MPI_COMM_NULL, notices_ = MPI_COMM_NULL;
  int self_ = 0, size_ = 1;
  bool crowded_ = false; ///< more ranks on this host than CPUs
  uint32_t session_ = 0, gathers_ = 0;
  bool announced_ = false;
  std::vector<Peer> peers_;
  std::vector<MPI_Request> sends_; ///< of notices
  Notice failed_ = {}, left_ = {};
  std::atomic<uint32_t> waitLimitMs_{0}; ///< 0: none
  std::atomic<uint64_t> deadline_{0};    ///< 0: none
  std::atomic<int> state_ = kNew;
  char text_[500] = {};
};

} // namespace ttrt::mpi

#endif // TTRT_MPI_MEMBERS_H

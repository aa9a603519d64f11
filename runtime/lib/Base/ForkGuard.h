// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads do not survive a fork: in a child, a call that waits for one would hang.

#ifndef TTRT_LIB_BASE_FORKGUARD_H
#define TTRT_LIB_BASE_FORKGUARD_H

#include <atomic>
#include <cstdint>
#include <sys/types.h>
#include <thread>

namespace ttrt {

/// Remembers the process that made it. The kernel clears a page of it in every child, so that
/// asking takes one load and no system call. Thread-safe.
class ForkGuard {
public:
  /// Throws Error.
  ForkGuard();
  ~ForkGuard();
  ForkGuard(const ForkGuard &) = delete;
  ForkGuard &operator=(const ForkGuard &) = delete;

  /// Whether this is a forked child of the process that made the guard.
  bool isChild() const noexcept { return page_->load(std::memory_order_relaxed) == 0 && isOther(); }

private:
  bool isOther() const noexcept;

  std::atomic<uint32_t> *page_ = nullptr; ///< 1; 0 in a child, or everywhere on an old kernel
  bool wipes_ = false;                    ///< whether the kernel clears it
  const pid_t pid_;
};

/// Forgets a thread that this process does not have. Joining or detaching it would be undefined.
inline void abandon(std::thread &&thread) noexcept {
  union Kept {
    explicit Kept(std::thread &&thread) noexcept : thread(std::move(thread)) {}
    ~Kept() {} // not the thread's
    std::thread thread;
  } kept(std::move(thread));
}

} // namespace ttrt

#endif // TTRT_LIB_BASE_FORKGUARD_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each system call of a use of the C API fails once, including those that the C library makes for
// it. A process that is traced makes the calls; this one lets one of them fail.

#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/QueueBundle.h"
#include "test/unit/Support/Scenario.h"
#include "test/unit/Support/TemporaryFolder.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(TTRT_TEST_SANITIZED)

namespace ttrt::test {
namespace {

/// A system call, the error that it fails with, and whether it is made nevertheless: what it
/// releases must be released.
struct Failure {
  long number;
  int error;
  bool made;
};

// Not here: calls that cannot fail, futex, what the C library must have to start a thread, and
// munmap, after which it ends the process if that fails.
constexpr Failure kFailures[] = {{SYS_openat, EMFILE, false},
                                 {SYS_memfd_create, EMFILE, false},
                                 {SYS_newfstatat, EIO, false},
                                 {SYS_fstat, EIO, false},
                                 {SYS_mmap, ENOMEM, false},
                                 {SYS_mprotect, ENOMEM, false},
                                 {SYS_madvise, ENOMEM, false},
                                 {SYS_read, EIO, false},
                                 {SYS_pread64, EIO, false},
                                 {SYS_write, ENOSPC, false},
                                 {SYS_fcntl, EMFILE, false},
                                 {SYS_fallocate, ENOSPC, false},
                                 {SYS_mkdir, EACCES, false},
                                 {SYS_linkat, EPERM, false},
                                 {SYS_access, EACCES, false},
                                 {SYS_clone, EAGAIN, false},
                                 {SYS_clone3, EAGAIN, false},
                                 {SYS_sched_getaffinity, EPERM, false},
                                 {SYS_sched_setaffinity, EPERM, false},
                                 {SYS_prctl, EINVAL, false},
                                 {SYS_close, EIO, true},
                                 {SYS_unlinkat, EIO, true}};

const Failure *failureOf(uint64_t number) {
  for (const Failure &failure : kFailures)
    if (static_cast<uint64_t>(failure.number) == number)
      return &failure;
  return nullptr;
}

/// What the traced process has found.
struct Found {
  char call[64];
  Outcome first, second; ///< the strings in `first` are of the other process
  Resources before, after;
  bool complete;
};

/// Ends the part in which system calls fail; no process has this number.
constexpr long kEnd = 0x7ffffffe;
constexpr int kNotTraced = 77;

using Use = Outcome (*)(const char *);

[[noreturn]] void traced(Use use, const char *path, Found &found) {
  mallopt(M_ARENA_MAX, 1); // each reserves as many bytes as a lost device would
  alarm(30);
  for (int i = 0; i < 2; ++i)
    found.second = use(path);
  found.before = resources();
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
    _exit(kNotTraced);
  raise(SIGSTOP);
  const Outcome outcome = use(path);
  syscall(SYS_getpgid, kEnd);
  found.first = outcome;
  strncpy(found.call, outcome.call, sizeof(found.call) - 1);
  found.after = resources();
  found.second = use(path);
  found.complete = true;
  _exit(0);
}

class SystemCallFailure : public testing::Test {
protected:
  SystemCallFailure() {
    found = static_cast<Found *>(
        mmap(nullptr, sizeof(Found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  }
  ~SystemCallFailure() override { munmap(found, sizeof(Found)); }

  /// Lets the n-th call fail and waits for the end of the process. Returns its status.
  int attempt(long n, Use use, const char *path, const Failure *&failed) {
    memset(static_cast<void *>(found), 0, sizeof(*found));
    failed = nullptr;
    const pid_t child = fork();
    if (child == 0)
      traced(use, path, *found);
    int status = 0;
    pid_t failing = 0;
    bool armed = false;
    long left = n;
    for (;;) {
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0)
        return -1;
      if (!WIFSTOPPED(status)) {
        if (thread == child)
          return status;
        continue;
      }
      const int signal = WSTOPSIG(status);
      int deliver = 0;
      if (thread == child && signal == SIGSTOP && !armed && left == n) {
        ptrace(PTRACE_SETOPTIONS, child, nullptr,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
        armed = true;
      } else if (signal == (SIGTRAP | 0x80)) {
        atCall(thread, armed, left, failing, failed);
      } else if (signal != SIGTRAP && signal != SIGSTOP) {
        deliver = signal;
      }
      ptrace(armed || failing ? PTRACE_SYSCALL : PTRACE_CONT, thread, nullptr, deliver);
    }
  }

  /// At the begin or the end of a system call.
  static void atCall(pid_t thread, bool &armed, long &left, pid_t &failing,
                     const Failure *&failed) {
    __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) <= 0)
      return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      armed &= !(info.entry.nr == SYS_getpgid && info.entry.args[0] == kEnd);
      const Failure *failure = armed ? failureOf(info.entry.nr) : nullptr;
      if (!failure || --left != 0)
        return;
      failed = failure;
      failing = thread;
      if (!failure->made)
        ptrace(PTRACE_POKEUSER, thread, offsetof(user, regs.orig_rax), -1L);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && thread == failing) {
      ptrace(PTRACE_POKEUSER, thread, offsetof(user, regs.rax), static_cast<long>(-failed->error));
      failing = 0;
    }
  }

  void failEach(Use use, const std::vector<uint8_t> &bytes, long leastCalls, long leastFailures);

  MonitoredFolder folder;
  Found *found;
};

void SystemCallFailure::failEach(Use use, const std::vector<uint8_t> &bytes, long leastCalls,
                                 long leastFailures) {
  TemporaryFile file(bytes);
  long n = 1, failures = 0;
  for (;; ++n) {
    const Failure *failed = nullptr;
    const int status = attempt(n, use, file.path(), failed);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotTraced)
      GTEST_SKIP() << "processes cannot be traced here";
    if (!failed)
      break;
    SCOPED_TRACE("system call " + std::to_string(failed->number) + ", the " + std::to_string(n) +
                 "th that fails: " + strerror(failed->error));
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "ended by signal " << WTERMSIG(status) << " or status " << WEXITSTATUS(status);
    ASSERT_TRUE(found->complete);
    const ttrt_error &error = found->first.error;
    if (*found->call) {
      ++failures;
      EXPECT_TRUE(error.status == TTRT_OUT_OF_MEMORY || error.status == TTRT_IO_ERROR)
          << found->call << ": " << ttrt_status_name(error.status) << ": " << error.message;
      EXPECT_STRNE(error.message, "") << found->call;
    }
    EXPECT_FALSE(found->first.wrong);
    EXPECT_EQ(found->after.descriptors, found->before.descriptors) << found->call;
    EXPECT_EQ(found->after.threads, found->before.threads) << found->call;
    EXPECT_EQ(found->after.files, 0) << found->call;
    EXPECT_LT(found->after.mappedBytes, found->before.mappedBytes + (48 << 20)) << found->call;
    EXPECT_EQ(found->second.error.status, TTRT_OK) << found->second.error.message;
    EXPECT_FALSE(found->second.wrong);
    if (HasFailure())
      break;
  }
  EXPECT_GT(n, leastCalls);
  EXPECT_GT(failures, leastFailures);
}

TEST_F(SystemCallFailure, EveryCall) {
  BundleBuilder builder = queueBundle();
  std::erase_if(builder.bundle.entries[0]->schedules, [](const auto &schedule) {
    return schedule->name != "single" && schedule->name != "overlap-io";
  });
  failEach(useEverything, builder.finish(), 60, 20);
}

/// Those of whether there are huge pages are no failures.
TEST_F(SystemCallFailure, CopiedWeights) {
  BundleBuilder builder;
  const std::vector<float> weights(1 << 20, 0.5f);
  builder.constant("w", weights.data(), weights.size() * sizeof(float));
  const uint32_t slot = builder.buffer("x", fb::BufferKind::Slot, builder.dataBegin(), 64);
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {16}, slot);
  BundleBuilder::step(entry, fb::StepKind::Write, 0);
  failEach(openWithHugePages, builder.finish(), 20, 10);
}

} // namespace
} // namespace ttrt::test

#else

TEST(SystemCallFailure, EveryCall) {
  GTEST_SKIP() << "for x86-64, without a sanitizer, which makes system calls of its own";
}

#endif

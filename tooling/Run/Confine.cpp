// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The filter is written out: it is short, and a list of what is allowed should be read in one
// place. A library would be one more dependency for a dozen lines.

#include "Run/Confine.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <iterator>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ttrun {

static std::atomic<uint32_t> *forbiddenCall;

/// Runs in the thread that made the call, in place of the call.
static void onForbiddenCall(int, siginfo_t *info, void *) {
  forbiddenCall->store(static_cast<uint32_t>(info->si_syscall) + 1, std::memory_order_release);
  syscall(SYS_exit_group, 1);
}

static int installFilter() {
#if defined(__x86_64__)
  constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#endif
  // Returns `action` for a call; every other call continues with the next line.
#define TTC_RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define TTC_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, field))
#define TTC_ALLOW(number)                                                                          \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), TTC_RETURN(SECCOMP_RET_ALLOW)
  static sock_filter filter[] = {
      TTC_LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0),
      TTC_RETURN(SECCOMP_RET_KILL_PROCESS),
      TTC_LOAD(nr),
      TTC_ALLOW(SYS_exit),
      TTC_ALLOW(SYS_exit_group),
      TTC_ALLOW(SYS_sched_yield),
      TTC_ALLOW(SYS_clock_gettime),
      TTC_ALLOW(SYS_clock_nanosleep),
      TTC_ALLOW(SYS_restart_syscall),
      TTC_ALLOW(SYS_rt_sigreturn),
      // futex: to wait and to wake. On little-endian machines the low half of an argument is first.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 1, 0),
      TTC_RETURN(SECCOMP_RET_TRAP),
      TTC_LOAD(args[1]),
      TTC_ALLOW(FUTEX_WAIT),
      TTC_ALLOW(FUTEX_WAKE),
      TTC_ALLOW(FUTEX_WAIT_PRIVATE),
      TTC_ALLOW(FUTEX_WAKE_PRIVATE),
      TTC_RETURN(SECCOMP_RET_TRAP),
  };
#undef TTC_ALLOW
#undef TTC_LOAD
#undef TTC_RETURN
  const sock_fprog program{std::size(filter), filter};
  // All threads at once: the device's workers run already, and sleep.
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
}

/// Waits until every other thread sleeps: a thread that has just been made registers itself with
/// the system, which the filter would forbid. False, with errno, if that takes too long.
static bool waitForThreads() {
  constexpr unsigned kPauseUs = 100, kMostPauses = 100000;
  for (unsigned pauses = 0; pauses < kMostPauses; ++pauses) {
    DIR *folder = opendir("/proc/self/task");
    if (!folder)
      return false;
    const pid_t self = gettid();
    bool asleep = true;
    while (const dirent *entry = readdir(folder)) {
      if (entry->d_name[0] == '.' || atoi(entry->d_name) == self)
        continue;
      char name[64], text[512];
      snprintf(name, sizeof(name), "/proc/self/task/%.20s/stat", entry->d_name);
      const int file = open(name, O_RDONLY | O_CLOEXEC);
      const ssize_t size = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
      if (file >= 0)
        close(file);
      text[std::max<ssize_t>(size, 0)] = 0;
      const char *state = strrchr(text, ')'); // the name before may hold anything
      asleep &= state && strncmp(state, ") S", 3) == 0;
    }
    closedir(folder);
    if (asleep)
      return true;
    usleep(kPauseUs);
  }
  errno = ETIMEDOUT;
  return false;
}

const char *confineProcess(std::atomic<uint32_t> &forbidden) noexcept {
  if (!waitForThreads())
    return "wait for the device's threads";
  // If memory runs out, this process is the one to end. Not important enough to fail.
  if (const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
    if (write(file, "1000", 4) != 4)
      errno = 0;
    close(file);
  }
  for (char **variable = environ; variable && *variable; ++variable)
    memset(*variable, 0, strlen(*variable));

  forbiddenCall = &forbidden;
  struct sigaction action{};
  action.sa_sigaction = onForbiddenCall;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &action, nullptr) != 0)
    return "handle forbidden system calls";

  // A handler of someone else (a sanitizer's) would only make forbidden calls.
  for (int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    signal(crash, SIG_DFL);

  const rlimit none{0, 0};
  for (auto resource :
       {RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE})
    if (setrlimit(resource, &none) != 0)
      return "set limits";
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return "give up privileges";
  if (syscall(SYS_close_range, 0u, ~0u, 0u) != 0)
    return "close files";
  if (const int result = installFilter(); result != 0) {
    errno = result > 0 ? EAGAIN : errno; // a thread has another filter
    return "install a seccomp filter";
  }
  return nullptr;
}

} // namespace ttrun

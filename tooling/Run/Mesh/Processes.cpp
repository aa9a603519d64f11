// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Mesh/Processes.h"

#include "Support/Error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ttrun {

namespace {
constexpr int kFailed = 1;
constexpr int64_t kSecond = 1000000000;

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

/// The ranks, from the process that has started them.
class Ranks {
public:
  explicit Ranks(std::vector<pid_t> processes)
      : processes(std::move(processes)), left(this->processes.size()) {}

  /// Until all have ended; returns the exit status.
  int wait(const sigset_t &signals) {
    while (left) {
      const timespec pause = {0, kSecond / 10};
      siginfo_t info;
      const int signal = sigtimedwait(&signals, &info, &pause);
      if (signal > 0 && signal != SIGCHLD) {
        interrupted = true; // the user caused it
        failed(128 + signal);
        end(SIGTERM);
      }
      collect();
      if (failedAt && !killed && left && now() - failedAt > kSecond) {
        killed = true;
        for (size_t rank = 0; rank < processes.size() && !interrupted; ++rank)
          if (processes[rank] > 0)
            fmt::print(stderr, "ttrun: rank {} has not ended in a second; it is killed\n", rank);
        end(SIGKILL);
      }
    }
    return status;
  }

private:
  void end(int signal) {
    for (pid_t process : processes)
      if (process > 0)
        kill(process, signal);
  }
  void failed(int with) {
    if (!status)
      status = with;
    if (!failedAt)
      failedAt = now();
  }
  void collect() {
    for (size_t rank = 0; rank < processes.size(); ++rank) {
      int how = 0;
      if (processes[rank] <= 0 || waitpid(processes[rank], &how, WNOHANG) != processes[rank])
        continue;
      processes[rank] = 0;
      --left;
      if (WIFSIGNALED(how)) {
        if (!killed && !interrupted)
          fmt::print(stderr, "ttrun: rank {} was ended by signal {} ({})\n", rank, WTERMSIG(how),
                     strsignal(WTERMSIG(how)));
        failed(kFailed);
      } else if (WEXITSTATUS(how) != 0) {
        failed(WEXITSTATUS(how));
      }
    }
  }

  std::vector<pid_t> processes; ///< 0: has ended
  size_t left;
  int status = 0;
  int64_t failedAt = 0; ///< 0: none has
  bool killed = false, interrupted = false;
};
} // namespace

int forkRanks(uint32_t ranks) {
  fflush(stdout);
  fflush(stderr);
  sigset_t signals, before;
  sigemptyset(&signals);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP})
    sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t parent = getpid();
  std::vector<pid_t> processes;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const pid_t process = fork();
    if (process == 0) {
      // A rank does not outlive the process that answers for it.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent)
        _exit(kFailed);
      sigprocmask(SIG_SETMASK, &before, nullptr);
      return static_cast<int>(rank);
    }
    if (process < 0) {
      const int problem = errno;
      for (pid_t started : processes) {
        kill(started, SIGKILL);
        waitpid(started, nullptr, 0);
      }
      sigprocmask(SIG_SETMASK, &before, nullptr);
      throw UserError(fmt::format("--processes={}: {}", ranks, strerror(problem)));
    }
    processes.push_back(process);
  }
  return -1 - Ranks(std::move(processes)).wait(signals);
}

} // namespace ttrun

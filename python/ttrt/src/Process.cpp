// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Process.h"

#include "Errors.h"

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <sys/syscall.h>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace ttrt::python {

static std::atomic<uint32_t> generation{0};
// Guarded by the GIL.
static uint32_t inProgress = 0;
static bool ending = false;
static std::thread::id endingThread;

uint32_t forks() { return generation.load(std::memory_order_relaxed); }

void watchForks() {
  // The child has one thread, and none of the calls that were in progress on others. The call that
  // forks, if it is one of ours (a host function that forks), still returns in the child; its
  // generation tells it that it is no longer counted.
  pthread_atfork(nullptr, nullptr, [] {
    generation.fetch_add(1, std::memory_order_relaxed);
    inProgress = 0;
    ending = false;
  });
}

bool isEndedByOther() { return ending && std::this_thread::get_id() != endingThread; }

void requireInterpreter() {
  if (!isEndedByOther()) [[likely]]
    return;
  PyErr_SetNone(PyExc_SystemExit);
  throw nb::python_error();
}

InProgress::InProgress() : forks_(forks()) { ++inProgress; }

InProgress::~InProgress() {
  if (forks_ == forks())
    --inProgress;
}

Unlocked::Unlocked() {
  if (!isEndedByOther()) [[likely]]
    state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  if (state_) [[likely]]
    PyEval_RestoreThread(state_);
}

//===----------------------------------------------------------------------===//
// Ctrl-C
//===----------------------------------------------------------------------===//

// A handler has no argument of its own.
static std::atomic<ttrt_device *> interruptible{nullptr};
static std::atomic<bool> interrupted{false};
static struct sigaction next; ///< the handler that was there before

static void onInterrupt(int signal, siginfo_t *info, void *context) {
  if (ttrt_device *device = interruptible.load()) {
    interrupted.store(true);
    ttrt_device_cancel(device, nullptr);
  }
  if (next.sa_flags & SA_SIGINFO)
    next.sa_sigaction(signal, info, context);
  else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN)
    next.sa_handler(signal);
}

/// Whether Python's handler of SIGINT is the one that raises KeyboardInterrupt.
static bool raisesKeyboardInterrupt() {
  try {
    const nb::module_ signal = nb::module_::import_("signal");
    return signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
  } catch (nb::python_error &) {
    return false;
  }
}

bool watchesInterrupts() {
  thread_local const bool isMain = syscall(SYS_gettid) == getpid();
  struct sigaction now;
  if (!isMain || sigaction(SIGINT, nullptr, &now) != 0)
    return false;
  if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == onInterrupt) [[likely]]
    return true; // signal.signal() would have replaced it
  if (!raisesKeyboardInterrupt())
    return false;
  next = now;
  now.sa_flags |= SA_SIGINFO;
  now.sa_sigaction = onInterrupt;
  return sigaction(SIGINT, &now, nullptr) == 0;
}

Interruptible::Interruptible(ttrt_device *device) {
  if (!device)
    return;
  interrupted.store(false);
  interruptible.store(device);
}

bool Interruptible::end() { return interruptible.exchange(nullptr) && interrupted.load(); }

bool isEnding() { return ending; }

void endCalls() {
  ending = true;
  endingThread = std::this_thread::get_id();
  while (inProgress) {
    {
      nb::gil_scoped_release released;
      const timespec pause{0, 1'000'000};
      nanosleep(&pause, nullptr);
    }
    if (PyErr_CheckSignals())
      throw nb::python_error();
  }
}

} // namespace ttrt::python

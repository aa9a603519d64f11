// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Process.h"

#include "Errors.h"

#include <atomic>
#include <pthread.h>
#include <thread>
#include <time.h>

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

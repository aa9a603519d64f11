// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to the process while calls are in progress: forks, Ctrl-C, and the end of the
// interpreter.
//
// A thread that waits for the interpreter's lock (GIL) while the interpreter ends is killed by
// CPython, in the middle of C++. So no call may be outside of the lock by then: an exit handler
// refuses new calls, and waits for those in progress.

#ifndef TTRT_PYTHON_PROCESS_H
#define TTRT_PYTHON_PROCESS_H

#include "ttrt/ttrt.h"

#include <Python.h>
#include <cstdint>

namespace ttrt::python {

/// How many forks are between this process and the one that loaded the module. What was made in
/// another process has another number.
uint32_t forks();

/// Call once, when the module is loaded.
void watchForks();

/// Throws SystemExit, which ends a thread without a message, when another thread ends the
/// interpreter.
void requireInterpreter();

/// Something that the end of the interpreter waits for. Made and destroyed with the GIL held.
class InProgress {
public:
  InProgress();
  ~InProgress();
  InProgress(const InProgress &) = delete;
  InProgress &operator=(const InProgress &) = delete;

private:
  uint32_t forks_;
};

/// Lets other threads of Python run. Where that is too late, because another thread ends the
/// interpreter, it does nothing.
class Unlocked {
public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

private:
  InProgress inProgress_;
  PyThreadState *state_ = nullptr;
};

/// Whether Ctrl-C is to end a call of this thread: it is the main one, and Python's handler raises
/// KeyboardInterrupt. That handler runs when the call has returned, so until then a handler in
/// front of it cancels what the device runs. With the GIL.
bool watchesInterrupts();
/// While this exists, Ctrl-C cancels what a device runs; null: nothing. Without the GIL.
class Interruptible {
public:
  explicit Interruptible(ttrt_device *device);
  ~Interruptible() { end(); }
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;
  /// Returns whether the device was cancelled, perhaps when its call had returned.
  bool end();
};

/// Refuses calls of other threads from now on, and waits for those in progress, without the GIL.
/// Signals are handled meanwhile.
void endCalls();
/// Whether endCalls() was called.
bool isEnding();
/// Whether another thread called it: then this one must not wait for anything that needs the GIL.
bool isEndedByOther();

} // namespace ttrt::python

#endif // TTRT_PYTHON_PROCESS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to the process while calls are in progress: forks, and the end of the interpreter.
//
// A thread that waits for the interpreter's lock (GIL) while the interpreter ends is killed by
// CPython, in the middle of C++. So no call may be outside of the lock by then: an exit handler
// refuses new calls, and waits for those in progress.

#ifndef TTRT_PYTHON_PROCESS_H
#define TTRT_PYTHON_PROCESS_H

#include <cstdint>

namespace ttrt::python {

/// How many forks are between this process and the one that loaded the module. What was made in
/// another process has another number.
uint32_t forks();

/// Call once, when the module is loaded.
void watchForks();

/// A call that lets other threads of Python run. It is made and destroyed with the GIL held.
/// Throws SystemExit, which ends a thread without a message, when another thread ends the
/// interpreter.
class Call {
public:
  Call();
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

private:
  uint32_t forks_;
};

/// Refuses calls of other threads from now on, and waits for those in progress, without the GIL.
/// Signals are handled meanwhile.
void endCalls();
/// Whether endCalls() was called.
bool isEnding();

} // namespace ttrt::python

#endif // TTRT_PYTHON_PROCESS_H

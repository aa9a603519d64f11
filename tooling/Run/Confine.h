// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes from a process, for good, nearly everything that a program can do to the system.

#ifndef TTC_TOOLING_RUN_CONFINE_H
#define TTC_TOOLING_RUN_CONFINE_H

#include <atomic>
#include <cstdint>

namespace ttrun {

/// Confines all threads of this process. They can compute, sleep, wait for and wake each other, and
/// end; no other system call works, so there are no files, no sockets, no other programs, no more
/// memory and no threads. All file descriptors are closed, and the environment is wiped. A call
/// that is not allowed ends the process with its number + 1 in `forbidden`, which must stay mapped.
/// Returns null, or what could not be done, with errno set; the process must then not continue.
const char *confineProcess(std::atomic<uint32_t> &forbidden) noexcept;

} // namespace ttrun

#endif // TTC_TOOLING_RUN_CONFINE_H

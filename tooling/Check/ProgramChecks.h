// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_CHECK_PROGRAMCHECKS_H
#define TTC_TOOLING_CHECK_PROGRAMCHECKS_H

#include "Check/ProgramRunner.h"

namespace ttrun {

/// Compares what a program does with what its table entry declares ("Program ABI" in
/// docs/bundle-format.md). Throws Violation. Returns the number of workgroups that it has also run
/// alone: all of them, or as many as can be compared in a limited number of bytes.
uint64_t checkProgram(ProgramRunner &runner);

} // namespace ttrun

#endif // TTC_TOOLING_CHECK_PROGRAMCHECKS_H

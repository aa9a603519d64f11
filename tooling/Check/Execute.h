// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun check --execute: runs each program of a bundle alone and compares what it does with what
// its table entry declares.

#ifndef TTC_TOOLING_CHECK_EXECUTE_H
#define TTC_TOOLING_CHECK_EXECUTE_H

#include "Bundle/Bundle.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ttrun {

/// What is said of one program.
struct ProgramMessage {
  uint32_t program; ///< its index
  std::string symbol;
  std::string message;
};

struct Execution {
  uint64_t programs = 0;   ///< that were run
  uint64_t workgroups = 0; ///< of these programs
  uint64_t alone = 0;      ///< of these workgroups: those that were also run alone
  uint64_t nanoseconds = 0;
  /// What a program does although its table entry excludes it; at most one for each program.
  std::vector<ProgramMessage> problems;
  std::vector<ProgramMessage> skipped; ///< why a program was not run
};

/// A program that takes longer is assumed not to end.
inline constexpr unsigned kMostSecondsOfProgram = 300;

/// Executes the bundle's machine code, each program in a process of its own. The bundle must fit
/// this machine (verifyFit()). Call it while the process has one thread. Throws std::system_error
/// if there can be no further process.
Execution executePrograms(const ttrt::Bundle &bundle, unsigned seconds = kMostSecondsOfProgram);

} // namespace ttrun

#endif // TTC_TOOLING_CHECK_EXECUTE_H

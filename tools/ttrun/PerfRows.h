// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun perf: the times of single commands and programs, as tables.

#ifndef TTC_TOOLS_TTRUN_PERFROWS_H
#define TTC_TOOLS_TTRUN_PERFROWS_H

#include "Bundle/Bundle.h"
#include "Formats/Samples.h"

#include <map>
#include <string>
#include <vector>

namespace ttrun {

/// The times of each command over all runs, in microseconds.
struct PerfTimes {
  std::map<std::pair<uint32_t, uint32_t>, Samples> commands; ///< by trace and command

  static void add(void *user, uint32_t trace, uint32_t command, uint64_t begin, uint64_t end) {
    static_cast<PerfTimes *>(user)->commands[{trace, command}].add(
        static_cast<double>(end - begin) * 1e-3);
  }
};

/// A row of the table: one command, or all commands of one program.
struct PerfRow {
  std::string trace, command, name, source;
  std::string floats; ///< element types, if the bundle multiplies bytes and some are floats
  uint64_t grid = 0, times = 1;
  bool isLoop = false;     ///< a loop is one command
  uint64_t iterations = 0; ///< of a loop; 0 if data ends it
  double least = 0, median = 0, p90 = 0, p99 = 0;
};

std::vector<PerfRow> makeRows(const ttrt::Bundle &bundle, PerfTimes &times);

/// The sum over the commands of each program, most expensive first.
std::vector<PerfRow> sumByProgram(const std::vector<PerfRow> &rows);

/// Prints at most kColumns columns; long names are shortened.
void printTable(const std::vector<PerfRow> &rows, bool programs);

/// Prints the time of an iteration of each loop that is in no other one; nothing without loops.
void printLoops(const std::vector<PerfRow> &rows);

/// Of a bundle that multiplies bytes: prints what its programs that read or write floats cost, and
/// the most expensive of them.
void printFloats(const std::vector<PerfRow> &rows);

std::string csvOf(const std::vector<PerfRow> &rows);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_PERFROWS_H

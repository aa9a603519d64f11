// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was counted, in a few numbers and in the files of a report.

#ifndef TTC_TOOLING_PROFILE_COUNTERSUMS_H
#define TTC_TOOLING_PROFILE_COUNTERSUMS_H

#include "Profile/Analysis.h"

#include <optional>

namespace ttrun {
class Json;
} // namespace ttrun

namespace ttrun::report {

struct Summary;

/// What was counted in the executions of an op.
struct CountSamples {
  std::vector<std::vector<double>> values; ///< by counter
  double enabled = 0, ran = 0;
  void add(const Analysis &analysis, const OpRun &run);
};

/// The same in a few numbers: of an op, or sums over ops, as of times.
struct CountSum {
  std::vector<Spread> values; ///< by counter; without samples where it was not counted
  double enabled = 0, ran = 0;

  CountSum() = default;
  explicit CountSum(CountSamples samples);
  void add(const CountSum &other);
  bool isScaled() const { return ran < enabled; }
};

/// What follows from counts. Nothing if a counter that it needs was not counted.
struct Rates {
  std::optional<double> instructionsPerCycle;
  std::optional<double> cacheMisses, branchMisses; ///< of 1000 instructions
  std::optional<double> flops;                     ///< vector FLOPs of an execution
};
Rates ratesOf(const Log &log, const CountSum &sum);

/// "CACHE MISSES", "TASK CLOCK [ns]", "RAW 0x1c7": the column of a counter.
std::string columnOf(const CounterInfo &counter);
/// Columns of the ops' CSV, each after a comma; and their cells. `row` may be kNone.
std::string counterColumns(const Log &log);
std::string counterCells(const Analysis &analysis, uint32_t row);
/// How many columns these are.
size_t counterColumnCount(const Log &log);

/// What could not be counted and why, and notes about the values, one line each.
std::vector<std::string> counterNotes(const Analysis &analysis);
/// The table of --counters: at most `rows` programs.
void printCounters(const Analysis &analysis, const Summary &summary, size_t rows);
/// Key "counters" of the report: the counters.
void addCounterList(Json &json, const Analysis &analysis);
/// Keys of an op: "counters", "ipc", ... Nothing if nothing was counted.
void addCounterFields(Json &json, const Log &log, const CountSum &sum);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_COUNTERSUMS_H

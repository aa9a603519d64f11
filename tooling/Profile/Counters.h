// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was counted in each command (ttrt_profiler_options::counters).

#ifndef TTC_TOOLING_PROFILE_COUNTERS_H
#define TTC_TOOLING_PROFILE_COUNTERS_H

#include "Profile/PairMarkers.h"

#include <vector>

namespace ttrun::report {

/// Rows of counts. Each has the time that counters were meant to run, the time that they ran, and a
/// value for each counter.
class CountTable {
public:
  explicit CountTable(size_t counters = 0) : counters(counters) {}

  uint32_t add();
  /// A row with the sum of some rows of another table, scaled by the times. kNone if one of them is
  /// kNone or did not run.
  uint32_t addSum(const CountTable &other, const std::vector<uint32_t> &rows);
  double &enabled(uint32_t row) { return cell(row, 0); }
  double &ran(uint32_t row) { return cell(row, 1); }
  double &value(uint32_t row, size_t counter) { return cell(row, 2 + counter); }
  double enabled(uint32_t row) const { return cells[row * (2 + counters)]; }
  double ran(uint32_t row) const { return cells[row * (2 + counters) + 1]; }
  double value(uint32_t row, size_t counter) const {
    return cells[row * (2 + counters) + 2 + counter];
  }

private:
  double &cell(uint32_t row, size_t column) { return cells[row * (2 + counters) + column]; }

  size_t counters;
  std::vector<double> cells;
};

/// Adds a row for each counted command of a ring. Returns the rows by span; empty if nothing was
/// counted.
std::vector<uint32_t> addCounts(const RingZones &zones, CountTable &table);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_COUNTERS_H

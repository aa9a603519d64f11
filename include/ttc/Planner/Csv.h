// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planning problems as CSV, with the columns of minimalloc in any order: id, lower, upper, size
// and, optionally, alignment and offset.
#ifndef TTC_PLANNER_CSV_H
#define TTC_PLANNER_CSV_H

#include "ttc/Planner/Planner.h"
#include <istream>
#include <ostream>
#include <string>

namespace ttc::planner {

struct Problem {
  std::vector<std::string> ids;
  std::vector<Buffer> buffers;
};

/// Reads a problem. On failure returns nothing and sets `error` to what was expected and found.
std::optional<Problem> readCsv(std::istream &input, std::string &error);
/// Likewise from a file, which the error message names; "-" is standard input.
std::optional<Problem> readCsvFile(const std::string &path, std::string &error);

/// Writes the problem with a column `offset`.
void writeCsv(std::ostream &output, const Problem &problem, const Plan &plan);

} // namespace ttc::planner

#endif // TTC_PLANNER_CSV_H

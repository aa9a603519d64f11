// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLS_TTRUN_PROFILE_REPORT_H
#define TTC_TOOLS_TTRUN_PROFILE_REPORT_H

#include <cstdint>
#include <string>

namespace ttrun {

struct ReportOptions {
  std::string bundle; ///< replaces the path that the log has
  bool print = true;
  bool json = false;  ///< what is printed is JSON
  uint64_t rows = 20; ///< ops in the text
};

/// Writes the files of a recording's folder, and prints its summary. `folder` may be
/// the one above it: the newest recording is taken then.
void makeReport(const std::string &folder, const ReportOptions &options);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_PROFILE_REPORT_H

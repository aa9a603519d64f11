// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_PROFILE_REPORT_H
#define TTC_TOOLING_PROFILE_REPORT_H

#include "Profile/Machine.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ttrun {

class OptionParser;

struct ReportOptions {
  std::string bundle; ///< replaces the path that the log has
  bool print = true;
  bool json = false;        ///< what is printed is JSON
  uint64_t rows = 20;       ///< ops in the text
  bool counters = false;    ///< the text has a table of what was counted
  bool gaps = false;        ///< print where they are, too
  std::string picture;      ///< file; empty: none
  uint64_t iterations = 3;  ///< in the picture
  bool measurePeak = false; ///< measures this machine, and stores that in the folder
  report::GivenLimits limits;
  bool traffic = false; ///< the text has the traffic of each core
  bool scaling = false; ///< the text has the time on other numbers of cores

  /// Declares --measure-peak, --peak-gflops and so on.
  void declareLimits(OptionParser &parser);
};

/// Writes the files of a recording's folder, and prints its summary. `folder` may be
/// the one above it: the newest recording is used then.
void makeReport(const std::string &folder, const ReportOptions &options);

/// The folder itself if it has a log, else the newest folder in it that has one. Throws UserError.
std::filesystem::path recordingIn(const std::filesystem::path &folder);

/// ttrun perf --compare: prints how two measurements differ. Each is the folder of a report, or a
/// file of ttrun perf --json. Medians count as different if they are further apart than `tolerance`
/// percent and what samples of their spread would be by chance. Returns the exit status: 1 if the
/// second one is slower.
int compareReports(const std::vector<std::string> &files, bool asJson, double tolerance);

} // namespace ttrun

#endif // TTC_TOOLING_PROFILE_REPORT_H

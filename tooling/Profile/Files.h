// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a report.

#ifndef TTC_TOOLING_PROFILE_FILES_H
#define TTC_TOOLING_PROFILE_FILES_H

#include "Profile/Analysis.h"

#include <string>

namespace ttrun::report {

/// ops_perf_results_*.csv: a row for each op, transfer, host step and signpost, in order of time.
std::string opsCsv(const Analysis &analysis);
/// profile_log_device.csv: all markers of all cores.
std::string markersCsv(const Analysis &analysis);
/// timeline.json: Chrome's trace event format.
std::string timelineJson(const Analysis &analysis);

/// What of a zone's hash is known: a name in the device's bundle or one that the application has
/// registered, or the hash.
class ZoneNames {
public:
  explicit ZoneNames(const Analysis &analysis);
  std::string operator()(uint32_t device, uint32_t hash) const;

private:
  const Analysis &a;
  std::map<uint32_t, std::string> names;
};

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_FILES_H

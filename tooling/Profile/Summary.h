// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording in a few numbers: as text, as JSON, and as one line.

#ifndef TTC_TOOLING_PROFILE_SUMMARY_H
#define TTC_TOOLING_PROFILE_SUMMARY_H

#include "Profile/CounterSums.h"
#include "Profile/Roofline.h"

namespace ttrun {
struct ReportOptions;
}

namespace ttrun::report {

/// All executions of one command, of the same command on all devices, or of one transfer.
struct OpSum {
  std::string trace; ///< "" for steps
  int64_t command = -1;
  std::string name, kind, source;
  std::string type;                ///< "device", "exchange", "transfer", "host"
  uint64_t grid = 0, commands = 1; ///< commands: how many were summed up
  uint64_t dramBytes = 0;          ///< read and written, in one execution
  uint64_t flops = 0;              ///< in one execution; 0: unknown, or none
  bool multipliesBytes = false;    ///< OpInfo's
  Ideal ideal;                     ///< of one execution
  Spread time;                     ///< kernel durations or durations, nanoseconds
  double share = 0;                ///< of the device's time; 0 for steps
  CountSum counts;                 ///< on all cores together
};

/// A share of the critical path.
struct CauseShare {
  double share = 0;
  double error = 0; ///< half of the 95 % interval; 0 if there are too few iterations to tell
};
/// "compute", "transfers in", ...
const char *nameOf(Cause cause);

struct Verdict {
  /// "compute", "transfer in", "transfer out", "transfer" (both), "host", "mesh"; "mixed" if none
  /// of them has half of the critical path, "unclear" if the error allows both.
  std::string bound;
  std::array<CauseShare, kCauses> causes;
  size_t blocks = 0; ///< of iterations, from which the shares are; 0: from the whole recording
  TraceSaving trace; ///< if the host dispatched commands one at a time
  std::string text;  ///< one line
};

/// A zone of a program, over all executions on all cores; or its data, or its events.
struct ZoneSum {
  std::string zone, program;
  ttrt::profile::MarkerKind kind; ///< ZoneBegin, ZoneTotal, Data, Event
  uint64_t count = 0;             ///< executions, or markers
  /// Nanoseconds. A sample is the sum over a command on a core that executes the zone.
  Spread time;
  double share = 0;                         ///< of the time of its program, on all cores
  uint64_t least = 0, median = 0, most = 0; ///< of data

  bool isTimed() const {
    return kind == ttrt::profile::MarkerKind::ZoneBegin ||
           kind == ttrt::profile::MarkerKind::ZoneTotal;
  }
  const char *kindName() const; ///< "zone", "total", "data", "event"
};

struct Summary {
  std::vector<OpSum> ops;        ///< by trace and command, then steps
  std::vector<OpSum> names;      ///< by program: sums over its commands, most expensive first
  std::vector<OpSum> kinds;      ///< the same by kind
  std::vector<Verdict> verdicts; ///< by device
  std::vector<ZoneSum> zones;    ///< of programs; those with the most time first
  Spread runs;                   ///< durations of blocking runs on the host
  double opTime = 0;             ///< sum of `share` over all devices
};

Summary summarise(const Analysis &analysis);
/// Prints what the options ask for.
void printSummary(const Analysis &analysis, const Summary &summary, const std::string &folder,
                  const ReportOptions &options);
std::string summaryJson(const Analysis &analysis, const Summary &summary,
                        const std::string &folder);
/// report.html: everything on one page, which needs no network.
std::string pageHtml(const Analysis &analysis, const Summary &summary);
/// Where markers are missing or invalid and what to do about it: a line for each such core.
std::vector<std::string> warningsOf(const Analysis &analysis);
/// Sums over the zones, data and events of all programs.
std::vector<ZoneSum> zonesOf(const Analysis &analysis);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_SUMMARY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Report.h"
#include "Commands.h"
#include "Profile/Files.h"
#include "Profile/Picture.h"
#include "Profile/Summary.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "Support/WriteFile.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace ttrun {

namespace fs = std::filesystem;
using namespace report;

fs::path recordingIn(const fs::path &folder) {
  const char *log = ttrt::profile::kLogName;
  if (fs::exists(folder / log))
    return folder;
  if (!fs::is_directory(folder))
    throw UserError(fmt::format("{}: expected the folder of a recording", folder.string()));
  fs::path newest;
  fs::file_time_type newestTime;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    std::error_code error;
    const fs::file_time_type time = fs::last_write_time(entry.path() / log, error);
    if (error ||
        (!newest.empty() && (time < newestTime || (time == newestTime && entry.path() < newest))))
      continue;
    newest = entry.path();
    newestTime = time;
  }
  if (newest.empty())
    throw UserError(fmt::format("{}: no recording ({}) in this folder or in those inside of it",
                                folder.string(), log));
  return newest;
}

void ReportOptions::declareLimits(OptionParser &parser) {
  parser.real("peak-gflops", "G",
              "what all cores can compute together, in 10^9 operations\non f32 per second",
              limits.gflops);
  parser.real("peak-int8-gops", "G", "the same for products of 8-bit integers", limits.int8Gops);
  parser.real("bandwidth-gbs", "G", "the memory's bandwidth, in 10^9 bytes per second",
              limits.bandwidthGbs);
}

/// The limits of each device. What is measured is stored beside the recording.
static void addLimits(Analysis &analysis, const fs::path &folder, const ReportOptions &options) {
  const std::string path = (folder / kMachineFile).string();
  std::vector<Machine> machines;
  if (options.measurePeak) {
    for (const Device &device : analysis.log.devices)
      if (std::none_of(machines.begin(), machines.end(),
                       [&](const Machine &machine) { return machine.cores == device.info.cores; }))
        machines.push_back(measureMachine(device.info.cores));
    ttc::writeFile(path, {machineJson(machines)});
  } else {
    machines = readMachines(path);
  }
  for (size_t i = 0; i < analysis.log.devices.size(); ++i)
    analysis.limits[i] = limitsOf(options.limits, machines, analysis.log.devices[i].info.cores);
}

void makeReport(const std::string &given, const ReportOptions &options) {
  const fs::path folder = recordingIn(given);
  Analysis analysis = analyse(readLog((folder / ttrt::profile::kLogName).string()), options.bundle);
  addLimits(analysis, folder, options);
  const Summary summary = summarise(analysis);
  // "profile/20250131-120000/" has no name of its own after the last slash.
  const fs::path named = fs::absolute(folder).lexically_normal();
  const std::string name = (named.has_filename() ? named : named.parent_path()).filename().string();
  const std::string json = summaryJson(analysis, summary, folder.string());
  ttc::writeFile((folder / ("ops_perf_results_" + name + ".csv")).string(), {opsCsv(analysis)});
  ttc::writeFile((folder / "profile_log_device.csv").string(), {markersCsv(analysis)});
  ttc::writeFile((folder / "timeline.json").string(), {timelineJson(analysis)});
  ttc::writeFile((folder / "report.json").string(), {json});
  ttc::writeFile((folder / "report.html").string(), {pageHtml(analysis, summary)});
  if (!options.picture.empty())
    ttc::writeFile(options.picture, {pictureSvg(analysis, options.iterations)});
  if (!options.print)
    return;
  if (options.json)
    fmt::print("{}", json);
  else
    printSummary(analysis, summary, folder.string(), options);
  if (options.gaps && !options.json)
    printGaps(analysis, options.rows);
}

int reportCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun report", "FOLDER [options]",
      "Makes a report of a recording (docs/profiling.md): a table of ops, all markers as CSV, a\n"
      "timeline and a summary. FOLDER is the folder of a recording, or its parent, whose newest\n"
      "recording is used. The files are written to the recording's folder.",
      "  ttrun report profile\n"
      "  ttrun report profile/20250131-120000 --bundle moved/model.ttcb --json\n");
  ReportOptions options;
  parser.text("bundle", "FILE", "the bundle that was recorded, if it has been moved",
              options.bundle);
  parser.number("rows", "N", "ops, and gaps, in the text (default 20)", options.rows, 0, 1000000);
  parser.flag("counters", "also print what was counted in each program", options.counters);
  parser.flag("gaps", "also print where the device executes no op, and why", options.gaps);
  parser.text("picture", "FILE", "also draw iterations of the recording as SVG", options.picture);
  parser.number("iterations", "N", "iterations in the picture (default 3)", options.iterations, 1,
                1000000);
  parser.flag(
      "measure-peak",
      "measure the limits of this machine, for % of peak and of\nbandwidth; stored in FOLDER",
      options.measurePeak);
  options.declareLimits(parser);
  parser.flag("traffic", "also print what each core reads and writes, and where", options.traffic);
  parser.flag("scaling", "also predict how long an iteration takes on up to 64 cores",
              options.scaling);
  parser.flag("json", "print one JSON object instead of text (docs/profiling.md)", options.json);
  const std::vector<std::string> folders = parser.parse(argc, argv);
  if (folders.size() != 1)
    throw UserError(
        fmt::format("expected one folder, found {}; see ttrun report --help", folders.size()));
  makeReport(folders[0], options);
  return 0;
}

} // namespace ttrun

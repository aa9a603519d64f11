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
#include <map>
#include <optional>

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

/// A recording, and the folder of its reports.
namespace {
struct Recording {
  fs::path folder;
  Log log;
};
} // namespace

static std::string logIn(const fs::path &folder) {
  return (folder / ttrt::profile::kLogName).string();
}

/// The device of a mesh that a process has recorded. Nothing if it has several devices, or none.
static std::optional<uint32_t> deviceIn(const Log &log) {
  return log.devices.size() == 1 ? std::optional(log.devices[0].info.meshDevice) : std::nullopt;
}

/// The recordings in `parent` of the other processes of a mesh, by device: of each, the one that
/// began closest in time.
static std::map<uint32_t, fs::path> findOthers(const fs::path &parent, const Log &newest) {
  std::map<uint32_t, fs::path> found;
  std::map<uint32_t, uint64_t> distances;
  for (const fs::directory_entry &entry : fs::directory_iterator(parent)) {
    if (!fs::exists(logIn(entry.path())))
      continue;
    Log log;
    try {
      log = readLogBegin(logIn(entry.path()));
    } catch (const UserError &) {
      continue; // a recording of something else
    }
    const std::optional<uint32_t> device = deviceIn(log);
    if (!device || *device == *deviceIn(newest) || !isSameMachine(log, newest) ||
        log.devices[0].info.metadataHash != newest.devices[0].info.metadataHash)
      continue;
    const uint64_t a = log.start.hostNs, b = newest.start.hostNs;
    const uint64_t distance = std::max(a, b) - std::min(a, b);
    const auto known = distances.find(*device);
    if (known != distances.end() && known->second <= distance)
      continue;
    distances[*device] = distance;
    found[*device] = entry.path();
  }
  return found;
}

/// The recording of a folder, or the newest one in it. If that is of a process of a mesh, those of
/// the other processes are joined with it.
static Recording readRecording(const fs::path &given) {
  Recording newest{recordingIn(given), {}};
  newest.log = readLog(logIn(newest.folder));
  if (newest.folder == given || !deviceIn(newest.log))
    return newest;
  std::map<uint32_t, Log> logs;
  for (const auto &[device, folder] : findOthers(given, newest.log)) {
    Log log = readLog(logIn(folder));
    if (areAtTheSameTime(log, newest.log))
      logs.emplace(device, std::move(log));
  }
  if (logs.empty())
    return newest;
  logs.emplace(*deviceIn(newest.log), std::move(newest.log));
  std::vector<Log> inOrder;
  for (auto &[device, log] : logs)
    inOrder.push_back(std::move(log));
  return {given, joinLogs(std::move(inOrder))};
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
  Recording recording = readRecording(given);
  const fs::path &folder = recording.folder;
  Analysis analysis = analyse(std::move(recording.log), options.bundle);
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
      "recording is used. The files are written to the recording's folder; if it is one of the\n"
      "processes of a mesh, recordings of the others in FOLDER are part of one report in FOLDER.",
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

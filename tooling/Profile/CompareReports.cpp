// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun perf --compare: whether one measurement is slower than another, beyond their noise.

#include "Formats/Json.h"
#include "Formats/JsonReader.h"
#include "Formats/Printing.h"
#include "Profile/Analysis.h"
#include "Profile/Report.h"
#include "Support/Error.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ttrun {

namespace fs = std::filesystem;
using report::Spread;

namespace {
struct Measurement {
  std::vector<std::pair<std::string, Spread>> totals; ///< milliseconds, the most telling one first
  std::map<std::string, Spread> ops;                  ///< microseconds
};

/// A quantity in both measurements.
struct Change {
  std::string name;
  Spread before, after;
  double noise = 0; ///< differences up to this say nothing

  double difference() const { return after.median - before.median; }
  double percent() const { return before.median > 0 ? 100 * difference() / before.median : 0; }
  const char *verdict() const {
    return difference() > noise ? "slower" : difference() < -noise ? "faster" : "same";
  }
};
} // namespace

/// Reads an object with "count", "median" and "deviation", or with "median" and "p90" of `loops`.
static Spread spreadIn(const JsonValue &value, const std::string &suffix, double loops) {
  Spread spread;
  const double count = value["count"].isNumber() ? value["count"].number : loops;
  spread.count = count >= 1 && count < 1e15 ? static_cast<uint64_t>(count) : 0;
  spread.median = value["median" + suffix].number;
  // In a normal distribution, 90 % are below the mean plus 1.2816 standard deviations.
  spread.deviation = value["deviation"].isNumber()
                         ? value["deviation"].number
                         : std::max(0.0, (value["p90" + suffix].number - spread.median) / 1.2816);
  return spread;
}

static std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw UserError(fmt::format("cannot read {}: {}", path, strerror(errno)));
  return text.str();
}

static Measurement readMeasurement(const std::string &given) {
  std::string path = given;
  if (fs::is_directory(path)) {
    path = given + "/report.json"; // of a recording, or of the processes of a mesh
    if (!fs::exists(path))
      path = (recordingIn(given) / "report.json").string();
    if (!fs::exists(path))
      throw UserError(fmt::format("{}: no report; make it first: ttrun report {}", given, given));
  }
  JsonValue json;
  try {
    json = JsonValue::parse(readText(path));
  } catch (const UserError &error) {
    throw UserError(fmt::format("{}: {}", path, error.what()));
  }
  Measurement measurement;
  const double loops = json["loops"].number;
  auto addTotal = [&](const char *name, const JsonValue &value) {
    if (const Spread spread = spreadIn(value, "", loops); spread.count && spread.median > 0)
      measurement.totals.emplace_back(name, spread);
  };
  addTotal("run", json["run_ms"]);
  if (!json["devices"].items.empty())
    addTotal("iteration", json["devices"].items[0]["iteration_ms"]);
  addTotal("device", json["device_ms"]);
  addTotal("end to end", json["end_to_end_ms"]);
  addTotal("interval", json["interval_ms"]);
  for (const JsonValue &op : json["ops"].items) {
    const std::string name = op["name"].string + op["program"].string;
    const std::string key =
        op["command"].isNumber() && op["command"].number >= 0
            ? fmt::format("{} {:.0f} {}", op["trace"].string, op["command"].number, name)
            : name;
    const JsonValue &time = op["time_us"];
    measurement.ops[key] =
        time["count"].isNumber() ? spreadIn(time, "", 0) : spreadIn(op, "_us", loops);
  }
  if (measurement.totals.empty())
    throw UserError(path + ": expected a report, or what ttrun perf --json has printed");
  return measurement;
}

/// The number of standard errors that a normal variable exceeds, on either side, with this
/// probability.
static double quantile(double probability) {
  double low = 0, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return high;
}

static Change changeOf(const std::string &name, const Spread &before, const Spread &after,
                       double errors, double tolerance) {
  Change change{name, before, after};
  change.noise =
      errors * std::hypot(before.error(), after.error()) + tolerance / 100 * before.median;
  return change;
}

static void addChange(Json &json, const Change &change, const char *unit) {
  json.beginObject()
      .field("name", change.name)
      .field(fmt::format("old_{}", unit), change.before.median)
      .field(fmt::format("new_{}", unit), change.after.median)
      .field(fmt::format("noise_{}", unit), change.noise)
      .field("percent", change.percent())
      .field("verdict", change.verdict())
      .endObject();
}

static void printChange(const Change &change) {
  fmt::print("{:+8.1f}% {:>12.3f} {:>12.3f} {:>10.3f}  {:6}  {}\n", change.percent(),
             change.before.median, change.after.median, change.noise, change.verdict(),
             shorten(printable(change.name), kColumns - 59));
}

int compareReports(const std::vector<std::string> &files, bool asJson, double tolerance) {
  if (files.size() != 2)
    throw UserError(
        fmt::format("--compare: expected two reports, OLD and NEW; found {}", files.size()));
  const Measurement before = readMeasurement(files[0]), after = readMeasurement(files[1]);
  std::vector<Change> totals, ops;
  for (const auto &[name, spread] : before.totals)
    for (const auto &[other, theirs] : after.totals)
      if (name == other)
        totals.push_back(changeOf(name, spread, theirs, quantile(0.05), tolerance));
  if (totals.empty())
    throw UserError("--compare: the two have no measurement in common; compare two reports, or "
                    "two files of ttrun perf --json");
  size_t common = 0;
  for (const auto &[name, spread] : before.ops)
    common += after.ops.count(name);
  // Among many ops, some differ by chance: the more there are, the more each has to differ.
  const double errors = quantile(0.05 / static_cast<double>(std::max<size_t>(common, 1)));
  std::vector<std::string> gone, added;
  for (const auto &[name, spread] : before.ops)
    if (const auto found = after.ops.find(name); found != after.ops.end())
      ops.push_back(changeOf(name, spread, found->second, errors, tolerance));
    else
      gone.push_back(name);
  for (const auto &[name, spread] : after.ops)
    if (!before.ops.count(name))
      added.push_back(name);
  std::sort(ops.begin(), ops.end(), [](const Change &x, const Change &y) {
    const double a = std::abs(x.difference()), b = std::abs(y.difference());
    return a != b ? a > b : x.name < y.name;
  });

  const bool isSlower = totals[0].difference() > totals[0].noise;
  if (asJson) {
    Json json;
    json.beginObject().field("old", files[0]).field("new", files[1]);
    json.field("slower", isSlower).field("tolerance_percent", tolerance);
    json.key("totals").beginArray();
    for (const Change &change : totals)
      addChange(json, change, "ms");
    json.endArray().key("ops").beginArray();
    for (const Change &change : ops)
      addChange(json, change, "us");
    json.endArray();
    for (const auto &[key, names] : {std::pair("only_old", gone), std::pair("only_new", added)}) {
      json.key(key).beginArray();
      for (const std::string &name : names)
        json.value(name);
      json.endArray();
    }
    fmt::print("{}", json.endObject().take());
    return isSlower;
  }
  fmt::print("{:>9} {:>12} {:>12} {:>10}\n", "change", "old ms", "new ms", "noise");
  for (const Change &change : totals)
    printChange(change);
  if (!ops.empty())
    fmt::print("\n{:>9} {:>12} {:>12} {:>10}\n", "change", "old us", "new us", "noise");
  for (const Change &change : ops)
    printChange(change);
  for (const std::string &name : gone)
    printLine("only in the old one: {}", name);
  for (const std::string &name : added)
    printLine("only in the new one: {}", name);
  const Change &all = totals[0];
  printLine("");
  printLine("{}: {} {:+.1f} % ({:.3f} ms, noise +- {:.3f} ms)", all.verdict(), all.name,
            all.percent(), all.difference(), all.noise);
  return isSlower;
}

} // namespace ttrun

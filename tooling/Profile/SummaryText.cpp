// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "Profile/Report.h"
#include "Profile/Scaling.h"
#include "Profile/Summary.h"
#include "Profile/Traffic.h"

#include <algorithm>
#include <filesystem>

namespace ttrun::report {

using namespace ttrt::profile;

static double share(double part, double all) { return all > 0 ? 100 * part / all : 0; }

/// Cells of the table, if both were counted: instructions per cycle, and cache misses of 1000
/// instructions.
static std::string rateCells(const Rates &rates) {
  auto cell = [](const std::optional<double> &rate) {
    return rate ? fmt::format(" {:>6.2f}", *rate) : std::string(7, ' ');
  };
  return cell(rates.instructionsPerCycle) + cell(rates.cacheMisses);
}

/// "  53.1%", or as wide a gap.
static std::string percentText(const std::optional<double> &part, size_t width) {
  return part ? fmt::format("{:{}.1f}%", 100 * *part, width - 1) : std::string(width, ' ');
}

/// What of a program's row is about limits. Without limits, its place is taken by runs and GB/s.
struct RooflineColumns {
  bool known = false;

  explicit RooflineColumns(const std::vector<OpSum> &ops) {
    for (const OpSum &op : ops)
      known |= op.ideal.least().has_value();
  }
  std::string head() const {
    return known ? fmt::format("{:>6} {:>9} {:>8} {:>5} {:>8} {:>9} {:>14}", "share", "median us",
                               "commands", "grid", "MFLOP", "% of peak", "% of bandwidth")
                 : fmt::format("{:>6} {:>10} {:>8} {:>8} {:>7} {:>8}", "share", "median us", "runs",
                               "commands", "grid", "GB/s");
  }
  std::string of(const OpSum &op, double part) const {
    if (!known) {
      const double rate =
          op.time.median > 0 ? static_cast<double>(op.dramBytes) / op.time.median : 0;
      return fmt::format("{:5.1f}% {:10.2f} {:8} {:8} {:7} {:8.2f}", part, op.time.median * 1e-3,
                         op.time.count, op.commands, op.grid, rate);
    }
    const std::string flops =
        op.flops ? fmt::format("{:.2f}", static_cast<double>(op.flops) * 1e-6) : "";
    return fmt::format("{:5.1f}% {:9.2f} {:8} {:5} {:>8} {} {}", part, op.time.median * 1e-3,
                       op.commands, op.grid, flops,
                       percentText(shareOf(op.ideal.compute, op.time.median), 9),
                       percentText(shareOf(op.ideal.bandwidth, op.time.median), 14));
  }
};

static void printOps(const Analysis &a, const Summary &summary, size_t rows) {
  bool hasRates = false;
  for (const OpSum &op : summary.names)
    hasRates |= ratesOf(a.log, op.counts).instructionsPerCycle.has_value();
  size_t width = 7;
  const size_t shown = std::min(rows, summary.names.size());
  for (size_t i = 0; i < shown; ++i)
    width = std::max(width, columnsOf(printable(summary.names[i].name)));
  const RooflineColumns columns(summary.names);
  width = std::min<size_t>(width, columns.known ? 24 : 32);
  fmt::print("\n{}{}  {:<{}} {}\n", columns.head(), hasRates ? "    IPC miss/k" : "", "program",
             width, "source");
  for (size_t i = 0; i < shown; ++i) {
    const OpSum &op = summary.names[i];
    std::string name = shorten(printable(op.name), width);
    name += std::string(width - columnsOf(name), ' ');
    std::string line = columns.of(op, share(op.share, summary.opTime)) +
                       (hasRates ? rateCells(ratesOf(a.log, op.counts)) : "") + "  " + name;
    const std::string more = op.commands > 1 && !op.source.empty() ? ", ..." : "";
    const size_t used = columnsOf(line) + 1 + more.size();
    line += " " + shorten(printable(op.source), kColumns > used ? kColumns - used : 0) + more;
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
  if (shown < summary.names.size()) {
    double rest = 0;
    for (size_t i = shown; i < summary.names.size(); ++i)
      rest += summary.names[i].share;
    fmt::print("{:5.1f}% in {} other program{}\n", share(rest, summary.opTime),
               summary.names.size() - shown, plural(summary.names.size() - shown));
  }
}

static void printSteps(const Summary &summary) {
  bool isFirst = true;
  for (const OpSum &op : summary.ops) {
    if (op.type == "device")
      continue;
    if (isFirst)
      fmt::print("\n{:>10} {:>8}  {}\n", "median us", "runs", "transfer, exchange or host step");
    isFirst = false;
    fmt::print("{:10.3f} {:8}  {}\n", op.time.median * 1e-3, op.time.count,
               shorten(printable(op.name), kColumns - 21));
  }
}

static void printZones(const Summary &summary, size_t rows) {
  size_t shown = 0;
  for (const ZoneSum &zone : summary.zones) {
    if (!zone.isTimed() || shown == rows)
      continue;
    if (shown++ == 0)
      fmt::print("\n{:>6} {:>10} {:>8} {:>10}  {}\n", "share", "median us", "times", "total ms",
                 "zone in program");
    const char *kind = zone.kind == MarkerKind::ZoneTotal ? " (sum)" : "";
    fmt::print("{:5.1f}% {:10.2f} {:8} {:10.3f}  {}\n", 100 * zone.share, zone.time.median * 1e-3,
               zone.count, zone.time.sum * 1e-6,
               shorten(printable(fmt::format("{}{} in {}", zone.zone, kind, zone.program)),
                       kColumns - 39));
  }
  shown = 0;
  for (const ZoneSum &zone : summary.zones) {
    if (zone.isTimed() || shown == rows)
      continue;
    if (shown++ == 0)
      fmt::print("\n{:>8} {:>12} {:>12} {:>12}  {}\n", "times", "least", "median", "most",
                 "data or event in program");
    const std::string name =
        shorten(printable(fmt::format("{} in {}", zone.zone, zone.program)), kColumns - 49);
    if (zone.kind == MarkerKind::Event)
      fmt::print("{:8} {:38}  {}\n", zone.count, "", name);
    else
      fmt::print("{:8} {:12} {:12} {:12}  {}\n", zone.count, zone.least, zone.median, zone.most,
                 name);
  }
}

static void printDevice(const Analysis &a, uint32_t device) {
  const DeviceTimes &times = a.times[device];
  const DeviceModel &model = a.models[device];
  const DeviceRecord &info = a.log.devices[device].info;
  printLine("device {}     {}, {} core{}{}", device, a.log.devices[device].bundle, info.cores,
            plural(info.cores),
            info.queues > 1 ? fmt::format(" and {} for queue 1", info.queue1Cores) : "");
  if (!model.known)
    printLine("             names are unknown: {}; give --bundle=FILE", model.problem);
  const Spread iterations = spreadOf(times.iterations);
  if (iterations.count)
    printLine("iterations   {} of {}{}, median {:.3f} ms (+- {:.3f})", iterations.count + 1,
              model.stepText(times.anchor), times.dispatched ? ", dispatched" : "",
              iterations.median * 1e-6, 1.96 * iterations.error() * 1e-6);
  std::string line = fmt::format("time         {:.3f} ms:", times.span() * 1e-6);
  for (size_t i = 0; i < kUses; ++i)
    line += fmt::format("{} {} {:.1f} %", i ? "," : "", nameOf(static_cast<Use>(i)),
                        share(times.uses[i], times.span()));
  printLine(line);
  printLine("limits       {}", limitsText(a.limits[device]));
  if (times.cores > 1)
    printLine("cores        each computes in {:.1f} % of the time of ops", 100 * times.coreUse());
}

void printSummary(const Analysis &a, const Summary &summary, const std::string &folder,
                  const ReportOptions &options) {
  printLine("report       {}", folder);
  printLine("recording    {} ({}), {} zones{}", a.log.process, a.log.start.pid, a.spans,
            a.log.ended ? "" : "; it was not closed: what was not read is missing");
  const char *clock = a.log.start.deviceClock == ClockKind::Tsc ? "" : ", the host's clock";
  printLine("clock        {} samples, {:.6f} ns per tick{}; residual {:.1f} ns RMS, {:.1f} ns at "
            "most",
            a.clock.samples, a.clock.slope, clock, a.clock.rms, a.clock.largest);
  if (summary.runs.count)
    printLine("runs         {}, median {:.3f} ms (+- {:.3f}) end to end", summary.runs.count,
              summary.runs.median * 1e-6, 1.96 * summary.runs.error() * 1e-6);
  for (uint32_t i = 0; i < a.log.devices.size(); ++i)
    printDevice(a, i);
  printOps(a, summary, options.rows);
  printSteps(summary);
  printZones(summary, options.rows);
  if (options.counters)
    printCounters(a, summary, options.rows);
  if (options.traffic)
    for (uint32_t i = 0; i < a.models.size(); ++i)
      printTraffic(a, i);
  if (options.scaling)
    for (uint32_t i = 0; i < a.models.size(); ++i)
      printScaling(a, i);
  fmt::print("\n");
  for (const std::string &line : counterNotes(a))
    printLine("counters: {}", line);
  for (const std::string &line : warningsOf(a))
    printLine("warning: {}", line);
  if (const uint64_t unmatched = a.unmatchedBegins + a.unmatchedEnds + a.orphans; unmatched)
    printLine("warning: {} begin{} without an end, {} end{} without a begin, {} command{} without "
              "a stream: left out",
              a.unmatchedBegins, plural(a.unmatchedBegins), a.unmatchedEnds,
              plural(a.unmatchedEnds), a.orphans, plural(a.orphans));
  for (uint32_t i = 0; i < summary.verdicts.size(); ++i)
    printLine("{}{}", summary.verdicts.size() > 1 ? fmt::format("device {}: ", i) : "",
              summary.verdicts[i].text);
}

static void addSpread(Json &json, const char *name, const Spread &spread, double unit) {
  json.key(name)
      .beginObject(/*flat=*/true)
      .field("count", spread.count)
      .field("min", spread.least * unit)
      .field("median", spread.median * unit)
      .field("p90", spread.p90 * unit)
      .field("deviation", spread.deviation * unit)
      .endObject();
}

static void addOps(Json &json, const Log &log, const char *name, const std::vector<OpSum> &ops,
                   bool sums) {
  json.key(name).beginArray();
  for (const OpSum &op : ops) {
    json.beginObject();
    if (sums) {
      json.field("name", op.name).field("commands", op.commands);
    } else {
      json.field("trace", op.trace)
          .field("command", op.command)
          .field("name", op.name)
          .field("kind", op.kind)
          .field("type", op.type)
          .field("source", op.source)
          .field("grid", op.grid);
    }
    json.field("dram_bytes", op.dramBytes).field("share_ms", op.share * 1e-6);
    addIdeal(json, op.flops, op.ideal, op.time.median);
    addSpread(json, "time_us", op.time, 1e-3);
    addCounterFields(json, log, op.counts);
    json.endObject();
  }
  json.endArray();
}

static void addZones(Json &json, const Summary &summary) {
  json.key("program_zones").beginArray();
  for (const ZoneSum &zone : summary.zones) {
    json.beginObject()
        .field("zone", zone.zone)
        .field("program", zone.program)
        .field("kind", zone.kindName())
        .field("count", zone.count);
    if (zone.isTimed()) {
      json.field("total_ms", zone.time.sum * 1e-6).field("share", zone.share);
      addSpread(json, "time_us", zone.time, 1e-3);
    } else if (zone.kind == MarkerKind::Data) {
      json.key("value")
          .beginObject(/*flat=*/true)
          .field("min", zone.least)
          .field("median", zone.median)
          .field("max", zone.most)
          .endObject();
    }
    json.endObject();
  }
  json.endArray();
}

static void addSaving(Json &json, const TraceSaving &saving) {
  static const char *const kKinds[] = {"unknown", "at most", "measured"};
  json.key("trace_saves")
      .beginObject(/*flat=*/true)
      .field("kind", kKinds[static_cast<size_t>(saving.kind)])
      .field("share", saving.share)
      .field("error", saving.error)
      .field("blocks", static_cast<uint64_t>(saving.blocks))
      .endObject();
}

static void addDevice(Json &json, const Analysis &a, const Summary &summary, uint32_t device) {
  const DeviceTimes &times = a.times[device];
  const DeviceModel &model = a.models[device];
  const Verdict &verdict = summary.verdicts[device];
  json.beginObject()
      .field("bundle", a.log.devices[device].bundle)
      .field("cores", a.log.devices[device].info.cores)
      .field("queues", uint32_t(a.log.devices[device].info.queues))
      .field("named", model.known);
  if (!model.known)
    json.field("problem", model.problem);
  json.field("span_ms", times.span() * 1e-6).field("core_use", times.coreUse());
  addLimits(json, a.limits[device]);
  json.key("uses_ms").beginObject();
  for (size_t i = 0; i < kUses; ++i)
    json.field(nameOf(static_cast<Use>(i)), times.uses[i] * 1e-6);
  json.endObject();
  if (const Traffic traffic = trafficOf(a, device); !traffic.empty()) {
    json.key("traffic").beginObject();
    addTrafficFields(json, traffic);
    json.endObject();
  }
  addScaling(json, a, device);
  addSpread(json, "iteration_ms", spreadOf(times.iterations), 1e-6);
  json.key("verdict")
      .beginObject()
      .field("bound", verdict.bound)
      .field("blocks", static_cast<uint64_t>(verdict.blocks))
      .key("critical_path")
      .beginObject();
  for (size_t i = 0; i < kCauses; ++i)
    json.key(nameOf(static_cast<Cause>(i)))
        .beginObject(/*flat=*/true)
        .field("share", verdict.causes[i].share)
        .field("error", verdict.causes[i].error)
        .endObject();
  json.endObject();
  addSaving(json, verdict.trace);
  json.field("text", verdict.text).endObject().endObject();
}

std::string summaryJson(const Analysis &a, const Summary &summary, const std::string &folder) {
  Json json;
  json.beginObject()
      .field("report", folder)
      .field("process", a.log.process)
      .field("pid", a.log.start.pid)
      .field("closed", a.log.ended)
      .field("zones", a.spans);
  json.key("clock")
      .beginObject()
      .field("samples", a.clock.samples)
      .field("ns_per_tick", a.clock.slope)
      .field("ns_per_tick_error", a.clock.slopeError)
      .field("residual_rms_ns", a.clock.rms)
      .field("residual_max_ns", a.clock.largest)
      .endObject();
  json.field("dropped_markers", a.log.dropped())
      .field("dropped_in_programs", a.log.droppedInPrograms())
      .field("unmatched_begins", a.unmatchedBegins)
      .field("unmatched_ends", a.unmatchedEnds)
      .field("commands_without_stream", a.orphans);
  json.key("warnings").beginArray();
  for (const std::string &line : warningsOf(a))
    json.value(line);
  for (const std::string &line : counterNotes(a))
    json.value(line);
  json.endArray();
  addCounterList(json, a);
  addSpread(json, "run_ms", summary.runs, 1e-6);
  json.key("devices").beginArray();
  for (uint32_t i = 0; i < a.log.devices.size(); ++i)
    addDevice(json, a, summary, i);
  json.endArray();
  addOps(json, a.log, "kinds", summary.kinds, /*sums=*/true);
  addOps(json, a.log, "programs", summary.names, /*sums=*/true);
  addOps(json, a.log, "ops", summary.ops, /*sums=*/false);
  addZones(json, summary);
  json.endObject();
  return json.take();
}

} // namespace ttrun::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle/Bundle.h"
#include "Commands.h"
#include "Describe/Timeline.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "Formats/Samples.h"
#include "PerfRows.h"
#include "Profile/Report.h"
#include "Run/Mesh/Rank.h"
#include "Run/PerfMesh.h"
#include "Run/PerfSizes.h"
#include "Run/Session.h"
#include "Run/TokenRate.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "Support/WriteFile.h"
#include "ttrt/format/steps.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

namespace ttrun {

static double residentMb() {
  long kb = 0;
  if (FILE *file = fopen("/proc/self/status", "re")) {
    char line[256];
    while (fgets(line, sizeof(line), file))
      if (strncmp(line, "VmRSS:", 6) == 0)
        kb = strtol(line + 6, nullptr, 10);
    fclose(file);
  }
  return static_cast<double>(kb) / 1024;
}

/// The number of commands, including barriers and the end, of each trace that an entry point
/// executes.
static std::vector<uint64_t> commandsPerTrace(const ttrt::Bundle &bundle,
                                              const std::string &entry) {
  std::vector<uint64_t> commands;
  for (const auto *table : *bundle.metadata().entries()) {
    // For an entry point that is divided into stages, those of all stages.
    if (entry != ttrt::text(ttrt::count(table->devices()) ? table->part_of() : table->name()))
      continue;
    const auto &schedule = *table->schedules()->Get(0);
    for (const auto *part : {schedule.prologue(), schedule.body(), schedule.epilogue()})
      for (uint32_t i = 0; i < ttrt::count(part); ++i)
        if (ttrt::infoOf(part->Get(i)->kind()).role == ttrt::OrderRole::Execute)
          commands.push_back(bundle.metadata().traces()->Get(part->Get(i)->index())->commands());
  }
  return commands;
}

static void addTimes(Json &json, const char *name, const Samples &samples) {
  json.key(name)
      .beginObject()
      .field("min", samples.least())
      .field("median", samples.median())
      .field("p90", samples.percentile(90))
      .field("p99", samples.percentile(99))
      .endObject();
}

static void printTimes(const char *name, const Samples &samples) {
  fmt::print("{:<12} min {:.4f}  median {:.4f}  p90 {:.4f}  p99 {:.4f} ms\n", name, samples.least(),
             samples.median(), samples.percentile(90), samples.percentile(99));
}

namespace {
/// Inferences through a pipeline: the time from the completion of one to that of the next.
struct Pipelined {
  std::string schedule; ///< empty: no pipeline
  Samples intervals;    ///< ms
  double perSecond = 0;
};
} // namespace

static Pipelined measurePipeline(Session &session, uint64_t warmup, uint64_t loops, bool noTrace) {
  Pipelined result;
  // The pipeline fills during the warm-up, of one run at least.
  std::vector<uint64_t> ends;
  result.schedule =
      session.runPipelined(warmup + loops, noTrace, [](uint64_t) { return true; }, &ends);
  for (size_t i = warmup; i < ends.size(); ++i)
    result.intervals.add(static_cast<double>(ends[i] - ends[i - 1]) * 1e-6);
  result.intervals.finish();
  result.perSecond =
      static_cast<double>(loops) / (static_cast<double>(ends.back() - ends[warmup - 1]) * 1e-9);
  return result;
}

/// Measures many sizes of one dimension. `hasMore`: what else is asked for.
static int perfSizes(const std::string &path, const SizeRange &range, const SessionOptions &options,
                     uint64_t loops, bool json, const std::string &picture, bool hasMore) {
  if (hasMore || !options.profile.empty() || !options.schedule.empty() || options.queues ||
      options.sandbox || !options.inputs.empty())
    throw UserError(fmt::format(
        "--dim={}:{}..{} measures blocking runs with random inputs: expected no --input, --ops, "
        "--programs, --csv, --timeline, --warmup, --profile, --schedule, --queues, --sandbox and "
        "--alone",
        range.dim, range.low, range.high));
  if (json && picture == "-")
    throw UserError("--json and --picture=- use standard output; give only one of them");
  Session session(path, options);
  if (session.mesh())
    throw UserError(fmt::format("--dim={}:{}..{}: expected a model for one device, found one for a "
                                "mesh",
                                range.dim, range.low, range.high));
  ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
  run.no_trace = options.noTrace;
  const SizesReport report = measureSizes(session, path, range, loops, run);
  if (!picture.empty())
    ttc::writeFile(picture, {sizesPicture(report)});
  if (json) {
    Json object;
    object.beginObject();
    addSizes(object, report, session);
    object.endObject();
    fmt::print("{}", object.take());
  } else if (picture != "-") {
    printSizes(report, session);
  }
  return 0;
}

int perfCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun perf", "BUNDLE [options], or --compare OLD NEW",
      "Measures a bundle: on the device (traces and the host steps between them) and end to end\n"
      "(including the transfers of inputs and outputs). Inputs that are not given are random. To "
      "time\n"
      "single commands, the host dispatches them one at a time, so each time includes the cost of "
      "a\n"
      "dispatch (compare the device's median with --no-trace). With --schedule or --queues, also\n"
      "measures a pipeline: the time from the completion of one inference to that of the next. "
      "With\n"
      "--profile, too, it runs only the pipeline. With --dim=NAME:LOW..HIGH[:STEP], it measures "
      "many sizes of\na dimension instead.",
      "  ttrun perf resnet50.ttcb --cores 2\n"
      "  ttrun perf resnet50.ttcb --ops --csv ops.csv\n"
      "  ttrun perf resnet50.ttcb --timeline run.json   (open it in https://ui.perfetto.dev)\n"
      "  ttrun perf resnet50.ttcb --json --loops 200\n"
      "  ttrun perf resnet50.ttcb --profile=profile\n"
      "  ttrun perf encoder.ttcb --dim=sequence:1..512 --picture=sequence.svg\n"
      "  ttrun perf --compare old.json new.json\n");
  SessionOptions options;
  options.random = true;
  constexpr uint64_t kMostRuns = 1000000000;
  constexpr uint64_t kTurns = 16;
  uint64_t loops = 100, warmup = UINT64_MAX;
  bool json = false, ops = false, programs = false;
  bool compare = false;
  double tolerance = 2;
  std::string csv, timeline, picture;
  parser.number("loops", "N", "number of measured runs (default 100)", loops, 1, kMostRuns);
  parser.number("warmup", "N", "runs before measuring (default: a tenth of --loops, 1 to 10)",
                warmup, 0, kMostRuns);
  parser.flag("json", "print one JSON object instead of text (docs/ttrun-json.md)", json);
  parser.flag("ops", "time every command", ops);
  parser.flag("programs", "time every program: the sum over its commands\n(the default for text)",
              programs);
  parser.text("csv", "FILE", "write the time of every command as CSV; - for standard output", csv);
  parser.text(
      "timeline", "FILE",
      "write one run, command by command, in Chrome's trace\nevent format; - for standard output",
      timeline);
  parser.text("picture", "FILE", "draw time over size (SVG), for --dim=NAME:LOW..HIGH", picture);
  parser.flagOrNumber("alone", "N",
                      "measure device N (default 0) of a mesh without the others:\nexchanges do "
                      "not wait. For ttrun read --mesh-time",
                      options.alone, options.aloneDevice);
  parser.flag("compare",
              "compare two reports or files of --json; the exit\nstatus is 1 if the second is "
              "slower (docs/profiling.md)",
              compare);
  parser.real("tolerance", "PERCENT",
              "how far measurements may differ for --compare, in\naddition to noise (default 2)",
              tolerance);
  ReportOptions report;
  report.declareLimits(parser);
  options.declare(parser);
  const std::vector<std::string> files = parser.parse(argc, argv);
  if (compare)
    return compareReports(files, json, tolerance);
  const std::string path = parser.requireOne("bundle", files);
  const bool toOutput = csv == "-" || timeline == "-"; // instead of the text
  if (toOutput && (json || csv == timeline))
    throw UserError(
        "--json, --csv=- and --timeline=- all use standard output; give only one of them");

  if (std::optional<SizeRange> range = takeRange(options.dims))
    return perfSizes(path, *range, options, loops, json, picture,
                     ops || programs || !csv.empty() || !timeline.empty() || options.alone ||
                         warmup != UINT64_MAX);
  if (!picture.empty())
    throw UserError("--picture draws time over size: expected --dim=NAME:LOW..HIGH, found one size "
                    "of each dimension");
  // A recording of a pipeline has nothing else.
  const bool recordsPipeline =
      !options.profile.empty() && (!options.schedule.empty() || options.queues);
  if (recordsPipeline && (ops || programs || !csv.empty() || !timeline.empty()))
    throw UserError("--profile records only the pipeline of --schedule or --queues: expected no "
                    "--ops, --programs, --csv and --timeline, which run without it");

  Session session(path, options);
  return orFailRank([&] {
    session.fillInputs(options);
    // A recording has the times of all programs.
    if (!json && !ops && csv.empty() && options.profile.empty())
      programs = true;
    if (warmup == UINT64_MAX)
      warmup = std::clamp<uint64_t>(loops / 10, 1, 10);
    requireSameOnRanks("--loops, --warmup and --ops",
                       fmt::format("{} {} {} {}", loops, warmup, ops, programs));

    ttrt_timing timing = TTRT_TIMING_INIT;
    ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
    run.no_trace = options.noTrace;
    run.timing = &timing;
    // What a token costs depends on its position, so each part of the measurement begins a text.
    TokenRate tokens(session);
    tokens.restart();
    if (!recordsPipeline)
      session.signpost("warm-up", fmt::format("{} runs", warmup));
    for (uint64_t i = 0; i < warmup && !recordsPipeline; ++i)
      session.run(run);
    Samples device, total;
    // A recording of dispatched commands also tells what a trace saves: from blocks in turns, so
    // that what changes slowly affects both.
    const bool inTurns = options.noTrace && !options.profile.empty() && !recordsPipeline;
    const uint64_t blocks = recordsPipeline ? 0 : inTurns ? std::min<uint64_t>(loops, kTurns) : 1;
    if (!recordsPipeline)
      session.signpost(
          "measured",
          fmt::format("{} runs{}", loops, inTurns ? ", in turns with as many of the trace" : ""));
    for (uint64_t block = 0; block < blocks; ++block) {
      const uint64_t number = loops * (block + 1) / blocks - loops * block / blocks;
      for (uint64_t i = 0; i < number; ++i) {
        session.run(run);
        device.add(static_cast<double>(timing.device) * 1e-6);
        total.add(static_cast<double>(timing.total) * 1e-6);
      }
      for (uint64_t i = 0; inTurns && i < number; ++i)
        session.run(TTRT_RUN_OPTIONS_INIT);
    }
    device.finish();
    total.finish();
    constexpr double kMs = 1e-3;
    if (!inTurns && !recordsPipeline)
      tokens.measured(loops, warmup + loops, total.sum() * kMs);
    Pipelined pipelined;
    if (session.isPipelined())
      session.signpost("pipeline", fmt::format("{} runs", loops));
    if (session.isPipelined()) {
      tokens.restart();
      const uint64_t first = std::max<uint64_t>(warmup, 1);
      pipelined = measurePipeline(session, first, loops, options.noTrace);
      tokens.measured(loops, first + loops, static_cast<double>(loops) / pipelined.perSecond);
    }
    MeshShares shares;
    const bool hasShares = session.mesh() && !recordsPipeline;
    if (hasShares)
      shares = measureMesh(session, run, loops);
    const double resident = residentMb();
    constexpr double kMb = 1024 * 1024;
    const double huge = options.hugePages ? static_cast<double>(session.hugePages().huge) / kMb : 0;

    const ttrt::Bundle &bundle = session.bundle();
    std::vector<PerfRow> rows;
    if (ops || programs || !csv.empty()) {
      session.signpost("commands", "dispatched from the host");
      tokens.restart();
      PerfTimes times;
      run.no_trace = 1;
      run.on_command = PerfTimes::add;
      run.user = &times;
      session.run(run);
      times.commands.clear();
      for (uint64_t i = 0; i < loops; ++i)
        session.run(run);
      rows = makeRows(bundle, times);
    }

    if (!timeline.empty() && session.mesh()) {
      const std::string text = meshTimeline(session);
      if (isLead())
        ttc::writeFile(timeline, {text});
    } else if (!timeline.empty()) {
      Recording recording(bundle);
      run.no_trace = 1;
      run.on_command = Recording::add;
      run.user = &recording;
      session.run(run); // warms up dispatching from the host
      recording.start();
      session.run(run);
      recording.stop();
      ttc::writeFile(timeline, {recording.json(session.entryName())});
    }

    if (json) {
      Json object;
      object.beginObject().field("entry", session.entryName());
      addModel(object, session);
      object.field("loops", loops)
          .field("cores", session.cores())
          .field("traced", !options.noTrace)
          .key("commands_per_trace")
          .beginArray(/*flat=*/true);
      for (uint64_t commands : commandsPerTrace(bundle, session.entryName()))
        object.value(commands);
      object.endArray().field("load_ms", session.loadMs()).field("resident_mb", resident);
      if (options.hugePages)
        object.field("huge_pages_mb", huge);
      if (!recordsPipeline) {
        addTimes(object, "device_ms", device);
        addTimes(object, "end_to_end_ms", total);
      }
      if (!pipelined.schedule.empty()) {
        object.field("schedule", pipelined.schedule).field("per_second", pipelined.perSecond);
        addTimes(object, "interval_ms", pipelined.intervals);
      }
      if (tokens && tokens.perSecond() > 0) {
        object.field("tokens_per_second", tokens.perSecond()).key("positions").beginArray(true);
        object.value(tokens.first()).value(tokens.last() - 1).endArray();
      }
      if (ops || programs) {
        object.key("ops").beginArray();
        for (const PerfRow &row : programs ? sumByProgram(rows) : rows) {
          object.beginObject();
          if (programs)
            object.field("commands", row.times);
          else
            object.field("trace", row.trace).field("command", std::stoi(row.command));
          object.field("program", row.name).field("grid", row.grid).field("source", row.source);
          if (!row.floats.empty())
            object.field("floats", row.floats);
          if (row.iterations && !programs)
            object.field("iterations", row.iterations)
                .field("iteration_us", row.median / static_cast<double>(row.iterations));
          object.field("min_us", row.least)
              .field("median_us", row.median)
              .field("p90_us", row.p90)
              .field("p99_us", row.p99)
              .endObject();
        }
        object.endArray();
      }
      if (hasShares)
        addShares(object, shares);
      if (const std::string folder = session.profileFolder(); !folder.empty())
        object.field("profile", folder);
      object.endObject();
      fmt::print("{}", object.take());
    } else if (!toOutput) {
      printLine("entry point  {}{}, {}{} cores, {} loops{}", session.entryName(),
                modelText(session),
                session.mesh() ? fmt::format("{} devices with ", session.mesh()->devices()) : "",
                session.cores(), loops, options.noTrace ? ", dispatched from the host" : "");
      fmt::print("commands    ");
      for (uint64_t commands : commandsPerTrace(bundle, session.entryName()))
        fmt::print(" {}", commands);
      fmt::print(" (per trace)\nload         {:.3f} ms, verify={}\nresident     {:.1f} MB\n",
                 session.loadMs(), options.verify, resident);
      if (options.hugePages)
        fmt::print("huge pages   {:.1f} MB\n", huge);
      if (!recordsPipeline) {
        printTimes("device", device);
        printTimes("end to end", total);
      }
      if (!pipelined.schedule.empty()) {
        printTimes("interval", pipelined.intervals);
        fmt::print("pipeline     {}, {:.1f} inferences per second\n", pipelined.schedule,
                   pipelined.perSecond);
      }
      if (tokens)
        fmt::print("tokens       {}\n", tokens.text());
      if (hasShares)
        printShares(shares);
      if (ops)
        printTable(rows, /*programs=*/false);
      if (programs) {
        const std::vector<PerfRow> sums = sumByProgram(rows);
        printTable(sums, /*programs=*/true);
        printFloats(sums);
      }
      if (ops || programs)
        printLoops(rows);
    }
    if (!csv.empty() && isLead())
      ttc::writeFile(csv, {csvOf(rows)});
    report.print = !json && !toOutput;
    // Now that the device's threads have ended, which would disturb it.
    report.measurePeak = true;
    session.finishProfile(report);
    return 0;
  });
}

} // namespace ttrun

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bench/CompileModel.h"
#include "Commands.h"
#include "Formats/Compare.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "Profile/Report.h"
#include "Run/Mesh/Rank.h"
#include "Run/Session.h"
#include "Support/Error.h"
#include "Support/FileNames.h"
#include "Support/Options.h"
#include "TraceValues.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace ttrun {

namespace {
struct Summary {
  double least = INFINITY, most = -INFINITY, mean = 0;
  std::vector<double> first; ///< the first elements
};

/// An output to compare with a file, and the comparison of the latest run.
struct Expectation {
  size_t output;
  std::string file;
  Tensor tensor;
  Comparison result = {};
  uint64_t loop = 0;
};
} // namespace

static Summary summarize(const Tensor &tensor) {
  constexpr size_t kFirst = 6;
  Summary summary;
  const size_t n = tensor.elements();
  for (size_t i = 0; i < n; ++i) {
    const double value = elementAt(tensor, i);
    if (i < kFirst)
      summary.first.push_back(value);
    summary.least = std::min(summary.least, value);
    summary.most = std::max(summary.most, value);
    summary.mean += value / static_cast<double>(n);
  }
  return summary;
}

/// "logits f32[1, 10]: 0.1, 0.2, 0.3, ... (min -1, max 3, mean 0.5)"
static void printSummary(const std::string &name, const Tensor &tensor) {
  const Summary summary = summarize(tensor);
  fmt::print("{} {}: {:.6g}", printable(name), describe(tensor.dtype, tensor.shape),
             fmt::join(summary.first, ", "));
  if (tensor.elements() > summary.first.size())
    fmt::print(", ... (min {:.6g}, max {:.6g}, mean {:.6g})", summary.least, summary.most,
               summary.mean);
  fmt::print("\n");
}

static void printComparison(const Session &session, const Expectation &expectation, double rtol,
                            double atol, uint64_t loops) {
  const Tensor &got = session.output(expectation.output);
  const Comparison &result = expectation.result;
  fmt::print("{}: {}", printable(session.outputNames()[expectation.output]),
             result.equal ? "ok" : "DIFFERS");
  if (loops > 1)
    fmt::print(" (loop {} of {})", expectation.loop + 1, loops);
  if (!result.equal)
    fmt::print(", {} of {} elements outside rtol {:g}, atol {:g}", result.bad, got.elements(), rtol,
               atol);
  if (got.elements())
    fmt::print("; worst element {}: got {:.9g}, expected {:.9g}, difference {:.3g}",
               position(got.shape, result.worst), result.got, result.expected,
               std::fabs(result.got - result.expected));
  fmt::print("; PCC {:.9f}\n", result.pcc);
}

static void addOutput(Json &json, const std::string &name, const Tensor &tensor) {
  const Summary summary = summarize(tensor);
  json.beginObject().field("name", name).field("dtype", nameOf(tensor.dtype));
  json.key("shape").beginArray(/*flat=*/true);
  for (int64_t extent : tensor.shape)
    json.value(extent);
  json.endArray()
      .field("min", summary.least)
      .field("max", summary.most)
      .field("mean", summary.mean)
      .key("first")
      .beginArray(/*flat=*/true);
  for (double value : summary.first)
    json.value(value);
  json.endArray();
}

static void addComparison(Json &json, const Expectation &expectation, const Tensor &got,
                          double rtol, double atol) {
  const Comparison &result = expectation.result;
  json.beginObject()
      .field("file", expectation.file)
      .field("equal", result.equal)
      .field("loop", expectation.loop + 1)
      .field("rtol", rtol)
      .field("atol", atol)
      .field("elements", static_cast<uint64_t>(got.elements()))
      .field("differing", static_cast<uint64_t>(result.bad));
  if (got.elements()) {
    json.key("worst").beginArray(/*flat=*/true);
    for (int64_t index : coordinates(got.shape, result.worst))
      json.value(index);
    json.endArray().field("got", result.got).field("expected", result.expected);
  }
  json.field("pcc", result.pcc).endObject();
}

/// Compiles the file if it is a model, with the values that are wanted.
static std::optional<CompiledModel>
compileFor(const std::string &file, std::vector<std::string> options, TraceOptions &trace) {
  trace.check();
  if (!isModelFile(file)) {
    if (!options.empty())
      throw UserError("--compile: expected a model, found the bundle " + file);
    if (!trace.against.empty() && trace.model.empty())
      throw UserError(fmt::format("--against={}: expected an ONNX model, found {}; name its model "
                                  "with --model",
                                  trace.against, file));
    return std::nullopt;
  }
  if (!trace.against.empty() && !ttc::hasExtension(file, ".onnx"))
    throw UserError(
        fmt::format("--against={}: expected an ONNX model, found {}", trace.against, file));
  if (!trace.model.empty())
    throw UserError("--model: expected a bundle, found the model " + file);
  trace.model = file;
  if (!trace.folder.empty()) {
    options.push_back(fmt::format("--keep-values{}{}", trace.only.empty() ? "" : "=",
                                  fmt::join(trace.only, ",")));
  }
  return std::optional<CompiledModel>(std::in_place, file, options);
}

int runCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun run", "BUNDLE [options]",
      "Runs a bundle once, or --loops times. Writes outputs to files, compares them with files\n"
      "(exit status 1 if they differ), or prints a summary of each. A model is compiled first, "
      "with "
      "the\nttc that is installed beside ttrun.",
      "  ttrun run digits.ttcb --input image=image.npy --output logits=logits.npy\n"
      "  ttrun run digits.ttcb --input image=image.npy --expect logits=want.npy --rtol 1e-3\n"
      "  ttrun run digits.ttcb --random --schedule=overlap-io --loops=1000\n"
      "  ttrun run digits.onnx --random --trace-values=values --against=onnxruntime\n");
  SessionOptions options;
  std::vector<std::string> outputs, expectations;
  double rtol = 1e-3, atol = 1e-5;
  uint64_t loops = 1;
  bool json = false;
  std::string restore, save;
  TraceOptions trace;
  std::vector<std::string> compile;
  parser.list("output", "NAME=FILE.npy", "write an output to a file", outputs);
  parser.list("expect", "NAME=FILE.npy", "compare an output with a file, element by element",
              expectations);
  parser.real("rtol", "R",
              "relative tolerance (default 1e-3):\n|got - expected| <= atol + rtol * |expected|",
              rtol);
  parser.real("atol", "A", "absolute tolerance (default 1e-5)", atol);
  parser.number("loops", "N", "run N times (default 1); every run is compared", loops, 1,
                uint64_t(1) << 40);
  parser.text("restore-state", "FILE",
              "set the states before the first run, from a file of --save-state", restore);
  parser.text("save-state", "FILE", "write the states to a file after the last run", save);
  parser.flag("json", "print one JSON object instead of text (docs/ttrun-json.md)", json);
  parser.flag("sandbox",
              "run the bundle's code in a process that can only compute;\nnot with --schedule or "
              "--queues",
              options.sandbox);
  trace.declare(parser);
  parser.list("compile", "OPTION",
              "for a model: an option of ttc compile, such as --weights=int8;\nrepeatable",
              compile);
  options.declare(parser);
  const std::string file = parser.parseBundle(argc, argv);
  const std::optional<CompiledModel> compiled = compileFor(file, compile, trace);
  const std::string path = compiled ? compiled->path() : file;
  trace.rtol = rtol;
  trace.atol = atol;
  trace.restore = restore;
  if (!trace.folder.empty() && (loops != 1 || !options.schedule.empty() || options.queues))
    throw UserError("--trace-values runs one inference: expected no --loops, --schedule and "
                    "--queues");

  Session session(path, options);
  return orFailRank([&] {
    std::vector<Expectation> expected;
    for (const std::string &spec : expectations) {
      auto [index, file] = session.outputOf("expect", spec);
      const Tensor &got = session.output(index);
      Tensor tensor = readNpy(
          file,
          [&](ttrt_dtype dtype, const std::vector<int64_t> &shape) {
            if (shape != got.shape)
              throw UserError(
                  fmt::format("output '{}' is {}; {} holds {}", session.outputNames()[index],
                              describe(got.dtype, got.shape), file, describe(dtype, shape)));
          },
          got.dtype);
      if (got.dtype == TTRT_BF16 && tensor.dtype == TTRT_U16)
        tensor.dtype = TTRT_BF16;
      expected.push_back({index, file, std::move(tensor)});
    }
    std::vector<std::pair<size_t, std::string>> writes;
    for (const std::string &spec : outputs) {
      auto [index, file] = session.outputOf("output", spec);
      if (json && file == "-")
        throw UserError("--json and an output cannot both go to standard output");
      if (std::any_of(writes.begin(), writes.end(),
                      [&](const auto &write) { return write.second == file; }))
        throw UserError("two outputs would be written to " + file);
      writes.emplace_back(index, std::move(file));
    }
    session.fillInputs(options);
    requireSameOnRanks("--loops", fmt::format("{}", loops));
    // A run that differs is the last.
    requireSameOnRanks("--rtol and --atol", fmt::format("{} {}", rtol, atol));
    for (const Expectation &expectation : expected)
      requireSameOnRanks("--expect", expectation.tensor.bytes.data(),
                         expectation.tensor.bytes.size());
    if (!save.empty())
      session.checkStates("save-state");
    if (!restore.empty())
      session.restoreState(restore);

    bool good = true;
    std::string schedule;
    auto checkAll = [&](uint64_t loop) {
      for (Expectation &expectation : expected) {
        expectation.result =
            compare(session.output(expectation.output), expectation.tensor, rtol, atol);
        expectation.loop = loop;
        good &= expectation.result.equal;
        // Runs that agree get a line only at the end.
        if (!json && (loop + 1 == loops || !expectation.result.equal))
          printComparison(session, expectation, rtol, atol, loops);
      }
      return good;
    };
    if (session.isPipelined()) {
      schedule = session.runPipelined(loops, options.noTrace, checkAll);
    } else {
      ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
      run.no_trace = options.noTrace;
      for (uint64_t loop = 0; loop < loops && good; ++loop) {
        session.run(run);
        checkAll(loop);
      }
    }
    if (!save.empty())
      session.saveState(save);
    for (const auto &[index, file] : isLead() ? writes : decltype(writes)())
      writeNpy(file, session.output(index));
    const std::vector<std::string> names = session.outputNames();
    auto finishValues = [&](Json *object) {
      if (!trace.folder.empty())
        good &= traceValues(file, path, session, options, trace, object);
    };
    // All ranks compare; the first one tells, and is not ended because others end with a failure.
    auto status = [&] { return good || !isLead() ? 0 : 1; };
    if (!json) {
      if (writes.empty() && expected.empty())
        for (size_t i = 0; i < names.size(); ++i)
          printSummary(names[i], session.output(i));
      finishValues(nullptr);
      session.finishProfile({});
      return status();
    }

    Json object;
    object.beginObject().field("bundle", file).field("entry", session.entryName());
    addModel(object, session);
    object.field("cores", session.cores())
        .field("devices", session.mesh() ? session.mesh()->devices() : 1)
        .field("traced", !options.noTrace)
        .field("loops", loops);
    if (!schedule.empty())
      object.field("schedule", schedule);
    if (const std::string folder = session.profileFolder(); !folder.empty())
      object.field("profile", folder);
    object.field("equal", good).key("outputs").beginArray();
    for (size_t i = 0; i < names.size(); ++i) {
      const Tensor &got = session.output(i);
      addOutput(object, names[i], got);
      object.key("files").beginArray(/*flat=*/true);
      for (const auto &[index, file] : writes)
        if (index == i)
          object.value(file);
      object.endArray().key("comparisons").beginArray();
      for (const Expectation &expectation : expected)
        if (expectation.output == i)
          addComparison(object, expectation, got, rtol, atol);
      object.endArray().endObject();
    }
    object.endArray();
    finishValues(&object);
    object.endObject();
    ReportOptions report;
    report.print = false;
    session.finishProfile(report);
    fmt::print("{}", object.take());
    return status();
  });
}

} // namespace ttrun

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bench/CompileModel.h"
#include "Bench/Peer.h"
#include "Bundle/Bundle.h"
#include "Commands.h"
#include "Formats/Compare.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "Run/Session.h"
#include "Support/Error.h"
#include "Support/FileNames.h"
#include "Support/Options.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

namespace ttrun {

namespace {

constexpr uint64_t kRounds = 10;

/// Quantiles of values that are not empty.
struct Spread {
  double p10 = 0, median = 0, p90 = 0;

  explicit Spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    auto at = [&](double p) {
      return values[static_cast<size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
    };
    p10 = at(0.1);
    median = at(0.5);
    p90 = at(0.9);
  }
};

/// What one engine took.
struct Times {
  std::vector<double> all;   ///< ms of each inference
  std::vector<double> turns; ///< the median of each turn

  void add(const std::vector<double> &turn) {
    all.insert(all.end(), turn.begin(), turn.end());
    turns.push_back(Spread(turn).median);
  }
};

/// How an output differs from the peer's.
struct Difference {
  double error = 0; ///< the largest, absolute
  double scale = 0; ///< the largest magnitude of the peer's
};

} // namespace

static std::vector<double> runTimed(Session &session, uint64_t loops) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times(loops);
  for (double &time : times) {
    const Clock::time_point begin = Clock::now();
    session.run(TTRT_RUN_OPTIONS_INIT);
    time = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }
  return times;
}

/// The inferences of a turn, if one takes `ms` and all turns of an engine take `seconds`.
static uint64_t loopsOfTurn(double ms, double seconds) {
  return static_cast<uint64_t>(
      std::clamp(seconds * 1e3 / static_cast<double>(kRounds) / std::max(ms, 1e-6), 1.0, 1e6));
}

static Difference compareOutputs(const Session &session, Peer &peer) {
  const std::map<std::string, Tensor> expected = peer.outputs();
  const std::vector<std::string> names = session.outputNames();
  Difference largest;
  for (size_t i = 0; i < names.size(); ++i) {
    auto found = expected.find(names[i]);
    const Tensor &got = session.output(i);
    if (found == expected.end() || found->second.elements() != got.elements())
      throw UserError(fmt::format(
          "output '{}' is {} here; the peer has {}", names[i], describe(got.dtype, got.shape),
          found == expected.end() ? "none of this name"
                                  : describe(found->second.dtype, found->second.shape)));
    for (size_t k = 0; k < got.elements(); ++k) {
      const double ours = elementAt(got, k), theirs = elementAt(found->second, k);
      if (std::isfinite(theirs))
        largest.scale = std::max(largest.scale, std::abs(theirs));
      if (ours == theirs || (std::isnan(ours) && std::isnan(theirs)))
        continue;
      const double error = std::abs(ours - theirs);
      largest.error = std::max(largest.error, std::isnan(error) ? HUGE_VAL : error);
    }
  }
  return largest;
}

static void addSpread(Json &json, const char *name, const Spread &spread) {
  json.key(name)
      .beginObject()
      .field("p10", spread.p10)
      .field("median", spread.median)
      .field("p90", spread.p90)
      .endObject();
}

static void printSpread(std::string_view name, const Spread &times) {
  printLine("{:<12} median {:.4f}  p10 {:.4f}  p90 {:.4f} ms", name, times.median, times.p10,
            times.p90);
}

int benchCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun bench", "MODEL.onnx [options]",
      "Compiles a model with the ttc that is installed beside ttrun, and measures an inference end "
      "to\n"
      "end, with random inputs. With --against, another engine takes its turn in each of ten "
      "rounds,\n"
      "in a Python process, on as many cores. A bundle is measured as it is.",
      "  ttrun bench resnet50.onnx\n"
      "  ttrun bench resnet50.onnx --against=onnxruntime\n"
      "  ttrun bench encoder.onnx --compile=--input-shape=ids:1x128 --cores=1\n"
      "  ttrun bench resnet50.ttcb --against=onnxruntime --model=resnet50.onnx\n");
  SessionOptions options;
  options.random = true;
  std::string against, model;
  const char *given = getenv("TTC_PYTHON");
  std::string python = given && *given ? given : "python3";
  std::vector<std::string> compile;
  double seconds = 5;
  bool json = false;
  parser.choice("against", {"onnxruntime", "openvino"},
                "another engine, which runs the same model in turns", against);
  parser.text("python", "FILE",
              "the Python interpreter with the engine (default:\nTTC_PYTHON, or python3)", python);
  parser.text("model", "FILE", "the ONNX model that a bundle was made of, for --against", model);
  parser.list("compile", "OPTION", "an option of ttc compile, such as --weights=int8;\nrepeatable",
              compile);
  parser.real("seconds", "N", "seconds that each engine runs (default 5)", seconds);
  parser.text("entry", "NAME", "the entry point (default: the only one, or main)", options.entry);
  options.declareDims(parser);
  parser.number("cores", "N", "cores that each engine uses (default: all available)", options.cores,
                0, 1024);
  parser.flagOrNumber("random", "SEED", "the seed of the random inputs (default 0)", options.random,
                      options.seed);
  parser.flag("json", "print one JSON object instead of text (docs/ttrun-json.md)", json);
  const std::vector<std::string> files = parser.parse(argc, argv);
  if (files.size() != 1)
    throw UserError(fmt::format("expected one model or bundle, found {}; see ttrun bench --help",
                                files.size()));
  const std::string &file = files[0];
  std::optional<CompiledModel> compiled;
  if (isModelFile(file)) {
    if (!model.empty())
      throw UserError("--model: expected a bundle, found the model " + file);
    model = file;
  } else if (!compile.empty()) {
    throw UserError("--compile: expected a model, found the bundle " + file);
  }
  if (!against.empty() && !ttc::hasExtension(model, ".onnx"))
    throw UserError(fmt::format("--against={}: expected an ONNX model, found {}", against,
                                model.empty() ? file + "; name its model with --model" : model));
  if (isModelFile(file))
    compiled.emplace(file, compile);

  Session session(compiled ? compiled->path() : file, options);
  session.fillInputs(options);
  std::unique_ptr<Peer> peer;
  if (!against.empty()) {
    signal(SIGPIPE, SIG_IGN); // a peer that has ended gives no answer
    std::vector<std::pair<std::string, const Tensor *>> inputs;
    const std::vector<std::string> names = session.inputNames();
    for (size_t i = 0; i < names.size(); ++i)
      inputs.emplace_back(names[i], &session.input(i));
    peer = std::make_unique<Peer>(python, against, model, session.cores(), inputs);
  }

  // The first run faults pages in, the second one tells how many make a turn.
  runTimed(session, 1);
  const uint64_t loops = loopsOfTurn(runTimed(session, 2)[1], seconds);
  uint64_t peerLoops = 0;
  if (peer)
    peerLoops = loopsOfTurn(peer->run(2)[1], seconds);
  Times ours, theirs;
  std::vector<double> ratios;
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (int turn = 0; turn < 2; ++turn)
      if ((turn + round) % 2 == 0)
        ours.add(runTimed(session, loops));
      else if (peer)
        theirs.add(peer->run(peerLoops));
    if (peer)
      ratios.push_back(theirs.turns.back() / ours.turns.back());
  }
  std::optional<Difference> difference;
  if (peer)
    difference = compareOutputs(session, *peer);

  if (json) {
    Json object;
    object.beginObject().field("file", file).field("entry", session.entryName());
    addModel(object, session);
    object.field("cores", session.cores());
    if (compiled)
      object.field("compile_seconds", compiled->seconds());
    object.field("load_ms", session.loadMs()).field("loops", ours.all.size());
    addSpread(object, "ttc_ms", Spread(ours.all));
    if (peer) {
      object.field("against", against).field("version", peer->version());
      object.field("against_loops", theirs.all.size());
      addSpread(object, "against_ms", Spread(theirs.all));
      addSpread(object, "ratio", Spread(ratios));
      object.field("largest_difference", difference->error)
          .field("largest_value", difference->scale);
    }
    object.endObject();
    fmt::print("{}", object.take());
    return 0;
  }
  printLine("entry point  {}{}, {} core{}", session.entryName(), modelText(session),
            session.cores(), plural(session.cores()));
  if (compiled)
    printLine("compile      {:.2f} s", compiled->seconds());
  printLine("load         {:.3f} ms", session.loadMs());
  printSpread("ttc", Spread(ours.all));
  if (peer) {
    printSpread(against, Spread(theirs.all));
    const Spread ratio(ratios);
    printLine(
        "ratio        {:.2f}: the time of {} {} over that of ttc ({:.2f} to {:.2f} in {} rounds)",
        ratio.median, against, peer->version(), ratio.p10, ratio.p90, kRounds);
    printLine("outputs      differ by at most {:.2g}; the largest value is {:.2g}",
              difference->error, difference->scale);
  }
  return 0;
}

} // namespace ttrun

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Compare.h"
#include "Session.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>

namespace ttrun {

/// "logits f32[1, 10]: 0.1, 0.2, 0.3, ... (min -1, max 3, mean 0.5)"
static void printSummary(const std::string &name, const Tensor &tensor) {
  fmt::print("{} {}:", name, describe(tensor.dtype, tensor.shape));
  const size_t n = tensor.elements();
  double least = INFINITY, most = -INFINITY, sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const double value = elementAt(tensor, i);
    if (i < 6)
      fmt::print("{} {:.6g}", i ? "," : "", value);
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  if (n > 6)
    fmt::print(", ... (min {:.6g}, max {:.6g}, mean {:.6g})", least, most,
               sum / static_cast<double>(n));
  fmt::print("\n");
}

namespace {
struct Expectation {
  size_t output;
  std::string file;
  Tensor tensor;
};
} // namespace

/// Prints and returns whether they agree.
static bool checkExpectation(const Session &session, const Expectation &expectation, double rtol,
                             double atol, uint64_t loop, uint64_t loops) {
  const Tensor &got = session.output(expectation.output);
  const Comparison result = compare(got, expectation.tensor, rtol, atol);
  // Loops that agree are not worth a line each.
  if (result.equal && loop + 1 < loops)
    return true;
  fmt::print("{}: {}", session.outputNames()[expectation.output], result.equal ? "ok" : "DIFFERS");
  if (loops > 1)
    fmt::print(" (loop {} of {})", loop + 1, loops);
  if (!result.equal)
    fmt::print(", {} of {} elements outside rtol {:g}, atol {:g}", result.bad, got.elements(), rtol,
               atol);
  if (got.elements())
    fmt::print("; worst element {}: got {:.9g}, expected {:.9g}, difference {:.3g}",
               position(got.shape, result.worst), result.got, result.expected,
               std::fabs(result.got - result.expected));
  fmt::print("; PCC {:.9f}\n", result.pcc);
  return result.equal;
}

int runCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun run", "BUNDLE [options]",
      "Runs a bundle once, or --loops times. Writes outputs to files, compares them with others\n"
      "(exit status 1 if they differ), or else prints a summary of each.",
      "  ttrun run digits.ttcb --input image=image.npy --output logits=logits.npy\n"
      "  ttrun run digits.ttcb --input image=image.npy --expect logits=want.npy --rtol 1e-3\n"
      "  ttrun run digits.ttcb --random --schedule=overlap-io --loops=1000\n");
  SessionOptions options;
  std::vector<std::string> outputs, expectations;
  double rtol = 1e-3, atol = 1e-5;
  uint64_t loops = 1;
  parser.list("output", "NAME=FILE.npy", "write an output", outputs);
  parser.list("expect", "NAME=FILE.npy", "compare an output with a file, element by element",
              expectations);
  parser.real("rtol", "R",
              "relative tolerance (default 1e-3):\n|got - expected| <= atol + rtol * |expected|",
              rtol);
  parser.real("atol", "A", "absolute tolerance (default 1e-5)", atol);
  parser.number("loops", "N", "run N times; every run is compared", loops, 1, uint64_t(1) << 40);
  options.declare(parser);
  std::vector<std::string> files = parser.parse(argc, argv);
  if (files.size() != 1)
    throw UserError("expected one bundle; see ttrun run --help");

  Session session(files[0], options);
  std::vector<Expectation> expected;
  for (const std::string &spec : expectations) {
    auto [index, file] = session.outputOf("expect", spec);
    Tensor tensor = readNpy(file);
    const Tensor &got = session.output(index);
    if (tensor.shape != got.shape)
      throw UserError("output '" + session.outputNames()[index] + "' is " +
                      describe(got.dtype, got.shape) + "; " + file + " holds " +
                      describe(tensor.dtype, tensor.shape));
    if (got.dtype == TTRT_BF16 && tensor.dtype == TTRT_U16)
      tensor.dtype = TTRT_BF16;
    expected.push_back({index, file, std::move(tensor)});
  }
  std::vector<std::pair<size_t, std::string>> writes;
  for (const std::string &spec : outputs) {
    auto [index, file] = session.outputOf("output", spec);
    if (std::any_of(writes.begin(), writes.end(),
                    [&](const auto &write) { return write.second == file; }))
      throw UserError("two outputs would be written to " + file);
    writes.emplace_back(index, std::move(file));
  }
  session.fillInputs(options);

  ttrt_run_options run{};
  run.no_trace = options.noTrace;
  bool good = true;
  auto checkAll = [&](uint64_t loop) {
    for (const Expectation &expectation : expected)
      good &= checkExpectation(session, expectation, rtol, atol, loop, loops);
    return good;
  };
  if (session.isPipelined()) {
    session.runPipelined(loops, options.noTrace, checkAll);
  } else {
    for (uint64_t loop = 0; loop < loops && good; ++loop) {
      session.run(run);
      checkAll(loop);
    }
  }
  for (const auto &[index, file] : writes)
    writeNpy(file, session.output(index));
  if (writes.empty() && expected.empty())
    for (size_t i = 0; i < session.outputNames().size(); ++i)
      printSummary(session.outputNames()[i], session.output(i));
  return good ? 0 : 1;
}

} // namespace ttrun

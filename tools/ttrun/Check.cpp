// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Error.h"
#include "Bundle/Bundle.h"
#include "Bundle/Verifier.h"
#include "Check/Execute.h"
#include "Commands.h"
#include "Describe/ReadMesh.h"
#include "Describe/ReadModels.h"
#include "Formats/BundleMessage.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "Run/HostCalls.h"
#include "Run/Trusted.h"
#include "Support/Error.h"
#include "Support/Options.h"

#include <fmt/core.h>
#include <memory>
#include <optional>

namespace ttrun {

namespace {
/// The result for one file.
struct Checked {
  std::string file;
  std::string problem;       ///< why the bundle is bad, with the file's name; empty if it is good
  std::string misfit;        ///< why a good bundle cannot run here; empty: it can
  const char *status = "ok"; ///< of either
  std::optional<ttrt::Proof> proof; ///< of all schedules, if it was made
  std::optional<Execution> execution;
  std::shared_ptr<const ttrt::Bundle> bundle;
};

/// What is checked.
struct Wanted {
  std::string verify = "full";
  std::vector<std::string> trusted; ///< files of keys
  bool fit = false;
  bool execute = false;
};
} // namespace

/// "program 3 'relu_8': ..."
static std::string text(const ProgramMessage &message) {
  return fmt::format("program {} '{}': {}", message.program, message.symbol, message.message);
}

/// The bundle is open: what is at its path by now does not matter.
static std::string problemOf(const std::string &file, ttrt_status status,
                             const std::string &message) {
  return fmt::format("{}: {}: {}", file, ttrt_status_name(status), message);
}

static Checked check(const std::string &file, const Wanted &wanted) {
  Checked checked;
  checked.file = file;
  ttrt_bundle *opened;
  ttrt_error error;
  ttrt_status status =
      openBundle(file, wanted.trusted, verifyLevel(wanted.verify), &opened, &error);
  if (status == TTRT_OK && wanted.verify != "none")
    if (status = ttrt_bundle_prove(opened, &error); status != TTRT_OK)
      ttrt_bundle_close(opened);
  if (status != TTRT_OK) {
    checked.status = ttrt_status_name(error.status);
    checked.problem = bundleMessage(file, error.status, error.message);
    return checked;
  }
  checked.bundle = opened->bundle;
  ttrt_bundle_close(opened);
  if (wanted.verify != "none")
    checked.proof = checked.bundle->prove();
  try {
    modelsOf(*checked.bundle);
    ttrt::verifyFit(*checked.bundle);
  } catch (const ttrt::Error &error) {
    checked.status = ttrt_status_name(error.status);
    // A bundle whose code is malformed is bad everywhere.
    if (error.status == TTRT_BAD_BUNDLE)
      checked.problem = problemOf(file, error.status, error.message);
    else
      checked.misfit = error.message;
    return checked;
  }
  if (!wanted.execute)
    return checked;
  checked.execution = executePrograms(*checked.bundle);
  if (!checked.execution->problems.empty()) {
    checked.status = ttrt_status_name(TTRT_BAD_BUNDLE);
    checked.problem = problemOf(file, TTRT_BAD_BUNDLE, text(checked.execution->problems.front()));
  }
  return checked;
}

static void print(const Execution &execution) {
  for (size_t i = 1; i < execution.problems.size(); ++i) // the first one has been printed
    fmt::print(stderr, "  {}\n", printable(text(execution.problems[i])));
  for (const ProgramMessage &skipped : execution.skipped)
    fmt::print("  not executed: {}\n", printable(text(skipped)));
  fmt::print("  executed  {} program{}, {} workgroup{}", execution.programs,
             plural(execution.programs), execution.workgroups, plural(execution.workgroups));
  if (execution.alone < execution.workgroups)
    fmt::print(" ({} also alone)", execution.alone);
  fmt::print(", {:.3f} ms\n", static_cast<double>(execution.nanoseconds) * 1e-6);
}

static void print(const Checked &checked, bool fit) {
  if (!checked.problem.empty())
    fmt::print(stderr, "ttrun check: {}\n", printable(checked.problem));
  else if (checked.misfit.empty())
    fmt::print("{}: ok\n", printable(checked.file));
  else if (fit)
    fmt::print(stderr, "ttrun check: {}: {}: {}\n", printable(checked.file), checked.status,
               printable(checked.misfit));
  else
    fmt::print("{}: ok, but cannot run here: {}: {}\n", printable(checked.file), checked.status,
               printable(checked.misfit));
  if (const auto &proof = checked.proof)
    fmt::print("  proved  {} schedule{}, {} steps, {} commands; fixpoint after {} iterations\n"
               "          {} accesses, {} pairs of accesses to the same bytes, {:.3f} ms\n",
               proof->schedules, plural(proof->schedules), proof->steps, proof->commands,
               proof->iterations, proof->accesses, proof->pairs,
               static_cast<double>(proof->nanoseconds) * 1e-6);
  if (checked.bundle && checked.bundle->metadata().mesh())
    printLine("  has     a {}", meshSummary(*checked.bundle));
  if (checked.bundle)
    for (const ttrt::HostFunction &function : checked.bundle->hostFunctions())
      printLine("  wants   host function {}", describe(function.call));
  if (checked.execution)
    print(*checked.execution);
}

static void add(Json &json, const char *name, const std::vector<ProgramMessage> &messages) {
  json.key(name).beginArray();
  for (const ProgramMessage &message : messages)
    json.beginObject(/*flat=*/true)
        .field("program", message.program)
        .field("symbol", message.symbol)
        .field("message", message.message)
        .endObject();
  json.endArray();
}

static void add(Json &json, const Checked &checked) {
  json.beginObject()
      .field("file", checked.file)
      .field("good", checked.problem.empty())
      .field("runs_here", checked.problem.empty() && checked.misfit.empty())
      .field("status", checked.status)
      .field("message", checked.problem.empty() ? checked.misfit : checked.problem);
  if (const auto &proof = checked.proof)
    json.key("proof")
        .beginObject()
        .field("schedules", uint64_t(proof->schedules))
        .field("steps", uint64_t(proof->steps))
        .field("commands", uint64_t(proof->commands))
        .field("iterations", uint64_t(proof->iterations))
        .field("accesses", uint64_t(proof->accesses))
        .field("pairs", uint64_t(proof->pairs))
        .field("ms", static_cast<double>(proof->nanoseconds) * 1e-6)
        .endObject();
  if (checked.bundle)
    addMesh(json, *checked.bundle);
  if (checked.bundle && !checked.bundle->hostFunctions().empty()) {
    json.key("host_functions").beginArray();
    for (const ttrt::HostFunction &function : checked.bundle->hostFunctions())
      add(json, function.call);
    json.endArray();
  }
  if (const auto &execution = checked.execution) {
    json.key("execution")
        .beginObject()
        .field("programs", execution->programs)
        .field("workgroups", execution->workgroups)
        .field("alone", execution->alone)
        .field("ms", static_cast<double>(execution->nanoseconds) * 1e-6);
    add(json, "problems", execution->problems);
    add(json, "skipped", execution->skipped);
    json.endObject();
  }
  json.endObject();
}

int checkCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun check", "BUNDLE... [options]",
      "Verifies bundles without running them: the file header, metadata and hashes; every "
      "address,\n"
      "size and command; and the proof that every read sees the intended write, for every number\n"
      "of iterations and every interleaving of cores and queues. Also reports whether this "
      "machine\n"
      "can run them, and which host functions they want. With --execute, it also runs each "
      "program\n"
      "of a bundle alone, on random inputs between pages that cannot be accessed, and compares "
      "what\n"
      "it reads and writes with what the bundle declares. This executes the bundle's machine "
      "code:\n"
      "use it for bundles from a source that you trust. It calls no host functions. The exit "
      "status\n"
      "is 1 if a bundle is bad.",
      "  ttrun check digits.ttcb\n"
      "  ttrun check --fit *.ttcb\n"
      "  ttrun check --execute digits.ttcb\n"
      "  ttrun check --json *.ttcb | jq '.bundles[] | select(.good | not)'\n");
  Wanted wanted;
  bool json = false;
  parser.verify(wanted.verify);
  parser.flag("fit", "treat a bundle that this machine cannot run as bad", wanted.fit);
  parser.flag("execute", "run each program alone and compare what it does with its declaration",
              wanted.execute);
  declareTrusted(parser, wanted.trusted);
  parser.flag("json", "print one JSON object instead of text (docs/ttrun-json.md)", json);
  const std::vector<std::string> files = parser.parse(argc, argv);
  if (files.empty())
    throw UserError("expected a bundle; see ttrun check --help");

  bool good = true;
  Json object;
  object.beginObject().key("bundles").beginArray();
  for (const std::string &file : files) {
    const Checked checked = check(file, wanted);
    good &= checked.problem.empty() && !(wanted.fit && !checked.misfit.empty());
    if (json)
      add(object, checked);
    else
      print(checked, wanted.fit);
  }
  object.endArray().endObject();
  if (json)
    fmt::print("{}", object.take());
  return good ? 0 : 1;
}

} // namespace ttrun

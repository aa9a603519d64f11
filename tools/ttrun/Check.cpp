// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle.h"
#include "Commands.h"
#include "Error.h"
#include "Options.h"
#include "Verifier.h"

#include <fmt/core.h>
#include <memory>

namespace ttrun {

/// What holds for every number of iterations and every interleaving (docs/proof.md).
static void printProof(const ttrt::Proof &proof) {
  fmt::print("  proved  {} schedules, {} steps, {} commands, {} iterations until all repeats\n"
             "          {} accesses, {} pairs of accesses to the same bytes, {:.3f} ms\n",
             proof.schedules, proof.steps, proof.commands, proof.iterations, proof.accesses,
             proof.pairs, static_cast<double>(proof.nanoseconds) * 1e-6);
}

int checkCommand(int argc, char **argv) {
  OptionParser parser("ttrun check", "BUNDLE... [options]",
                      "Verifies bundles without running them: file header, metadata, hashes, every "
                      "address, size and\n"
                      "command; and the proof that every read sees the write it should, for every "
                      "number of iterations\n"
                      "and every interleaving of cores and queues. Says also whether this machine "
                      "can run them. Exit\n"
                      "status 1 if one is bad.",
                      "  ttrun check digits.ttcb\n"
                      "  ttrun check --fit *.ttcb\n");
  std::string verify = "full";
  bool fit = false;
  parser.verify(verify);
  parser.flag("fit", "a bundle that this machine cannot run is bad, too", fit);
  std::vector<std::string> files = parser.parse(argc, argv);
  if (files.empty())
    throw UserError("expected a bundle; see ttrun check --help");

  bool good = true;
  for (const std::string &file : files) {
    std::unique_ptr<ttrt::Bundle> bundle;
    try {
      bundle = std::make_unique<ttrt::Bundle>(file.c_str(), verifyLevel(verify));
    } catch (const ttrt::Error &error) {
      fmt::print(stderr, "ttrun check: {}\n", bundleMessage(file, error.status, error.message));
      good = false;
      continue;
    }
    try {
      ttrt::verifyFit(*bundle);
      fmt::print("{}: ok\n", file);
    } catch (const ttrt::Error &error) {
      const bool bad = fit || error.status == TTRT_BAD_BUNDLE;
      fmt::print(bad ? stderr : stdout, "{}: {}{}: {}\n", file,
                 bad ? "" : "ok, but cannot run here: ", ttrt_status_name(error.status),
                 error.message);
      good &= !bad;
    }
    if (verify != "none")
      printProof(bundle->proof());
  }
  return good ? 0 : 1;
}

} // namespace ttrun

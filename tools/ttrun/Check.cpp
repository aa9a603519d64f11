// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle.h"
#include "Commands.h"
#include "Error.h"
#include "Options.h"
#include "Verifier.h"

#include <cstdio>
#include <memory>

namespace ttrun {

int checkCommand(int argc, char **argv) {
  OptionParser parser("ttrun check", "BUNDLE... [options]",
                      "Verifies bundles without running them: file header, metadata, hashes, every "
                      "address, size and\n"
                      "command, the memory plan, and that every wait has a record. Says also "
                      "whether this machine can\n"
                      "run them. Exit status 1 if one is bad.",
                      "  ttrun check digits.ttcb\n"
                      "  ttrun check --fit *.ttcb\n");
  std::string verify = "full";
  bool fit = false;
  parser.choice("verify", {"full", "structure"}, "structure leaves out the hash of the weights",
                verify);
  parser.flag("fit", "a bundle that this machine cannot run is bad, too", fit);
  std::vector<std::string> files = parser.parse(argc, argv);
  if (files.empty())
    throw UserError("expected a bundle; see ttrun check --help");

  bool good = true;
  for (const std::string &file : files) {
    std::unique_ptr<ttrt::Bundle> bundle;
    try {
      bundle = std::make_unique<ttrt::Bundle>(
          file.c_str(), verify == "full" ? TTRT_VERIFY_FULL : TTRT_VERIFY_STRUCTURE);
    } catch (const ttrt::Error &error) {
      fprintf(stderr, "%s: %s: %s\n", file.c_str(), ttrt_status_name(error.status),
              error.message.c_str());
      good = false;
      continue;
    }
    try {
      ttrt::verifyFit(*bundle);
      printf("%s: ok\n", file.c_str());
    } catch (const ttrt::Error &error) {
      const bool bad = fit || error.status == TTRT_BAD_BUNDLE;
      fprintf(bad ? stderr : stdout, "%s: %s%s: %s\n", file.c_str(),
              bad ? "" : "ok, but cannot run here: ", ttrt_status_name(error.status),
              error.message.c_str());
      good &= !bad;
    }
  }
  return good ? 0 : 1;
}

} // namespace ttrun

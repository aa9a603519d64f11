// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SeedFaults.h"

#include "Oracle.h"

namespace ttrt::test {

std::map<std::string, Tally> seedFaults(const std::function<BundleBuilder()> &make, uint32_t most) {
  std::map<std::string, Tally> tallies;
  for (const FaultKind &kind : faultKinds()) {
    Tally &tally = tallies[kind.name];
    for (size_t variant = 0; variant < most; ++variant) {
      BundleBuilder builder = make();
      if (!kind.seed(builder, variant))
        break;
      const std::string said = verdict(builder);
      const std::string found = kind.formal ? "the form" : findFault(builder, 3);
      if (said.empty() != found.empty())
        tally.disagreements.push_back("variant " + std::to_string(variant) +
                                      ": the runtime says '" + said + "', the oracle says '" +
                                      found + "'");
      if (said.empty())
        ++tally.harmless;
      else if (++tally.rejected == 1)
        tally.message = said;
    }
  }
  return tallies;
}

} // namespace ttrt::test
